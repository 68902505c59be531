import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { tool } from '../tool.ts';
import { lockPhase, PHASE_TYPES, type PhaseRow } from './phase-row.ts';

export const updatePhase = tool({
  name: 'svc_update_phase',
  domain: 'Personas & Phases',
  title: 'Update phase',
  description:
    'Changes given fields of a phase; a new order moves it and keeps the orders contiguous. Next: svc_list_phases.',
  scope: 'campaigns:write',
  category: 'write',
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    phaseId: z.string().min(1),
    name: z.string().min(1).max(120).optional(),
    description: z.string().max(5_000).optional(),
    objectives: z.array(z.string()).max(50).optional(),
    phaseType: z.enum(PHASE_TYPES).optional(),
    order: z.int().min(0).optional(),
  }),
  output: z.object({ phaseId: z.string(), order: z.number() }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const row = await lockPhase(tx, input.phaseId);
      const order = input.order === undefined ? row.position : await move(tx, row, input.order, now);
      await tx.exec(
        `update phase
         set
           name = coalesce($2, name),
           description = coalesce($3, description),
           objectives = coalesce($4, objectives),
           phase_type = coalesce($5, phase_type),
           position = $6,
           updated_at = $7
         where id = $1`,
        [
          row.id,
          input.name ?? null,
          input.description ?? null,
          input.objectives ?? null,
          input.phaseType ?? null,
          order,
          now,
        ],
      );
      return { phaseId: row.id, order };
    });
  },
});

/** Makes room at the wanted place and closes the gap at the old one. @returns the place, at most the last */
async function move(tx: Tx, row: PhaseRow, wanted: number, now: number): Promise<number> {
  const last = await tx.row<{ last: number }>('select count(*)::int - 1 as last from phase where campaign_id = $1', [
    row.campaign_id,
  ]);
  const order = Math.min(wanted, last?.last ?? 0);
  if (order === row.position) return order;
  await tx.exec(
    order < row.position
      ? `update phase
         set position = position + 1, updated_at = $4
         where campaign_id = $1 and position >= $2 and position < $3`
      : `update phase
         set position = position - 1, updated_at = $4
         where campaign_id = $1 and position > $3 and position <= $2`,
    [row.campaign_id, order, row.position, now],
  );
  return order;
}

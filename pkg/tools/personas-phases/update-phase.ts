import { z } from 'zod';
import { changePhase, makeRoomFor } from '../../store/campaigns/phases.ts';
import { tool } from '../tool.ts';
import { lockPhase, PHASE_TYPES } from './phase-row.ts';

export const updatePhase = tool({
  name: 'svc_update_phase',
  domain: 'Personas & Phases',
  title: 'Update phase',
  description:
    'Changes given fields of a phase; a new order moves it and keeps the orders contiguous. Next: svc_list_phases.',
  example: { input: { phaseId: '$phaseId', objectives: ['be known'] } },
  scope: 'campaigns:write',
  category: 'write',
  reaches: false,
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
      const place = { id: row.id, campaignId: row.campaign_id, position: row.position };
      const order = input.order === undefined ? row.position : await makeRoomFor(tx, place, input.order, now);
      const text = {
        name: input.name ?? null,
        description: input.description ?? null,
        objectives: input.objectives ?? null,
        phaseType: input.phaseType ?? null,
      };
      await changePhase(tx, { id: row.id, position: order, text, now });
      return { phaseId: row.id, order };
    });
  },
});

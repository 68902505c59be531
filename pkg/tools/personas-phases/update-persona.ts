import { z } from 'zod';
import { changePersona } from '../../store/campaigns/personas.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { points, requirePersona } from './persona-row.ts';

export const updatePersona = tool({
  name: 'svc_update_persona',
  domain: 'Personas & Phases',
  title: 'Update persona',
  description: 'Changes given fields of a persona; lists are replaced whole. Next: svc_get_persona.',
  example: { input: { personaId: '$personaId', goals: ['ship faster'] } },
  scope: 'campaigns:write',
  category: 'write',
  // Live steps write by it.
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    personaId: z.string().min(1),
    name: z.string().min(1).max(120).optional(),
    description: z.string().max(5_000).optional(),
    painPoints: points,
    goals: points,
    objections: points,
  }),
  output: z.object({ personaId: z.string(), updatedAt: z.string() }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    await ctx.tx(async (tx) => {
      const row = await requirePersona(tx, input.personaId);
      const text = {
        name: input.name ?? null,
        description: input.description ?? null,
        painPoints: input.painPoints ?? null,
        goals: input.goals ?? null,
        objections: input.objections ?? null,
      };
      await changePersona(tx, row.id, text, now);
    });
    return { personaId: input.personaId, updatedAt: iso(now) };
  },
});

import { z } from 'zod';
import { tool } from '../tool.ts';
import { lockPhase } from './phase-row.ts';

export const deletePhase = tool({
  name: 'svc_delete_phase',
  domain: 'Personas & Phases',
  title: 'Delete phase',
  description: 'Removes a phase and closes the gap in order. Next: svc_list_phases.',
  example: { input: { phaseId: '$phaseId' } },
  scope: 'campaigns:write',
  category: 'write',
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ phaseId: z.string().min(1) }),
  output: z.object({ phaseId: z.string(), deleted: z.boolean() }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    await ctx.tx(async (tx) => {
      const row = await lockPhase(tx, input.phaseId);
      await tx.exec('delete from phase where id = $1', [row.id]);
      await tx.exec(
        'update phase set position = position - 1, updated_at = $3 where campaign_id = $1 and position > $2',
        [row.campaign_id, row.position, now],
      );
    });
    return { phaseId: input.phaseId, deleted: true };
  },
});

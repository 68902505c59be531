import { z } from 'zod';
import { deletePhaseRow } from '../../store/campaigns/phases.ts';
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
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ phaseId: z.string().min(1) }),
  output: z.object({ phaseId: z.string(), deleted: z.boolean() }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    await ctx.tx(async (tx) => {
      const row = await lockPhase(tx, input.phaseId);
      await deletePhaseRow(tx, { id: row.id, campaignId: row.campaign_id, position: row.position }, now);
    });
    return { phaseId: input.phaseId, deleted: true };
  },
});

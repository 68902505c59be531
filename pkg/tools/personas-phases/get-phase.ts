import { z } from 'zod';
import { tool } from '../tool.ts';
import { phase, phaseOf, requirePhase } from './phase-row.ts';

export const getPhase = tool({
  name: 'svc_get_phase',
  domain: 'Personas & Phases',
  title: 'Get phase',
  description: 'Reads one phase. Next: svc_update_phase.',
  example: { input: { phaseId: '$phaseId' } },
  scope: 'campaigns:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ phaseId: z.string().min(1) }),
  output: z.object({ phase }),
  async run(ctx, input) {
    return { phase: phaseOf(await ctx.tx((tx) => requirePhase(tx, input.phaseId))) };
  },
});

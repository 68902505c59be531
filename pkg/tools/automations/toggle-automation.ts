import { z } from 'zod';
import { wakeWorkspace } from '../../store/runs/wake.ts';
import { stopRunsOf } from '../../store/schedules/scheduled-runs.ts';
import { nextOf, updateSchedule } from '../../store/schedules/schedules.ts';
import { tool } from '../tool.ts';
import { requireAutomation } from './automation-row.ts';

export const toggleAutomation = tool({
  name: 'svc_toggle_automation',
  domain: 'Automations',
  title: 'Toggle automation',
  description: "Flips an automation's enabled state and returns the new one. Next: svc_get_automation_jobs.",
  example: { input: { automationId: '$automationId' } },
  scope: 'automations:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ automationId: z.string().min(1) }),
  output: z.object({ automationId: z.string(), enabled: z.boolean(), wasEnabled: z.boolean(), version: z.number() }),
  async run(ctx, { automationId }) {
    const now = ctx.clocks.product.now();
    // Two that flip at once take turns at the row: the versions tell in which order.
    return ctx.unrecorded(async (tx) => {
      const known = await requireAutomation(tx, automationId, true);
      const enabled = !known.enabled;
      const next = enabled ? nextOf(known.timing, known.id, now) : { nextFor: null, nextAt: null };
      await updateSchedule(tx, { ...known, ...next, enabled });
      if (!enabled) await stopRunsOf(tx, known.id, now);
      if (next.nextAt !== null) await wakeWorkspace(tx, known.workspaceId, next.nextAt, 'an automation was enabled');
      return { automationId, enabled, wasEnabled: known.enabled, version: known.version + 1 };
    });
  },
});

import { z } from 'zod';
import { lastRuns } from '../../store/schedules/scheduled-runs.ts';
import { tool } from '../tool.ts';
import { automationJob, jobOf, requireAutomation } from './automation-row.ts';

/** Source: the tool's description in the catalog. */
const SHOWN = 10;

export const getAutomationJobs = tool({
  name: 'svc_get_automation_jobs',
  domain: 'Automations',
  title: 'Get automation jobs',
  description:
    'Reads the last 10 jobs of an automation with status, timestamps and results. Next: svc_diagnose on a failure.',
  example: { input: { automationId: '$automationId' } },
  scope: 'automations:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ automationId: z.string().min(1) }),
  output: z.object({ automationId: z.string(), jobs: z.array(automationJob) }),
  async run(ctx, { automationId }) {
    const runs = await ctx.tx(async (tx) => {
      const automation = await requireAutomation(tx, automationId);
      return lastRuns(tx, automation.id, SHOWN);
    });
    return { automationId, jobs: runs.map(jobOf) };
  },
});

import { lastRuns } from '../../../store/schedules/scheduled-runs.ts';
import { type Automation, requireAutomation } from '../../automations/automation-row.ts';
import { notFound } from '../../errors.ts';
import { iso } from '../../times.ts';
import { type Check, type CheckContext, fail, pass, waits } from './check.ts';
import { workspaceAtWork } from './workspace-at-work.ts';

/** Why an automation does nothing: whether it may run, whether it is on, and what its last run came to. */
export async function automationChecks(context: CheckContext): Promise<Check[]> {
  const { tx, workspaceId, targetId } = context;
  const automation = await requireAutomation(tx, targetId);
  if (automation.workspaceId !== workspaceId) throw notFound('automation', targetId);
  return [
    await workspaceAtWork(context, 'automation_workspace'),
    enabledCheck(automation),
    await runsCheck(context, automation),
  ];
}

function enabledCheck({ id, enabled, nextFor }: Automation): Check {
  if (!enabled)
    return fail('automation_enabled', 'It is disabled: nothing runs it.', 'svc_toggle_automation', {
      automationId: id,
    });
  return pass(
    'automation_enabled',
    nextFor === null ? 'It is enabled.' : `It is enabled, and runs next ${iso(nextFor)}.`,
  );
}

async function runsCheck({ tx }: CheckContext, { id }: Automation): Promise<Check> {
  const [last] = await lastRuns(tx, id, 1);
  if (!last) return waits('automation_runs', 'It has not run yet.');
  const when = iso(last.scheduledFor);
  if (last.state === 'queued' || last.state === 'running')
    return waits('automation_runs', `Its run of ${when} is ${last.state}.`);
  if (last.state !== 'failed') return pass('automation_runs', `Its run of ${when} ${last.state}.`);
  const detail = `Its run of ${when} failed: ${last.error ?? 'nobody knows why'}. The next one tries again.`;
  return fail('automation_runs', detail, 'svc_get_automation_jobs', { automationId: id });
}

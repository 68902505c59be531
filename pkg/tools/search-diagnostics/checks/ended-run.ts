import { missingOf } from '../../../domain/missing-data.ts';
import { REVIEW_EXPIRED } from '../../../domain/review-expiry.ts';
import { fillingTool, unknownFields } from '../../records/unknown-fields.ts';
import { type Check, type CheckContext, fail, waits } from './check.ts';
import type { Run } from './run.ts';

/** A run that has ended: why, and what takes it up again where that is for people to decide. */
export async function endedCheck(context: CheckContext, run: Run, { isLast }: { isLast: boolean }): Promise<Check> {
  const detail = `Run ${run.id} ended: ${run.state}${run.end_reason ? ` (${run.end_reason})` : ''}.`;
  if (!isLast) return waits('run', detail);
  const control = (action: string) => ['svc_control_workflow_runs', { runIds: [run.id], action }] as const;
  if (run.state === 'stopped' && run.end_reason === REVIEW_EXPIRED)
    return fail('run', `${detail} It can go on with a new draft.`, ...control('resume'));
  const missing = run.state === 'stopped' ? missingOf(run.end_reason) : null;
  if (missing) return lacking(context, run, { detail, missing });
  if (run.state !== 'failed' || (await timesFailed(context, run)) > 1 || (await hasSent(context, run)))
    return waits('run', detail);
  return fail('run', `${detail} It can be tried once more.`, ...control('retry'));
}

/** A text had a gap: once the lead has what it lacks, the run goes on at that step. */
async function lacking(
  { tx, workspaceId, targetId }: CheckContext,
  run: Run,
  { detail, missing }: { detail: string; missing: readonly string[] },
): Promise<Check> {
  const unknown = await unknownFields(tx, targetId, missing);
  // What the lead's record does not hold is nothing to fill in.
  if (unknown === null) return waits('run', detail);
  if (unknown.length > 0) {
    const tool = fillingTool(unknown);
    const input = { workspaceId, ...(tool === 'svc_upsert_lead' ? { leadId: targetId } : {}) };
    return fail('run', `${detail} Fill in ${unknown.join(', ')}, then the run can go on.`, tool, input);
  }
  const input = { runIds: [run.id], action: 'retry' };
  return fail('run', `${detail} It is known now: the run can go on.`, 'svc_control_workflow_runs', input);
}

async function timesFailed({ tx, workspaceId }: CheckContext, run: Run): Promise<number> {
  const row = await tx.row<{ times: number }>(
    `select count(*)::int as times
     from run_event
     where workspace_id = $1 and run_id = $2 and kind = 'run.failed'`,
    [workspaceId, run.id],
  );
  return row?.times ?? 0;
}

/** Whether the step at which it failed did something, or may have: that is never done twice. */
async function hasSent({ tx }: CheckContext, run: Run): Promise<boolean> {
  const sent = await tx.row(
    `select 1
     from send
     where run_id = $1 and node_id = $2 and state in ('dispatched', 'confirmed', 'unknown')
     limit 1`,
    [run.id, run.node_id],
  );
  return sent !== undefined;
}

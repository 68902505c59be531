import type { JsonObject } from '../../base/json.ts';
import { icpsToScore, passOf, queueScoring } from '../../store/scoring/scoring-jobs.ts';
import { countsOf } from './counts-of.ts';
import type { ScheduleContext, ScheduleHandler, ScheduleStep } from './schedule-handler.ts';

/** Product ms after which a run looks how its pass goes on. */
const LOOK_MS = 30_000;

/**
 * Scores the leads of the campaign anew, under all of its ICPs or the one of the settings: one pass after the other. A pass under way
 * is joined.
 */
export const rescoreLeads: ScheduleHandler = {
  kind: 'rescore_leads',
  run: (context, cursor) =>
    typeof cursor.jobId === 'string' ? awaitPass(context, cursor) : beginPass(context, cursor),
};

async function beginPass({ tx, run, now, newId }: ScheduleContext, cursor: JsonObject): Promise<ScheduleStep> {
  const { icpId } = run.settings;
  const done = doneBy(run.result);
  const [next] = await icpsToScore(tx, {
    campaignId: run.campaignId,
    icpId: typeof icpId === 'string' ? icpId : null,
    after: typeof cursor.after === 'string' ? cursor.after : null,
  });
  if (next === undefined) {
    if (icpId !== undefined && done.icps === 0)
      return { kind: 'failed', result: done, error: `the ICP ${String(icpId)} is gone: name another` };
    return { kind: 'done', result: done };
  }
  const job = await queueScoring(tx, { id: newId(), icpId: next, now });
  return { kind: 'rest', cursor: { after: next, jobId: job.id }, result: done, dueAt: now + LOOK_MS };
}

async function awaitPass({ tx, run, now }: ScheduleContext, cursor: JsonObject): Promise<ScheduleStep> {
  const done = doneBy(run.result);
  const pass = await passOf(tx, String(cursor.jobId));
  if (pass?.status === 'queued' || pass?.status === 'running')
    return { kind: 'rest', cursor, result: done, dueAt: now + LOOK_MS };
  if (pass?.status === 'failed') return { kind: 'failed', result: done, error: `a scoring pass failed: ${pass.error}` };
  // An ICP that was deleted meanwhile has taken its pass along.
  const result = pass ? { icps: done.icps + 1, leads: done.leads + pass.done } : done;
  return { kind: 'more', cursor: { after: cursor.after ?? null }, result };
}

const doneBy = (result: JsonObject): { icps: number; leads: number } => countsOf(result, ['icps', 'leads']);

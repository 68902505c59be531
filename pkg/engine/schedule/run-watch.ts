import { releaseHold } from '../../store/credits/credits.ts';
import { moveSchedule, nextOf } from '../../store/schedules/schedules.ts';
import { lockWatch, noteFault, pauseItself, type Watch } from '../../store/watches/watches.ts';
import { keepWatch } from '../watches/keep-watch.ts';
import { readWatchOnce, type WatchReading } from '../watches/read-watch.ts';
import type { ScheduleContext, ScheduleHandler, ScheduleStep } from './schedule-handler.ts';

/** Checks in a row that fail, after which a watch pauses itself; one that no tool resumes tries again a week later. */
const MOST_FAULTS = 5;
const WEEK_MS = 7 * 86_400_000;

function watchHandler(kind: 'competitor_watch' | 'search_watch'): ScheduleHandler {
  return {
    kind,
    read: readWatchOnce,
    async run(context, _cursor, read) {
      const reading = read as WatchReading;
      const watch = await lockWatch(context.tx, context.run.scheduleId);
      if (!watch) return { kind: 'failed', result: {}, error: 'the watch is gone' };
      switch (reading.kind) {
        case 'over':
          return { kind: 'failed', result: {}, error: reading.why };
        case 'limit':
          return pauseUntil(context, watch, reading.resumesAt);
        case 'failed':
          return failed(context, watch, reading);
        case 'read':
          return { kind: 'done', result: { ...(await keepWatch(context, watch, reading)) } };
      }
    },
    count(metrics, _before, { found, credits, skipped }) {
      const result = skipped !== undefined ? 'skipped' : credits === undefined ? 'failed' : 'checked';
      metrics.watchChecks.inc({ kind, result });
      if (Number(found) > 0) metrics.watchFindings.inc({ kind }, Number(found));
    },
    begin(metrics) {
      for (const result of ['checked', 'failed', 'skipped']) metrics.watchChecks.inc({ kind, result }, 0);
      metrics.watchFindings.inc({ kind }, 0);
    },
  };
}

/** Checks a competitor: its page on the network and its site. */
export const runCompetitorWatch = watchHandler('competitor_watch');
/** Looks for a topic or a search on the network. */
export const runSearchWatch = watchHandler('search_watch');

/** The limit of the month is reached: it comes again when the next one begins. */
async function pauseUntil({ tx, now }: ScheduleContext, watch: Watch, resumesAt: number): Promise<ScheduleStep> {
  const reason = `budget: the limit of ${watch.monthlyCreditLimit} credits of this month is reached`;
  const timing = { kind: 'cadence', everyMs: watch.everyMs, from: watch.everyFrom } as const;
  await moveSchedule(tx, watch.id, nextOf(timing, watch.id, resumesAt - 1));
  if (watch.pausedUntil !== resumesAt) await pauseItself(tx, watch, { until: resumesAt, reason, now });
  return { kind: 'done', result: { skipped: reason } };
}

async function failed(
  { tx, now }: ScheduleContext,
  watch: Watch,
  { why, holdId }: Extract<WatchReading, { kind: 'failed' }>,
): Promise<ScheduleStep> {
  if (holdId !== null) await releaseHold(tx, holdId, now, why.slice(0, 200));
  const faults = await noteFault(tx, watch.id, now);
  if (faults < MOST_FAULTS) return { kind: 'failed', result: { faults }, error: why };
  const until = watch.kind === 'competitor' ? null : now + WEEK_MS;
  const timing = { kind: 'cadence', everyMs: watch.everyMs, from: watch.everyFrom } as const;
  const next = until === null ? { nextFor: null, nextAt: null } : nextOf(timing, watch.id, until - 1);
  await moveSchedule(tx, watch.id, next);
  await pauseItself(tx, watch, { until, reason: `faults: ${faults} checks in a row failed, the last: ${why}`, now });
  return { kind: 'failed', result: { faults }, error: why };
}

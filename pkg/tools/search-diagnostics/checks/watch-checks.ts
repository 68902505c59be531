import type { Tx } from '../../../postgres/database.ts';
import { lastRuns } from '../../../store/schedules/scheduled-runs.ts';
import type { Watch } from '../../../store/watches/watches.ts';
import { requireCompetitor } from '../../competitors/competitor-row.ts';
import { notFound } from '../../errors.ts';
import { pauseReasonOf } from '../../search-watches/search-watch-row.ts';
import { iso } from '../../times.ts';
import { type Check, type CheckContext, fail, pass, waits } from './check.ts';

/** Why a watch of a competitor finds nothing: whether it checks, and what its last checks came to. */
export async function watchChecks({ tx, workspaceId, targetId }: CheckContext): Promise<Check[]> {
  const watch = await requireCompetitor(tx, targetId);
  if (watch.workspaceId !== workspaceId) throw notFound('competitorWatch', targetId);
  return [activeCheck(watch), await lastCheck(tx, watch)];
}

function activeCheck(watch: Watch): Check {
  const reason = pauseReasonOf(watch);
  if (reason === null)
    return pass(
      'watch_active',
      `It checks ${watch.cadence}, next at ${watch.nextFor === null ? 'never' : iso(watch.nextFor)}.`,
    );
  if (watch.enabled && watch.pausedUntil !== null) return waits('watch_active', `It is paused: ${reason}.`);
  return fail('watch_active', `It is paused: ${reason}.`, 'svc_resume_competitor_watch', {
    competitorWatchId: watch.id,
  });
}

async function lastCheck(tx: Tx, watch: Watch): Promise<Check> {
  const [last] = await lastRuns(tx, watch.id, 1);
  if (!last || last.state === 'queued') return waits('watch_checks', 'Its first check has not come yet.');
  if (last.state === 'failed' || last.state === 'skipped')
    return waits(
      'watch_checks',
      `Its last check ${last.state}: ${last.error ?? 'no reason is known'}. It tries again.`,
    );
  const { found = 0, baseline = 0, notes = [] } = watch.state.last ?? {};
  const began = baseline > 0 && found === 0 ? `; ${baseline} were there before and are the baseline` : '';
  return pass('watch_checks', `Its last check found ${found}${began}. ${notes.join('; ')}`.trim());
}

import { withDeadline } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { type CreditAction, creditsFor } from '../../domain/credits.ts';
import type { Tx } from '../../postgres/database.ts';
import { ProviderError } from '../../providers/network/network-provider.ts';
import type { SiteLook } from '../../providers/site/site-reader.ts';
import { holdCredits } from '../../store/credits/credits.ts';
import type { ScheduledRun } from '../../store/schedules/scheduled-runs.ts';
import { creditsOfMonth, monthOf } from '../../store/watches/watch-month.ts';
import { readWatch, type Watch } from '../../store/watches/watches.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { NetworkReader } from './network-reader.ts';
import { type CompetitorReading, readCompetitor } from './read-competitor.ts';
import { readSearch, type SearchReading } from './read-search.ts';

const actionOf = ({ kind }: Watch): CreditAction => (kind === 'competitor' ? 'competitor_check' : 'search_watch_run');
/** Credits of a check. */
export const priceOf = (watch: Watch): number => creditsFor(actionOf(watch), 1);
/** Real ms that all requests of one check may take together. */
const WITHIN_MS = 240_000;
/** Tries of a check while the network can not be reached; then it failed. */
const MOST_TRIES = 3;

/**
 * What a check read. `over`: nobody is to be asked, and it says why; `limit`: the month's limit is reached; `failed`: nothing could be read,
 * and it costs nothing.
 */
export type WatchReading =
  | { kind: 'over'; why: string }
  | { kind: 'limit'; resumesAt: number }
  | { kind: 'failed'; why: string; holdId: string | null }
  | {
      kind: 'read';
      holdId: string;
      competitor: CompetitorReading | null;
      search: SearchReading | null;
      site: SiteLook | null;
      /** Why the network was not read further; null: it was read as far as the check goes. */
      stopped: string | null;
    };

type Plan = Extract<WatchReading, { kind: 'over' | 'limit' | 'failed' }> | { watch: Watch; holdId: string };

/**
 * Reads what a watch looks at, after its price is on hold.
 * @throws ProviderError while the network can not be reached: the check is tried again
 */
export async function readWatchOnce(deps: EngineDeps, run: ScheduledRun): Promise<WatchReading> {
  const plan = await deps.claim.tx((tx) => planCheck(tx, deps, run));
  if ('kind' in plan) return plan;
  const { watch, holdId } = plan;
  try {
    return await withDeadline(WITHIN_MS, deps.claim.signal, (signal) => readAll(deps, watch, holdId, signal));
  } catch (error) {
    if (deps.claim.signal.aborted || (error instanceof ProviderError && run.attempts < MOST_TRIES)) throw error;
    return { kind: 'failed', why: messageOf(error), holdId };
  }
}

async function planCheck(tx: Tx, { clock, newId }: EngineDeps, run: ScheduledRun): Promise<Plan> {
  const watch = await readWatch(tx, run.scheduleId);
  if (!watch) return { kind: 'over', why: 'the watch is gone' };
  const now = clock.now();
  const { month, nextAt } = monthOf(now, watch.timezone);
  const spent = (await creditsOfMonth(tx, [watch.id], month)).get(watch.id) ?? 0;
  if (watch.monthlyCreditLimit !== null && spent + priceOf(watch) > watch.monthlyCreditLimit)
    return { kind: 'limit', resumesAt: nextAt };
  const hold = await holdCredits(tx, {
    id: newId(),
    workspaceId: watch.workspaceId,
    amount: priceOf(watch),
    action: actionOf(watch),
    idempotencyKey: `watch:${run.id}`,
    inputHash: watch.id,
    now,
  });
  if (hold.kind === 'held' || hold.kind === 'seen') return { watch, holdId: hold.holdId };
  return { kind: 'over', why: 'the workspace has no credits left: svc_get_credit_balance' };
}

async function readAll(deps: EngineDeps, watch: Watch, holdId: string, signal: AbortSignal): Promise<WatchReading> {
  const reader = new NetworkReader(deps, signal);
  const onPage = watch.findingKinds.some((kind) => kind !== 'site_change' && kind !== 'funding');
  const competitor = watch.profileUrl !== null && onPage ? await readCompetitor(deps, watch, reader) : null;
  const search = watch.kind === 'competitor' ? null : await readSearch(deps, watch, reader);
  const site = await readSite(deps, watch, signal);
  const { name: _, ...parts } = competitor ?? { name: '' };
  if (Object.keys(parts).length > 0 || search !== null || site?.kind === 'read')
    return { kind: 'read', holdId, competitor, search, site, stopped: reader.stopped };
  const seen = site === null ? null : `the site was not read: ${site.why}`;
  const page = onPage || watch.kind !== 'competitor' ? (reader.stopped ?? 'there is no such page') : null;
  return { kind: 'failed', why: [page, seen].filter(Boolean).join('; '), holdId };
}

async function readSite({ outside }: EngineDeps, watch: Watch, signal: AbortSignal): Promise<SiteLook | null> {
  if (watch.domain === null || !watch.findingKinds.includes('site_change')) return null;
  if (!outside) return { kind: 'blocked', why: 'nothing outside can be read here' };
  return outside.sites.read(watch.workspaceId, watch.domain, signal);
}

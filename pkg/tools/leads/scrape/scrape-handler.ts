import { creditsFor } from '../../../domain/credits.ts';
import type { Tx } from '../../../postgres/database.ts';
import { ProviderError, type PublicProfile } from '../../../providers/network/network-provider.ts';
import { exportAccount } from '../../../store/accounts/connection-exports.ts';
import { releaseHold, settleHold } from '../../../store/credits/credits.ts';
import type { BackgroundJob, JobStep } from '../../../store/jobs/background-jobs.ts';
import { closeRest, openItems, type ScrapeItem, takeReads } from '../../../store/leads/lead-scrapes.ts';
import { refreshLists } from '../../../store/lists/lead-lists.ts';
import { wakeIfWorking } from '../../../store/runs/wake.ts';
import { markScoresStale } from '../../../store/scoring/scoring-jobs.ts';
import type { JobContext, JobHandler } from '../../jobs/job-step.ts';
import { type ReadItem, storeProfiles } from './scrape-store.ts';
import { type ScrapeWork, scrapeWork } from './scrape-work.ts';

/** Profiles per step: with a provider at its timeout for each, a step still ends within its lease. */
const AT_ONCE = 2;
/** Product ms until an account that answered with a limit is asked again. */
const LIMIT_REST_MS = 15 * 60_000;

/** Reads the next profiles through an account that has budget for it; each one found is charged once. */
export const scrapeHandler: JobHandler = {
  kind: 'lead_scrape',
  async step(context, job) {
    const work = scrapeWork.parse(job.work);
    const plan = await context.tx((tx) => planStep(tx, context, job));
    const now = context.clocks.product.now();
    if (plan.items.length === 0) return (tx) => end(tx, job, work, now, null);
    if (plan.accountId === null) {
      const { nextAt } = plan;
      if (nextAt !== null) return () => Promise.resolve({ kind: 'rest', work, notBefore: nextAt });
      return (tx) => end(tx, job, work, now, 'no network account is linked to the workspace any more');
    }
    const read = await readProfiles(context, job, plan.accountId, plan.items);
    return async (tx) => {
      const next = await storeProfiles(tx, context, { job, work, read: read.items, now });
      if (read.limited) return { kind: 'rest', work: next, notBefore: now + LIMIT_REST_MS };
      return { kind: 'more', work: next };
    };
  },
  giveUp: async (tx, job, now, error) => {
    await end(tx, job, scrapeWork.parse(job.work), now, error);
  },
};

interface Plan {
  items: ScrapeItem[];
  accountId: string | null;
  nextAt: number | null;
}

async function planStep(tx: Tx, context: JobContext, job: BackgroundJob): Promise<Plan> {
  const items = await openItems(tx, job.id, AT_ONCE);
  if (items.length === 0) return { items, accountId: null, nextAt: null };
  const now = context.clocks.product.now();
  const of = { action: 'profile_scrape', wanted: items.length, accountId: null, now } as const;
  const { accountId, granted, nextAt } = await takeReads(tx, job.workspaceId, of);
  return { items: granted > 0 ? items.slice(0, granted) : items, accountId, nextAt };
}

/** Reads until the network signals a limit; what was read until then counts. */
async function readProfiles(
  context: JobContext,
  job: BackgroundJob,
  accountId: string,
  items: readonly ScrapeItem[],
): Promise<{ items: ReadItem[]; limited: boolean }> {
  const account = await context.tx((tx) => exportAccount(tx, job.workspaceId, accountId));
  const provider = account ? context.providers(account.provider) : undefined;
  if (!account || !provider?.readProfile) throw new Error('the provider of the account reads no profiles here');
  const read: ReadItem[] = [];
  for (const item of items) {
    try {
      const profile: PublicProfile | null = await provider.readProfile(account, item.asked, context.signal);
      read.push({ item, state: profile ? 'found' : 'not_found', profile });
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      if (error.kind === 'limit' || error.kind === 'rate_limited') return { items: read, limited: true };
      if (error.kind === 'unavailable_before_send') throw error;
      read.push({ item, state: 'failed', profile: null });
    }
  }
  return { items: read, limited: false };
}

/** Charges what was found. @param problem why it ended early */
async function end(
  tx: Tx,
  job: BackgroundJob,
  work: ScrapeWork,
  now: number,
  problem: string | null,
): Promise<JobStep> {
  const rest = problem === null ? 0 : await closeRest(tx, job.id);
  const done = { ...work, failed: work.failed + rest };
  const credits = creditsFor('lead_scrape', work.found);
  if (job.holdId !== null) {
    if (credits === 0) await releaseHold(tx, job.holdId, now, problem ?? 'nothing was found');
    else await settleHold(tx, job.holdId, credits, now);
  }
  await refreshLists(tx, job.workspaceId, now);
  await markScoresStale(tx, job.workspaceId);
  await wakeIfWorking(tx, job.workspaceId, now, 'profiles read');
  return problem === null ? { kind: 'over', work: done } : { kind: 'failed', work: done, error: problem };
}

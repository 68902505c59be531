import { withDeadline } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { creditsFor } from '../../domain/credits.ts';
import { searchUrl } from '../../domain/search-url.ts';
import type { Page, ShownPerson } from '../../providers/network/network-provider.ts';
import { holdCredits, settleHold } from '../../store/credits/credits.ts';
import { attachToCampaign } from '../../store/leads/imports.ts';
import { newToCampaign } from '../../store/leads/sourced-leads.ts';
import type { ScheduledRun } from '../../store/schedules/scheduled-runs.ts';
import { markScoresStale } from '../../store/scoring/scoring-jobs.ts';
import { readScoringRules } from '../../store/scoring/scoring-pass.ts';
import { keepSeenPeople } from '../../store/watches/seen-people.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { NetworkReader } from '../watches/network-reader.ts';
import { countsOf } from './counts-of.ts';
import type { ScheduleContext, ScheduleHandler } from './schedule-handler.ts';

/** Pages that one run reads at most, and real ms that one may take. */
const MOST_PAGES = 20;
const WITHIN_MS = 60_000;

/** A page of the search; `over`: why there is none, or none beyond it. */
type Read = { page: Page<ShownPerson> | null; over: string | null };

/**
 * Searches the network for people of an ICP and brings those into the campaign who are new to it: `settings` icpId, maxLeads, creditLimit.
 * Each costs as a lead that is scraped. Who must not be contacted is left out and costs nothing; one page is one transaction.
 */
export const sourceLeads: ScheduleHandler = {
  kind: 'source_leads',
  read: readPage,
  async run(context, cursor, read) {
    const { page, over } = read as Read;
    const { run } = context;
    const so = tallyOf(run.result);
    if (page === null) return { kind: 'done', result: { ...so, ended: over ?? 'nothing was found' } };
    const kept = await keepPage(context, page.items, so);
    const result = { ...so, pages: so.pages + 1, seen: so.seen + page.items.length, ...kept };
    const ended = kept.ended ?? (page.cursor === null ? 'the search has no more' : null);
    if (ended !== null) return { kind: 'done', result: { ...result, ended } };
    if (result.pages >= MOST_PAGES)
      return { kind: 'done', result: { ...result, ended: `${MOST_PAGES} pages were read` } };
    const { ended: _, ...goes } = result;
    return { kind: 'more', cursor: { ...cursor, page: page.cursor }, result: goes };
  },
};

const tallyOf = (result: JsonObject) => countsOf(result, ['pages', 'seen', 'added', 'credits']);
type Tally = ReturnType<typeof tallyOf>;

async function readPage(deps: EngineDeps, run: ScheduledRun): Promise<Read> {
  const so = tallyOf(run.result);
  const { icpId, maxLeads, creditLimit } = run.settings;
  if (so.added >= Number(maxLeads)) return { page: null, over: 'as many leads as a run may bring were added' };
  if (so.credits + creditsFor('lead_scrape', 1) > Number(creditLimit))
    return { page: null, over: 'the limit of credits of a run is reached' };
  const icp = await deps.claim.tx((tx) => readScoringRules(tx, String(icpId)));
  if (!icp) return { page: null, over: 'the ICP is gone: name another' };
  const { titles, industries, seniorities, companySizes, keywords } = icp;
  const { url } = searchUrl('people', { titles, industries, seniorities, companySizes, keywords, locations: [] });
  return withDeadline(WITHIN_MS, deps.claim.signal, async (signal) => {
    const reader = new NetworkReader(deps, signal);
    const at = typeof run.cursor.page === 'string' ? { cursor: run.cursor.page } : {};
    const page = await reader.ask('search', (provider, account, asked) =>
      provider.searchPeople?.(account, { url }, { ...at, signal: asked }),
    );
    return { page, over: reader.stopped };
  });
}

/** Adds who is new, as many as limits and credits reach. @returns what the run came to with them; `ended`: why it adds nobody else */
async function keepPage(
  context: ScheduleContext,
  people: readonly ShownPerson[],
  so: Tally,
): Promise<{ added: number; credits: number; ended?: string }> {
  const { tx, run, now, newId } = context;
  const { workspaceId, campaignId } = run;
  if (campaignId === null) return { added: so.added, credits: so.credits, ended: 'the campaign is gone' };
  const leads = await keepSeenPeople(tx, workspaceId, people, { now, newId });
  const inOrder = people.flatMap((person) => leads.get(person.publicId) ?? []);
  const fresh = await newToCampaign(tx, { workspaceId, campaignId, now }, [...new Set(inOrder)]);
  const price = creditsFor('lead_scrape', 1);
  const room = Math.min(
    Number(run.settings.maxLeads) - so.added,
    Math.floor((Number(run.settings.creditLimit) - so.credits) / price),
  );
  const chosen = fresh.slice(0, Math.max(0, room));
  if (chosen.length === 0) return { added: so.added, credits: so.credits };
  const credits = chosen.length * price;
  const paid = await pay(context, credits, so);
  if (paid !== null) return { added: so.added, credits: so.credits, ended: paid };
  await attachToCampaign(tx, workspaceId, campaignId, chosen, now);
  await markScoresStale(tx, workspaceId);
  return { added: so.added + chosen.length, credits: so.credits + credits };
}

/** Charges a page in the transaction that keeps it. @returns why it can not be paid; null: it is */
async function pay({ tx, run, now, newId }: ScheduleContext, credits: number, so: Tally): Promise<string | null> {
  const hold = await holdCredits(tx, {
    id: newId(),
    workspaceId: run.workspaceId,
    amount: credits,
    action: 'lead_scrape',
    ...(run.campaignId === null ? {} : { campaignId: run.campaignId }),
    idempotencyKey: `source:${run.id}:${so.pages}`,
    inputHash: run.id,
    now,
  });
  if (hold.kind === 'short') return 'the workspace has no credits left';
  if (hold.kind === 'over_budget') return 'the creditBudget of the campaign is used up';
  if (hold.kind === 'mismatch') throw new Error('the hold of a page is for something else');
  await settleHold(tx, hold.holdId, credits, now);
  return null;
}

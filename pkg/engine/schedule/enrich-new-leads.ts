import { messageOf } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Verdicts } from '../../domain/enrichment/attempt.ts';
import { ENRICH_FIELDS, enrichCredits } from '../../domain/enrichment/enrich-fields.ts';
import { resultsOf } from '../../domain/enrichment/results.ts';
import { isForGood } from '../../providers/call-error.ts';
import { askAboutPerson, type EnrichmentDesk } from '../../providers/enrichment/ask-about.ts';
import { NO_ENRICHMENT } from '../../providers/enrichment/choose-enrichment.ts';
import { holdCredits, mustSettle, releaseHold } from '../../store/credits/credits.ts';
import { attemptLedger, type EnrichmentWork, settleEnrichment } from '../../store/enrichment/attempts.ts';
import { type LackingLead, type LeadPlace, leadsAfter, placeBefore } from '../../store/leads/leads-to-enrich.ts';
import { callDesk } from '../calls/call-desk.ts';
import { countsOf } from './counts-of.ts';
import type { NextStep, ScheduleContext, ScheduleHandler, ScheduleStep } from './schedule-handler.ts';

/** Leads that one step looks at: it ends in time, however many of them are excluded. */
const AT_ONCE = 100;

/**
 * Fills fields of leads that came since the last run, one lead after the other. The worst case of a lead is held before it is asked for,
 * and what was found is written and charged in one transaction; no run spends more than its limit. A process that ends in between asks
 * again under the same key, which costs the workspace nothing.
 */
export const enrichNewLeads: ScheduleHandler = {
  kind: 'enrich_new_leads',
  async run(context, cursor) {
    const { tx, run } = context;
    const after = placeOf(cursor) ?? (await placeBefore(tx, run.scheduleId, run.id));
    const fields = ENRICH_FIELDS.filter((field) => wantedBy(run.settings).has(field));
    const { leads, last } =
      run.campaignId === null
        ? { leads: [], last: null }
        : await leadsAfter(tx, run.campaignId, { after, fields, now: context.now, limit: AT_ONCE });
    const [lead] = leads;
    if (lead) return askFor(context, lead, after);
    if (!last) return { kind: 'done', result: tallyOf(run.result) };
    return { kind: 'more', cursor: cursorAt(last), result: tallyOf(run.result) };
  },
};

/** `leads` is the sum of enriched, notFound and refused. */
const tallyOf = (result: JsonObject) => countsOf(result, ['leads', 'enriched', 'notFound', 'refused', 'credits']);
type Tally = ReturnType<typeof tallyOf>;

const wantedBy = ({ fields }: JsonObject): Set<unknown> => new Set(Array.isArray(fields) ? fields : []);
const cursorAt = ({ createdAt, leadId }: LeadPlace): JsonObject => ({ createdAt, leadId });

function placeOf({ createdAt, leadId }: JsonObject): LeadPlace | null {
  return typeof createdAt === 'number' && typeof leadId === 'string' ? { createdAt, leadId } : null;
}

async function askFor(context: ScheduleContext, lead: LackingLead, at: LeadPlace): Promise<ScheduleStep> {
  const { run } = context;
  const so = tallyOf(run.result);
  const credits = enrichCredits(lead.wanted);
  const ended = (why: string): ScheduleStep => ({ kind: 'done', result: { ...so, ended: why } });
  if (so.credits + credits > Number(run.settings.creditLimit)) return ended('the limit of credits of a run is reached');
  // What is lacking may have changed since a try before: then it is another question.
  const key = `automation:${run.id}:${lead.leadId}:${lead.wanted.join('+')}`;
  const hold = await holdOf(context, lead, key);
  if (hold.kind === 'short') return ended('the workspace has no credits left');
  if (hold.kind === 'over_budget') return ended('the creditBudget of the campaign is used up');
  if (hold.kind === 'mismatch') return { kind: 'failed', result: so, error: `the hold ${key} is for something else` };
  const { workspaceId, campaignId } = run;
  const work = { workspaceId, campaignId, subjectId: lead.leadId, holder: key };
  return {
    kind: 'ask',
    cursor: cursorAt(at),
    result: so,
    async ask(outside, signal, deps) {
      const enrichment = await callDesk(deps, outside);
      if (enrichment.providers.length === 0) return unable(so, hold.holdId);
      const ledger = attemptLedger(
        work,
        (inTx) => deps.claim.tx(inTx),
        () => deps.clock.now(),
      );
      const verdicts = await askAboutPerson(enrichment, ledger, lead, lead.wanted, {
        signal,
        last: false,
        told: (provider, field, outcome) => deps.metrics.enrichment.inc({ provider, field, outcome }),
      });
      return waitsFor(verdicts, at) ?? keep(lead, { work, verdicts, holdId: hold.holdId, own: enrichment.own });
    },
  };
}

/** The worst case of a lead, held before anybody is asked. */
function holdOf(
  { tx, run, now, newId }: ScheduleContext,
  lead: LackingLead,
  key: string,
): ReturnType<typeof holdCredits> {
  return holdCredits(tx, {
    id: newId(),
    workspaceId: run.workspaceId,
    amount: enrichCredits(lead.wanted),
    action: 'lead_enrich',
    ...(run.campaignId === null ? {} : { campaignId: run.campaignId }),
    idempotencyKey: key,
    inputHash: lead.wanted.join(),
    now,
  });
}

/** Nobody can be asked here. */
function unable(so: Tally, holdId: string): NextStep {
  return async ({ tx, now }) => {
    await releaseHold(tx, holdId, now, 'nobody was asked');
    return { kind: 'failed', result: so, error: `${NO_ENRICHMENT}; a platform admin sets one up` };
  };
}

/** A provider failed or takes its time, or another asks for this lead: its turn comes again, and what was answered is kept. */
function waitsFor(verdicts: Verdicts, at: LeadPlace): NextStep | undefined {
  const waits = [...verdicts.values()].flatMap((one) => (one.kind === 'again' ? [one.afterMs] : []));
  if (waits.length === 0) return undefined;
  return ({ run, now }) =>
    Promise.resolve({
      kind: 'rest',
      cursor: cursorAt(at),
      result: tallyOf(run.result),
      dueAt: now + Math.min(...waits),
    });
}

function keep(
  lead: LackingLead,
  {
    work,
    verdicts,
    holdId,
    own,
  }: { work: EnrichmentWork; verdicts: Verdicts; holdId: string; own: EnrichmentDesk['own'] },
): NextStep {
  return async ({ tx, run, now }) => {
    const so = tallyOf(run.result);
    const closed = await settleEnrichment(tx, work, resultsOf(verdicts, lead, own), now);
    const credits = closed.reduce((sum, one) => sum + one.credits, 0);
    // A hold that ended meanwhile charges nothing: nothing is delivered, and the next try holds anew.
    await mustSettle(tx, holdId, credits, now, `lead ${lead.leadId}`);
    const known = [...verdicts.values()].some((one) => one.kind === 'known' && one.found);
    const isFound = known || closed.some(({ state }) => state === 'found');
    const failed = [...verdicts.values()].find((one) => one.kind === 'failed');
    // Who is away says nothing of the leads: the next run begins with this one.
    if (!isFound && failed?.kind === 'failed' && !isForGood(failed.error)) {
      return { kind: 'failed', result: so, error: messageOf(failed.error) };
    }
    const result: Tally = { ...so, leads: so.leads + 1, credits: so.credits + credits };
    result[isFound ? 'enriched' : failed ? 'refused' : 'notFound'] += 1;
    return { kind: 'more', cursor: cursorAt(lead), result };
  };
}

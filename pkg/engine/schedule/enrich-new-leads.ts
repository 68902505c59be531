import { messageOf } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { ENRICH_FIELDS, type EnrichField, enrichCredits } from '../../domain/enrich-fields.ts';
import { isForGood } from '../../providers/call-error.ts';
import type { Enrichment } from '../../providers/enrichment/enrichment-provider.ts';
import { holdCredits, releaseHold, settleHold } from '../../store/credits/credits.ts';
import { type LackingLead, type LeadPlace, leadsAfter, placeBefore } from '../../store/leads/leads-to-enrich.ts';
import { NO_ENRICHMENT } from '../calls/perform-enrich.ts';
import { foundOf, writeEnrichment } from '../calls/write-enrichment.ts';
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
interface Tally extends JsonObject {
  leads: number;
  enriched: number;
  notFound: number;
  refused: number;
  credits: number;
}

function tallyOf(result: JsonObject): Tally {
  const of = (what: string): number => Number(result[what] ?? 0);
  return {
    leads: of('leads'),
    enriched: of('enriched'),
    notFound: of('notFound'),
    refused: of('refused'),
    credits: of('credits'),
  };
}

const wantedBy = ({ fields }: JsonObject): Set<unknown> => new Set(Array.isArray(fields) ? fields : []);
const cursorAt = ({ createdAt, leadId }: LeadPlace): JsonObject => ({ createdAt, leadId });

function placeOf({ createdAt, leadId }: JsonObject): LeadPlace | null {
  return typeof createdAt === 'number' && typeof leadId === 'string' ? { createdAt, leadId } : null;
}

async function askFor(context: ScheduleContext, lead: LackingLead, at: LeadPlace): Promise<ScheduleStep> {
  const { tx, run, now, newId } = context;
  const so = tallyOf(run.result);
  const credits = enrichCredits(lead.wanted);
  const ended = (why: string): ScheduleStep => ({ kind: 'done', result: { ...so, ended: why } });
  if (so.credits + credits > Number(run.settings.creditLimit)) return ended('the limit of credits of a run is reached');
  // What is lacking may have changed since a try before: then it is another question.
  const key = `automation:${run.id}:${lead.leadId}:${lead.wanted.join('+')}`;
  const hold = await holdCredits(tx, {
    id: newId(),
    workspaceId: run.workspaceId,
    amount: credits,
    action: 'lead_enrich',
    ...(run.campaignId === null ? {} : { campaignId: run.campaignId }),
    idempotencyKey: key,
    inputHash: lead.wanted.join(),
    now,
  });
  if (hold.kind === 'short') return ended('the workspace has no credits left');
  if (hold.kind === 'over_budget') return ended('the creditBudget of the campaign is used up');
  if (hold.kind === 'mismatch') return { kind: 'failed', result: so, error: `the hold ${key} is for something else` };
  return {
    kind: 'ask',
    cursor: cursorAt(at),
    result: so,
    async ask({ enrichment }, signal) {
      if (!enrichment) return unable(so, hold.holdId);
      try {
        const found = await enrichment.find(lead, lead.wanted, { signal, key, last: true });
        return keep(lead, { holdId: hold.holdId, found, source: enrichment.name });
      } catch (error) {
        if (!isForGood(error)) throw error;
        return refused(lead, hold.holdId, messageOf(error));
      }
    },
  };
}

/** Nobody can be asked here. */
function unable(so: Tally, holdId: string): NextStep {
  return async ({ tx, now }) => {
    await releaseHold(tx, holdId, now, 'nobody was asked');
    return { kind: 'failed', result: so, error: `${NO_ENRICHMENT}; a platform admin sets one up` };
  };
}

function keep(
  lead: LackingLead,
  { holdId, found, source }: { holdId: string; found: Enrichment; source: string },
): NextStep {
  return async ({ tx, run, now }) => {
    const so = tallyOf(run.result);
    const fields: readonly EnrichField[] = lead.wanted;
    const { kept, credits } =
      foundOf(found, fields).length === 0
        ? { kept: [], credits: 0 }
        : await writeEnrichment(tx, lead.leadId, { found, fields, source, now });
    // A hold that ended meanwhile charges nothing: nothing is delivered, and the next try holds anew.
    const settled = await settleHold(tx, holdId, credits, now);
    if (settled !== 'settled') throw new Error(`the credits of lead ${lead.leadId} are ${settled}`);
    const what = kept.length > 0 ? { enriched: so.enriched + 1 } : { notFound: so.notFound + 1 };
    const result = { ...so, leads: so.leads + 1, ...what, credits: so.credits + credits };
    return { kind: 'more', cursor: cursorAt(lead), result };
  };
}

/** The provider said no to this one for good: it costs nothing, and the others go on. */
function refused(lead: LackingLead, holdId: string, reason: string): NextStep {
  return async ({ tx, run, now }) => {
    const so = tallyOf(run.result);
    await releaseHold(tx, holdId, now, reason.slice(0, 200));
    return { kind: 'more', cursor: cursorAt(lead), result: { ...so, leads: so.leads + 1, refused: so.refused + 1 } };
  };
}

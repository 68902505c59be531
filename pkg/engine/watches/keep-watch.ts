import { isAlwaysChanging } from '../../domain/watches/site-change.ts';
import type { ShownPerson } from '../../providers/network/network-provider.ts';
import { mustSettle } from '../../store/credits/credits.ts';
import { applyListAdds } from '../../store/runs/run-writes.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import { readOwnPeople } from '../../store/signals/signal-page.ts';
import { endCheck, keepFound } from '../../store/watches/keep-check.ts';
import { keepSeenPeople } from '../../store/watches/seen-people.ts';
import { excludedLeads } from '../../store/watches/watch-findings.ts';
import { monthOf, spendOfMonth } from '../../store/watches/watch-month.ts';
import type { Watch } from '../../store/watches/watches.ts';
import type { ScheduleContext } from '../schedule/schedule-handler.ts';
import { CheckDraft } from './check-draft.ts';
import { draftCompetitor, draftSite } from './keep-competitor.ts';
import { draftSearch } from './keep-search.ts';
import { priceOf, type WatchReading } from './read-watch.ts';

/** What a check came to, as its run tells it. */
export interface CheckResult {
  found: number;
  baseline: number;
  excluded: number;
  credits: number;
  notes: string[];
}

/**
 * Keeps a check as a whole: what was seen, what is new, whom it brings, what it costs. All of it is one transaction, so that a process that
 * ends before has done nothing and charged nothing.
 */
export async function keepWatch(
  context: ScheduleContext,
  watch: Watch,
  reading: Extract<WatchReading, { kind: 'read' }>,
): Promise<CheckResult> {
  const { tx, now } = context;
  const check = new CheckDraft(watch, now);
  if (reading.competitor) draftCompetitor(check, reading.competitor);
  if (reading.search) draftSearch(check, reading.search);
  if (reading.site) draftSite(check, reading.site);
  if (reading.stopped !== null) check.notes.push(reading.stopped);
  if (watch.findingKinds.includes('funding')) check.notes.push('funding: no source tells of it here');
  const leads = await leadsOf(context, check);
  const findings = check.findings.flatMap(({ draft, person }) => {
    const leadId = person === null ? null : leads.get(person.publicId);
    return leadId === undefined ? [] : [check.findingOf(draft, leadId, context.newId())];
  });
  const made = await keepFound(tx, watch, { seen: check.seenItems, findings, now });
  const fresh = findings.filter((finding) => made.has(finding.id));
  await feedList(
    context,
    watch,
    fresh.flatMap((finding) => finding.leadId ?? []),
  );
  const credits = await charge(context, watch, check, reading.holdId);
  const { baseline, excluded, notes } = check;
  const last = { at: now, found: fresh.length, baseline, excluded, notes };
  await endCheck(tx, watch, { state: { ...check.state, last }, found: fresh.length, now });
  return { found: fresh.length, baseline, excluded, credits, notes };
}

/** Leads of those who may be offered: nobody who is excluded or of the workspace itself. */
async function leadsOf({ tx, now, newId }: ScheduleContext, check: CheckDraft): Promise<ReadonlyMap<string, string>> {
  const { workspaceId } = check.watch;
  const all = check.findings.flatMap(({ person }) => person ?? []);
  if (all.length === 0) return new Map();
  const own = await readOwnPeople(tx, workspaceId);
  const people = all.filter((person) => !own.has({ profileUrl: person.publicId, email: null }));
  const leads = await keepSeenPeople(tx, workspaceId, people, { now, newId });
  const excluded = await excludedLeads(tx, workspaceId, [...leads.values()], now);
  const left = new Map([...leads].filter(([, leadId]) => !excluded.has(leadId)));
  check.excluded += distinct(all).size - left.size;
  return left;
}

const distinct = (people: readonly ShownPerson[]): Set<string> => new Set(people.map((person) => person.publicId));

async function feedList({ tx, now }: ScheduleContext, watch: Watch, leadIds: readonly string[]): Promise<void> {
  const { leadListId, workspaceId } = watch;
  if (leadListId === null || leadIds.length === 0) return;
  const adds = [...new Set(leadIds)].map((leadId) => ({ leadId, leadListId }));
  await applyListAdds(tx, workspaceId, now, adds);
  await wakeIfWorking(tx, workspaceId, now, 'a watch found people');
}

/** A watch that looks at nothing but a page that never says the same twice costs nothing any more. */
async function charge({ tx, now }: ScheduleContext, watch: Watch, check: CheckDraft, holdId: string): Promise<number> {
  const only = watch.findingKinds.every((kind) => kind === 'site_change') && watch.kind === 'competitor';
  const credits = only && isAlwaysChanging(check.state.site ?? null) ? 0 : priceOf(watch);
  const { month } = monthOf(now, watch.timezone);
  if (credits > 0 && !(await spendOfMonth(tx, watch, month, credits)))
    throw new Error("the month's limit of the watch was reached meanwhile");
  await mustSettle(tx, holdId, credits, now, 'the check');
  return credits;
}

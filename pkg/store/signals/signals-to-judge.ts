import { decideSignal } from '../../domain/signals/decide-signal.ts';
import type { Tx } from '../../postgres/database.ts';
import { giveBackJudgements, takeJudgements } from './agent-limits.ts';
import { openDay } from './day-room.ts';
import { AT_ONCE } from './decide-signals.ts';
import type { Deciding, Undecided } from './deciding.ts';
import { openOf } from './open-signals.ts';
import { nextSignals, type SeenSignal, type SignalPlace } from './signal-page.ts';

/** Signals about which an agent asks on one day of its workspace: no text of others makes a vendor work without end. */
const MOST_JUDGED_OF_DAY = 500;

/** Persons whom the candidates of one page name together at most: a run keeps them where it stands. */
const MOST_PERSONS = 400;

/** A signal about which somebody may be asked. */
export interface ToJudge {
  signalId: string;
  /** Whom it would enqueue: of a company's signal there may be many. */
  persons: string[];
  /** Credits that they cost once enqueued. */
  cost: number;
}

/** A page of signals, as far as somebody is to be asked about them. */
export interface PageToJudge {
  /** In the order of the signals; of one person there may be some. */
  candidates: ToJudge[];
  /** The page has more of them: it is to be read again. */
  again: boolean;
  /** What is left of the day without those of the page about whom somebody said yes already; credits null: no limit. */
  leads: number;
  credits: number | null;
  /** Null: that was the last page. */
  next: SignalPlace | null;
}

/**
 * The next page of signals, read once however many of them are asked about: those whose persons would be enqueued today if the answer is yes.
 * Who is excluded, found before, at rest or below the score is nobody's business outside.
 * @param page `left`: what is left of the day after the pages before; null: this is the first; `passed`: those that nobody is asked about now
 */
export async function pageToJudge(
  tx: Tx,
  deciding: Deciding,
  {
    after,
    left,
    passed,
  }: { after: SignalPlace | null; left: { leads: number; credits: number | null } | null; passed: readonly string[] },
): Promise<PageToJudge> {
  const { agent, rules } = deciding;
  const of = { workspaceId: agent.workspaceId, types: rules.signalTypes, since: agent.since };
  const room = await openDay(tx, deciding);
  const page = await nextSignals(tx, of, { after, limit: AT_ONCE });
  const would = (await openOf(tx, deciding, page.ids, true)).filter((one) => wouldEnqueue(one, deciding));
  const known = new Map(would.flatMap((one) => (one.signal.judged ? [[personOf(one), one.facts.cost]] : [])));
  const spent = [...known.values()].reduce((sum, cost) => sum + cost, 0);
  const { leads, credits } = left ?? room;
  const all = candidatesOf(would.filter((one) => !one.signal.judged && !known.has(personOf(one))));
  const candidates = firstOf(all.filter(({ signalId }) => !passed.includes(signalId)));
  return {
    candidates,
    again: candidates.length > 0 && candidates.length < all.length - passed.length,
    leads: Math.max(0, Math.min(leads, room.leads) - known.size),
    credits: credits === null ? null : Math.max(0, credits - spent),
    next: page.ids.length < AT_ONCE ? null : page.last,
  };
}

function candidatesOf(open: readonly Undecided[]): ToJudge[] {
  const bySignal = new Map<string, ToJudge>();
  for (const one of open) {
    const { signalId } = one.signal;
    const known = bySignal.get(signalId) ?? { signalId, persons: [], cost: 0 };
    if (!known.persons.includes(personOf(one))) known.persons.push(personOf(one));
    known.cost += one.facts.cost;
    bySignal.set(signalId, known);
  }
  return [...bySignal.values()];
}

/** As many of them as name 400 persons. */
function firstOf(candidates: readonly ToJudge[]): ToJudge[] {
  let persons = 0;
  return candidates.filter((one, place) => {
    persons += one.persons.length;
    return place === 0 || persons <= MOST_PERSONS;
  });
}

/**
 * Of these signals those about which somebody is to be asked still, as they stand now; counted as asked before they are.
 * @returns `over`: nobody else is asked about today
 */
export async function takeToJudge(
  tx: Tx,
  deciding: Deciding,
  signalIds: readonly string[],
): Promise<{ signals: SeenSignal[]; day: string; over: boolean }> {
  const { day } = await openDay(tx, deciding);
  const open = (await openOf(tx, deciding, signalIds, true)).filter((one) => wouldEnqueue(one, deciding));
  const once = new Map(open.flatMap(({ signal }) => (signal.judged ? [] : [[signal.signalId, signal]])));
  if (once.size === 0) return { signals: [], day, over: false };
  const asked = { wanted: once.size, most: MOST_JUDGED_OF_DAY };
  const granted = await takeJudgements(tx, deciding.agent.id, day, asked);
  return { signals: [...once.values()].slice(0, granted), day, over: granted === 0 };
}

/** Those that were counted and not asked about after all. @param day such as 2026-03-02 */
export function giveBackToJudge(tx: Tx, agentId: string, day: string, count: number): Promise<void> {
  return count > 0 ? giveBackJudgements(tx, agentId, day, count) : Promise.resolve();
}

function wouldEnqueue({ facts, person }: Undecided, { rules }: Deciding): boolean {
  return person?.personId != null && decideSignal(facts, rules).outcome === 'enqueued';
}

function personOf({ person }: Undecided): string {
  return person?.personId ?? '';
}

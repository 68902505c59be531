import type { AgentRules, SignalOutcome } from '../../domain/signals/agent-rules.ts';
import { decideSignal, type SignalFacts } from '../../domain/signals/decide-signal.ts';
import type { Tx } from '../../postgres/database.ts';
import { takeJudgements } from './agent-limits.ts';
import { type DayRoom, openDay } from './day-room.ts';
import { type Deciding, QUEUED, type Undecided } from './deciding.ts';
import { enqueuePersons } from './enqueue-persons.ts';
import { type PersonFacts, readPersonFacts } from './person-facts.ts';
import { holdScan, settleScan } from './scan-credits.ts';
import type { SignalAgent } from './signal-agents.ts';
import { type KeptDecision, keepDecisions, keepRules } from './signal-decisions.ts';
import { nextSignals, readOwnPeople, type SeenSignal, type SignalPlace, undecided } from './signal-page.ts';
import { askedKey } from './verdicts.ts';

/** Signals that one transaction looks at. */
const AT_ONCE = 500;
/** Signals about which an agent asks on one day of its workspace: no text of others makes a vendor work without end. */
const MOST_JUDGED_OF_DAY = 500;

/** What a batch came to. */
export interface DecidedBatch {
  decisions: KeptDecision[];
  /** Where the next one begins; null: that was the last. */
  after: SignalPlace | null;
}

/**
 * Decides about the next signals, in one transaction: facts, decisions, enrolments and what they took of the day's limits are kept
 * together or not at all. A dry run is this, rolled back.
 */
export async function decideSignals(tx: Tx, deciding: Deciding, after: SignalPlace | null): Promise<DecidedBatch> {
  const { agent, rules, now } = deciding;
  const of = { workspaceId: agent.workspaceId, types: rules.signalTypes, since: agent.since };
  // Another run of the agent waits here, and sees what this one decided.
  const room = await openDay(tx, deciding);
  const page = await nextSignals(tx, of, { after, limit: AT_ONCE });
  const seen = await openOf(tx, deciding, page.ids);
  const decisions = await decide(
    tx,
    deciding,
    seen.filter((one) => !isToJudge(one, deciding)),
    room,
  );
  if (decisions.length > 0) {
    const rulesVersion = await keepRules(tx, agent, rules);
    const { scheduledRunId } = deciding;
    const kept = { agentId: agent.id, workspaceId: agent.workspaceId, scheduledRunId, rulesVersion, now };
    await keepDecisions(tx, kept, decisions);
  }
  return { decisions, after: page.ids.length < AT_ONCE ? null : page.last };
}

/** Of these signals those that are not decided, as the agent sees them. */
async function seenOf(
  tx: Tx,
  { agent, rules, campaignId }: Deciding,
  ids: readonly string[],
): Promise<readonly SeenSignal[]> {
  const of = { id: agent.id, workspaceId: agent.workspaceId, campaignId, asked: askedKey(rules.judge) };
  return withOwn(tx, agent, await undecided(tx, of, ids));
}

/** Of these signals those that are not decided, with whom they are about. */
async function openOf(tx: Tx, deciding: Deciding, ids: readonly string[]): Promise<Undecided[]> {
  const seen = await seenOf(tx, deciding, ids);
  const persons = await personsOf(tx, deciding, seen);
  return seen.map((signal): Undecided => {
    const person = signal.leadId === null ? undefined : persons.get(signal.leadId);
    return { signal, person, facts: factsOf(signal, person, deciding), runId: null };
  });
}

/** The person would be enqueued, but for what somebody is to say who was not asked yet: it waits for that. */
function isToJudge({ signal, facts }: Undecided, { rules }: Deciding): boolean {
  if (rules.judge === undefined || signal.judged !== null) return false;
  return decideSignal(facts, rules).outcome === 'enqueued';
}

/**
 * Signals of the next page about which somebody is to be asked, each once: those whose persons would be enqueued today if the answer is
 * yes. Who is excluded, found before, at rest or beyond the limits of the day is nobody's business outside.
 * @param page `passed`: those that nobody is asked about now; `most`: of the others that are answered
 * @returns `after` null: that was the last page, or nobody else is asked about today
 */
export async function signalsToJudge(
  tx: Tx,
  deciding: Deciding,
  { after, passed, most }: { after: SignalPlace | null; passed: readonly string[]; most: number },
): Promise<{ signals: SeenSignal[]; after: SignalPlace | null }> {
  const { agent, rules } = deciding;
  const of = { workspaceId: agent.workspaceId, types: rules.signalTypes, since: agent.since };
  const room = await openDay(tx, deciding);
  const page = await nextSignals(tx, of, { after, limit: AT_ONCE });
  const next = page.ids.length < AT_ONCE ? null : page.last;
  const chosen = chooseToJudge(await openOf(tx, deciding, page.ids), deciding, room, passed).slice(0, most);
  if (chosen.length === 0) return { signals: [], after: room.leads > 0 ? next : null };
  const asked = { wanted: chosen.length, most: MOST_JUDGED_OF_DAY };
  const granted = await takeJudgements(tx, agent.id, room.day, asked);
  return { signals: chosen.slice(0, granted), after: granted > 0 ? next : null };
}

/** Each person once, in the order of the signals, for as long as the day has room; those that were judged come first. */
function chooseToJudge(
  open: readonly Undecided[],
  { rules }: Deciding,
  room: DayRoom,
  passed: readonly string[],
): SeenSignal[] {
  const passes = ({ facts, person }: Undecided): boolean =>
    person?.personId != null && decideSignal(facts, rules).outcome === 'enqueued';
  const would = open.filter(passes);
  const known = new Set(would.flatMap(({ signal, person }) => (signal.judged ? [person?.personId] : [])));
  let leads = room.leads - known.size;
  let { credits } = room;
  const chosen = new Map<string, SeenSignal>();
  for (const { signal, person, facts } of would) {
    if (leads <= 0) break;
    if (signal.judged || known.has(person?.personId) || passed.includes(signal.signalId)) continue;
    if (credits !== null && facts.cost > credits) continue;
    if (credits !== null) credits -= facts.cost;
    known.add(person?.personId);
    chosen.set(signal.signalId, signal);
    leads -= 1;
  }
  return [...chosen.values()];
}

/** What people of the workspace itself do is no signal. */
async function withOwn(tx: Tx, agent: SignalAgent, seen: readonly SeenSignal[]): Promise<readonly SeenSignal[]> {
  if (seen.length === 0) return seen;
  const own = await readOwnPeople(tx, agent.workspaceId);
  return seen.map((signal) => (own.has(signal) ? { ...signal, selfCaused: true } : signal));
}

async function decide(tx: Tx, deciding: Deciding, open: readonly Undecided[], room: DayRoom): Promise<KeptDecision[]> {
  if (open.length === 0) return [];
  const held = await holdScan(tx, deciding, open, room);
  await enqueuePersons(tx, deciding, open, room);
  await settleScan(tx, held, open, deciding.now);
  return settled(open, deciding.rules, room);
}

/** Who does not match is nobody's business: only the others are looked up. */
async function personsOf(tx: Tx, deciding: Deciding, seen: readonly SeenSignal[]): Promise<Map<string, PersonFacts>> {
  const { agent, campaignId, now, rules } = deciding;
  const matched = seen.filter((signal) => !isIdle(decideSignal(factsOf(signal, undefined, deciding), rules).outcome));
  const leadIds = matched.flatMap((signal) => (signal.leadId === null ? [] : [signal.leadId]));
  const of = { agentId: agent.id, workspaceId: agent.workspaceId, campaignId, workflowId: agent.workflowId, now };
  return readPersonFacts(tx, of, leadIds);
}

function isIdle(outcome: SignalOutcome): boolean {
  return outcome === 'no_lead' || outcome === 'self_caused' || outcome === 'not_matched';
}

function factsOf(signal: SeenSignal, person: PersonFacts | undefined, { now, rules }: Deciding): SignalFacts {
  return {
    now,
    type: signal.type,
    expiresAt: signal.expiresAt,
    said: signal.said,
    selfCaused: signal.selfCaused,
    ...(rules.judge === undefined ? {} : { judged: signal.judged }),
    lead: signal.lead,
    excluded: person?.excluded ?? null,
    duplicate: person?.duplicate ?? null,
    restsUntil: person?.restsUntil ?? null,
    icpScore: person?.icpScore ?? 0,
    signals: person?.signals ?? [],
    leadsLeft: Number.MAX_SAFE_INTEGER,
    cost: signal.cost,
    creditsLeft: null,
    refused: null,
  };
}

/** The limits as each one met them, in the order of the signals; what is enqueued is what was. */
function settled(open: readonly Undecided[], rules: AgentRules, room: DayRoom): KeptDecision[] {
  let { leads, credits } = room.before;
  return open.map(({ signal, person, facts, runId }) => {
    const whole = { ...facts, leadsLeft: leads, creditsLeft: credits };
    const decision = decideSignal(whole, rules);
    const enqueued = decision.outcome === 'enqueued';
    if (enqueued !== (runId !== null)) throw new Error('a decision and what became of it differ');
    if (enqueued) {
      leads -= 1;
      if (credits !== null) credits -= signal.cost;
    }
    return {
      ...decision,
      signalId: signal.signalId,
      subjectId: signal.subjectId,
      leadId: signal.leadId,
      personId: person?.personId ?? null,
      runId: runId === QUEUED ? null : runId,
      facts: whole,
      credits: enqueued ? signal.cost : 0,
    };
  });
}

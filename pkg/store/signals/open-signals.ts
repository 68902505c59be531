import type { SignalOutcome } from '../../domain/signals/agent-rules.ts';
import { decideSignal, type SignalFacts } from '../../domain/signals/decide-signal.ts';
import type { Tx } from '../../postgres/database.ts';
import type { Deciding, Undecided } from './deciding.ts';
import { type PersonFacts, readPersonFacts } from './person-facts.ts';
import type { SignalAgent } from './signal-agents.ts';
import { readOwnPeople, type SeenSignal, undecided } from './signal-page.ts';
import { askedKey } from './verdicts.ts';

/** Of these signals those that are not decided, as the agent sees them. */
async function seenOf(
  tx: Tx,
  { agent, rules, campaignId }: Deciding,
  ids: readonly string[],
): Promise<readonly SeenSignal[]> {
  const of = { id: agent.id, workspaceId: agent.workspaceId, campaignId, asked: askedKey(rules.judge) };
  return withOwn(tx, agent, await undecided(tx, of, ids));
}

/** Of these signals those that are not decided, with whom they are about. @param mayEnqueue the day has room for somebody */
export async function openOf(
  tx: Tx,
  deciding: Deciding,
  ids: readonly string[],
  mayEnqueue: boolean,
): Promise<Undecided[]> {
  const seen = await seenOf(tx, deciding, ids);
  const persons = await personsOf(tx, deciding, seen, mayEnqueue);
  return seen.map((signal): Undecided => {
    const person = signal.leadId === null ? undefined : persons.get(signal.leadId);
    return { signal, person, facts: factsOf(signal, person, deciding), runId: null };
  });
}

/** What people of the workspace itself do is no signal. */
async function withOwn(tx: Tx, agent: SignalAgent, seen: readonly SeenSignal[]): Promise<readonly SeenSignal[]> {
  if (seen.length === 0) return seen;
  const own = await readOwnPeople(tx, agent.workspaceId);
  return seen.map((signal) => (own.has(signal) ? { ...signal, selfCaused: true } : signal));
}

/** Who does not match is nobody's business: only the others are looked up. */
async function personsOf(
  tx: Tx,
  deciding: Deciding,
  seen: readonly SeenSignal[],
  mayEnqueue: boolean,
): Promise<Map<string, PersonFacts>> {
  const { agent, campaignId, now, rules } = deciding;
  const matched = seen.filter((signal) => !isIdle(decideSignal(factsOf(signal, undefined, deciding), rules).outcome));
  const leadIds = matched.flatMap((signal) => (signal.leadId === null ? [] : [signal.leadId]));
  const { id: agentId, workspaceId, workflowId } = agent;
  const of = { agentId, workspaceId, campaignId, workflowId, mayEnqueue, now };
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

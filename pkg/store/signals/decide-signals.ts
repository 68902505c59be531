import type { AgentRules } from '../../domain/signals/agent-rules.ts';
import { decideSignal } from '../../domain/signals/decide-signal.ts';
import type { Tx } from '../../postgres/database.ts';
import { type DayRoom, openDay } from './day-room.ts';
import { type Deciding, QUEUED, type Undecided } from './deciding.ts';
import { enqueuePersons } from './enqueue-persons.ts';
import { openOf } from './open-signals.ts';
import { holdScan, settleScan } from './scan-credits.ts';
import { type KeptDecision, keepDecisions, keepRules } from './signal-decisions.ts';
import { nextSignals, type SignalPlace } from './signal-page.ts';

/** Signals that one transaction looks at. */
export const AT_ONCE = 500;

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
  const seen = await openOf(tx, deciding, page.ids, room.leads > 0);
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

/** The person would be enqueued, but for what somebody is to say who was not asked yet: it waits for that. */
function isToJudge({ signal, facts }: Undecided, { rules }: Deciding): boolean {
  if (rules.judge === undefined || signal.judged !== null) return false;
  return decideSignal(facts, rules).outcome === 'enqueued';
}

async function decide(tx: Tx, deciding: Deciding, open: readonly Undecided[], room: DayRoom): Promise<KeptDecision[]> {
  if (open.length === 0) return [];
  const held = await holdScan(tx, deciding, open, room);
  await enqueuePersons(tx, deciding, open, room);
  await settleScan(tx, held, open, deciding.now);
  return settled(open, deciding.rules, room);
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

import type { JsonObject } from '../../base/json.ts';
import type { SignalType } from '../../domain/signal-score.ts';
import { SIGNAL_OUTCOMES } from '../../domain/signals/agent-rules.ts';
import { agentStops } from '../../store/signals/agent-stops.ts';
import { decideSignals } from '../../store/signals/decide-signals.ts';
import { openDeciding } from '../../store/signals/deciding.ts';
import { lockAgent, type SignalAgent } from '../../store/signals/signal-agents.ts';
import type { SignalPlace } from '../../store/signals/signal-page.ts';
import { keepLooks } from './keep-looks.ts';
import { type Scan, scanPeople } from './scan-people.ts';
import type { ScheduleContext, ScheduleHandler, ScheduleStep } from './schedule-handler.ts';

/** Profiles that one run looks at; the others are due in the next. */
const MOST_PROFILES = 200;
/** What no source of the platform tells of: such signals count where they are on record. */
const NO_SOURCE: readonly SignalType[] = ['funding_round', 'headcount_growth'];

const LOOKS = ['seen', 'missing'] as const;
const FOUND = ['job_change', 'new_post'] as const;

/**
 * Runs a signal agent, whose id is that of its schedule: it looks at the profiles that it watches, and then decides about the signals on
 * record, in steps that are kept one by one.
 */
export const runSignalAgent: ScheduleHandler = {
  kind: 'signal_agent',
  read: (deps, run) => (isScanned(run.cursor) ? Promise.resolve(undefined) : scanPeople(deps, run)),
  async run(context, cursor, read) {
    const { tx, run } = context;
    const agent = await lockAgent(tx, run.scheduleId);
    if (!agent) return { kind: 'failed', result: run.result, error: 'the agent is gone' };
    const stop = await agentStops(tx, agent);
    if (stop !== null) return { kind: 'failed', result: run.result, error: stop };
    return read === undefined ? decide(context, agent, cursor) : keep(context, agent, cursor, read as Scan);
  },
  count(metrics, before, after) {
    const more = (name: string): number => Number(after[name] ?? 0) - Number(before[name] ?? 0);
    for (const outcome of SIGNAL_OUTCOMES) add(metrics.signalOutcomes, { outcome }, more(outcome));
    for (const result of LOOKS) add(metrics.profilesWatched, { result }, more(`profiles_${result}`));
    for (const type of FOUND) add(metrics.signalsFound, { type }, more(`found_${type}`));
  },
  begin(metrics) {
    for (const outcome of SIGNAL_OUTCOMES) metrics.signalOutcomes.inc({ outcome }, 0);
    for (const result of LOOKS) metrics.profilesWatched.inc({ result }, 0);
    for (const type of FOUND) metrics.signalsFound.inc({ type }, 0);
  },
};

function add<L extends string>(
  counter: { inc(labels: Partial<Record<L, string>>, by: number): void },
  labels: Partial<Record<L, string>>,
  by: number,
): void {
  if (by > 0) counter.inc(labels, by);
}

function isScanned({ scanned }: JsonObject): boolean {
  return scanned === true;
}

/** Keeps a part of the scan. */
async function keep(
  context: ScheduleContext,
  agent: SignalAgent,
  cursor: JsonObject,
  scan: Scan,
): Promise<ScheduleStep> {
  const { result } = context.run;
  if (scan.kind === 'over')
    return { kind: 'more', cursor: { ...cursor, scanned: true }, result: noted(result, agent, scan.why) };
  const found = await keepLooks(context, agent.signalTypes, scan.looks);
  const missing = scan.looks.filter((look) => look.profile === null).length;
  const after = { ...result };
  bump(after, 'profiles_seen', scan.looks.length - missing);
  bump(after, 'profiles_missing', missing);
  for (const [type, count] of Object.entries(found)) bump(after, `found_${type}`, count);
  const looked = Number(after.profiles_seen ?? 0) + Number(after.profiles_missing ?? 0);
  if (looked < MOST_PROFILES) return { kind: 'more', cursor, result: after };
  const why = `the ${MOST_PROFILES} profiles of a run were looked at`;
  return { kind: 'more', cursor: { ...cursor, scanned: true }, result: noted(after, agent, why) };
}

/** Why it looks at nobody else, and of which types there is no source. */
function noted(result: JsonObject, { signalTypes }: SignalAgent, why: string): JsonObject {
  const lacking = signalTypes.filter((type) => NO_SOURCE.includes(type));
  const noSource = `${lacking.join(' and ')}: no source tells of them here; signals on record count`;
  return { ...result, scan: why, ...(lacking.length > 0 ? { noSource } : {}) };
}

async function decide(context: ScheduleContext, agent: SignalAgent, cursor: JsonObject): Promise<ScheduleStep> {
  const { tx, run } = context;
  const deciding = await openDeciding(tx, agent, {
    scheduledRunId: run.id,
    leadsLeft: leadsLeft(run.result, cursor),
    now: context.now,
    newId: context.newId,
  });
  const { decisions, after } = await decideSignals(tx, deciding, placeOf(cursor));
  const result = { ...run.result };
  bump(result, 'signalsSeen', decisions.length, true);
  for (const { outcome } of decisions) bump(result, outcome, 1);
  if (after === null) return { kind: 'done', result };
  return { kind: 'more', cursor: { ...cursor, after: [...after] }, result };
}

function bump(result: JsonObject, name: string, by: number, always = false): void {
  if (by > 0 || always) result[name] = Number(result[name] ?? 0) + by;
}

/** What a caller who ran it by hand bounded. */
function leadsLeft(result: JsonObject, { maxLeads }: JsonObject): number | null {
  return typeof maxLeads === 'number' ? Math.max(0, maxLeads - Number(result.enqueued ?? 0)) : null;
}

function placeOf({ after }: JsonObject): SignalPlace | null {
  return Array.isArray(after) ? [Number(after[0]), String(after[1])] : null;
}

import type { JsonObject } from '../../base/json.ts';
import { SIGNAL_OUTCOMES } from '../../domain/signals/agent-rules.ts';
import type { ScheduledRun } from '../../store/schedules/scheduled-runs.ts';
import { agentStops } from '../../store/signals/agent-stops.ts';
import { decideSignals } from '../../store/signals/decide-signals.ts';
import { openDeciding } from '../../store/signals/deciding.ts';
import { lockAgent, type SignalAgent } from '../../store/signals/signal-agents.ts';
import type { SignalPlace } from '../../store/signals/signal-page.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { bump } from './counts-of.ts';
import { judgeNext } from './judge-signals.ts';
import { keepRead, type Reading } from './keep-read.ts';
import { scanCompanies } from './scan-companies.ts';
import { scanPeople } from './scan-people.ts';
import { scanPosts } from './scan-posts.ts';
import { scanSources } from './scan-sources.ts';
import type { ScheduleContext, ScheduleHandler, ScheduleStep } from './schedule-handler.ts';

const LOOKS = ['seen', 'missing'] as const;
const FOUND = ['job_change', 'new_post', 'funding_round', 'headcount_growth'] as const;
const SOURCES = ['feed', 'site'] as const;
const READ = ['read', 'failed'] as const;

/**
 * Runs a signal agent, whose id is that of its schedule: it looks at the profiles, posts, feeds, sites and companies that it watches, and then
 * decides about the signals on record, in steps that are kept one by one.
 */
export const runSignalAgent: ScheduleHandler = {
  kind: 'signal_agent',
  read: readNext,
  async run(context, cursor, read) {
    const { tx, run } = context;
    const agent = await lockAgent(tx, run.scheduleId);
    if (!agent) return { kind: 'failed', result: run.result, error: 'the agent is gone' };
    const stop = await agentStops(tx, agent);
    if (stop !== null) return { kind: 'failed', result: run.result, error: stop };
    if (read === undefined) return (await judgeNext(context, agent, cursor)) ?? decide(context, agent, cursor);
    return keepRead(context, agent, cursor, read as Reading);
  },
  count(metrics, before, after) {
    const more = (name: string): number => Number(after[name] ?? 0) - Number(before[name] ?? 0);
    for (const outcome of SIGNAL_OUTCOMES) add(metrics.signalOutcomes, { outcome }, more(outcome));
    for (const result of LOOKS) add(metrics.profilesWatched, { result }, more(`profiles_${result}`));
    for (const type of FOUND) add(metrics.signalsFound, { type }, more(`found_${type}`));
    for (const kind of SOURCES)
      for (const result of READ) add(metrics.signalSources, { kind, result }, more(`${kind}s_${result}`));
    for (const match of ['yes', 'no']) add(metrics.signalsJudged, { match }, more(`judged_${match}`));
    const credits = more('credits');
    if (credits > 0) metrics.signalCredits.inc(credits);
  },
  begin(metrics) {
    for (const outcome of SIGNAL_OUTCOMES) metrics.signalOutcomes.inc({ outcome }, 0);
    for (const result of LOOKS) metrics.profilesWatched.inc({ result }, 0);
    for (const type of FOUND) metrics.signalsFound.inc({ type }, 0);
    for (const kind of SOURCES) for (const result of READ) metrics.signalSources.inc({ kind, result }, 0);
    for (const match of ['yes', 'no']) metrics.signalsJudged.inc({ match }, 0);
    metrics.signalCredits.inc(0);
  },
};

function add<L extends string>(
  counter: { inc(labels: Partial<Record<L, string>>, by: number): void },
  labels: Partial<Record<L, string>>,
  by: number,
): void {
  if (by > 0) counter.inc(labels, by);
}

/**
 * Profiles of known leads first, then posts and who engaged with them, feeds and sites, and pages of companies; from then on signals on record
 * alone.
 */
function readNext(deps: EngineDeps, run: ScheduledRun): Promise<Reading | undefined> {
  const { scanned, searched, sourced, counted, after } = run.cursor;
  if (scanned !== true) return scanPeople(deps, run);
  // A run that decides looks at nothing again: a program of a version before may have begun it.
  if (after !== undefined) return Promise.resolve(undefined);
  if (searched !== true) return scanPosts(deps, run);
  if (sourced !== true) return scanSources(deps, run);
  if (counted !== true) return scanCompanies(deps, run);
  return Promise.resolve(undefined);
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
  for (const { outcome, credits } of decisions) {
    bump(result, outcome, 1);
    bump(result, 'credits', credits);
  }
  if (after === null) return { kind: 'done', result };
  return { kind: 'more', cursor: { ...cursor, after: [...after] }, result };
}

/** What a caller who ran it by hand bounded. */
function leadsLeft(result: JsonObject, { maxLeads }: JsonObject): number | null {
  return typeof maxLeads === 'number' ? Math.max(0, maxLeads - Number(result.enqueued ?? 0)) : null;
}

function placeOf({ after }: JsonObject): SignalPlace | null {
  return Array.isArray(after) ? [Number(after[0]), String(after[1])] : null;
}

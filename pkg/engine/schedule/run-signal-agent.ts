import type { JsonObject } from '../../base/json.ts';
import type { SignalType } from '../../domain/signal-score.ts';
import { SIGNAL_OUTCOMES } from '../../domain/signals/agent-rules.ts';
import type { ScheduledRun } from '../../store/schedules/scheduled-runs.ts';
import { agentStops } from '../../store/signals/agent-stops.ts';
import { decideSignals } from '../../store/signals/decide-signals.ts';
import { openDeciding } from '../../store/signals/deciding.ts';
import { lockAgent, type SignalAgent } from '../../store/signals/signal-agents.ts';
import type { SignalPlace } from '../../store/signals/signal-page.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { judgeNext } from './judge-signals.ts';
import { keepLooks } from './keep-looks.ts';
import { keepEngagers, keepPosts, keepStrangers, takeEngagers } from './keep-posts.ts';
import { type Scan, scanPeople } from './scan-people.ts';
import { type AskedPost, askedPosts, type PostScan, scanPosts } from './scan-posts.ts';
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
  read: readNext,
  async run(context, cursor, read) {
    const { tx, run } = context;
    const agent = await lockAgent(tx, run.scheduleId);
    if (!agent) return { kind: 'failed', result: run.result, error: 'the agent is gone' };
    const stop = await agentStops(tx, agent);
    if (stop !== null) return { kind: 'failed', result: run.result, error: stop };
    if (read === undefined) return (await judgeNext(context, agent, cursor)) ?? decide(context, agent, cursor);
    const scan = read as Scan | PostScan;
    if (scan.kind === 'looked' || scan.kind === 'over') return keep(context, agent, cursor, scan);
    return keepSearched(context, agent, cursor, scan);
  },
  count(metrics, before, after) {
    const more = (name: string): number => Number(after[name] ?? 0) - Number(before[name] ?? 0);
    for (const outcome of SIGNAL_OUTCOMES) add(metrics.signalOutcomes, { outcome }, more(outcome));
    for (const result of LOOKS) add(metrics.profilesWatched, { result }, more(`profiles_${result}`));
    for (const type of FOUND) add(metrics.signalsFound, { type }, more(`found_${type}`));
    const credits = more('credits');
    if (credits > 0) metrics.signalCredits.inc(credits);
  },
  begin(metrics) {
    for (const outcome of SIGNAL_OUTCOMES) metrics.signalOutcomes.inc({ outcome }, 0);
    for (const result of LOOKS) metrics.profilesWatched.inc({ result }, 0);
    for (const type of FOUND) metrics.signalsFound.inc({ type }, 0);
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

/** Profiles of known leads first, then posts and who engaged with them; from then on signals on record alone. */
function readNext(deps: EngineDeps, run: ScheduledRun): Promise<Scan | PostScan | undefined> {
  const { scanned, searched, after } = run.cursor;
  if (scanned !== true) return scanPeople(deps, run);
  // A run that decides does not search again: a program of a version before may have begun it.
  if (searched !== true && after === undefined) return scanPosts(deps, run);
  return Promise.resolve(undefined);
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
  const found = await keepLooks(context, agent, scan.looks);
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

/** Keeps a part of the search; once it is over, who engaged with posts of watched competitors is taken over too. */
async function keepSearched(
  context: ScheduleContext,
  agent: SignalAgent,
  cursor: JsonObject,
  scan: PostScan,
): Promise<ScheduleStep> {
  const result = { ...context.run.result };
  if (scan.kind === 'unsearched') {
    bump(result, 'found_new_post', await takeEngagers(context, agent));
    return {
      kind: 'more',
      cursor: { scanned: true, searched: true, ...maxLeadsOf(cursor) },
      result: { ...result, search: scan.why },
    };
  }
  if (scan.kind === 'strangers') {
    bump(result, 'people_watched', await keepStrangers(context, agent, scan.people));
    const people = scan.why === null ? result : { ...result, peopleSearch: scan.why };
    return { kind: 'more', cursor: { ...cursor, people: true }, result: people };
  }
  if (scan.kind === 'engagers') {
    bump(result, 'found_new_post', await keepEngagers(context, agent, scan));
    bump(result, 'engagers_read', scan.engagers.people.length);
    return { kind: 'more', cursor: { ...cursor, posts: askedPosts(cursor).slice(1).map(plainPost) }, result };
  }
  const chosen = Number(cursor.chosen ?? 0);
  const kept = await keepPosts(context, agent, scan.posts, chosen);
  bump(result, 'found_new_post', kept.found);
  bump(result, 'posts_read', scan.posts.length);
  const over = scan.next === null || (kept.found === 0 && kept.asked.length === 0);
  return {
    kind: 'more',
    cursor: {
      ...cursor,
      page: scan.next,
      pages: Number(cursor.pages ?? 0) + 1,
      whole: over,
      chosen: chosen + kept.asked.length,
      posts: kept.asked.map(plainPost),
    },
    result,
  };
}

function plainPost(post: AskedPost): JsonObject {
  return { ...post };
}

function maxLeadsOf({ maxLeads }: JsonObject): JsonObject {
  return maxLeads === undefined ? {} : { maxLeads };
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
  for (const { outcome, credits } of decisions) {
    bump(result, outcome, 1);
    bump(result, 'credits', credits);
  }
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

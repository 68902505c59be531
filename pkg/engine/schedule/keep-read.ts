import type { JsonObject } from '../../base/json.ts';
import type { SignalAgent } from '../../store/signals/signal-agents.ts';
import { MOST_SOURCES } from '../../store/signals/signal-sources.ts';
import { bump } from './counts-of.ts';
import { keepCompanies } from './keep-companies.ts';
import { keepLooks } from './keep-looks.ts';
import { keepEngagers, keepPosts, keepStrangers, takeEngagers } from './keep-posts.ts';
import { keepSource } from './keep-sources.ts';
import type { CompanyScan } from './scan-companies.ts';
import type { Scan } from './scan-people.ts';
import { type AskedPost, askedPosts, type PostScan } from './scan-posts.ts';
import { type SourceScan, TOLD_BY_SOURCES } from './scan-sources.ts';
import type { ScheduleContext, ScheduleStep } from './schedule-handler.ts';

/** Profiles that one run looks at; the others are due in the next. */
const MOST_PROFILES = 200;
/** What a step of an agent's run read before its transaction. */
export type Reading = Scan | PostScan | SourceScan | CompanyScan;

/** Keeps what a step read, and where the run goes on. */
export function keepRead(
  context: ScheduleContext,
  agent: SignalAgent,
  cursor: JsonObject,
  read: Reading,
): Promise<ScheduleStep> {
  switch (read.kind) {
    case 'looked':
    case 'over':
      return keep(context, agent, cursor, read);
    case 'source':
    case 'unsourced':
      return keepSourced(context, agent, cursor, read);
    case 'companies':
    case 'counted':
    case 'uncounted':
      return keepCounted(context, cursor, read);
    default:
      return keepSearched(context, agent, cursor, read);
  }
}

/** Keeps a look at a feed or a site; what a source says that failed is told, and the run goes on. */
async function keepSourced(
  context: ScheduleContext,
  agent: SignalAgent,
  cursor: JsonObject,
  scan: SourceScan,
): Promise<ScheduleStep> {
  const result = { ...context.run.result };
  if (scan.kind === 'unsourced')
    return { kind: 'more', cursor: { ...cursor, sourced: true }, result: { ...result, sources: scan.why } };
  const kept = await keepSource(context, agent, scan);
  bump(result, `${scan.source.kind}s_${kept.result}`, 1);
  for (const [type, count] of Object.entries(kept.found)) bump(result, `found_${type}`, count);
  bump(result, 'news_of_unknown_companies', kept.unknown);
  const looked = Number(cursor.looked ?? 0) + 1;
  // Each source once in a run, however long the run takes.
  const sourced = looked >= MOST_SOURCES;
  if (kept.note !== null) result['sourceNote'] = kept.note;
  return { kind: 'more', cursor: { ...cursor, looked, ...(sourced ? { sourced } : {}) }, result };
}

/** Keeps what pages of companies showed. */
async function keepCounted(context: ScheduleContext, cursor: JsonObject, scan: CompanyScan): Promise<ScheduleStep> {
  const result = { ...context.run.result };
  if (scan.kind === 'companies') return { kind: 'more', cursor: { ...cursor, companies: scan.ids }, result };
  if (scan.kind === 'uncounted') {
    const { companies: _, ...rest } = cursor;
    return { kind: 'more', cursor: { ...rest, counted: true }, result: { ...result, companies: scan.why } };
  }
  bump(result, 'found_headcount_growth', await keepCompanies(context, scan.looks));
  const missing = scan.looks.filter(({ page }) => page === null).length;
  bump(result, 'companies_seen', scan.looks.length - missing);
  bump(result, 'companies_missing', missing);
  return { kind: 'more', cursor: { ...cursor, companies: scan.left }, result };
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
    return { kind: 'more', cursor: { ...cursor, scanned: true }, result: { ...result, scan: scan.why } };
  const found = await keepLooks(context, agent, scan.looks);
  const missing = scan.looks.filter((look) => look.profile === null).length;
  const after = { ...result };
  bump(after, 'profiles_seen', scan.looks.length - missing);
  bump(after, 'profiles_missing', missing);
  for (const [type, count] of Object.entries(found)) bump(after, `found_${type}`, count);
  const looked = Number(after.profiles_seen ?? 0) + Number(after.profiles_missing ?? 0);
  if (looked < MOST_PROFILES) return { kind: 'more', cursor, result: after };
  const why = `the ${MOST_PROFILES} profiles of a run were looked at`;
  return { kind: 'more', cursor: { ...cursor, scanned: true }, result: { ...after, scan: why } };
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
      cursor: { scanned: true, searched: true, ...passedBy(agent), ...maxLeadsOf(cursor) },
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

/** What an agent whose types nobody tells of there does not look at. */
function passedBy({ signalTypes }: SignalAgent): JsonObject {
  const sourced = !signalTypes.some((type) => TOLD_BY_SOURCES.some((told) => told === type));
  return { ...(sourced ? { sourced } : {}), ...(signalTypes.includes('headcount_growth') ? {} : { counted: true }) };
}

function plainPost(post: AskedPost): JsonObject {
  return { ...post };
}

function maxLeadsOf({ maxLeads }: JsonObject): JsonObject {
  return maxLeads === undefined ? {} : { maxLeads };
}

import { withDeadline } from '../../base/clock.ts';
import type { JsonObject } from '../../base/json.ts';
import { anyOf, searchUrl } from '../../domain/search-url.ts';
import { NO_CRITERIA } from '../../domain/signals/agent-rules.ts';
import { peopleStop, searchStops } from '../../domain/signals/searched-posts.ts';
import type { SearchedPost, ShownPerson } from '../../providers/network/network-provider.ts';
import type { ScheduledRun } from '../../store/schedules/scheduled-runs.ts';
import { readAgent, type SignalAgent } from '../../store/signals/signal-agents.ts';
import { roomForStrangers } from '../../store/signals/watched-leads.ts';
import type { EngineDeps } from '../engine-deps.ts';
import { NetworkReader } from '../watches/network-reader.ts';
import { engagersOf, type PostEngagers } from '../watches/read-competitor.ts';

/** Pages of the search that one run reads, and real ms that one step may take. */
const MOST_PAGES = 3;
const WITHIN_MS = 120_000;

/** A post of which it is asked who engaged with it, as the cursor of a run keeps it. */
export interface AskedPost {
  ref: string;
  title: string;
  url: string;
  /** The company that wrote it, whose staff are no engagers; '': a person did. */
  author: string;
  /** Somebody of the workspace itself wrote it. */
  own: boolean;
}

/** What a part of a search came to; `over`: why the run searches no further. */
export type PostScan =
  | { kind: 'posts'; posts: readonly SearchedPost[]; next: string | null }
  | { kind: 'engagers'; asked: AskedPost; engagers: PostEngagers }
  | { kind: 'strangers'; people: readonly ShownPerson[]; why: string | null }
  | { kind: 'unsearched'; why: string };

/**
 * Searches the network for posts with the keywords of an agent, page by page, and then asks who engaged with those that the run chose; each
 * request within the budget of an account.
 * @throws ProviderError when the network can not be reached: the step is tried again
 */
export async function scanPosts(deps: EngineDeps, run: ScheduledRun): Promise<PostScan> {
  const agent = await deps.claim.tx((tx) => readAgent(tx, run.scheduleId));
  if (!agent) return { kind: 'unsearched', why: 'the agent is gone' };
  if (run.cursor.people !== true && run.cursor.posts === undefined) return scanStrangers(deps, agent);
  const stop = searchStops(agent);
  if (stop !== null) return { kind: 'unsearched', why: stop };
  return withDeadline(WITHIN_MS, deps.claim.signal, async (signal) => {
    const reader = new NetworkReader(deps, signal, agent.networkAccountId);
    const [asked] = askedPosts(run.cursor);
    const read = asked
      ? await readEngagers(reader, asked)
      : await readPage(reader, anyOf(agent.criteria.keywords), run.cursor);
    return read ?? { kind: 'unsearched', why: reader.stopped ?? 'the search showed nothing' };
  });
}

/** Posts of the run whose engagers are still to be read. */
export function askedPosts({ posts }: JsonObject): AskedPost[] {
  return Array.isArray(posts) ? (posts as unknown as AskedPost[]) : [];
}

async function readPage(
  reader: NetworkReader,
  keywords: string,
  { page, pages, whole }: JsonObject,
): Promise<PostScan | null> {
  if (whole === true) return { kind: 'unsearched', why: 'the search has nothing new beyond what was read' };
  if (Number(pages ?? 0) >= MOST_PAGES) return { kind: 'unsearched', why: `${MOST_PAGES} pages of posts were read` };
  const at = typeof page === 'string' ? { cursor: page } : {};
  const found = await reader.ask('search', (provider, account, signal) =>
    provider.searchPosts?.(account, { keywords }, { ...at, signal }),
  );
  return found && { kind: 'posts', posts: found.items, next: found.cursor };
}

async function readEngagers(reader: NetworkReader, asked: AskedPost): Promise<PostScan | null> {
  const engagers = await engagersOf(reader, { ref: asked.ref, title: asked.title, url: asked.url });
  return engagers && { kind: 'engagers', asked, engagers };
}

/** Searches for people of the titles that an agent looks for, one page a run, while it watches less than it may. */
async function scanStrangers(deps: EngineDeps, agent: SignalAgent): Promise<PostScan> {
  const none = (why: string): PostScan => ({ kind: 'strangers', people: [], why });
  const stop = peopleStop(agent);
  if (stop !== null) return none(stop);
  const room = await deps.claim.tx((tx) => roomForStrangers(tx, agent.id));
  if (room === 0) return none('it watches as many people as a search may bring');
  const { titles, keywords } = agent.criteria;
  const { url } = searchUrl('people', { ...NO_CRITERIA, titles, keywords });
  return withDeadline(WITHIN_MS, deps.claim.signal, async (signal) => {
    const reader = new NetworkReader(deps, signal, agent.networkAccountId);
    const found = await reader.ask('search', (provider, account, asked) =>
      provider.searchPeople?.(account, { url }, { signal: asked }),
    );
    if (!found) return none(reader.stopped ?? 'the search showed nobody');
    return { kind: 'strangers', people: found.items.slice(0, room), why: null };
  });
}

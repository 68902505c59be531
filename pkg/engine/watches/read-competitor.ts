import { type ListReading, readUntilKnown } from '../../domain/watches/known-run.ts';
import { companyPageId } from '../../domain/watches/watched-search.ts';
import type { NetworkPost, ShownPerson } from '../../providers/network/network-provider.ts';
import { recentPosts, seenAmong } from '../../store/watches/keep-check.ts';
import type { Watch } from '../../store/watches/watches.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { NetworkReader } from './network-reader.ts';
import { personKey, postKeys } from './watch-hash.ts';

const DAY_MS = 86_400_000;
/** Pages of a list that one check reads at most. */
const MOST_PAGES = 5;
/** Posts whose engagers one check reads, for how long after they were written, and engagers of a post. */
const MOST_POSTS = 5;
const ENGAGED_FOR_MS = 14 * DAY_MS;
const MOST_ENGAGERS = 200;

/** Who engaged with a post. */
export interface PostEngagers {
  post: { ref: string; title: string; url: string };
  people: { person: ShownPerson; how: string[] }[];
  /** Beyond the newest 200. */
  more: number;
}

/** What the page of a competitor showed; absent: it was not read. */
export interface CompetitorReading {
  name: string;
  headcount?: number | null;
  posts?: ListReading<NetworkPost>;
  engagers?: PostEngagers[];
  people?: ListReading<ShownPerson>;
}

/** Reads the page of a competitor, as far as budgets reach. @returns null: the page could not be read, or there is none */
export async function readCompetitor(
  deps: EngineDeps,
  watch: Watch,
  reader: NetworkReader,
): Promise<CompetitorReading | null> {
  const wants = (...kinds: string[]): boolean => watch.findingKinds.some((kind) => kinds.includes(kind));
  const publicId = companyPageId(watch.profileUrl ?? '') ?? '';
  const company = await reader.ask('profile_scrape', (provider, account, signal) =>
    provider.readCompany?.(account, publicId, signal),
  );
  if (!company) return null;
  const reading: CompetitorReading = { name: company.name };
  if (wants('headcount')) reading.headcount = company.headcount;
  if (wants('post', 'engager')) {
    const posts = await readPosts(deps, watch, reader, company.companyId);
    if (posts) reading.posts = posts;
  }
  if (wants('engager')) reading.engagers = await readEngagers(deps, watch, reader, reading.posts);
  if (wants('hire')) {
    const people = await readUntilKnown(
      (cursor) =>
        reader.ask('search', (provider, account, signal) =>
          provider.searchPeople?.(account, { companyId: company.companyId }, pageOf(cursor, signal)),
        ),
      (person) => [personKey(watch.id, person.publicId)],
      seenIn(deps, watch, 'people'),
      MOST_PAGES,
    );
    if (people) reading.people = people;
  }
  return reading;
}

function readPosts(
  deps: EngineDeps,
  watch: Watch,
  reader: NetworkReader,
  companyId: string,
): Promise<ListReading<NetworkPost> | null> {
  return readUntilKnown(
    (cursor) =>
      reader.ask('profile_scrape', (provider, account, signal) =>
        provider.listCompanyPosts?.(account, companyId, pageOf(cursor, signal)),
      ),
    (post) => postKeys(post),
    seenIn(deps, watch, 'posts'),
    MOST_PAGES,
  );
}

/** What of these keys a stream of the watch has seen. */
export function seenIn(
  { claim }: EngineDeps,
  watch: Watch,
  stream: string,
): (keys: readonly string[]) => Promise<ReadonlySet<string>> {
  return (keys) => claim.tx((tx) => seenAmong(tx, watch.id, stream, keys));
}

/** Options of a page. */
export function pageOf(cursor: string | undefined, signal: AbortSignal): { cursor?: string; signal: AbortSignal } {
  return cursor === undefined ? { signal } : { cursor, signal };
}

/** Engagers of posts that the watch found lately, with those that are new in this check. */
async function readEngagers(
  deps: EngineDeps,
  watch: Watch,
  reader: NetworkReader,
  posts: ListReading<NetworkPost> | undefined,
): Promise<PostEngagers[]> {
  const since = deps.clock.now() - ENGAGED_FOR_MS;
  const known = await deps.claim.tx((tx) => recentPosts(tx, watch.id, since, MOST_POSTS));
  const fresh = watch.state.begun?.posts
    ? (posts?.fresh ?? [])
        .filter((post) => post.postedAt >= since)
        .map((post) => ({ ref: post.postId, title: post.text ?? '', url: post.url ?? '' }))
    : [];
  const read: PostEngagers[] = [];
  for (const post of [...fresh, ...known].slice(0, MOST_POSTS)) {
    const engagers = await engagersOf(reader, post);
    if (engagers === null) break;
    read.push(engagers);
  }
  return read;
}

/**
 * Who engaged with a post: the same person reacting and commenting is one engager with both.
 * @returns null: it could not be read now
 */
export async function engagersOf(reader: NetworkReader, post: PostEngagers['post']): Promise<PostEngagers | null> {
  const people = new Map<string, { person: ShownPerson; how: string[] }>();
  let more = 0;
  const add = (person: ShownPerson, how: string): void => {
    const known = people.get(person.publicId);
    if (known && !known.how.includes(how)) known.how.push(how);
    if (known) return;
    if (people.size >= MOST_ENGAGERS) more++;
    else people.set(person.publicId, { person, how: [how] });
  };
  let cursor: string | undefined;
  const asked = new Set<string | undefined>();
  do {
    const at: string | undefined = cursor;
    asked.add(at);
    const page = await reader.ask('profile_scrape', (provider, account, signal) =>
      provider.listReactions?.(account, post.ref, pageOf(at, signal)),
    );
    if (page === null) return null;
    for (const { person } of page.items) add(person, 'reaction');
    cursor = page.items.length === 0 ? undefined : (page.cursor ?? undefined);
    // A list that is always the same, or leads back to where it was, ends like every other.
  } while (cursor !== undefined && !asked.has(cursor) && asked.size < MOST_PAGES && people.size < MOST_ENGAGERS);
  const comments = await reader.ask('profile_scrape', (provider, account, signal) =>
    provider.listComments(account, post.ref, { signal }),
  );
  for (const { author, own } of comments?.items ?? []) if (author && !own) add(author, 'comment');
  return { post, people: [...people.values()], more };
}

import { type ListReading, readUntilKnown } from '../../domain/watches/known-run.ts';
import { watchedSearch } from '../../domain/watches/watched-search.ts';
import type { NetworkSearch, SearchedPost, ShownPerson } from '../../providers/network/network-provider.ts';
import type { Watch } from '../../store/watches/watches.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { NetworkReader } from './network-reader.ts';
import { pageOf, seenIn } from './read-competitor.ts';
import { personKey, postKeys } from './watch-hash.ts';

/** Pages of a search that one run reads at most. */
const MOST_PAGES = 5;

/** What a search showed; absent: it does not search for these. */
export interface SearchReading {
  posts?: ListReading<SearchedPost>;
  people?: ListReading<ShownPerson>;
}

/** Searches the network for what a watch watches. @returns null: it could not be searched now */
export async function readSearch(deps: EngineDeps, watch: Watch, reader: NetworkReader): Promise<SearchReading | null> {
  const wanted = searchOf(watch);
  if (wanted.finds === 'posts') {
    const posts = await readUntilKnown(
      (cursor) =>
        reader.ask('search', (provider, account, signal) =>
          provider.searchPosts?.(account, wanted.search, pageOf(cursor, signal)),
        ),
      (post) => postKeys(post, post.author?.publicId ?? post.authorName),
      seenIn(deps, watch, 'posts'),
      MOST_PAGES,
    );
    return posts && { posts };
  }
  const people = await readUntilKnown(
    (cursor) =>
      reader.ask('search', (provider, account, signal) =>
        provider.searchPeople?.(account, wanted.search, pageOf(cursor, signal)),
      ),
    (person) => [personKey(watch.id, person.publicId)],
    seenIn(deps, watch, 'people'),
    MOST_PAGES,
  );
  return people && { people };
}

/** A topic is posts about it; a search by words finds people, one by its address what the address says. */
function searchOf(watch: Watch): { search: NetworkSearch; finds: 'people' | 'posts' } {
  if (watch.searchUrl !== null) {
    const parsed = watchedSearch(watch.searchUrl);
    if ('refused' in parsed) throw new Error(`the search of watch ${watch.id} ${parsed.refused}`);
    return { search: { url: parsed.url }, finds: parsed.finds };
  }
  return { search: { keywords: watch.query ?? '' }, finds: watch.kind === 'topic' ? 'posts' : 'people' };
}

import { postTerms } from '../../domain/watches/post-terms.ts';
import { OLDEST_NEWS_MS } from '../../domain/watches/watch-state.ts';
import type { SearchedPost } from '../../providers/network/network-provider.ts';
import type { CheckDraft } from './check-draft.ts';
import type { SearchReading } from './read-search.ts';
import { personKey, postKeys, watchHash } from './watch-hash.ts';

/** Writes what a search showed into the check. What the first run finds is the baseline, and no hit. */
export function draftSearch(check: CheckDraft, { posts, people }: SearchReading): void {
  if (posts) {
    check.seen('posts', posts);
    const fresh = posts.fresh.filter((post) => post.postedAt > check.now - OLDEST_NEWS_MS);
    const begins = check.begins('posts');
    if (begins) check.baseline += fresh.length;
    else for (const post of fresh) draftPost(check, post);
  }
  if (!people) return;
  check.seen('people', people);
  if (check.begins('people')) {
    check.baseline += people.fresh.length;
    return;
  }
  for (const person of people.fresh)
    check.findPerson(person, {
      kind: 'person',
      item: watchHash(personKey(check.watch.id, person.publicId), check.now),
      title: person.name,
      url: '',
    });
}

function draftPost(check: CheckDraft, post: SearchedPost): void {
  const { author, authorName, text = '' } = post;
  const finding = {
    kind: 'post' as const,
    item: postKeys(post, author?.publicId ?? authorName)[0] ?? '',
    ref: post.postId,
    at: post.postedAt,
    title: text || 'A new post',
    url: post.url ?? '',
    terms: check.watch.kind === 'topic' ? postTerms(text, check.watch.query ?? '') : [],
    author: watchHash('author', check.watch.id, author?.publicId ?? authorName),
  };
  if (author === null) check.find(finding);
  else check.findPerson(author, finding);
}

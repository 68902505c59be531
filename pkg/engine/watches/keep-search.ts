import { postTerms } from '../../domain/watches/post-terms.ts';
import type { SearchedPost } from '../../providers/network/network-provider.ts';
import type { CheckDraft } from './check-draft.ts';
import type { SearchReading } from './read-search.ts';
import { personKey, postKeys, watchHash } from './watch-hash.ts';

/** Writes what a search showed into the check. What the first run finds is the baseline, and no hit. */
export function draftSearch(check: CheckDraft, { posts, people }: SearchReading): void {
  if (posts) for (const post of check.news('posts', posts)) draftPost(check, post);
  if (!people) return;
  for (const person of check.news('people', people))
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

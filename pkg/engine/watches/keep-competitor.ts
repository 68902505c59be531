import { companyKey } from '../../domain/person-identity.ts';
import type { ListReading } from '../../domain/watches/known-run.ts';
import { isAlwaysChanging, judgeSite } from '../../domain/watches/site-change.ts';
import { isGrowth } from '../../domain/watches/watch-state.ts';
import type { NetworkPost, ShownPerson } from '../../providers/network/network-provider.ts';
import type { SiteLook } from '../../providers/site/site-reader.ts';
import type { CheckDraft } from './check-draft.ts';
import type { CompetitorReading, PostEngagers } from './read-competitor.ts';
import { personKey, postKeys, watchHash } from './watch-hash.ts';

/** Writes what the page of a competitor showed into the check. */
export function draftCompetitor(check: CheckDraft, reading: CompetitorReading): void {
  const { name, posts, people, engagers, headcount } = reading;
  if (posts) draftPosts(check, posts);
  for (const post of engagers ?? []) draftEngagers(check, post, companyKey(name));
  if (people) draftHires(check, people, name);
  if (headcount !== undefined) draftHeadcount(check, name, headcount);
}

function draftPosts(check: CheckDraft, posts: ListReading<NetworkPost>): void {
  for (const post of check.news('posts', posts))
    check.find({
      kind: 'post',
      item: postKeys(post)[0] ?? '',
      ref: post.postId,
      at: post.postedAt,
      title: post.text || 'A new post',
      url: post.url ?? '',
    });
}

function draftHires(check: CheckDraft, people: ListReading<ShownPerson>, company: string): void {
  for (const person of check.news('people', people))
    check.findPerson(person, {
      kind: 'hire',
      // Who left and comes back once they are forgotten is hired again.
      item: watchHash(personKey(check.watch.id, person.publicId), check.now),
      title: `${person.name} works at ${company}`,
      url: check.watch.profileUrl ?? '',
    });
}

/** People who engaged, without those who say that they work at the competitor itself. */
function draftEngagers(check: CheckDraft, { post, people, more }: PostEngagers, competitor: string): void {
  for (const { person, how } of people) {
    if (competitor !== '' && ` ${companyKey(person.headline)} `.includes(` ${competitor} `)) {
      check.excluded++;
      continue;
    }
    const what = how.length > 1 ? 'reacted to and commented on' : how[0] === 'comment' ? 'commented on' : 'reacted to';
    check.findPerson(person, {
      kind: 'engager',
      item: watchHash('engager', check.watch.id, post.ref, person.publicId),
      ref: post.ref,
      how,
      title: `${person.name} ${what}: ${post.title}`,
      url: post.url,
    });
  }
  if (more > 0) check.notes.push(`${more} more people engaged with one post than are kept`);
}

function draftHeadcount(check: CheckDraft, name: string, now: number | null): void {
  if (now === null) {
    check.notes.push('the page shows no number of people');
    return;
  }
  const before = check.state.headcount;
  if (before === undefined) check.baseline++;
  if (before !== undefined && !isGrowth(before, now)) return;
  check.state.headcount = now;
  if (before === undefined) return;
  check.find({
    kind: 'headcount',
    item: watchHash('headcount', check.now),
    at: check.now,
    title: `${name} has ${now} people, before ${before}`,
    url: check.watch.profileUrl ?? '',
  });
}

/** Writes what the site showed into the check: a change counts when two looks in a row show it. */
export function draftSite(check: CheckDraft, look: SiteLook): void {
  if (look.kind === 'blocked') {
    check.notes.push(`the site was not read: ${look.why}`);
    return;
  }
  const seen = { hash: watchHash('site', look.text), length: look.text.length };
  const verdict = judgeSite(check.state.site ?? null, seen);
  if (verdict.kind === 'partial') return;
  check.state.site = verdict.state;
  if (verdict.kind === 'baseline') check.baseline++;
  if (isAlwaysChanging(verdict.state)) check.notes.push('alwaysChanging: the site says something else at each look');
  if (verdict.kind !== 'changed') return;
  check.find({
    kind: 'site_change',
    item: watchHash('site', seen.hash, check.now),
    at: check.now,
    title: `${check.watch.domain ?? 'The site'} says something new: ${look.text.split('\n')[0] ?? ''}`,
    url: `https://${check.watch.domain ?? ''}/`,
  });
}

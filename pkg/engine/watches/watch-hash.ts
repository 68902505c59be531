import { createHash } from 'node:crypto';

/** What something is known by again without keeping it: 32 hex digits. */
export function watchHash(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
}

/** The key of a person in one watch: no two watches know the same person by the same key. */
export function personKey(watchId: string, publicId: string): string {
  return watchHash('person', watchId, publicId);
}

/** Characters of a post of which nobody writes the same twice by chance. */
const TELLING = 40;

/**
 * Keys of a post: its id, and what it says. Sources rotate ids and edit dates, so that the words alone tell a long post; a short one (Happy
 * new year!) is told by its date too.
 */
export function postKeys(post: { postId: string; text?: string; postedAt: number }, author = ''): string[] {
  const { postId, text = '', postedAt } = post;
  const says = text.length >= TELLING ? watchHash('says', author, text) : watchHash('says', author, postedAt, text);
  return [watchHash('id', postId), says];
}

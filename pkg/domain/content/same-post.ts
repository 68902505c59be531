import { withoutEntities } from '../../base/html-entities.ts';

/** Characters of the beginning of a text by which a shortened one is known again. */
const BEGINNING = 40;
/** Clocks of provider and product may differ by this much, and a request may take as long. */
const AROUND_MS = 10 * 60_000;

/** A post of the account's owner, as far as it tells whether it is ours. */
export interface ShownPost {
  postId: string;
  text: string;
  /** Epoch ms; null: not told. */
  postedAt: number | null;
}

/** The post that is looked for. */
export interface SoughtPost {
  text: string;
  /** Epoch ms before which it can not have been posted. */
  since: number;
  /** Epoch ms at which the request left; null: not known. */
  sentAt: number | null;
  /** Ids of posts that are others of ours. */
  others: ReadonlySet<string>;
}

/** What words say, however the network writes them: it composes characters, breaks lines anew and trims. */
export function normalPost(text: string): string {
  return withoutEntities(text)
    .normalize('NFKC')
    .replace(/\p{Cf}|\p{Variation_Selector}/gu, '')
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Whether a post that shows is the one that was sent. A shortened one is it too: what the network cut off is no reason to post again.
 */
export function isSamePost(shown: ShownPost, sought: SoughtPost): boolean {
  if (sought.others.has(shown.postId)) return false;
  if (shown.postedAt !== null && shown.postedAt < sought.since) return false;
  if (comparePost(shown.text, sought.text) !== 'other') return true;
  return isWhenSent(shown, sought) && normalPost(sought.text).startsWith(normalPost(shown.text));
}

/** What appeared just when ours left, and is the beginning of it, is ours, however little of it the network kept. */
function isWhenSent({ postedAt }: ShownPost, { sentAt }: SoughtPost): boolean {
  return postedAt !== null && sentAt !== null && Math.abs(postedAt - sentAt) <= AROUND_MS;
}

/** How a text that shows stands to the one that was sent: the same, its beginning alone, or another. */
export function comparePost(shown: string, sent: string): 'same' | 'truncated' | 'other' {
  const [one, all] = [normalPost(shown), normalPost(sent)];
  if (one === all) return 'same';
  const beginning = one.replace(/\s*(?:…|\.\.\.)(?:\s*see more)?$/i, '');
  const enough = beginning.length >= Math.min(BEGINNING, Math.floor(all.length / 4));
  return enough && beginning.length < all.length && all.startsWith(beginning) ? 'truncated' : 'other';
}

/** Something that a feed says. Texts are of others, without markup. */
export interface FeedItem {
  /** What the feed calls it; '': nothing. */
  id: string;
  title: string;
  text: string;
  /** '': the feed names none. */
  url: string;
  /** When it says that it was published, epoch ms; null: it does not say, or nothing that is a date. */
  publishedAt: number | null;
}

/** A line of a page: as it stands there, and in the form in which two looks are compared. */
export interface PageLine {
  said: string;
  plain: string;
}

/** What a source showed. `text` of a page: all its lines in the form that is compared. */
export type SourceContent = { kind: 'feed'; items: FeedItem[] } | { kind: 'site'; text: string; lines: PageLine[] };

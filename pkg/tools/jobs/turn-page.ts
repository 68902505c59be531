/** Empty pages in a row after which nothing more is expected of a list that claims to go on. */
const MOST_BLANKS = 10;

/** Where the reading of a list stands that comes in pages. */
export interface PageCount {
  /** The place that was asked for last; null: the beginning. */
  cursor: string | null;
  /** Pages that were read. */
  pages: number;
  /** The last of them that were empty, in a row. */
  blanks: number;
}

/** What follows a page: the next one, the end, or `lost`: the list claims to go on and is left, so that what it did not show is not known. */
export type PageTurn = { kind: 'more'; at: PageCount } | { kind: 'end' } | { kind: 'lost'; why: string };

/**
 * Turns a page of a list elsewhere. A list that shows nothing page after page, that leads back to where it was, or that never ends, is
 * left: else it would be read for ever.
 */
export function turnPage(at: PageCount, page: { cursor: string | null; items: number }, mostPages: number): PageTurn {
  if (page.cursor === null) return { kind: 'end' };
  const pages = at.pages + 1;
  const blanks = page.items === 0 ? at.blanks + 1 : 0;
  if (page.cursor === at.cursor) return { kind: 'lost', why: 'the list there shows the same page again and again' };
  if (blanks >= MOST_BLANKS) return { kind: 'lost', why: `the list there showed ${blanks} empty pages in a row` };
  if (pages >= mostPages) return { kind: 'lost', why: `the list there has more than ${pages} pages` };
  return { kind: 'more', at: { cursor: page.cursor, pages, blanks } };
}

/** How many authors wrote a term in each of the last five weeks, this week first, and how many wrote at all. */
export interface TermWeeks {
  term: string;
  /** Authors who wrote it, this week and the four before. */
  authors: readonly number[];
}

/** A term that is written by a greater share of authors than before, with its numbers. */
export interface RisingTopic {
  term: string;
  /** Authors who wrote it this week; one counts once, however often. */
  authors: number;
  /** Of all authors of this week, and the mean of the four weeks before: 0 to 1. */
  share: number;
  shareBefore: number;
}

/** Authors of a term below whom nothing rises. */
const LEAST_AUTHORS = 5;
/** A rise is one to at least twice the share. */
const LEAST_RISE = 2;
const MOST_TOPICS = 10;
const WEEKS_BEFORE = 4;

/**
 * Topics that rise: the share of authors who write a term this week against the mean of the four weeks before, weeks without posts left
 * out. Without any week before nothing rises: there is no baseline.
 * @param all authors of each week, this week first
 */
export function risingTopics(terms: readonly TermWeeks[], all: readonly number[]): RisingTopic[] {
  const weeks = [1, 2, 3, 4].filter((week) => (all[week] ?? 0) > 0).slice(0, WEEKS_BEFORE);
  const now = all[0] ?? 0;
  if (weeks.length === 0 || now === 0) return [];
  const risen = terms.flatMap(({ term, authors }) => {
    const count = authors[0] ?? 0;
    const share = count / now;
    const before = weeks.reduce((sum, week) => sum + (authors[week] ?? 0) / (all[week] ?? 1), 0) / weeks.length;
    if (count < LEAST_AUTHORS || share < before * LEAST_RISE) return [];
    return [{ term, authors: count, share: rounded(share), shareBefore: rounded(before) }];
  });
  return risen
    .sort((a, b) => b.share - b.shareBefore - (a.share - a.shareBefore) || a.term.localeCompare(b.term))
    .slice(0, MOST_TOPICS);
}

const rounded = (share: number): number => Math.round(share * 1_000) / 1_000;

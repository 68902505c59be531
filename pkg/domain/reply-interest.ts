import { refusedIn } from './reply-refusals.ts';
import { NOT_INTERESTED, OWN_INTEREST } from './reply-requests.ts';
import { POSITIVE_STARTS, POSITIVE_WORDS } from './reply-words.ts';
import { asksForSelf, STOP_STEM } from './stop-stems.ts';
import { clausesOf, wholeWords } from './word-gaps.ts';

export const POSITIVE = wholeWords(POSITIVE_WORDS);
/** A yes by which a message begins. */
export const STARTS = new RegExp(`^${wholeWords(POSITIVE_STARTS).source}`, 'u');

/** Where interest stands in a clause that says nothing else: no denial, no wish to get no more; -1: nowhere. Folded. */
export function interestAt(whole: string): number {
  const clause = clausesOf(whole).find(
    (one) =>
      (POSITIVE.test(one) || OWN_INTEREST.test(one)) &&
      !STOP_STEM.test(one) &&
      !NOT_INTERESTED.test(one) &&
      refusedIn(one) === null,
  );
  return clause === undefined ? -1 : whole.lastIndexOf(clause);
}

/** Whether some clause asks that its author be left alone, so that no yes beside it is certain. */
export function isDoubtful(whole: string): boolean {
  return clausesOf(whole).some(asksForSelf);
}

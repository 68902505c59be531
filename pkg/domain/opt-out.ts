import { editDistance } from './edit-distance.ts';
import { legalWish } from './legal-wish.ts';
import { OPT_OUT_CLAUSE } from './opt-out-sentences.ts';
import { BESIDE, LOOKALIKES, STOP_SIGNS, STOP_WORDS } from './opt-out-words.ts';
import { inLatin } from './unmasked.ts';
import { clausesOf } from './word-gaps.ts';

/**
 * Wishes to get no more that are no sentences: a command or a noun with nothing beside it but courtesy, misspelt too, and what
 * people write who know the law. All texts are folded (lower case, no accents).
 */

/** Clauses that are looked at: a greeting and a reason may stand above, a signature stands below. */
const CLAUSES = 5;
/** Words of a command with all its courtesy. */
const MOST_WORDS = 9;
/** Signs of a short answer in a script without blanks. */
const SHORT_SIGNS = 40;
const LONGEST_IDIOM = 60;
/** Words of an answer in which a long stop word is looked for that is misspelt. */
const TYPO_WORDS = 80;
/** Where one letter makes another word of it no letter may differ. */
const SHORT = 5;
const LONG = 10;

const LATIN_STOPS = [...STOP_WORDS].filter((word) => /^[a-z]{4,}$/.test(word));
/** Long words that mean nothing else, wherever they stand in a sentence. */
const DISTINCT = [
  'unsubscribe',
  'unsubscribed',
  'desabonner',
  'desinscrire',
  'disiscrivere',
  'uitschrijven',
  'descadastrar',
];

/** The words by which somebody asks to be left alone; null: none. */
export function optOutIn(folded: string): string | null {
  return commandIn(folded) ?? legalWish(folded) ?? misspelt(folded);
}

/** A thanks and a turn before what is said: "thanks but please remove". */
const TURN =
  /^(?:thanks|thank you|danke|merci|gracias|grazie|bedankt|obrigad[oa]|ok|okay|no)(?: a lot| very much| much)? (?:but|and|aber|und|mais|et|pero|y|ma|e|maar|en|mas) |^(?:yes|sure|ja|oui|si|sim|tak) (?:but |and |aber |mais |pero )?/;

/** A command that is all that a clause says, also beside a yes ("Yes. Stop."); null: none. */
export function commandIn(folded: string): string | null {
  const clauses = clausesOf(folded)
    .map((clause) => clause.replace(TURN, ''))
    .filter((clause) => /[\p{L}\p{N}]/u.test(clause) && !isCourtesy(clause))
    .slice(0, CLAUSES);
  return clauses.find((clause) => isCommand(clause) || isIdiom(clause)) ?? null;
}

function isIdiom(clause: string): boolean {
  return clause.length <= LONGEST_IDIOM && OPT_OUT_CLAUSE.test(clause);
}

/** A word with hyphens is one where it is known so (opt-out), else each of its parts (retirez-moi). */
const wordsOf = (text: string): string[] =>
  (text.match(/[\p{L}\p{N}\p{M}][\p{L}\p{N}\p{M}'-]*/gu) ?? []).flatMap((word) =>
    STOP_WORDS.has(word) || BESIDE.has(word) ? [word] : word.split('-').filter((part) => part !== ''),
  );

function isCourtesy(clause: string): boolean {
  const words = wordsOf(clause);
  return words.length <= MOST_WORDS && words.every((word) => BESIDE.has(word));
}

function isCommand(clause: string): boolean {
  if (clause.length <= SHORT_SIGNS && STOP_SIGNS.test(clause.normalize('NFC'))) return true;
  const words = wordsOf(clause);
  if (words.length === 0 || words.length > MOST_WORDS) return false;
  const left = words.filter((word) => !BESIDE.has(word));
  const isOptOut = left.length === 0 && /\bopt[ -]?out\b/.test(clause);
  return isOptOut || (left.length > 0 && left.every(isStopWord));
}

function isStopWord(word: string): boolean {
  if (STOP_WORDS.has(word) || STOP_WORDS.has(inLatin(word))) return true;
  if (LOOKALIKES.has(word) || BESIDE.has(word) || !/^[a-z]{4,20}$/.test(word)) return false;
  return LATIN_STOPS.some((stop) => isTypo(word, stop));
}

function isTypo(word: string, stop: string): boolean {
  if (word[0] !== stop[0]) return false;
  if (stop.length >= LONG) return editDistance(word, stop, 2) <= 2;
  if (editDistance(word, stop, 1) > 1) return false;
  // Of a short word the same letters: two changed places, one was struck twice or not at all.
  return stop.length > SHORT || [...word].every((letter) => stop.includes(letter));
}

function misspelt(folded: string): string | null {
  const words = wordsOf(folded).slice(0, TYPO_WORDS);
  return (
    words.find(
      (word) => /^[a-z]{8,16}$/.test(word) && !LOOKALIKES.has(word) && DISTINCT.some((stop) => isTypo(word, stop)),
    ) ?? null
  );
}

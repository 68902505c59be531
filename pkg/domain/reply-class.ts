import {
  BARE_STOP_WORDS,
  NEGATIVE_WORDS,
  NEUTRAL_WORDS,
  OUT_OF_OFFICE_WORDS,
  POSITIVE_STARTS,
  POSITIVE_WORDS,
  REFERRAL_WORDS,
  UNSUBSCRIBE_WORDS,
} from './reply-words.ts';
import { returnDateOf } from './return-date.ts';
import type { ReplyClass } from './vocabulary.ts';
import { withoutQuote } from './without-quote.ts';

export interface ClassifiedReply {
  replyClass: ReplyClass;
  /** Out of office only: epoch ms (UTC midnight of the named date), null when no date was found. */
  returnAt: number | null;
  /** The words that decided, for the timeline; empty when none did. */
  matched: string;
}

/** The longest text that is read, characters, and what is looked at of that which the person wrote: what decides stands at its top. */
const MAX_TEXT = 20_000;
const MAX_OWN = 5_000;

/** Lower case without accents and with plain apostrophes, as the word lists are written. */
function fold(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/ß/g, 'ss')
    .replace(/[\u2018\u2019\u00b4`]/g, "'")
    .toLowerCase();
}

const escapeWord = (word: string) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/ /g, '[\\s,]+');
const wholeWords = (list: readonly string[]) =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${list.map(escapeWord).join('|')})(?![\\p{L}\\p{N}])`, 'u');

const UNSUBSCRIBE = wholeWords(UNSUBSCRIBE_WORDS);
const OUT_OF_OFFICE = wholeWords(OUT_OF_OFFICE_WORDS);
const REFERRAL = wholeWords(REFERRAL_WORDS);
const NEGATIVE = wholeWords(NEGATIVE_WORDS);
const NEUTRAL = wholeWords(NEUTRAL_WORDS);
const POSITIVE = wholeWords(POSITIVE_WORDS);
const STARTS = new RegExp(`^(?:${POSITIVE_STARTS.map(escapeWord).join('|')})(?![\\p{L}\\p{N}])`, 'u');

/** The rules in order: what binds us legally first, what is certain before what is a guess. */
const RULES: readonly (readonly [ReplyClass, RegExp])[] = [
  ['unsubscribe', UNSUBSCRIBE],
  ['out_of_office', OUT_OF_OFFICE],
  ['referral', REFERRAL],
  ['negative', NEGATIVE],
  ['neutral', NEUTRAL],
  ['positive', POSITIVE],
  ['positive', STARTS],
];

/**
 * Classifies a reply by rules, without a model and without cost. A wish to be left alone wins over everything else in
 * the text (outreach anchors 3.8); what no rule knows is `unclassified`, a bare question or thanks `neutral`.
 * `receivedAtMs` is product time and only serves dates without a year.
 */
export function classifyReply(text: string, receivedAtMs: number): ClassifiedReply {
  const folded = withoutQuote(fold(text)).slice(0, MAX_OWN);
  const bare = folded
    .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  if (BARE_STOP_WORDS.includes(bare)) return { replyClass: 'unsubscribe', returnAt: null, matched: bare };
  for (const [replyClass, rule] of RULES) {
    const match = rule.exec(folded);
    if (!match) continue;
    const returnAt = replyClass === 'out_of_office' ? returnDateOf(folded, receivedAtMs) : null;
    return { replyClass, returnAt, matched: match[0] };
  }
  const neutral =
    folded.includes('?') || /^(thanks|thank you|ok|okay|danke|merci|gracias|grazie|bedankt|obrigad[oa])\b/.test(folded);
  return { replyClass: neutral ? 'neutral' : 'unclassified', returnAt: null, matched: '' };
}

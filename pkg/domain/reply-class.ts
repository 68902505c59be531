import { foldMarked } from './persons-words.ts';
import { withoutReaderFooter } from './reader-footer.ts';
import { PERSON_AWAY } from './reply-absences.ts';
import { interestAt, isDenying, isDoubtful, POSITIVE, STARTS } from './reply-interest.ts';
import { REFUSAL, refusedIn } from './reply-refusals.ts';
import { NOT_INTERESTED, OWN_INTEREST } from './reply-requests.ts';
import { askedWish, mentionsStop, wishIn } from './reply-wish.ts';
import {
  BARE_END_WORDS,
  BARE_NO_WORDS,
  BARE_STOP_WORDS,
  GONE_WORDS,
  NEGATIVE_WORDS,
  NEUTRAL_WORDS,
  OUT_OF_OFFICE_WORDS,
  REFERRAL_WORDS,
  REFUSAL_WORDS,
} from './reply-words.ts';
import { returnDateOf } from './return-date.ts';
import { unmasked } from './unmasked.ts';
import type { ReplyClass } from './vocabulary.ts';
import { betweenQuotes, unwrapped, withoutQuote } from './without-quote.ts';
import { wholeWords } from './word-gaps.ts';

export interface ClassifiedReply {
  replyClass: ReplyClass;
  /** Out of office only: epoch ms (UTC midnight of the named date), null when no date was found. */
  returnAt: number | null;
  /** The words that decided, for the timeline; empty when none did. */
  matched: string;
}

/** What is looked at of that which the person wrote, characters: what decides stands at its top. */
const MAX_OWN = 5_000;
/** A line that says stop and nothing else is looked for among so many: a greeting may stand above it. */
const FIRST_LINES = 3;
/** Says stop where it stands alone. */
const STOP_SIGN = /[\u{1f6d1}\u26d4\u{1f6ab}]/u;

const OUT_OF_OFFICE = wholeWords(OUT_OF_OFFICE_WORDS);
const REFERRAL = wholeWords(REFERRAL_WORDS);
const GONE = wholeWords(GONE_WORDS);
const NEGATIVE = wholeWords(NEGATIVE_WORDS);
const NEUTRAL = wholeWords(NEUTRAL_WORDS);
/** A no that is nobody's but the person's: what else reads as one (no need, please don't) stands in notices of absence too. */
const PERSONS_NO = wholeWords(REFUSAL_WORDS);

/** The rules in order: what binds us legally stands before them; what is certain before what is a guess. */
const RULES: readonly (readonly [ReplyClass, RegExp])[] = [
  // Nobody comes back from it, whatever the machine that says so is called.
  ['referral', GONE],
  ['out_of_office', OUT_OF_OFFICE],
  ['referral', REFERRAL],
  ['negative', NEGATIVE],
  ['negative', NOT_INTERESTED],
  ['negative', REFUSAL],
  ['out_of_office', PERSON_AWAY],
  ['neutral', NEUTRAL],
  ['positive', POSITIVE],
  ['positive', STARTS],
];
/** Rules that give way to interest: it stands below a refusal, or above an absence. */
const YIELDING: ReadonlySet<RegExp> = new Set([REFUSAL, PERSON_AWAY]);
const COURTESY = /^(?:thanks|thank you|ok|okay|danke|merci|gracias|grazie|bedankt|obrigad[oa])\b/;

/**
 * Classifies a reply by rules, without a model and without cost. A wish to be left alone wins over everything else in
 * the text (outreach anchors 3.8); what no rule knows is `unclassified`, a bare question or thanks `neutral`.
 * `receivedAtMs` is product time and only serves dates without a year. `sent`: the texts that we sent to the person, which are
 * nobody's answer however they are quoted.
 */
export function classifyReply(text: string, receivedAtMs: number, sent: readonly string[] = []): ClassifiedReply {
  return classifyFolded(foldMarked(text, sent), receivedAtMs);
}

/** Of a text that is folded and marked. */
function classifyFolded(folded: string, receivedAtMs: number): ClassifiedReply {
  const text = withoutQuote(folded);
  const own = classifyOwn(text, receivedAtMs);
  // A greeting alone stands above the quote: some answer within it.
  if (own.replyClass !== 'unclassified' && own.replyClass !== 'neutral') return own;
  const between = betweenQuotes(folded);
  if (between === text) return own;
  const within = classifyOwn(between, receivedAtMs);
  return within.replyClass === 'unclassified' ? own : within;
}

/** By what the person wrote themselves, folded. */
function classifyOwn(text: string, receivedAtMs: number): ClassifiedReply {
  const folded = withoutReaderFooter(unmasked(text.slice(0, MAX_OWN)));
  const bare = bareAnswer(folded);
  if (bare?.replyClass === 'unsubscribe') return bare;
  const whole = unwrapped(folded);
  const interest = interestAt(whole);
  const wish = wishIn(folded, whole, interest >= 0);
  if (wish !== null) return answer('unsubscribe', wish);
  if (bare) return bare;
  const behind = personBehindAbsence(whole);
  if (behind) return behind;
  for (const [replyClass, rule] of RULES) {
    const match = rule.exec(folded) ?? (whole === folded ? null : rule.exec(whole));
    if (!match || (YIELDING.has(rule) && yields(rule, match.index, interest))) continue;
    if (replyClass === 'out_of_office') return answer(replyClass, match[0], returnDateOf(folded, receivedAtMs));
    if (replyClass === 'positive' || replyClass === 'neutral')
      return checked(answer(replyClass, match[0]), whole, interest);
    return answer(replyClass, match[0]);
  }
  const refused = refusedIn(whole);
  if (refused !== null) return answer('negative', refused);
  const neutral = folded.includes('?') || COURTESY.test(folded);
  return neutral ? checked(answer('neutral', ''), whole, interest) : answer('unclassified', '');
}

const answer = (replyClass: ReplyClass, matched: string, returnAt: number | null = null): ClassifiedReply => ({
  replyClass,
  returnAt,
  matched,
});

function yields(rule: RegExp, at: number, interest: number): boolean {
  return interest >= 0 && (rule === PERSON_AWAY ? interest < at : interest > at);
}

/**
 * A yes or a question is one only where nothing says the contrary: a refusal cancels the yes, and where something of stopping or
 * removing stands that no rule knew, a person reads. When in doubt nobody who said no is written to again.
 */
function checked(found: ClassifiedReply, whole: string, interest: number): ClassifiedReply {
  const refused = found.replyClass === 'positive' ? refusedIn(whole) : null;
  if (refused !== null) return answer('negative', refused);
  const denied = found.replyClass === 'positive' && isDenying(whole);
  if (!denied && !mentionsStop(whole)) return found;
  if (found.replyClass === 'positive' && !denied && interest >= 0 && !isDoubtful(whole)) return found;
  const asked = askedWish(whole);
  return asked === null ? answer('unclassified', '') : answer('unsubscribe', asked);
}

/**
 * Classifies what a machine sends for a person: an absence, for a time or for good, whatever else its author put below it; what is
 * none reads as a reply. What a `responder` sends is an absence also in words that nobody knows, where it names a day to come.
 */
export function classifyNotice(
  text: string,
  receivedAtMs: number,
  { sent = [], responder = false }: { sent?: readonly string[]; responder?: boolean } = {},
): ClassifiedReply {
  const all = foldMarked(text, sent);
  const folded = withoutQuote(all).slice(0, MAX_OWN);
  const gone = GONE.exec(folded);
  if (gone) return { replyClass: 'referral', returnAt: null, matched: gone[0] };
  const away = OUT_OF_OFFICE.exec(folded) ?? PERSON_AWAY.exec(folded);
  const returnAt = away || responder ? returnDateOf(folded, receivedAtMs) : null;
  if (!away && returnAt === null) return classifyFolded(all, receivedAtMs);
  return { replyClass: 'out_of_office', returnAt, matched: away?.[0] ?? '' };
}

/** Whether a reply says that the person is not there any more, which machines say for them. */
export function saysGone({ replyClass, matched }: ClassifiedReply): boolean {
  return replyClass === 'referral' && GONE.test(matched);
}

/** "Stop" or "No" alone, whatever greeting stands above and whatever signature below. */
function bareAnswer(folded: string): ClassifiedReply | null {
  const whole = plain(folded);
  const lines = folded
    .split('\n')
    .map(plain)
    .filter((line) => line !== '')
    .slice(0, FIRST_LINES);
  if (STOP_SIGN.test(folded) && whole === '') return answer('unsubscribe', folded.trim());
  const stop = [whole, ...lines].find((line) => BARE_STOP_WORDS.includes(line));
  if (stop !== undefined) return { replyClass: 'unsubscribe', returnAt: null, matched: stop };
  if (BARE_END_WORDS.includes(whole)) return { replyClass: 'unsubscribe', returnAt: null, matched: whole };
  const [first = ''] = lines;
  return BARE_NO_WORDS.includes(first) && !REFERRAL.test(folded)
    ? { replyClass: 'negative', returnAt: null, matched: first }
    : null;
}

/**
 * A person who answers and says that they are away has answered: a notice of absence lets the run go on afterwards, and nobody
 * who said no is written to again when they are back. A wish to be left alone is above both.
 */
function personBehindAbsence(folded: string): ClassifiedReply | null {
  if (!OUT_OF_OFFICE.test(folded)) return null;
  const refusal = PERSONS_NO.exec(folded) ?? NOT_INTERESTED.exec(folded);
  if (refusal) return { replyClass: 'negative', returnAt: null, matched: refusal[0] };
  const interest = OWN_INTEREST.exec(folded);
  return interest && { replyClass: 'positive', returnAt: null, matched: interest[0] };
}

/** Words alone, one space between them. */
function plain(text: string): string {
  return text
    .replace(/[^\p{L}\p{N}' ]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

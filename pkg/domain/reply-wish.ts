import { commandIn, optOutIn } from './opt-out.ts';
import { LEFT_ALONE } from './reply-requests.ts';
import { UNSUBSCRIBE_WORDS } from './reply-words.ts';
import { asksForSelf, STOP_STEM } from './stop-stems.ts';
import { wholeWords } from './word-gaps.ts';

const UNSUBSCRIBE = wholeWords(UNSUBSCRIBE_WORDS);
/** What people who sell and buy say of the same things: our unsubscribe rate, a vendor whom they leave. */
const BUSINESS =
  /(?<![\p{L}\p{N}])(?:un-?subscribe|opt[ -]?out|bounce|spam|abmelde|abmeldungs|churn)[ -]?(?:rates?|rate|quote|links?|pages?|flows?|forms?|numbers?|tooling|tools?|handling|process|button|management)(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])unsubscribe (?:from )?(?:our|my|the|his|her|their|those)(?: \p{L}+)? (?!e-?mails?|mails?|address|account|company|team|whole|newsletter|list|domain)(?:current|vendors?|providers?|suppliers?|tools?|competitors?|colleagues?|customers?|clients?|leads?|contacts?|users?|subscribers?|people)|unsubscribe (?:our|my) (?:colleagues?|customers?|clients?|leads?|users?|subscribers?|people|vendors?|contacts)/gu;
const MAIL_ADDRESS = /[^\s<>@]{1,64}@[^\s<>@]{1,255}[^\s<>@.,;:!?)]/g;
/** Behind a word of stopping, beside a yes: nothing more, who is meant, or our mails. */
const PERSONAL_REST =
  /^(?:[^\S\n]*(?:$|[.!?,;\n])|[^\S\n]+(?:(?:me|us|mich|mir|uns|moi|nous|mij|ons|mnie)(?! (?:the|a|an|that|those|your|to|on) )|@|this(?: list| mail| e-?mail)?(?![^\S\n]+\p{L})|(?:these|those|all|any|your) (?:e-?mails?|mails?|messages?|lists?)|it(?![\p{L}])|from (?:this|your|all|these)|please|now|immediately|bitte|svp|aub|por favor))/u;
const PERSON = /(?<![\p{L}])(?:me|us|mich|mir|uns|moi|nous|mij|ons|mnie|meine|mi)(?![\p{L}])|(?:me|mi|ci|moi)$/u;

/**
 * The words by which somebody asks to get no more; null: none. All texts are folded.
 * @param interested a yes stands beside it: then it must be about the person or our mails, since who buys speaks of other things too
 */
export function wishIn(folded: string, whole: string, interested: boolean): string | null {
  const first = plainly(folded);
  // Most replies have no broken line: what was not found in one text is not looked for in the same again.
  const second = whole === folded ? first : plainly(whole);
  const again = (find: (text: string) => string | null): string | null => (second === first ? null : find(second));
  if (interested) return commandIn(second) ?? personal(first) ?? again(personal);
  return optOutIn(second) ?? plain(first) ?? again(plain);
}

function plainly(text: string): string {
  return text.replace(MAIL_ADDRESS, '@').replace(BUSINESS, ' ');
}

function plain(text: string): string | null {
  return UNSUBSCRIBE.exec(text)?.[0] ?? LEFT_ALONE.exec(text)?.[0] ?? null;
}

function personal(text: string): string | null {
  const sentence = LEFT_ALONE.exec(text)?.[0];
  if (sentence !== undefined) return sentence;
  const word = UNSUBSCRIBE.exec(text);
  if (!word) return null;
  return PERSON.test(word[0]) || PERSONAL_REST.test(text.slice(word.index + word[0].length)) ? word[0] : null;
}

const ASKED_WORDS = 14;
/** Reads the other way round: nobody wants to be removed. */
const KEPT =
  /(?<![\p{L}])(?:do not|don't|not|never|nicht|ne pas|pas|no|non|niet|nao|nie) (?:\p{L}+ )?(?:remove|delete|stop|unsub\p{L}*|losch\p{L}*|entfern\p{L}*|streich\p{L}*|supprim\p{L}*|elimin\p{L}*|verwijder\p{L}*|usuw\p{L}*)/u;

/** A question for the way out ("Wie melde ich mich ab?", "Can you take me off?"), folded; null: none asks for it. */
export function askedWish(whole: string): string | null {
  const questions = whole.match(/[^.!?\n]{1,200}\?/g) ?? [];
  return (
    questions
      .find((one) => one.trim().split(/\s+/).length <= ASKED_WORDS && asksForSelf(one) && !KEPT.test(one))
      ?.trim() ?? null
  );
}

/** Whether a text speaks of stopping or removing at all. */
export function mentionsStop(whole: string): boolean {
  return STOP_STEM.test(whole.replace(BUSINESS, ' '));
}

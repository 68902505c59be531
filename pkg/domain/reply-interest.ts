import { refusedIn } from './reply-refusals.ts';
import { NOT_INTERESTED, OWN_INTEREST } from './reply-requests.ts';
import { POSITIVE_STARTS, POSITIVE_WORDS } from './reply-words.ts';
import { asksForSelf, STOP_STEM } from './stop-stems.ts';
import { alone, clausesOf, wholeWords } from './word-gaps.ts';

export const POSITIVE = wholeWords(POSITIVE_WORDS);
/** A yes by which a message begins. */
export const STARTS = new RegExp(`^${wholeWords(POSITIVE_STARTS).source}`, 'u');

/** Turns a word of pleasure round, wherever it stands in the clause: "happy to hear from you never", "gern, wenn das die letzte Mail war". */
const DENIAL = alone([
  String.raw`not|never|no|none|zero|nothing|nobody|\p{L}+n't|dont|last (?:one|time|mail|e-?mail|message|of)|without|(?:go|going|went) away|alone|ended?`,
  String.raw`nicht|nichts|nie|niemals|kein\p{L}*|null|ohne|(?:letzte\p{L}*) (?:mail|e-?mail|nachricht|mal)|pas|jamais|sans|aucun\p{L}*|derniere? (?:mail|message|fois)`,
  String.raw`nunca|jamas|sin|ningun\p{L}*|ultim[oa] (?:correo|mensaje|vez|mail|messaggio|volta|mensagem)|mai|senza|niet|nooit|geen|zonder|laatste (?:mail|keer|bericht)|nao|sem|nigdy|zaden|bez`,
]);
/** A no that says yes: "don't hesitate to call me", "not only interested". */
const NO_DENIAL =
  /(?<![\p{L}])(?:(?:do not|don't|dont|never) (?:hesitate|forget|mind|worry|wait|be shy)|can't wait|cannot wait|why not|not only|nicht nur|no (?:problem|worries|rush|hurry|doubt)|kein problem|warum nicht|pas de (?:probleme|souci)|pourquoi pas|por que no|perche no|waarom niet|geen probleem|sem problema|n'hesitez pas|non esiti|no dude|zogern sie nicht|aarzel niet)(?![\p{L}])/gu;

/** Whose own interest is said in so many words ("I don't know how yet but I'm interested") denies something else. */
const isDenied = (clause: string): boolean => !OWN_INTEREST.test(clause) && DENIAL.test(clause.replace(NO_DENIAL, ' '));

/** Whether a yes is certain: not where each clause of pleasure, or the yes by which the message begins, has a denial in it. */
export function isDenying(whole: string): boolean {
  const clauses = clausesOf(whole);
  const pleased = clauses.filter((one) => POSITIVE.test(one));
  return pleased.length > 0 ? pleased.every(isDenied) : isDenied(clauses[0] ?? '');
}

/** Where interest stands in a clause that says nothing else: no denial, no wish to get no more; -1: nowhere. Folded. */
export function interestAt(whole: string): number {
  const clause = clausesOf(whole).find(
    (one) =>
      (POSITIVE.test(one) || OWN_INTEREST.test(one)) &&
      !STOP_STEM.test(one) &&
      !NOT_INTERESTED.test(one) &&
      !isDenied(one) &&
      refusedIn(one) === null,
  );
  return clause === undefined ? -1 : whole.lastIndexOf(clause);
}

/** Whether some clause asks that its author be left alone, so that no yes beside it is certain. */
export function isDoubtful(whole: string): boolean {
  return clausesOf(whole).some(asksForSelf);
}

import { isFooterLine } from './mail-footer.ts';

/** A line after which the quoted mail follows; folded, as all texts here. A client may break it in two. */
const INTRODUCTION = new RegExp(
  [
    String.raw`^\s*(?:on|am|le|el|il|op|em|w dniu|den) .{5,160}(?:wrote|schrieb|a ecrit|escribio|ha scritto|schreef|escreveu|pisze|napisal|skrev)[^:]{0,100}:\s*$`,
    String.raw`^\s*-{2,} ?(?:original message|ursprungliche nachricht|message d'origine|mensaje original|messaggio originale|oorspronkelijk bericht|mensagem original|forwarded message|weitergeleitete nachricht|message transfere|mensaje reenviado|messaggio inoltrato)`,
    // The writer comes first, then when: `Grace <grace@…> schrieb am Do., 26. Nov. 2026:`
    String.raw`^.{2,160} (?:schrieb am|wrote on|a ecrit le|escribio el|ha scritto il|schreef op|escreveu em|skrev) .{5,80}:\s*$`,
    // In whatever language: a time and an address, and a colon at the end.
    String.raw`^.{0,120}\d{1,2}[:.]\d\d.{0,120}<[^<>\s]{1,120}@[^<>\s]{1,120}>.{0,40}:\s*$`,
    String.raw`^.{0,120}<[^<>\s]{1,120}@[^<>\s]{1,120}>.{0,60}\d{1,2}[:.]\d\d.{0,40}:\s*$`,
  ].join('|'),
);
/** Outlook copies the headers instead and marks no line of the quote: who wrote, and within the next lines when. */
const SENDER = /^\s*\*{0,2}(?:from|von|de|da|van|od|fran|fra|lahettaja) ?:/;
const SENT =
  /^\s*\*{0,2}(?:sent|date|gesendet|datum|envoye|enviado|enviada|enviado el|inviato|data|verzonden|wyslano|fecha|skickat|sendt|lahetetty|dato) ?:/;
const HEADER_LINES = 4;

/** Below such a line stand a signature, or what a mailing list adds: how to leave it, among others. */
const RULE = /^\s*(?:-- ?|_{20,})\s*$/;

/** What stands above the signature; all lines where nothing does. */
function withoutSignature(lines: readonly string[]): readonly string[] {
  const rule = lines.findIndex((line) => RULE.test(line));
  const above = lines.slice(0, Math.max(rule, 0));
  return isBlank(above) ? lines : above;
}

/** From so many characters on a line may have been broken by a program. */
const WRAPPED = 50;

/** The same with the lines joined that a program broke: a sentence goes on where a long line does not end one. */
export function unwrapped(text: string): string {
  return text.replace(new RegExp(`(?<=[^\\n]{${WRAPPED}})(?<![.!?:;] ?) ?\\n(?=[\\p{L}\\p{N}])`, 'gu'), ' ');
}

/** Only what the person wrote: our own quoted text must not classify the answer. `text`: folded (lower case, no accents) */
export function withoutQuote(text: string): string {
  const lines = text.split('\n');
  const quote = lines.findIndex((_, index) => beginsQuote(lines, index));
  // Who answers below what they quote, answers below our signature.
  if (quote === 0) return ownOf(lines);
  return ownOf(withoutSignature(quote > 0 ? lines.slice(0, quote) : lines));
}

/** The same with what stands between and below the lines of a quote, where those are marked. */
export function betweenQuotes(text: string): string {
  const lines = text.split('\n');
  const isMarked = (index: number): boolean =>
    lines.slice(index, index + HEADER_LINES).some((line) => MARKED.test(line));
  const quote = lines.findIndex((_, index) => beginsQuote(lines, index) && isMarked(index));
  if (quote < 0) return withoutQuote(text);
  const isRest = (index: number): boolean => {
    const before = lines[index - 1] ?? '';
    return MARKED.test(before) && before.length >= WRAPPED;
  };
  // What a program broke off a marked line is ours as well.
  const own = lines.filter((line, index) => index !== quote && (MARKED.test(line) || !isRest(index)));
  return ownOf(withoutSignature(own));
}

const MARKED = /^\s*>/;
const isBlank = (lines: readonly string[]): boolean => lines.every((line) => line.trim() === '');

function ownOf(lines: readonly string[]): string {
  return lines
    .filter((line) => !MARKED.test(line) && !isFooterLine(line))
    .join('\n')
    .trim();
}

function beginsQuote(lines: readonly string[], index: number): boolean {
  const line = lines[index] ?? '';
  if (INTRODUCTION.test(line) || INTRODUCTION.test(`${line} ${lines[index + 1] ?? ''}`)) return true;
  return SENDER.test(line) && lines.slice(index + 1, index + 1 + HEADER_LINES).some((next) => SENT.test(next));
}

import { isFooterLine } from './mail-footer.ts';
import { introducedBy, introduction, MARKED } from './quote-marks.ts';

/** Below such a line stand a signature, or what a mailing list adds: how to leave it, among others. */
const RULE = /^\s*(?:-- ?|_{20,})\s*$/;
/** From so many characters on a line may have been broken by a program. */
const WRAPPED = 50;

/** The same with the lines joined that a program broke: a sentence goes on where a long line does not end one. */
export function unwrapped(text: string): string {
  return text.replace(new RegExp(`(?<=[^\\n]{${WRAPPED}})(?<![.!?:;] ?) ?\\n(?=[\\p{L}\\p{N}])`, 'gu'), ' ');
}

/** Only what the person wrote: our own quoted text must not classify the answer. `text`: folded (lower case, no accents) */
export function withoutQuote(text: string): string {
  const lines = text.split('\n');
  return said(lines, ownLines(lines));
}

/** The same with what stands between and below the lines of a quote, where those are marked. */
export function betweenQuotes(text: string): string {
  const lines = text.split('\n');
  const quote = quoteIn(lines);
  if (!quote) return said(lines, ownLines(lines));
  return said(lines, withoutSignature(lines, [...upTo(quote.from), ...belowOf(lines, quote.to)]));
}

/** Numbers of the lines that the person wrote, rising. `lines`: folded */
export function ownLines(lines: readonly string[]): readonly number[] {
  const quote = quoteIn(lines);
  if (!quote) return ownOf(lines, withoutSignature(lines, upTo(lines.length)));
  const above = upTo(quote.from);
  if (said(lines, ownOf(lines, above)) !== '') return ownOf(lines, withoutSignature(lines, above));
  // Who answers below what they quote, answers below our signature. Without marks nothing tells where that is.
  return ownOf(lines, belowOf(lines, quote.to));
}

interface Quote {
  /** Its first line, and the first behind what introduces it. */
  from: number;
  to: number;
}

/** Where the quoted mail begins, with the lines that introduce it; null where nothing does. */
function quoteIn(lines: readonly string[]): Quote | null {
  const marked = lines.findIndex((line) => MARKED.test(line));
  for (let index = 0; index < lines.length; index++) {
    const length = introduction(lines, index);
    if (length > 0) return { from: index, to: index + length };
    if (index !== marked) continue;
    const from = introducedBy(lines, marked);
    // Lines that are marked and that nothing introduces are quoted one by one.
    return from < marked ? { from, to: marked } : null;
  }
  return null;
}

/** The lines below an introduction, without what a program broke off a marked one; none where no line is marked. */
function belowOf(lines: readonly string[], from: number): readonly number[] {
  const below = upTo(lines.length).slice(from);
  if (!below.some((index) => MARKED.test(lines[index] ?? ''))) return [];
  const isRest = (index: number): boolean => {
    const before = lines[index - 1] ?? '';
    return index > from && MARKED.test(before) && before.length >= WRAPPED && !/[.!?:;]\s*$/.test(before);
  };
  // What is quoted within has its own introduction.
  return below.filter((index) => !isRest(index) && introduction(lines, index) === 0);
}

/** What stands above the signature; all lines where nothing does. */
function withoutSignature(lines: readonly string[], of: readonly number[]): readonly number[] {
  const rule = of.findIndex((index) => RULE.test(lines[index] ?? ''));
  const above = of.slice(0, Math.max(rule, 0));
  return above.every((index) => (lines[index] ?? '').trim() === '') ? of : above;
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

function ownOf(lines: readonly string[], of: readonly number[]): readonly number[] {
  return of.filter((index) => !MARKED.test(lines[index] ?? '') && !isFooterLine(lines[index] ?? ''));
}

function said(lines: readonly string[], of: readonly number[]): string {
  return ownOf(lines, of)
    .map((index) => lines[index] ?? '')
    .join('\n')
    .trim();
}

import { foldReply } from './fold-reply.ts';
import { FOOTERS } from './mail-footer.ts';
import { MARKED } from './quote-marks.ts';
import { markSent } from './sent-words.ts';
import { ownLines } from './without-quote.ts';

/** The longest text that is read, characters. */
const MAX_TEXT = 20_000;

/** The text folded, with each line marked (`> `) that one of the texts `sent` to the person has. */
export function foldMarked(text: string, sent: readonly string[]): string {
  return foldReply(marked(text, sent));
}

/** What the person wrote themselves, in their own letters: no word of ours, however it is quoted. Empty: nothing. */
export function personsWords(text: string, sent: readonly string[]): string {
  return ownText(marked(text, sent).split('\n'));
}

function ownText(lines: readonly string[]): string {
  return ownLines(foldReply(lines.join('\n')).split('\n'))
    .map((index) => lines[index] ?? '')
    .join('\n')
    .trim();
}

/** Whether a text is one of ours and nothing else: a copy, in which nobody says whose it was. */
export function isCopy(text: string, sent: readonly string[]): boolean {
  const read = text.slice(0, MAX_TEXT);
  const first = read.split('\n').find((line) => line.trim() !== '') ?? '';
  if (MARKED.test(first)) return false;
  const lines = marked(read, sent).split('\n');
  const ours = lines.find((line) => line.trim() !== '') ?? '';
  return MARKED.test(ours) && ownText(lines) === '';
}

function marked(text: string, sent: readonly string[]): string {
  return markSent(text.slice(0, MAX_TEXT).replace(/\r\n?/g, '\n'), [...sent, ...FOOTERS]);
}

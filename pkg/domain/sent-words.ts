/**
 * What of a mail we wrote ourselves, by comparing its words with the texts that we sent: programs quote in hundreds of ways, and
 * their words for it are of every language. Runs of words count, so that new line breaks, marks and punctuation change nothing.
 */

/** So many words in a row are no accident: they are quoted. */
const RUN = 6;
/** Where words have no blanks between them each sign is a word, which weighs less. */
const SIGN_WEIGHT = 0.6;
/** Places of our texts that are compared for one beginning, so that a text that repeats itself costs no more than others. */
const PLACES = 8;
/** Words of ours that a program may have replaced between two runs: a name, a link that a scanner wrote anew. */
const REPLACED = 4;
/** Words that are compared, of the mail and of all that we sent. */
const MAX_WORDS = 8_000;

const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}])(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{N}\p{M}])*/gu;
const SIGN = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u;
const ADDRESS_OF_A_PAGE = /https?:\/\/\S+/gi;

interface Word {
  word: string;
  start: number;
  end: number;
}

/** Words of the mail, `from` (with) to `to` (without), that stand in a text of ours at `at`. */
interface Run {
  from: number;
  to: number;
  at: number;
}

/** The same text with each of our lines marked as `> `, whatever marks it had; `sent`: the texts that we sent, as they were sent. */
export function markSent(text: string, sent: readonly string[]): string {
  const words = wordsOf(text);
  const ours = sent.flatMap((one) => [...wordsOf(one).map(({ word }) => word), '']).slice(0, MAX_WORDS);
  const runs = runsOf(words, ours);
  if (runs.length === 0) return text;
  const spans = joined(text, words, runs).map((run) => wholeLines(text, spanOf(words, run)));
  return marked(text, spans);
}

function wordsOf(text: string): Word[] {
  const found: Word[] = [];
  for (const match of text.matchAll(WORD)) {
    found.push({ word: plain(match[0]), start: match.index, end: match.index + match[0].length });
    if (found.length === MAX_WORDS) break;
  }
  return found;
}

function plain(word: string): string {
  return word
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
}

/** The longest runs that are ours, in the order of the mail. */
function runsOf(words: readonly Word[], ours: readonly string[]): Run[] {
  const places = placesOf(ours);
  const runs: Run[] = [];
  for (let from = 0; from + RUN <= words.length; from++) {
    const begins = words.slice(from, from + RUN).map(({ word }) => word);
    let best: Run | null = null;
    for (const at of places.get(begins.join(' ')) ?? []) {
      let length = RUN;
      while (ours[at + length] && ours[at + length] === words[from + length]?.word) length++;
      if (!best || length > best.to - best.from) best = { from, to: from + length, at };
    }
    if (!best || weightOf(words.slice(best.from, best.to)) < RUN) continue;
    runs.push(best);
    from = best.to - 1;
  }
  return runs;
}

/** Where each run of words begins in our texts; none crosses from one text into the next. */
function placesOf(ours: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (let at = 0; at + RUN <= ours.length; at++) {
    const begins = ours.slice(at, at + RUN);
    if (begins.includes('')) continue;
    const key = begins.join(' ');
    const known = places.get(key);
    if (!known) places.set(key, [at]);
    else if (known.length < PLACES) known.push(at);
  }
  return places;
}

function weightOf(words: readonly Word[]): number {
  return words.reduce((sum, { word }) => sum + (SIGN.test(word) ? SIGN_WEIGHT : 1), 0);
}

/** Runs between which a few of our words were replaced are one. What somebody put between them, where we had nothing, is theirs. */
function joined(text: string, words: readonly Word[], runs: readonly Run[]): Run[] {
  const wide: Run[] = [];
  for (const run of runs) {
    const before = wide.at(-1);
    const lost = before ? run.at - (before.at + before.to - before.from) : -1;
    const between = before ? text.slice(words[before.to - 1]?.end ?? 0, words[run.from]?.start ?? 0) : '';
    const put = wordsOf(between.replace(ADDRESS_OF_A_PAGE, ' ')).length;
    const isOne = before && lost >= 0 && lost <= 2 * REPLACED && (put === 0 || (lost > 0 && put <= REPLACED));
    if (before && isOne)
      wide[wide.length - 1] = { from: before.from, to: run.to, at: run.at - (run.from - before.from) };
    else wide.push(run);
  }
  return wide;
}

interface Span {
  start: number;
  end: number;
}

function spanOf(words: readonly Word[], { from, to }: Run): Span {
  return { start: words[from]?.start ?? 0, end: words[to - 1]?.end ?? 0 };
}

const NO_WORD = /^[^\p{L}\p{N}\n]*$/u;

/** With the marks and signs around it that belong to no other word of the line. */
function wholeLines(text: string, { start, end }: Span): Span {
  const begin = text.lastIndexOf('\n', start - 1) + 1;
  const next = text.indexOf('\n', end);
  const stop = next < 0 ? text.length : next;
  const rest = text.slice(end, stop);
  const signs = /^[^\p{L}\p{N}\s]*/u.exec(rest)?.[0].length ?? 0;
  return {
    start: start > 0 && NO_WORD.test(text.slice(begin, start)) ? begin : start,
    end: NO_WORD.test(rest) ? stop : end + signs,
  };
}

const SENTENCE_END = /\p{L}[.!?]+ +(?=\p{L})/gu;

/** A text that lost its line breaks: what stands between the last sentence and our words introduces them, in a line of its own. */
function introducedApart(before: string): string {
  const line = before.lastIndexOf('\n') + 1;
  if (!/[:\uff1a] *$/.test(before.slice(-10))) return before;
  const last = [...before.slice(line).matchAll(SENTENCE_END)].at(-1);
  if (!last) return before;
  const at = line + last.index + last[0].length;
  return `${before.slice(0, at).trimEnd()}\n${before.slice(at)}`;
}

function marked(text: string, spans: readonly Span[]): string {
  let written = '';
  let from = 0;
  for (const { start, end } of spans) {
    const before = text.slice(from, start);
    written += introducedApart(before);
    if (written !== '' && !written.endsWith('\n')) written += '\n';
    written += text.slice(start, end).replace(/^/gm, '> ');
    if (end < text.length && text[end] !== '\n') written += '\n';
    from = end;
  }
  return written + text.slice(from);
}

import { jsonrepair } from 'jsonrepair';
import { parseOutsideJson } from '../../base/usable-text.ts';

/** Longer answers are no answers. */
const MAX_ANSWER = 64_000;

/** The JSON in an answer, without the words and fences that models like to put around it; undefined: there is none. */
export function answerJson(answer: string): unknown {
  const text = answer.slice(0, MAX_ANSWER).replace(/<think>[\s\S]*?<\/think>/g, '');
  const from = text.indexOf('{');
  if (from < 0) return undefined;
  const to = text.lastIndexOf('}');
  // A repair reads the whole answer once more, so it is made only where the plain form can not be read.
  const forms = [() => (to > from ? text.slice(from, to + 1) : ''), () => repaired(text.slice(from))];
  for (const form of forms) {
    const part = form();
    try {
      if (part !== '') return parseOutsideJson(part);
    } catch {
      // The next form of it may be read.
    }
  }
  return undefined;
}

function repaired(text: string): string {
  try {
    return jsonrepair(text);
  } catch {
    return '';
  }
}

/** Words in a row, and how often: a model that says them again and again has lost its way. */
const LOOP_WORDS = 6;
const LOOP_TIMES = 4;

/** Whether a text repeats itself without end. */
export function isLooping(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const seen = new Map<string, number>();
  for (let at = 0; at + LOOP_WORDS <= words.length; at++) {
    const run = words.slice(at, at + LOOP_WORDS).join(' ');
    const times = (seen.get(run) ?? 0) + 1;
    if (times >= LOOP_TIMES) return true;
    seen.set(run, times);
  }
  return false;
}

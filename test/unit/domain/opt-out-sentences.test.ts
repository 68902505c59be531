import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { classifyReply } from '../../../pkg/domain/reply-class.ts';

const classOf = (text: string): string => classifyReply(text, Date.parse('2026-11-28T10:00:00Z')).replyClass;

/** Answers of people, one a line (`⏎` is the end of a line), below headings of what they are. */
function repliesOf(file: string): readonly { heading: string; texts: string[] }[] {
  const groups: { heading: string; texts: string[] }[] = [];
  for (const line of readFileSync(new URL(`../../fixtures/replies/${file}.txt`, import.meta.url), 'utf8').split('\n')) {
    if (line.startsWith('# ')) groups.push({ heading: line.slice(2), texts: [] });
    else if (line !== '') groups.at(-1)?.texts.push(line.replaceAll('⏎', '\n'));
  }
  return groups;
}

/** What they must be read as. */
const READ_AS: Readonly<Record<string, readonly string[]>> = {
  unsubscribe: ['unsubscribe'],
  positive: ['positive'],
  negative: ['negative'],
  'out-of-office': ['out_of_office'],
  'no-yes': ['unsubscribe', 'negative', 'unclassified', 'neutral'],
  unclear: ['unclassified', 'neutral', 'referral'],
};

describe('answers in sentences', () => {
  for (const [file, classes] of Object.entries(READ_AS))
    for (const { heading, texts } of repliesOf(file))
      it(`${file}: ${heading} (${texts.length})`, () => {
        for (const text of texts) expect(classOf(text), text).to.be.oneOf(classes);
      });

  it('of any repetition are looked for at a linear cost', () => {
    for (const part of [
      'remove me ',
      'if you want ',
      'no ',
      'please ',
      'nicht mehr ',
      "ne m'",
      'ne plus ',
      'a a ',
      's.t.',
      'kein ',
      'merci de ',
      'until ',
      "don't send ",
    ])
      classOf(part.repeat(20_000 / part.length));
  });
});

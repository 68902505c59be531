import { expect } from 'chai';
import { array, assert, constantFrom, property, string } from 'fast-check';
import { wordDiff } from '../../../pkg/console/parts/word-diff.ts';

const without = (kind: string, before: string, after: string): string =>
  wordDiff(before, after)
    .filter((part) => part.kind !== kind)
    .map((part) => part.text)
    .join('');

describe('how a text became another one', () => {
  it('word by word', () => {
    expect(wordDiff('Hello Ann, how are you?', 'Hello Ann, who are they?')).to.deep.equal([
      { kind: 'same', text: 'Hello Ann, ' },
      { kind: 'removed', text: 'how' },
      { kind: 'added', text: 'who' },
      { kind: 'same', text: ' are ' },
      { kind: 'removed', text: 'you' },
      { kind: 'added', text: 'they' },
      { kind: 'same', text: '?' },
    ]);
  });

  it('an accent, an apostrophe and a mark of another script are parts of their word', () => {
    expect(wordDiff("don't", 'do not').map((part) => part.text)).to.deep.equal(["don't", 'do not']);
    expect(wordDiff('Gdańsk हिन्दी', 'Gdansk हिन्दी').map((part) => part.text)).to.deep.equal([
      'Gdańsk',
      'Gdansk',
      ' हिन्दी',
    ]);
  });

  it('holds all of both texts, whatever they are', () => {
    const text = array(constantFrom('a', 'b', ' ', '\n', 'word', '<b>', '😀', '.'), { maxLength: 40 }).map((parts) =>
      parts.join(''),
    );
    assert(
      property(text, text, string({ unit: 'binary' }), (before, after, odd) => {
        expect(without('removed', before, after)).to.equal(after);
        expect(without('added', before, after)).to.equal(before);
        expect(without('removed', before, odd)).to.equal(odd);
      }),
    );
  });

  it('of two long texts with nothing in common is all of both, at once', () => {
    const [before, after] = ['a b '.repeat(4_000), 'c d '.repeat(4_000)];
    expect(without('added', before, after)).to.equal(before);
    expect(without('removed', before, after)).to.equal(after);
  });
});

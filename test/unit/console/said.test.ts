import { expect } from 'chai';
import { array, assert, property, string } from 'fast-check';
import { type Fact, saidIn, unsaid } from '../../../pkg/console/parts/facts/said.ts';

const fact = (...segments: string[]): Fact => ({ text: 'a fact', source: 'lead:title', at: null, segments });

describe('which sentences of a text state facts', () => {
  it('each with the facts that it states', () => {
    const body = 'Hello. You moved to Kanaal. Congratulations!';
    expect(saidIn(body, [fact('You moved to Kanaal.'), fact('moved to Kanaal. Congratulations!')])).to.deep.equal([
      { text: 'Hello. ', facts: [] },
      { text: 'You ', facts: [0] },
      { text: 'moved to Kanaal.', facts: [0, 1] },
      { text: ' Congratulations!', facts: [1] },
    ]);
  });

  it('also where its lines are broken otherwise', () => {
    const [, said] = saidIn('Hello. You moved\nto Kanaal.', [fact('You moved to Kanaal.')]);
    expect(said).to.deep.equal({ text: 'You moved\nto Kanaal.', facts: [0] });
  });

  it('a sentence that is not there any more states nothing', () => {
    const gone = fact('You moved to Kanaal.');
    expect(saidIn('Hello.', [gone])).to.deep.equal([{ text: 'Hello.', facts: [] }]);
    expect(unsaid('Hello.', gone)).to.equal(true);
    expect(unsaid('Hello.', fact())).to.equal(false);
  });

  it('the parts are the text, whatever it and its sentences are', () => {
    assert(
      property(string({ unit: 'binary' }), array(string({ unit: 'binary' })), (body, segments) => {
        const parts = saidIn(body, [fact(...segments, body.slice(1, 4))]);
        expect(parts.map((part) => part.text).join('')).to.equal(body);
      }),
    );
  });
});

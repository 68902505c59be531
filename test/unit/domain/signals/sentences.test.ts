import { expect } from 'chai';
import { sentencesOf } from '../../../../pkg/domain/signals/sentences.ts';

describe('sentences of a source', () => {
  it('end at their marks, not at abbreviations, initials and numbers', () => {
    expect(sentencesOf('Acme Inc. raises 3.5 Mio. Euro. J. Doe leads. Is it new? Yes!')).to.deep.equal([
      'Acme Inc. raises 3.5 Mio. Euro.',
      'J. Doe leads.',
      'Is it new?',
      'Yes!',
    ]);
  });

  it('of a line of dots that end none are read once each: what is looked back at does not grow with the line', () => {
    const looked: number[] = [];
    const slice = String.prototype.slice;
    String.prototype.slice = function (from, to) {
      const part = slice.call(this, from, to);
      looked.push(part.length);
      return part;
    };
    try {
      sentencesOf('A. '.repeat(33_333));
    } finally {
      String.prototype.slice = slice;
    }
    expect(looked.length).to.be.greaterThan(33_000);
    // The whole text and the rest of its line are taken once each.
    expect(looked.filter((length) => length > 600)).to.have.length.at.most(3);
  });
});

import { expect } from 'chai';
import { patterns } from '../../../pkg/store/leads/lead-search.ts';

describe('filters that compare texts', () => {
  it('find what was written without accents where it is asked for with them', () => {
    expect(patterns(['München'])).to.deep.equal(['%München%', '%munchen%', '%muenchen%']);
    expect(patterns(['Directrice générale'])).to.deep.equal(['%Directrice générale%', '%directrice generale%']);
    expect(patterns(['Straße'])).to.deep.equal(['%Straße%', '%strasse%']);
  });

  it('take an accent that a Mac writes apart for the letter', () => {
    expect(patterns(['Mu\u0308nchen'])).to.deep.equal(patterns(['München']));
  });

  it('leave a text without accents as it is, and signs of a pattern as text', () => {
    expect(patterns(['Head of Sales', '100%_\\'])).to.deep.equal(['%Head of Sales%', '%100\\%\\_\\\\%']);
  });
});

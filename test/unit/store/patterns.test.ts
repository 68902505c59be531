import { expect } from 'chai';
import { z } from 'zod';
import { UserError } from '../../../pkg/base/errors.ts';
import type { Tx } from '../../../pkg/postgres/database.ts';
import { patterns } from '../../../pkg/store/leads/lead-search.ts';
import { parsePredicate } from '../../../pkg/tools/lead-lists/predicate.ts';
import { searchCriteria } from '../../../pkg/tools/leads/search-input.ts';

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

  it('a blank text asks for nobody, and never for everybody', () => {
    expect(patterns(['CTO', '', ' ', '\t'])).to.deep.equal(['%CTO%']);
    expect(patterns([' CTO '])).to.deep.equal(['%CTO%']);
  });

  it('a search and the predicate of a list refuse a blank text, and one without end', async () => {
    const criteria = z.strictObject(searchCriteria);
    for (const titles of [['CTO', ''], [' '], ['x'.repeat(201)]]) {
      expect(criteria.safeParse({ titles }).success, JSON.stringify(titles)).to.equal(false);
      const refused = await parsePredicate({} as Tx, { titles }, 'acme').catch((error: unknown) => error);
      expect(refused, JSON.stringify(titles)).to.be.instanceOf(UserError);
    }
    expect(criteria.parse({ titles: [' CTO '] })).to.deep.equal({ titles: ['CTO'] });
  });
});

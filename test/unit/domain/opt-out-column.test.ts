import { expect } from 'chai';
import fc from 'fast-check';
import { looksLikeOptOut, optOutColumn, optOutOf } from '../../../pkg/domain/opt-out-column.ts';

describe('columns that say who must not be contacted', () => {
  it('property: are told at a linear cost, whatever words of theirs a header repeats', () => {
    const word = fc.constantFrom(
      'email',
      'marketing',
      'emailmarketing',
      'mail',
      'lead',
      'subscribe',
      'subscriber',
      'status',
      'un',
      'optin',
      'x',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), fc.nat(30), (words, times) => {
        const header = words.join('').repeat(times).slice(0, 5_000);
        optOutColumn(header);
        looksLikeOptOut(header);
        optOutOf('contactStatus', header, header);
      }),
      { seed: 3 },
    );
    optOutColumn(`${'emailmarketing'.repeat(14)}x`);
    expect(optOutColumn(`${'do not contact '.repeat(20)}`), 'too long to be a name').to.equal(null);
  });
});

import { expect } from 'chai';
import { writeWithin } from '../../../pkg/engine/ledger/write-deadline.ts';
import { KnownFor } from '../../../pkg/engine/lookups/known-for.ts';

describe('what counts as "not there"', () => {
  it('is counted from the first look in this process, anew after it is forgotten', () => {
    let now = 1_000;
    const known = new KnownFor(() => now);
    expect(known.ms('a')).to.equal(0);
    now += 500;
    expect([known.ms('a'), known.ms('b')]).to.deep.equal([500, 0]);
    known.forget('a');
    expect(known.ms('a')).to.equal(0);
  });

  it('keeps so many at most; what it drops has to wait anew', () => {
    let now = 0;
    const known = new KnownFor(() => now);
    known.ms('first');
    for (let index = 0; index < 10_000; index++) known.ms(`other-${index}`);
    now = 1_000;
    expect([known.ms('first'), known.ms('other-9999')]).to.deep.equal([0, 1_000]);
  });

  for (const [settleAfterMs, within, why] of [
    [900_000, 5_000, 'a slow provider: the deadline of the design'],
    [2_000, 1_000, 'a quick one: the write has left its trace before a look-up counts'],
    [undefined, 5_000, 'nobody looks'],
  ] as const) {
    it(`a request is written within ${within} ms, settling after ${settleAfterMs}: ${why}`, () => {
      expect(writeWithin(settleAfterMs)).to.equal(within);
    });
  }
});

import { expect } from 'chai';
import fc from 'fast-check';
import { outOfPatience, PATIENCE_MS, retryWaitMs } from '../../../pkg/domain/patience.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('how long a failed action is tried again', () => {
  it('waits at least five minutes and what was asked, at most a day and a bit beyond what was asked', () => {
    fc.assert(
      fc.property(fc.nat(5_000), fc.string(), fc.nat(48 * HOUR), (failures, seed, asked) => {
        const wait = retryWaitMs(failures, seed, asked);
        expect(Number.isInteger(wait)).to.equal(true);
        expect(wait).to.be.at.least(Math.max(5 * MINUTE, asked));
        expect(wait).to.be.at.most(Math.max(24 * HOUR, asked) + HOUR);
      }),
    );
  });

  it('those who failed together do not come back together', () => {
    const waits = new Set(Array.from({ length: 100 }, (_, index) => retryWaitMs(3, `send ${index}`)));
    expect(waits.size).to.be.above(90);
  });

  it('an outage shorter than the network’s week gives up nobody, however often they were tried', () => {
    expect(outOfPatience(1_000, 0, PATIENCE_MS - 1)).to.equal(false);
    expect(PATIENCE_MS).to.be.above(7 * 24 * HOUR);
  });

  it('a few failures far apart give up nobody either', () => {
    expect(outOfPatience(4, 0, 100 * 24 * HOUR)).to.equal(false);
    expect(outOfPatience(5, 0, PATIENCE_MS)).to.equal(true);
  });
});

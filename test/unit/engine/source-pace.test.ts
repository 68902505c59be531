import { expect } from 'chai';
import { SourcePace } from '../../../pkg/engine/sources/source-pace.ts';

describe('how often a source is looked through', () => {
  let now: number;
  let pace: SourcePace;
  beforeEach(() => {
    now = 0;
    pace = new SourcePace(() => now);
  });
  const look = (source: string, ms: number, goesOn = false): Promise<number> =>
    pace.look(
      source,
      async () => {
        now += ms;
        return ms;
      },
      goesOn,
    );

  it('one that answers at once is asked in each round', async () => {
    expect(await look('quick', 400)).to.equal(400);
    expect(pace.rests('quick')).to.equal(false);
  });

  it('one that takes long is looked through a twentieth of the time at most, and at least every five minutes', async () => {
    await look('slow', 1_000);
    await look('other', 10);
    expect([pace.rests('slow'), pace.rests('other')]).to.deep.equal([true, false]);
    now += 19_989;
    expect(pace.rests('slow')).to.equal(true);
    now += 1;
    expect(pace.rests('slow')).to.equal(false);
    await look('slow', 18_000);
    now += 300_000;
    expect(pace.rests('slow')).to.equal(false);
  });

  it('quick looks at the parts of one that is long take a twentieth of the time together', async () => {
    await look('long', 200);
    await look('long', 200, true);
    expect(pace.rests('long')).to.equal(false);
    await look('long', 200, true);
    now += 600 * 20 - 1;
    expect(pace.rests('long')).to.equal(true);
    now += 1;
    expect(pace.rests('long')).to.equal(false);
    await look('long', 400, true);
    expect(pace.rests('long'), 'what was rested for counts no more').to.equal(false);
  });

  it('of a round that failed it tells the source that was being looked through, once', async () => {
    const failing = pace.look('bad', () => Promise.reject(new Error('x')));
    expect(await failing.catch(() => 'failed')).to.equal('failed');
    expect(pace.failed()).to.equal('bad');
    expect(pace.failed()).to.equal(undefined);
    expect(pace.rests('bad')).to.equal(false);
    pace.giveUp('bad');
    expect(pace.rests('bad')).to.equal(true);
  });
});

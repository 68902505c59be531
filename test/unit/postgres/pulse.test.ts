import { expect } from 'chai';
import { isDatabaseAway } from '../../../pkg/postgres/database-away.ts';
import { Pulse } from '../../../pkg/postgres/pulse.ts';

describe('pulse of a database', () => {
  let pulse: Pulse;
  let busy: boolean;
  let lives: boolean;
  let told: (boolean | 'given up' | 'asked')[];

  beforeEach(() => {
    [busy, lives, told] = [true, true, []];
    pulse = new Pulse({
      busy: () => busy,
      probe: async () => {
        told.push('asked');
        if (!lives) throw new Error('no answer');
      },
      giveUp: () => void told.push('given up'),
      onState: (answering) => void told.push(answering),
    });
    pulse.stop();
  });
  const ticks = async (count: number, each: () => void = () => undefined): Promise<void> => {
    for (let i = 0; i < count; i++) {
      each();
      await pulse.tick();
    }
  };
  const refuses = (): boolean => {
    try {
      pulse.requireAnswers();
      return false;
    } catch (error) {
      return isDatabaseAway(error);
    }
  };

  it('asks nothing while answers come, or none is waited for', async () => {
    await ticks(20, () => pulse.heard());
    busy = false;
    await ticks(20);
    expect(told).to.deep.equal([]);
  });

  it('a slow answer is asked about, and nothing given up', async () => {
    await ticks(5);
    expect([told, refuses()]).to.deep.equal([['asked'], false]);
  });

  it('silence on every connection, a new one too, fails everything at once until a probe is answered', async () => {
    lives = false;
    await ticks(4);
    expect([told, refuses()]).to.deep.equal([['asked', 'given up', false], true]);
    await ticks(2);
    lives = true;
    await ticks(1);
    expect([told.slice(3), refuses()]).to.deep.equal([['asked', 'asked', 'asked', true], false]);
    await ticks(3);
    expect(refuses(), 'and counts anew').to.equal(false);
  });
});

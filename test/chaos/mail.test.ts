import { expect } from 'chai';
import { kill as end, Fixture } from '../fixtures/chaos/chaos-fixture.ts';
import { killAgain } from './kills.ts';
import { HOSTILE_MAIL, Load } from './load.ts';
import { dice, FULL, tellSeed, times } from './seed.ts';

const SPEED = 1_500;

describe('chaos: mail', function () {
  this.timeout(FULL ? 3_600_000 : 300_000);
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await Fixture.open();
  });
  afterEach(async function () {
    tellSeed.call(this);
    await fixture.close();
  });

  for (const [next, kills, lease] of [
    ['same', times(3, 150), 30],
    ['other', times(0, 20), 2],
  ] as const) {
    if (kills === 0) continue;
    const who = next === 'same' ? 'the same Pod comes back' : 'another holder waits for the end of a short lease';
    it(`killed ${kills} times while mails are handed over by SMTP, ${who}: no mail twice, none lost`, async () => {
      fixture.leaseSeconds = lease;
      const load = await Load.start(fixture, { people: times(12, 40), accounts: times(8, 60), mail: true });
      await fixture.steer('POST', 'faults', HOSTILE_MAIL);
      await fixture.clock.setSpeed(SPEED);
      const random = dice('mail', next);
      const { killed, last } = await killAgain(fixture, load, { kills, random, next, refill: 20 });
      await load.ended();
      await end(last, 'SIGTERM');
      expect(killed).to.equal(kills);
      await load.judge();
    });
  }
});

import { expect } from 'chai';
import { sleepReal } from '../../pkg/base/clock.ts';
import { EXECUTOR_MODES } from '../../pkg/domain/executor-mode.ts';
import { Fixture, kill } from '../fixtures/chaos/chaos-fixture.ts';
import { killAgain } from './kills.ts';
import { HOSTILE, Load } from './load.ts';
import { OwnPostgres } from './own-postgres.ts';
import { anyOf, dice, FULL, tellSeed, times } from './seed.ts';
import { KeyStripper } from './strip-keys.ts';

/** A share of it is played in the mode that the seed draws. */
const MODES = FULL
  ? EXECUTOR_MODES
  : [anyOf(Object.fromEntries(EXECUTOR_MODES.map((mode) => [mode, mode])), dice('mode'))[1]];

for (const mode of MODES)
  describe(`chaos: outages, and two that believe in one workspace, ${mode}`, function () {
    this.timeout(FULL ? 1_800_000 : 180_000);
    let fixture: Fixture;
    afterEach(tellSeed);

    describe('Postgres', () => {
      let postgres: OwnPostgres;
      beforeEach(async () => {
        postgres = await OwnPostgres.make();
        fixture = await Fixture.open(postgres.urls);
        fixture.mode = mode;
      });
      afterEach(async () => {
        await fixture.close();
        await postgres.stop();
      });

      it('killed and restarted under load, its connections cut in between: nobody twice, nobody lost', async () => {
        const outages = times(2, 50);
        const load = await Load.start(fixture, { people: times(20, 40), accounts: times(8, 30), credits: true });
        await fixture.steer('POST', 'faults', HOSTILE);
        await fixture.clock.setSpeed(1_500);
        const executor = fixture.supervise({ workspace: load.ws }, 'pod-1');
        const random = dice('postgres');
        let struck = 0;
        for (; struck < outages; struck++) {
          const since = fixture.clock.now();
          await load.keepBusy(10);
          await fixture.until('a new effect in flight', () => load.inFlight({ since }));
          // From the claim to long after: effects are met in every state of the ledger.
          await sleepReal(random() * (random() < 0.2 ? 3_000 : 400));
          if (random() < 0.5) expect(await postgres.cutConnections()).to.be.at.least(0);
          await sleepReal(random() * 60);
          await postgres.crash();
        }
        console.log(`      struck ${struck} times; ${await load.text()}`);
        await load.ended(FULL ? 1_200_000 : 150_000);
        await executor.stop();
        expect(struck).to.equal(outages);
        await load.judge();
      });
    });

    describe('executors', () => {
      beforeEach(async () => {
        fixture = await Fixture.open();
        fixture.mode = mode;
      });
      afterEach(() => fixture.close());

      it('two executors with one and the same claim: each effect once', async () => {
        const load = await Load.start(fixture, { people: times(10, 200), accounts: 5 });
        fixture.shareClaims = true;
        await fixture.steer('POST', 'faults', HOSTILE);
        await fixture.clock.setSpeed(1_500);
        const first = fixture.supervise({ workspace: load.ws }, 'pod-1');
        await fixture.until(
          'the claim is held',
          async () => (await fixture.query('select 1 from claim where holder is not null')).length > 0,
        );
        const second = fixture.supervise({ workspace: load.ws }, 'pod-2');
        let connections = 0;
        const ended = async (): Promise<boolean> => {
          const [row] = await fixture.query<{ n: number }>(
            `select count(*)::int as n from pg_stat_activity where usename = 'outrider_executor'`,
          );
          connections = Math.max(connections, row?.n ?? 0);
          return (await load.live()) === 0;
        };
        await fixture.until('all runs end', ended, FULL ? 1_200_000 : 150_000);
        await Promise.all([first.stop(), second.stop()]);
        await load.judge();
        // Two of work, as alone, and those that only renew.
        const most = mode === 'Dedicated' ? 2 : 4;
        expect(connections, 'at most two connections each').to.be.within(2, 2 * most);
      });

      it('no idempotency key reaches the provider, executors are killed: the same result', async () => {
        const keys = await KeyStripper.open(fixture.sandbox.url);
        fixture.providerUrl = keys.url;
        const kills = times(4, 100);
        const load = await Load.start(fixture, { people: times(20, 40), accounts: times(8, 30), credits: true });
        await fixture.steer('POST', 'faults', HOSTILE);
        await fixture.clock.setSpeed(1_500);
        const { killed, last } = await killAgain(fixture, load, {
          kills,
          random: dice('keys'),
          next: 'same',
          refill: 10,
        });
        await load.ended(FULL ? 1_200_000 : 150_000);
        await kill(last, 'SIGTERM');
        await keys.close();
        expect(killed).to.equal(kills);
        const received = await load.judge();
        expect(received.filter((one) => one.idempotencyKey !== null)).to.deep.equal([]);
      });
    });
  });

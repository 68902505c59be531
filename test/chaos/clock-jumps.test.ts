import { once } from 'node:events';
import { expect } from 'chai';
import { SystemClock, sleepReal } from '../../pkg/base/clock.ts';
import { Fixture, kill } from '../fixtures/chaos/chaos-fixture.ts';
import { eventually } from '../tools/kube.ts';
import { HOSTILE, Load } from './load.ts';
import { OwnPostgres } from './own-postgres.ts';
import { dice, FULL, tellSeed, times } from './seed.ts';

const MINUTE_S = 60;
/** A jump is felt within a second of the cached clock. */
const FELT_MS = 60_000;

describe('chaos: the clock of Postgres jumps', function () {
  this.timeout(FULL ? 1_800_000 : 180_000);
  let postgres: OwnPostgres;
  let fixture: Fixture;
  beforeEach(async function () {
    postgres = await OwnPostgres.make(true);
    if (postgres.clock) {
      fixture = await Fixture.open(postgres.urls);
      return;
    }
    await postgres.stop();
    console.log('      not run: no libfaketime on this machine, and its package can not be fetched');
    this.skip();
  });
  afterEach(async function () {
    tellSeed.call(this);
    if (!postgres.clock) return;
    await fixture.close();
    await postgres.stop();
  });

  /** Seconds by which the server's clock is ahead of this machine's. */
  async function ahead(): Promise<number> {
    const [row] = await fixture
      .query<{ now: number }>(`select extract(epoch from clock_timestamp())::float8 as now`)
      .catch(() => []);
    return row ? row.now - new SystemClock().now() / 1_000 : Number.NaN;
  }

  it('forward past every lease and look-up, and back again, while executors are killed: nothing twice, nothing lost', async () => {
    const load = await Load.start(fixture, { people: times(20, 40), accounts: times(8, 30), credits: true });
    // Late answers show up well after a clock that jumped would have called them lost.
    await fixture.steer('POST', 'faults', [...HOSTILE, { action: 'message', kind: 'late', rate: 0.3, ms: 1_800 }]);
    await fixture.clock.setSpeed(1_500);
    const executor = fixture.supervise({ workspace: load.ws }, 'pod-1');
    const random = dice('clock');
    const jumps = times(2, 50);
    let jumped = 0;
    for (; jumped < jumps; jumped++) {
      const since = fixture.clock.now();
      await load.keepBusy(10);
      await fixture.until('a new effect in flight', () => load.inFlight({ since }));
      if (random() < 0.5) executor.kill('SIGKILL');
      const to = jumped % 2 === 0 ? Math.round((2 + random() * 60) * MINUTE_S) : -Math.round(random() * MINUTE_S);
      await postgres.clock?.set(to);
      await fixture.until(
        `the clock of Postgres is ${to} s ahead`,
        async () => Math.abs((await ahead()) - to) < 5,
        FELT_MS,
      );
      await sleepReal(random() * 500);
    }
    await postgres.clock?.set(0);
    console.log(`      jumped ${jumped} times; ${await load.text()}`);
    await load.ended(FULL ? 1_200_000 : 150_000);
    await executor.stop();
    expect(jumped).to.equal(jumps);
    await load.judge();
  });

  it('an executor on a machine whose clock is an hour off does nothing and says why; it works as soon as the clocks agree', async () => {
    fixture.machineTime = true;
    const load = await Load.start(fixture, { people: 3, accounts: 1, account: { pacing: { maxGapSeconds: 0 } } });
    const agree = async (seconds: number): Promise<void> => {
      await postgres.clock?.set(seconds);
      await eventually('the clock is set', async () => Math.abs((await ahead()) - seconds) < 5 || undefined, FELT_MS);
    };
    await agree(3_600);
    const wrong = fixture.executor({ workspace: load.ws }, 'pod');
    expect((await once(wrong, 'exit'))[0]).to.equal(1);
    expect(fixture.output.join('')).to.match(/the clock of this process is 3[56]\d\d s behind the database's/);
    const sends = (): Promise<unknown[]> => fixture.query('select 1 from send where workspace_id = $1', [load.ws]);
    expect(await sends()).to.have.length(0);
    await agree(0);
    await fixture.query('update claim set expires_at = clock_timestamp()');
    const right = fixture.executor({ workspace: load.ws }, 'pod');
    await eventually('it works', async () => (await sends()).length > 0 || undefined, FELT_MS);
    await kill(right, 'SIGTERM');
  });
});

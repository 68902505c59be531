import { expect } from 'chai';
import { sleepReal } from '../../pkg/base/clock.ts';
import { kill as end, Fixture } from '../fixtures/chaos/chaos-fixture.ts';
import { killAgain } from './kills.ts';
import { HOSTILE, Load } from './load.ts';
import { Meddling } from './meddling.ts';
import { OwnPostgres } from './own-postgres.ts';
import { anyOf, dice, FULL, tellSeed, times } from './seed.ts';
import { strikes } from './strikes.ts';

const PAUSE_MS = 1_200;

/** Elsewhere time is made to fly; only as it passes in a cluster is work made ready before it is due, and held. */
describe('chaos: on the time of the machine', function () {
  this.timeout(FULL ? 1_800_000 : 300_000);
  let postgres: OwnPostgres;
  let fixture: Fixture;
  beforeEach(async () => {
    postgres = await OwnPostgres.make();
    fixture = await Fixture.open(postgres.urls);
    fixture.machineTime = true;
  });
  afterEach(async function () {
    tellSeed.call(this);
    await fixture.close();
    await postgres.stop();
  });

  /** People whose second message is due some time after the first one left, and providers that answer as they like. */
  async function start(): Promise<Load> {
    const account = { pacing: { maxGapSeconds: 0 } };
    // No day passes either: their budgets have to last for everybody who comes.
    const load = await Load.start(fixture, { people: 40, accounts: times(8, 60), account, pauseMs: PAUSE_MS });
    // After a limit an account rests for a quarter of an hour, here of real time: soon all of them would.
    const faults = HOSTILE.filter((fault) => fault.kind !== 'rate_limit');
    await fixture.steer('POST', 'faults', faults);
    return load;
  }

  /** Lets all come to their end, and judges. What is to be tried again waits for minutes and hours: they pass quickly. */
  async function finish(load: Load): Promise<void> {
    fixture.machineTime = false;
    await fixture.clock.setSpeed(1_500);
    const next = fixture.executor({ workspace: load.ws }, 'pod');
    await load.ended();
    await end(next, 'SIGTERM');
    await load.judge();
    const early = await fixture.query(
      `select s.settled_at - e.at as after, s.claimed_at - e.at as claimed, s.dispatched_at - e.at as dispatched, s.epoch, s.evidence,
         (select jsonb_agg(x order by x.at) from (select at - e.at as at, kind, node_id, text, data from run_event o where o.run_id = s.run_id) x) as events
       from send s join run_event e on e.run_id = s.run_id and e.kind = 'run.step_done' and e.node_id = 'n1'
       where s.body = 'second' and s.state = 'confirmed' and s.settled_at < e.at + $1`,
      [PAUSE_MS],
    );
    expect(early, JSON.stringify(early)).to.have.length(0);
  }

  it('killed while requests wait for their time: nothing twice, nothing lost, nothing before it is due', async () => {
    const kills = times(10, 150);
    const load = await start();
    const random = dice('machine time');
    const { killed, last } = await killAgain(fixture, load, { kills, random, next: 'same', refill: 20 });
    await end(last, 'SIGTERM');
    expect(killed).to.equal(kills);
    await finish(load);
  });

  it('struck in every way while people hold things and let them go on: nothing twice, nothing lost, nothing before it is due', async () => {
    fixture.leaseSeconds = 2;
    const load = await start();
    const executors = ['pod-1', 'pod-2'].map((holder) => fixture.supervise({ workspace: load.ws }, holder));
    const random = dice('strikes');
    const { clock: _, ...struck } = strikes(postgres, executors, random);
    const people = new Meddling(fixture, load, random);
    const done: string[] = [];
    for (let index = 0; index < times(5, 80); index++) {
      await load.keepBusy(20);
      const deeds = [anyOf(people.deeds, random), anyOf(struck, random)].filter(() => random() < 0.8);
      done.push(...deeds.map(([name]) => name));
      await Promise.all(deeds.map(([, deed]) => deed()));
      await sleepReal(random() * PAUSE_MS);
    }
    console.log(`      ${done.length} deeds; ${await load.text()}`);
    for (const one of executors) await one.stop('SIGKILL');
    await finish(load);
    expect(await people.leftWhileHeld(), 'nothing leaves while it is held').to.deep.equal([]);
  });
});

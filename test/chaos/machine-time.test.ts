import { expect } from 'chai';
import { killAgain } from './kills.ts';
import { HOSTILE, Load } from './load.ts';
import { dice, FULL, tellSeed, times } from './seed.ts';
import { kill as end, Stage } from './stage.ts';

const PAUSE_MS = 1_200;

/** Elsewhere time is made to fly; only as it passes in a cluster is work made ready before it is due, and held. */
describe('chaos: on the time of the machine', function () {
  this.timeout(FULL ? 1_800_000 : 300_000);
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
    stage.machineTime = true;
  });
  afterEach(async function () {
    tellSeed.call(this);
    await stage.close();
  });

  it('killed while requests wait for their time: nothing twice, nothing lost, nothing before it is due', async () => {
    const kills = times(10, 150);
    const account = { pacing: { maxGapSeconds: 0 } };
    // No day passes either: their budgets have to last for everybody who comes.
    const load = await Load.start(stage, { people: 40, accounts: times(8, 60), account, pauseMs: PAUSE_MS });
    // After a limit an account rests for a quarter of an hour, here of real time: soon all of them would.
    await stage.steer(
      'POST',
      'faults',
      HOSTILE.filter((fault) => fault.kind !== 'rate_limit'),
    );
    const random = dice('machine time');
    const { killed, last } = await killAgain(stage, load, { kills, random, next: 'same', refill: 20 });
    await end(last, 'SIGTERM');
    // What is to be tried again waits for minutes and hours: they pass quickly.
    stage.machineTime = false;
    await stage.clock.setSpeed(1_500);
    const next = stage.executor({ workspace: load.ws }, 'pod');
    await load.ended();
    await end(next, 'SIGTERM');
    expect(killed).to.equal(kills);
    await load.judge();
    const early = await stage.query(
      `select s.settled_at - e.at as after, s.claimed_at - e.at as claimed, s.dispatched_at - e.at as dispatched from send s join run_event e on e.run_id = s.run_id and e.kind = 'run.step_done' and e.node_id = 'n1'
       where s.body = 'second' and s.state = 'confirmed' and s.settled_at < e.at + $1`,
      [PAUSE_MS],
    );
    expect(early).to.deep.equal([]);
  });
});

import type { ChildProcess } from 'node:child_process';
import { expect } from 'chai';
import { monotonicMs } from '../../pkg/base/clock.ts';
import { EXECUTOR_MODES } from '../../pkg/domain/executor-mode.ts';
import { FAULT_POINTS } from '../../pkg/engine/fault-points.ts';
import { Fixture, kill } from '../fixtures/chaos/chaos-fixture.ts';
import { FaultTrace, KILL_ORDER } from './fault-trace.ts';
import { killAgain } from './kills.ts';
import { HOSTILE, Load } from './load.ts';
import { dice, FULL, tellSeed, times } from './seed.ts';

const { CHAOS_KILLS: kills } = process.env;
/** Kills after which the same Pod comes back, another holder with short leases, and another one at the real 30 s. */
const SAME = Number(kills ?? times(6, 900));
const OTHER = times(2, 90);
const REAL = 10;
/** Seconds that a claim lives where the lease is scaled down; renewal and self-fencing follow in proportion. */
const SHORT_LEASE = 2;
/** Of a share an executor is stopped past leases that are scaled down alone. */
const LONG_LEASE = times(SHORT_LEASE, 30);
const SPEED = 1_500;

for (const mode of EXECUTOR_MODES)
  describe(`chaos: never twice, ${mode}`, function () {
    this.timeout(FULL ? 7_200_000 : 300_000);
    let fixture: Fixture;
    let trace: FaultTrace;
    beforeEach(async () => {
      fixture = await Fixture.open();
      fixture.mode = mode;
      trace = new FaultTrace();
      fixture.trace = trace;
    });
    afterEach(async function () {
      tellSeed.call(this);
      await fixture.close();
    });

    /** Lets the last executor finish and holds both ledgers against each other. */
    async function finish(load: Load, last: ChildProcess): Promise<void> {
      const since = monotonicMs();
      await load.ended(FULL ? 1_800_000 : 200_000);
      await kill(last, 'SIGTERM');
      const ended = monotonicMs();
      await load.judge();
      console.log(
        `      all ended ${Math.round((ended - since) / 1_000)} s after the last kill; judged in ${Math.round(monotonicMs() - ended)} ms`,
      );
    }

    for (const [next, count, lease] of [
      ['same', SAME, 30],
      ['other', OTHER, SHORT_LEASE],
    ] as const) {
      // Of a share: pool.test.ts kills a process of many at random.
      if (mode === 'Pooled' && !FULL) continue;
      const who = next === 'same' ? 'the same Pod comes back' : 'another holder waits for the end of a short lease';
      it(`killed ${count} times while effects are in flight, ${who}: nothing twice, nothing lost`, async () => {
        // Limits that bind now and then, and credits that each person costs once.
        const account = { limits: { message: { day: 20, week: 90 } } };
        const load = await Load.start(fixture, { people: 40, accounts: times(8, 40), account, credits: true });
        fixture.leaseSeconds = lease;
        await fixture.steer('POST', 'faults', HOSTILE);
        await fixture.clock.setSpeed(SPEED);
        const { killed, last } = await killAgain(fixture, load, {
          kills: count,
          random: dice('kills', next),
          next,
          refill: 20,
        });
        await finish(load, last);
        expect(killed).to.equal(count);
        console.log(`      ${await trace.text()}`);
      });
    }

    it(`killed by forced interleaving at each of ${FAULT_POINTS.length} points of the ledger: nothing twice, nothing lost`, async () => {
      expect([...KILL_ORDER].sort()).to.deep.equal([...FAULT_POINTS].sort());
      const rounds = times(1, 10);
      const load = await Load.start(fixture, { people: 10 * rounds, accounts: 3 * rounds });
      const random = dice('points');
      await fixture.clock.setSpeed(SPEED);
      for (let round = 0; round < rounds; round++) {
        // A lost answer now and then keeps something to look up.
        await fixture.steer('POST', 'faults', [{ action: '*', kind: 'lost_answer', rate: 0.2 }]);
        for (const point of KILL_ORDER) {
          const nth = point.startsWith('recover') || round === 0 ? 1 : 1 + Math.floor(random() * 2);
          const child = fixture.executor({ workspace: load.ws }, 'pod', { faultPoint: `${point}:SIGKILL:${nth}` });
          await fixture.until(`it is killed at ${point} (${nth})`, async () => child.signalCode === 'SIGKILL');
        }
      }
      await finish(load, fixture.executor({ workspace: load.ws }, 'pod'));
      const counts = await trace.counts();
      console.log(`      ${await trace.text()}`);
      expect(
        Object.values(counts).every((count) => count > 0),
        'no point unhit',
      ).to.equal(true);
    });

    if (FULL) {
      it(`${REAL} executors killed with effects in flight, other holders wait for the real lease of 30 s`, async () => {
        await fixture.steer('POST', 'faults', HOSTILE);
        await fixture.clock.setSpeed(SPEED);
        const random = dice('real leases');
        const loads: Load[] = [];
        for (let index = 0; index < REAL; index++) loads.push(await Load.start(fixture, { people: 6, accounts: 1 }));
        const plan = { kills: 1, random, next: 'other' } as const;
        const ends = await Promise.all(loads.map((load) => killAgain(fixture, load, plan)));
        for (const [index, { killed, last }] of ends.entries()) {
          expect(killed).to.equal(1);
          const load = loads[index];
          if (load) await finish(load, last);
        }
        console.log(`      ${await trace.text()}`);
      });
    }

    for (const [what, point, lease] of [
      ['between the commit of dispatched and the write', 'dispatched:SIGSTOP', LONG_LEASE],
      ['while its request is under way', undefined, SHORT_LEASE],
    ] as const) {
      if (mode === 'Pooled' && !FULL && point !== undefined) continue;
      it(`stopped ${what} past a lease of ${lease} s: a second one takes over, the first ends by itself, one send each`, async () => {
        fixture.leaseSeconds = lease;
        const load = await Load.start(fixture, { people: 1, accounts: 1 });
        // Without a fault point: the answer to the message is what it is stopped at.
        if (!point) await fixture.steer('POST', 'faults', [{ action: 'message', kind: 'slow', rate: 1, ms: 3_000 }]);
        await fixture.clock.setSpeed(1_000);
        const first = fixture.executor({ workspace: load.ws }, 'pod-1', point ? { faultPoint: point } : {});
        await fixture.until('a send is dispatched', async () => {
          const rows = await fixture.query<{ action: string }>(`select action from send where state = 'dispatched'`);
          return rows.some((row) => point !== undefined || row.action === 'message');
        });
        first.kill('SIGSTOP');
        const second = fixture.executor({ workspace: load.ws }, 'pod-2');
        await fixture.until(
          'the second executor holds the claim',
          async () => (await fixture.query(`select 1 from claim where holder = 'pod-2'`)).length > 0,
        );
        await fixture.steer('POST', 'faults', []);
        first.kill('SIGCONT');
        // A process of a pool goes on for others.
        await fixture.until('the stale executor ends by itself', async () =>
          mode === 'Dedicated'
            ? first.exitCode !== null
            : fixture.output.some((line) => line.includes('claim of a workspace is lost')),
        );
        await finish(load, second);
        expect(second.exitCode).to.equal(0);
        const received = await fixture.received();
        expect(received.filter((one) => one.kind === 'message')).to.have.length(2);
        if (point) expect(received.filter((one) => one.kind === 'profile_view').length).to.be.at.most(1);
      });
    }
  });

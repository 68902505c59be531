import { expect } from 'chai';
import { createLogger } from '../../../pkg/base/log.ts';
import { type PeriodicHost, type PeriodicJob, runPeriodically } from '../../../pkg/base/periodic.ts';
import { WakeSignal } from '../../../pkg/base/wake-signal.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

/** Lets everything that can go on go on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a periodic job', () => {
  let clock: FakeClock;
  let said: string[];
  let stop: AbortController;
  let ended: Promise<void>;
  let random: number;

  beforeEach(() => {
    clock = new FakeClock(0);
    said = [];
    stop = new AbortController();
    random = 0.5;
  });
  afterEach(async () => {
    stop.abort();
    await ended;
  });

  const begin = async (job: Partial<PeriodicJob> & Pick<PeriodicJob, 'run'>): Promise<void> => {
    const host: PeriodicHost = {
      clock,
      random: () => random,
      log: createLogger('test', 'silent'),
      observer: {
        done: (name, ms) => said.push(`${name} done in ${ms}`),
        failed: (name) => said.push(`${name} failed`),
      },
    };
    ended = runPeriodically({ name: 'job', everyMs: 1_000, withinMs: 300, ...job }, host, stop.signal);
    await settled();
  };

  it('runs at once, then after each interval; its metrics tell how long a run took', async () => {
    await begin({ run: () => clock.sleep(20) });
    await clock.advance(20);
    expect(said).to.deep.equal(['job done in 20']);
    await clock.advance(999);
    expect(said).to.have.length(1);
    await clock.advance(21);
    expect(said).to.have.length(2);
  });

  it('pauses a tenth more or less', async () => {
    let runs = 0;
    random = 0;
    await begin({ run: async () => runs++ });
    random = 1;
    await clock.advance(900);
    expect(runs).to.equal(2);
    await clock.advance(1_099);
    expect(runs).to.equal(2);
    await clock.advance(1);
    expect(runs).to.equal(3);
  });

  it('goes on at once while a run says that there is more', async () => {
    let left = 3;
    await begin({ run: async () => --left > 0 });
    for (let turn = 0; turn < 10; turn++) await settled();
    expect(left).to.equal(0);
  });

  it('a run that fails is counted, and the next one tries again', async () => {
    let runs = 0;
    await begin({
      run: async () => {
        if (++runs === 1) throw new Error('away');
      },
    });
    expect(said).to.deep.equal(['job failed']);
    await clock.advance(1_000);
    expect(said).to.deep.equal(['job failed', 'job done in 0']);
  });

  it('a run that takes longer than it may is told to end and counts as failed once', async () => {
    await begin({ run: (signal) => clock.sleep(10_000, signal) });
    await clock.advance(300);
    expect(said).to.deep.equal(['job failed']);
    await clock.advance(999);
    expect(said, 'the pause').to.deep.equal(['job failed']);
  });

  it('a run that does not end keeps the next one from beginning and counts as failed again and again', async () => {
    const hung = Promise.withResolvers<void>();
    let runs = 0;
    await begin({
      run: () => {
        runs++;
        return hung.promise;
      },
    });
    await clock.advance(3_000);
    expect({ runs, said }).to.deep.equal({ runs: 1, said: Array(10).fill('job failed') });
    hung.resolve();
  });

  it('a wake ends the pause, also one that comes during a run', async () => {
    const wake = new WakeSignal();
    let runs = 0;
    await begin({
      wake,
      run: async () => {
        if (++runs === 2) wake.wake();
      },
    });
    wake.wake();
    for (let turn = 0; turn < 5; turn++) await settled();
    expect(runs).to.equal(3);
  });

  it('a stop ends the pause, and tells a run; what the run says to it is no failure', async () => {
    await begin({ run: (signal) => clock.sleep(200, signal) });
    stop.abort(new Error('the lease is lost'));
    await ended;
    expect(said).to.deep.equal([]);
    expect(clock.sleeping).to.equal(0);
  });
});

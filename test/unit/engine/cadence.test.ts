import { expect } from 'chai';
import fc from 'fast-check';
import { NEVER } from '../../../pkg/base/clock.ts';
import type { ProductClock } from '../../../pkg/base/product-clock.ts';
import { Cadence } from '../../../pkg/engine/loop/cadence.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

const MINUTE = 60_000;
const minuteOf = (at: number): number => Math.floor(at / MINUTE);

interface Setting {
  now?: number;
  steady?: boolean;
  workspaceId?: string;
  stop?: AbortSignal;
  atOnceWithinMs?: number;
}

function cadence({ now = 0, steady = true, workspaceId = 'acme', stop = NEVER, atOnceWithinMs }: Setting): Cadence {
  const clock: ProductClock = Object.assign(new FakeClock(now), {
    hold: () => Promise.resolve(() => undefined),
    close: () => undefined,
    ...(steady ? { steady: true as const } : {}),
  });
  return new Cadence({ clock, workspaceId, stop, atOnceWithinMs });
}

const instants = fc.integer({ min: MINUTE, max: Date.UTC(2100, 0, 1) });
/** Each has a part of the spread of its own. */
const workspaces = fc.string();

describe('looking ahead', () => {
  it('what a batch takes is due within 650 ms and within its minute', () => {
    fc.assert(
      fc.property(instants, workspaces, (now, workspaceId) => {
        const until = cadence({ now, workspaceId }).horizon();
        expect(until).to.be.within(now, now + 650);
        expect(minuteOf(until)).to.equal(minuteOf(now));
      }),
    );
  });

  it('when work on something begins, a batch takes it, and before that there is nothing to wake up for', () => {
    fc.assert(
      fc.property(instants, workspaces, (dueAt, workspaceId) => {
        const begins = cadence({ workspaceId }).beginsAt(dueAt);
        expect(begins).to.be.at.most(dueAt);
        expect(minuteOf(begins)).to.equal(minuteOf(dueAt));
        expect(cadence({ now: begins, workspaceId }).horizon()).to.be.at.least(dueAt);
      }),
    );
  });

  it('workspaces begin and commit apart what they do at one moment', () => {
    const dueAt = 90_000;
    const several = Array.from({ length: 9 }, (_, index) => cadence({ workspaceId: `workspace-${index}` }));
    const begins = several.map((one) => one.beginsAt(dueAt));
    const commits = several.map((one) => one.commitsAt(dueAt));
    for (const moments of [begins, commits]) {
      expect(new Set(moments).size).to.equal(9);
      expect(Math.max(...moments) - Math.min(...moments)).to.be.above(75);
    }
  });

  it('what waits for others before its commit has time for the wait and for the commit; what is late waits for company too', () => {
    const patience = [700, 919, 920, 999, 1_100, 1_101].map((now) => cadence({ now }).dispatchPatienceMs(1_000));
    expect(patience).to.deep.equal([40, 40, 0, 0, 0, 60]);
    for (const now of [700, 9_000]) expect(cadence({ now, steady: false }).dispatchPatienceMs(1_000)).to.equal(0);
  });

  it('what will leave is committed a tenth of a second before, at most three, and others of that moment with it', () => {
    fc.assert(
      fc.property(instants, workspaces, (dueAt, workspaceId) => {
        const own = cadence({ workspaceId });
        const commits = own.commitsAt(dueAt);
        expect(dueAt - commits).to.be.within(100, 299);
        expect(own.commitsAt(commits + 100)).to.equal(commits);
      }),
    );
  });

  it('a clock that can be held or jump is never ahead of', () => {
    fc.assert(
      fc.property(instants, workspaces, (now, workspaceId) => {
        const own = cadence({ now, workspaceId, steady: false });
        expect([own.horizon(), own.beginsAt(now), own.commitsAt(now)]).to.deep.equal([now, now, now]);
      }),
    );
  });

  it('effects are dispatched with their claim only while batches are quick', () => {
    const own = cadence({ atOnceWithinMs: 10 });
    expect(own.atOnce).to.equal(true);
    own.took(11);
    expect(own.atOnce).to.equal(false);
    own.took(10);
    expect(own.atOnce).to.equal(true);
  });
});

describe('how long a settlement waits for others', () => {
  const kinds = { confirmed: true, plain: false, backlog: false };

  it('a harmless one until the next dispatch, a failure in a backlog as long, any other a moment', () => {
    const own = cadence({});
    expect(own.settlePatienceMs(kinds)).to.equal(25);
    expect(own.settlePatienceMs({ ...kinds, plain: true })).to.equal(250);
    expect(own.settlePatienceMs({ ...kinds, confirmed: false })).to.equal(25);
    expect(own.settlePatienceMs({ ...kinds, confirmed: false, backlog: true })).to.equal(250);
  });

  it('longer while dispatches are late, so that those are not held up by small commits', () => {
    const own = cadence({ now: 1_101 });
    own.dispatchPatienceMs(1_000);
    expect(own.settlePatienceMs(kinds)).to.equal(60);
  });

  it('not at all on a clock that can be held', () => {
    const own = cadence({ steady: false });
    for (const plain of [true, false]) expect(own.settlePatienceMs({ ...kinds, plain })).to.equal(0);
  });
});

/** The order in which promises resolved. */
function orderOf(named: Record<string, Promise<unknown>>): string[] {
  const order: string[] = [];
  for (const [name, promise] of Object.entries(named)) void promise.then(() => order.push(name));
  return order;
}

describe('what the due loop waits for', () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  let stop: AbortController;
  let own: Cadence;

  beforeEach(() => {
    stop = new AbortController();
    own = cadence({ steady: false, stop: stop.signal });
  });

  afterEach(() => stop.abort(new Error('over')));

  it('ends with a hint, or with the end of an effect, whichever comes first', async () => {
    const [hint, end] = own.listen() as [Promise<void>, Promise<void>];
    const order = orderOf({ hint, end });
    await turn();
    expect(order).to.deep.equal([]);
    own.settled();
    await turn();
    expect(order).to.deep.equal(['end']);
    own.wake();
    await turn();
    expect(order).to.deep.equal(['end', 'hint']);
  });

  it('ends no sleep when it came before the work: the batch that follows has taken it', async () => {
    own.wake();
    const [hint] = own.listen() as [Promise<void>, Promise<void>];
    const order = orderOf({ hint });
    await turn();
    expect(order).to.deep.equal([]);
  });

  it('a wait for room goes on until enough has ended', async () => {
    let underWay = 3;
    const room = own.untilSettled(() => underWay <= 1);
    const order = orderOf({ room });
    for (const left of [2, 1]) {
      await turn();
      expect(order).to.deep.equal([]);
      underWay = left;
      own.settled();
    }
    await room;
  });

  it('two that wait for room hear of the same end', async () => {
    const both = Promise.all([own.untilSettled(), own.untilSettled()]);
    await turn();
    own.settled();
    await both;
  });

  it('no wait outlives the engine, and none begins after it', async () => {
    const room = own.untilSettled(() => false);
    stop.abort(new Error('draining'));
    await room;
    await own.untilSettled(() => false);
    const steady = cadence({ stop: stop.signal });
    steady.gatherFrom(Number.MAX_SAFE_INTEGER);
    await steady.gather();
    await steady.sleep({ due: MINUTE, lookupMs: null }, []);
  });

  it('a hint makes the next batch ask what is left; else it is asked once a second, and before a rest', () => {
    expect(own.asks(1, true), 'at first').to.equal(true);
    own.asked();
    expect(own.asks(1, true)).to.equal(false);
    expect(own.asks(500, false), 'soon there is work again').to.equal(false);
    expect(own.asks(5_000, true), 'an effect is under way').to.equal(false);
    expect(own.asks(5_000, false), 'a rest').to.equal(true);
    expect(own.asks(null, false), 'a rest without end').to.equal(true);
    own.wake();
    expect(own.asks(1, true)).to.equal(true);
  });
});

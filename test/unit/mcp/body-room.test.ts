import { expect } from 'chai';
import { BodyRoom, type RoomBounds, type Taken } from '../../../pkg/mcp/body-room.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

const BOUNDS: RoomBounds = { total: 1_000, last: 100, perUser: 300, perWorkspace: 400, waitMs: 20_000 };

/** Numbers that look like chance and are the same each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('the room for bodies', () => {
  let clock: FakeClock;
  let room: BodyRoom;
  beforeEach(() => {
    clock = new FakeClock();
    room = new BodyRoom(BOUNDS, clock);
  });
  const settled = async (promise: Promise<unknown>): Promise<string> => {
    let state = 'waits';
    promise.then(
      () => {
        state = 'in';
      },
      (error: Error) => {
        state = error.message;
      },
    );
    await clock.advance(0);
    return state;
  };

  const enter = (holders: string[], announced: number, ended = new AbortController()): Promise<Taken> =>
    room.enter(holders, announced, ended);

  it('what is announced and does not come takes none of it from others', async () => {
    for (let user = 0; user < 100; user++) await enter([`user ${user}`], 300);
    const mine = await enter(['user me'], 300);
    expect(mine.took(300)).to.equal(true);
  });

  it('a user and a workspace announce no more at once than they may; what they announce more waits', async () => {
    await enter(['user a', 'workspace w'], 300);
    const second = enter(['user a', 'workspace w'], 1);
    expect(await settled(second)).to.equal('waits');
    const colleague = await enter(['user b', 'workspace w'], 100);
    const third = enter(['user c', 'workspace w'], 1);
    expect(await settled(third)).to.equal('waits');
    colleague.release();
    expect(await settled(second), 'the workspace has room, its user has none').to.equal('waits');
    expect(await settled(third)).to.equal('in');
    await clock.advance(BOUNDS.waitMs);
    expect(await settled(second)).to.contain('Send one large body after the other');
  });

  it('however many fill all of it, whoever comes next finds room: the first body of who has most gives way', async () => {
    for (const fillers of [4, 10, 25, 100]) {
      room = new BodyRoom(BOUNDS, clock);
      const ended: AbortSignal[] = [];
      for (let user = 0; user < fillers; user++) {
        const [first, second] = [new AbortController(), new AbortController()];
        ended.push(first.signal, second.signal);
        const size = Math.floor(BOUNDS.total / fillers / 2);
        for (const body of [first, second]) (await enter([`user ${user}`], size, body)).took(size);
      }
      const mine = await enter(['user new'], 300);
      expect(mine.took(Math.floor(BOUNDS.total / fillers / 3)), `${fillers} fillers`).to.equal(true);
      expect(ended.filter((signal) => signal.aborted)).to.have.length(1);
      expect((ended[0]?.reason as Error | undefined)?.message).to.contain('Send one large body');
    }
  });

  it('a body that is whole does not give way: its call runs', async () => {
    const done = new AbortController();
    const taken = await enter(['user a'], 300, done);
    taken.took(300);
    taken.arrived();
    for (const user of ['b', 'c', 'd']) (await enter([`user ${user}`], 300)).took(200);
    (await enter(['user new'], 200)).took(150);
    expect(done.signal.aborted).to.equal(false);
  });

  it('however bytes arrive, somebody always may go on, and bodies come to their end in a room that is too small for all', async () => {
    for (let seed = 1; seed <= 200; seed++) {
      const { whole, gaveWay } = await playOut(new BodyRoom(BOUNDS, clock), numbers(seed));
      expect(whole, `seed ${seed}: ${gaveWay} gave way`).to.be.at.least(10);
    }
  });

  /** Twenty bodies of sixty to a hundred bytes, in a room for ten, of twelve users. */
  async function playOut(
    full: BodyRoom,
    chance: (below: number) => number,
  ): Promise<{ whole: number; gaveWay: number }> {
    const open: { taken: Taken; left: number; waits: boolean; ended: AbortSignal }[] = [];
    for (let at = 0; at < 20; at++) {
      const size = 60 + chance(41);
      const ended = new AbortController();
      const taken = await full.enter([`user ${at % 12}`], chance(3) === 0 ? 0 : size, ended);
      open.push({ taken, left: size, waits: false, ended: ended.signal });
    }
    let whole = 0;
    while (open.some(({ ended }) => !ended.aborted)) {
      const moving = open.filter((body) => !body.waits && !body.ended.aborted);
      const body = moving[chance(moving.length)];
      if (!body) throw new Error('nobody may go on');
      const bytes = Math.min(body.left, 5 + chance(5));
      body.left -= bytes;
      if (!body.taken.took(bytes) && body.left > 0) {
        body.waits = true;
        const goesOn = (): void => {
          body.waits = false;
        };
        body.taken.more().then(goesOn, goesOn);
      }
      if (body.left === 0) {
        whole++;
        body.taken.arrived();
        body.taken.release();
        open.splice(open.indexOf(body), 1);
      }
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    }
    return { whole, gaveWay: open.length };
  }
});

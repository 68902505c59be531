import { expect } from 'chai';
import fc from 'fast-check';
import { FairGate } from '../../../pkg/engine/pool/fair-gate.ts';

/** A gate on a clock that only work moves; who is inside is known, and everything else waits. */
class Played {
  now = 0;
  readonly gate: FairGate;
  readonly inside: { id: string; leave: () => void }[] = [];
  /** Who entered, in order. */
  readonly entered: string[] = [];

  constructor(slots: number, perWorkspace: number) {
    this.gate = new FairGate({ slots, perWorkspace, now: () => this.now });
  }

  ask(id: string, urgent = false): void {
    void this.gate.enter(id, urgent).then((leave) => {
      this.entered.push(id);
      this.inside.push({ id, leave });
    });
  }

  /** The one who is inside longest works for `ms` and leaves. */
  async work(ms: number): Promise<void> {
    await settled();
    this.now += ms;
    this.inside.shift()?.leave();
    await settled();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the fair gate of a pool', () => {
  it('lets one who asks once in before a backlog that asked a thousand times earlier', async () => {
    const played = new Played(1, 1);
    for (let index = 0; index < 1_000; index++) played.ask('backlog');
    await played.work(10);
    played.ask('quiet');
    await played.work(10);
    expect(played.entered).to.deep.equal(['backlog', 'backlog', 'quiet']);
  });

  it('leaves places to others however many of one wait: two of eight at most', async () => {
    const played = new Played(8, 2);
    for (let index = 0; index < 50; index++) played.ask('backlog');
    await settled();
    expect(played.inside.map(({ id }) => id)).to.deep.equal(['backlog', 'backlog']);
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) played.ask(id);
    await settled();
    expect(played.inside).to.have.length(8);
  });

  it('divides time and not turns: who is slow comes less often', async () => {
    const played = new Played(1, 1);
    for (let index = 0; index < 200; index++) {
      played.ask('slow');
      played.ask('quick');
    }
    for (let turn = 0; turn < 60; turn++) await played.work(played.inside[0]?.id === 'slow' ? 50 : 10);
    const turns = (id: string): number => played.entered.filter((one) => one === id).length;
    expect(turns('quick') / turns('slow')).to.be.within(4, 6);
  });

  it('what is under way outside goes before what else waits, by a quarter of a second and no more', async () => {
    const played = new Played(1, 1);
    played.ask('sends');
    await played.work(200);
    played.ask('other');
    await settled();
    for (let index = 0; index < 20; index++) played.ask('other');
    played.ask('sends');
    played.ask('sends', true);
    await played.work(0);
    expect(played.entered, 'before its own batch, and before one who took less').to.deep.equal([
      'sends',
      'other',
      'sends',
    ]);
    for (let index = 0; index < 20; index++) played.ask('sends', true);
    for (let turn = 0; turn < 12; turn++) await played.work(100);
    expect(
      played.entered.slice(3).filter((id) => id === 'other').length,
      'one with effects without end',
    ).to.be.at.least(5);
  });

  it('lets nobody save up: who was away for hours takes turns with the others and does not go before them all', async () => {
    const played = new Played(1, 1);
    played.ask('returning');
    await played.work(1);
    for (let index = 0; index < 100; index++) played.ask('steady');
    for (let turn = 0; turn < 50; turn++) await played.work(100);
    for (let index = 0; index < 100; index++) played.ask('returning');
    const before = played.entered.length;
    for (let turn = 0; turn < 20; turn++) await played.work(100);
    const since = played.entered.slice(before);
    expect(since.filter((id) => id === 'steady').length).to.be.at.least(9);
  });

  it('forgives a rare slow one: after a rest it waits for a tenth of a second of the others, not for all that it took', async () => {
    const played = new Played(1, 1);
    played.ask('steady');
    played.ask('rare');
    await played.work(10);
    await played.work(5_000);
    for (let index = 0; index < 400; index++) played.ask('steady');
    await played.work(10);
    played.ask('rare');
    let turns = 0;
    while (played.inside[0]?.id !== 'rare') {
      await played.work(10);
      turns++;
    }
    expect(turns).to.be.at.most(12);
  });

  it('starves nobody and never lets more in than it has places, in any interleaving', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 0, max: 60 })), { maxLength: 60 }),
        async (slots, perWorkspace, asks) => {
          const played = new Played(slots, perWorkspace);
          for (const [id] of asks) played.ask(id);
          for (const [, ms] of asks) {
            await settled();
            expect(played.inside.length).to.be.at.most(slots);
            for (const id of ['a', 'b', 'c', 'd']) {
              expect(played.inside.filter((one) => one.id === id).length).to.be.at.most(perWorkspace);
            }
            await played.work(ms);
          }
          expect(played.entered.length).to.equal(asks.length);
          expect(played.gate.waiting).to.equal(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('keeps nothing of a workspace that left', async () => {
    const played = new Played(2, 1);
    for (const id of ['a', 'b', 'c']) played.ask(id);
    for (let turn = 0; turn < 3; turn++) await played.work(5);
    for (const id of ['a', 'b', 'c']) played.gate.forget(id);
    expect(played.gate.size).to.equal(0);
  });

  it('counts a place once, also where it is left twice', async () => {
    const played = new Played(1, 1);
    for (let index = 0; index < 3; index++) played.ask('a');
    await settled();
    const first = played.inside[0];
    first?.leave();
    first?.leave();
    await settled();
    expect(played.entered).to.have.length(2);
  });
});

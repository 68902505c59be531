import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { openProductClock, type ProductClock } from '../../../pkg/base/product-clock.ts';
import { ClockAuthority } from '../../../pkg/standalone/clock-authority.ts';

const DAY = 86_400_000;

describe('product clock of standalone', () => {
  let folder: string;
  const open: { close(): unknown }[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrider-clock-'));
  });

  afterEach(async () => {
    for (const item of open.splice(0).reverse()) await item.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function authority(): Promise<ClockAuthority> {
    const clock = await ClockAuthority.open(join(folder, 'clock.json'));
    open.push(clock);
    return clock;
  }

  async function follower(clock: ClockAuthority): Promise<ProductClock> {
    const followed = await openProductClock(clock.address);
    open.push(followed);
    return followed;
  }

  it('followers see a jump, and sleepers wake when product time reaches them', async () => {
    const clock = await authority();
    const followed = await follower(clock);
    const asleep = followed.sleep(3 * DAY);
    await clock.advance(4 * DAY);
    await asleep;
    expect(followed.now()).to.be.at.least(clock.now() - 1_000);
  });

  it('never runs backwards, not by a restart and not by a negative jump', async () => {
    const first = await authority();
    await first.advance(10 * DAY);
    const before = first.now();
    const refused = await first.advance(-1).then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(refused).to.contain('never runs backwards');
    await first.close();
    open.length = 0;
    const second = await authority();
    expect(second.now()).to.be.at.least(before);
  });

  it('a home whose clock ran ahead of real time is a rehearsal for ever', async () => {
    const clock = await authority();
    expect(clock.state().rehearsal).to.equal(false);
    await clock.advance(DAY);
    expect(clock.state().rehearsal).to.equal(true);
    const stored = JSON.parse(await readFile(join(folder, 'clock.json'), 'utf8')) as { rehearsal: boolean };
    expect(stored.rehearsal).to.equal(true);
  });

  it('accelerated time waits while an effect holds it', async () => {
    const clock = await authority();
    const followed = await follower(clock);
    await clock.setSpeed(100_000);
    const release = await followed.hold();
    const held = clock.now();
    const again = clock.now();
    expect(clock.held).to.equal(true);
    expect(again - held).to.be.below(1_000);
    release();
    await followed.sleep(DAY);
    expect(clock.now()).to.be.at.least(held + DAY);
  });

  it('who waits for an authority that is gone stops waiting when told to', async () => {
    const gone = await ClockAuthority.open(join(folder, 'gone.json'));
    await gone.close();
    const stop = new AbortController();
    const opened = openProductClock(gone.address, stop.signal).catch((error: Error) => error.message);
    stop.abort(new Error('told to stop'));
    expect(await opened).to.equal('told to stop');
  });

  it('a client that goes away gives its holds back', async () => {
    const clock = await authority();
    const followed = await openProductClock(clock.address);
    await followed.hold();
    expect(clock.held).to.equal(true);
    followed.close();
    const other = await follower(clock);
    while (clock.held) await other.sleep(1);
    expect(clock.held).to.equal(false);
  });
});

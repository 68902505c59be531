import { expect } from 'chai';
import { ForeignBusy, ForeignOverrun } from '../../../../pkg/base/foreign-bytes/overrun.ts';
import { ParsePool } from '../../../../pkg/base/foreign-bytes/parse-pool.ts';

const PROGRAM = new URL('../../../fixtures/foreign-bytes/greedy-worker.ts', import.meta.url);
const LIMITS = { workers: 2, heapMb: 24, withinMs: 60_000, queued: 8, queuedOfOne: 4 };

const ended = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    (output) => output,
    (error: Error) => (error instanceof ForeignOverrun ? error.overran : error),
  );

describe('parsers of foreign bytes', function () {
  this.timeout(60_000);
  let pool: ParsePool;

  afterEach(() => pool.close());

  it('an input that takes more memory than one may take ends its worker, and the next is read', async () => {
    pool = new ParsePool(PROGRAM, LIMITS);
    const before = process.memoryUsage().heapUsed;
    expect(await ended(pool.parse('a', 'memory'))).to.equal('memory');
    expect(process.memoryUsage().heapUsed - before, 'in the process that asked').to.be.below(16e6);
    expect(await pool.parse('a', 'Yes')).to.equal('Yes');
  });

  it('one that takes more time ends its worker too, and what others gave at the same time is read', async () => {
    pool = new ParsePool(PROGRAM, { ...LIMITS, withinMs: 2_000 });
    const [late, other] = await Promise.all([ended(pool.parse('a', 'time')), pool.parse('b', 'Yes')]);
    expect([late, other]).to.deep.equal(['time', 'Yes']);
    expect(await pool.parse('a', 'Again')).to.equal('Again');
  });

  it('a worker that ends by itself is told apart, and a parser that throws ends nothing', async () => {
    pool = new ParsePool(PROGRAM, LIMITS);
    expect(await ended(pool.parse('a', 'exit'))).to.equal('crash');
    expect(String(await ended(pool.parse('a', 'throw')))).to.equal('Error: it is no such thing');
    expect(await pool.heapBytes(), 'the one that threw rests').to.have.length(1);
  });

  it('a tenant has neither all workers nor the whole queue, and who waits with one comes before who waits with many', async () => {
    pool = new ParsePool(PROGRAM, { ...LIMITS, withinMs: 3_000 });
    const order: string[] = [];
    const ask = (tenant: string, text: string): Promise<unknown> =>
      ended(pool.parse(tenant, text)).then((said) => {
        order.push(`${tenant} ${said instanceof ForeignBusy ? 'refused' : String(said)}`);
      });
    const greedy = Array.from({ length: 6 }, (_, n) => ask('a', n === 0 ? 'time' : `a${n}`));
    await ask('b', 'Yes');
    expect(order, 'one under way, four wait, one was refused; nobody waited for the one under way').to.deep.equal([
      'a refused',
      'b Yes',
    ]);
    await Promise.all(greedy);
    expect(order.slice(2)).to.deep.equal(['a time', 'a a1', 'a a2', 'a a3', 'a a4']);
  });

  it('what waits when the process stops is refused', async () => {
    pool = new ParsePool(PROGRAM, { ...LIMITS, workers: 1 });
    const first = pool.parse('a', 'Yes');
    const second = ended(pool.parse('a', 'No'));
    await pool.close();
    expect(await second).to.be.instanceOf(ForeignBusy);
    expect(await first).to.equal('Yes');
    expect(await ended(pool.parse('a', 'Later'))).to.be.instanceOf(ForeignBusy);
  });
});

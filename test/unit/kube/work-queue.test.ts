import { expect } from 'chai';
import fc from 'fast-check';
import { DelayHeap } from '../../../pkg/kube/delay-heap.ts';
import { RateLimiter } from '../../../pkg/kube/rate-limiter.ts';
import { WorkQueue } from '../../../pkg/kube/work-queue.ts';
import { metric, testRuntime } from '../../fixtures/kube/support.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

const make = (): { clock: FakeClock; queue: WorkQueue; runtime: ReturnType<typeof testRuntime> } => {
  const clock = new FakeClock();
  const runtime = testRuntime(clock);
  return { clock, runtime, queue: new WorkQueue({ name: 'q', runtime }) };
};

describe('work queue', () => {
  it('holds a key once, however often it is added', async () => {
    const { queue } = make();
    queue.add('a');
    queue.add('a');
    expect(queue.depth).equal(1);
    expect(await queue.take()).equal('a');
    expect(queue.depth).equal(0);
  });

  it('never gives one key to two workers, and gives it once more when it was added meanwhile', async () => {
    const { queue } = make();
    queue.add('a');
    await queue.take();
    queue.add('a');
    queue.add('a');
    expect(queue.depth).equal(0);
    queue.done('a');
    expect(await queue.take()).equal('a');
    queue.done('a');
    expect(queue.depth).equal(0);
  });

  it('serves what a person changed before the first list, also when it waited there already', async () => {
    const { queue } = make();
    for (const key of ['a', 'b', 'c']) queue.add(key, 'background');
    queue.add('c', 'user');
    queue.add('d', 'user');
    const order = [await queue.take(), await queue.take(), await queue.take(), await queue.take()];
    expect(order).eql(['c', 'd', 'a', 'b']);
  });

  it('keeps the earliest of several delays', async () => {
    const { queue, clock } = make();
    queue.addAfter('a', 5_000);
    queue.addAfter('a', 1_000);
    queue.addAfter('a', 9_000);
    await clock.advance(999);
    expect(queue.depth).equal(0);
    await clock.advance(1);
    expect(queue.depth).equal(1);
    await queue.take();
    queue.done('a');
    await clock.advance(60_000);
    expect(queue.depth).equal(0);
    expect(clock.sleeping).equal(0);
  });

  it('backs off by 5 ms · 2ⁿ, at most 5 min, and starts over when forgotten', () => {
    const limiter = new RateLimiter(new FakeClock());
    const delays = Array.from({ length: 20 }, () => limiter.when('a'));
    expect(delays.slice(0, 4)).eql([5, 10, 20, 40]);
    expect(delays.at(-1)).equal(300_000);
    limiter.forget('a');
    expect(limiter.when('a')).equal(5);
  });

  it('bounds all keys together', () => {
    const limiter = new RateLimiter(new FakeClock());
    const delays = Array.from({ length: 110 }, (_, index) => limiter.when(`k${index}`));
    expect(delays[99]).equal(5);
    expect(delays[109]).equal(1_000);
  });

  it('nobody waits longer than 5 min because of others, and an outage of thousands is over for who fails later', async () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter(clock);
    const waits = Array.from({ length: 20_000 }, (_, at) => limiter.when(`k${at}`));
    expect(Math.max(...waits)).equal(300_000);
    await clock.advance(300_000);
    expect(limiter.when('later')).lessThan(1_000);
  });

  it('sends waiting workers home when shut down, and takes nothing more', async () => {
    const { queue } = make();
    const waiting = queue.take();
    queue.shutDown();
    expect(await waiting).equal(undefined);
    queue.add('a');
    queue.addAfter('b', 10);
    expect(queue.depth + queue.delayed).equal(0);
    expect(await queue.take()).equal(undefined);
  });

  it('measures under the names of client-go', async () => {
    const { queue, clock, runtime } = make();
    const labels = { name: 'q', controller: 'q' };
    expect(await metric(runtime.registry, 'workqueue_retries_total', labels)).equal(0);
    queue.add('a');
    expect(await metric(runtime.registry, 'workqueue_depth', labels)).equal(1);
    await queue.take();
    await clock.advance(7_000);
    expect(await metric(runtime.registry, 'workqueue_longest_running_processor_seconds', labels)).equal(7);
    expect(await metric(runtime.registry, 'workqueue_unfinished_work_seconds', labels)).equal(7);
    queue.done('a');
    expect(await metric(runtime.registry, 'workqueue_longest_running_processor_seconds', labels)).equal(0);
    expect(await metric(runtime.registry, 'workqueue_adds_total', labels)).equal(1);
  });

  it('orders delays by time', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000)), (times) => {
        const heap = new DelayHeap();
        for (const at of times) heap.push(`k${at}`, at);
        const popped: number[] = [];
        for (let next = heap.pop(); next; next = heap.pop()) popped.push(next.at);
        expect(popped).eql([...times].sort((a, b) => a - b));
      }),
    );
  });
});

import { expect } from 'chai';
import { News } from '../../../pkg/engine/loop/news.ts';

/** The order in which promises resolved. */
function orderOf(named: Record<string, Promise<unknown>>): string[] {
  const order: string[] = [];
  for (const [name, promise] of Object.entries(named)) void promise.then(() => order.push(name));
  return order;
}

describe('what the due loop waits for', () => {
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  let stop: AbortController;
  let news: News;

  beforeEach(() => {
    stop = new AbortController();
    news = new News({}, stop.signal);
  });

  afterEach(() => stop.abort(new Error('over')));

  it('ends with a hint, or with the end of an effect, whichever comes first', async () => {
    const [hint, end] = news.next() as [Promise<void>, Promise<void>];
    const order = orderOf({ hint, end });
    await turn();
    expect(order).to.deep.equal([]);
    news.settled();
    await turn();
    expect(order).to.deep.equal(['end']);
    news.hint();
    await turn();
    expect(order).to.deep.equal(['end', 'hint']);
  });

  it('ends no sleep when it came before the work: the batch that follows has taken it', async () => {
    news.hint();
    const [hint] = news.next() as [Promise<void>, Promise<void>];
    const order = orderOf({ hint });
    await turn();
    expect(order).to.deep.equal([]);
  });

  it('a wait for room goes on until enough has ended', async () => {
    let underWay = 3;
    const room = news.untilSettled(() => underWay <= 1);
    const order = orderOf({ room });
    for (const left of [2, 1]) {
      await turn();
      expect(order).to.deep.equal([]);
      underWay = left;
      news.settled();
    }
    await room;
  });

  it('no wait outlives the engine, and none begins after it', async () => {
    const room = news.untilSettled(() => false);
    stop.abort(new Error('draining'));
    await room;
    await news.untilSettled(() => false);
    await news.gather(60_000);
  });
});

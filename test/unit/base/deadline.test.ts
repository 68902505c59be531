import { expect } from 'chai';
import { sleepReal, withDeadline } from '../../../pkg/base/clock.ts';

/** Ends only by its signal. */
const endless = (signal: AbortSignal): Promise<void> => sleepReal(60_000, signal);

describe('a deadline for one piece of work', () => {
  it('ends work that takes longer, and says so', async () => {
    const error = await withDeadline(1, new AbortController().signal, endless).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(DOMException).with.property('name', 'TimeoutError');
  });

  it('ends work with its parent, for the reason of the parent, also of one that ended before', async () => {
    const parent = new AbortController();
    const both = [withDeadline(60_000, parent.signal, endless)];
    parent.abort(new Error('the claim is lost'));
    both.push(withDeadline(60_000, parent.signal, endless));
    for (const one of await Promise.allSettled(both))
      expect(one).to.have.nested.property('reason.message', 'the claim is lost');
  });

  it('gives what the work gives, and its signal stays silent afterwards', async () => {
    const parent = new AbortController();
    const signal = await withDeadline(60_000, parent.signal, (own) => Promise.resolve(own));
    parent.abort();
    expect(signal.aborted).to.equal(false);
  });
});

import { expect } from 'chai';
import type { Dispatcher } from 'undici';
import { monotonicMs } from '../../../pkg/base/clock.ts';
import { type WriteTrace, writeGuard } from '../../../pkg/providers/write-guard.ts';

describe('write guard', () => {
  /** What undici would do: starts the request `times` times. Returns how often it reached the socket and why it did not. */
  function started(times: number, deadline?: number): { written: number; aborted: string[]; trace: WriteTrace } {
    const trace: WriteTrace = { written: false, late: false };
    const aborted: string[] = [];
    let written = 0;
    const controller = {
      abort: (reason: Error) => aborted.push(reason.message),
    } as unknown as Dispatcher.DispatchController;
    const dispatch: Dispatcher['dispatch'] = (_options, handler) => {
      for (let start = 0; start < times; start++) handler.onRequestStart?.(controller, {});
      return true;
    };
    const handler = { onRequestStart: () => written++ };
    writeGuard(deadline, trace)(dispatch)({ method: 'POST', path: '/' }, handler as Dispatcher.DispatchHandler);
    return { written, aborted, trace };
  }

  it('lets a request be written, and says so', () => {
    const { written, aborted, trace } = started(1, monotonicMs() + 60_000);
    expect(written).to.equal(1);
    expect(aborted).to.deep.equal([]);
    expect(trace).to.deep.equal({ written: true, late: false });
  });

  it('a request is never written a second time, whatever the connection under it does', () => {
    const { written, aborted, trace } = started(2);
    expect(written).to.equal(1);
    expect(aborted).to.deep.equal(['abandoned: it was written before']);
    expect(trace.written).to.equal(true);
  });

  it('a request past its deadline is not written', () => {
    const { written, trace } = started(1, monotonicMs() - 1);
    expect(written).to.equal(0);
    expect(trace).to.deep.equal({ written: false, late: true });
  });
});

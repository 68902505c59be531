import { expect } from 'chai';
import { Registry } from 'prom-client';
import { createExecutorMetrics } from '../../../pkg/metrics/executor-metrics.ts';
import { PartsOfGauges } from '../../../pkg/metrics/parts-of-gauges.ts';

describe('gauges of a process that serves many workspaces', () => {
  it('unknown outcomes add up, and go with who leaves', async () => {
    const metrics = createExecutorMetrics(new Registry());
    const parts = new PartsOfGauges(metrics);
    const [a, b] = [parts.part(), parts.part()];
    const shown = async (): Promise<number | undefined> => (await metrics.unknown.get()).values[0]?.value;
    a.metrics.unknown.set(3);
    b.metrics.unknown.set(4);
    a.metrics.unknown.set(1);
    expect(await shown()).to.equal(5);
    a.end();
    expect(await shown()).to.equal(4);
  });

  it('what one has left to spend is reset with its own, never with another’s', async () => {
    const metrics = createExecutorMetrics(new Registry());
    const parts = new PartsOfGauges(metrics);
    const [a, b] = [parts.part(), parts.part()];
    const shown = async (): Promise<unknown[]> =>
      (await metrics.budgetRemaining.get()).values.map(({ labels, value }) => [labels.account, value]);
    a.metrics.budgetRemaining.set({ account: 'acc-a', action: 'message' }, 5);
    b.metrics.budgetRemaining.set({ account: 'acc-b', action: 'message' }, 7);
    a.metrics.budgetRemaining.reset();
    expect(await shown()).to.deep.equal([['acc-b', 7]]);
    b.end();
    expect(await shown()).to.deep.equal([]);
  });

  it('counts are those of the process', () => {
    const metrics = createExecutorMetrics(new Registry());
    expect(new PartsOfGauges(metrics).part().metrics.sends).to.equal(metrics.sends);
  });
});

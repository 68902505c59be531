import { expect } from 'chai';
import { StartGate } from '../../../pkg/controllers/wake/start-gate.ts';

describe('start gate', () => {
  let now = 0;
  const never = new Promise<void>(() => undefined);
  const clock = {
    now: () => now,
    sleep: () => never,
    hold: () => Promise.resolve(() => undefined),
    close: () => undefined,
  };
  const started: number[] = [];
  const gate = new StartGate(
    { real: clock, product: clock },
    () => 0.5,
    (ms) => started.push(ms),
  );

  it('a start is measured from making the pod to its first claim, once', async () => {
    await gate.hold('acme');
    now = 1_250;
    gate.claimed('acme');
    gate.claimed('acme');
    expect(started).to.deep.equal([1_250]);
  });

  it('a pod that could not be made is no start', async () => {
    await gate.hold('acme');
    gate.abandoned('acme');
    gate.claimed('acme');
    expect(started).to.deep.equal([1_250]);
  });

  it('what claims without having been started by this leader is not measured', () => {
    gate.claimed('other');
    expect(started).to.have.length(1);
  });
});

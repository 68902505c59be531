import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { createLogger } from '../../../pkg/base/log.ts';
import { Shutdown } from '../../../pkg/base/shutdown.ts';

describe('shutdown', () => {
  function begun() {
    const exits: number[] = [];
    const host = Object.assign(new EventEmitter(), { exit: (code: number) => void exits.push(code) });
    const clock = { ms: 5_000 };
    const step = Promise.withResolvers<void>();
    const shutdown = new Shutdown(createLogger('test', 'silent'));
    shutdown.add('step', () => step.promise);
    shutdown.onSignals(host, () => clock.ms);
    return { exits, host, clock, step, shutdown };
  }

  it('waits for its steps, also when the same signal comes twice, to the group and passed on by make', async () => {
    const { exits, host, clock, step, shutdown } = begun();
    host.emit('SIGTERM');
    clock.ms += 20;
    host.emit('SIGTERM');
    expect(shutdown.signal.aborted).to.equal(true);
    expect(exits).to.deep.equal([]);
    step.resolve();
    await shutdown.run();
    await new Promise(setImmediate);
    expect(exits).to.deep.equal([0]);
  });

  it('ends at once when somebody insists a moment later', () => {
    const { exits, host, clock } = begun();
    host.emit('SIGINT');
    clock.ms += 1_500;
    host.emit('SIGINT');
    expect(exits).to.deep.equal([1]);
  });

  it('a stop that began by itself goes on at the first signal, and ends at once when somebody insists', async () => {
    const { exits, host, clock, step, shutdown } = begun();
    const running = shutdown.run();
    host.emit('SIGINT');
    expect(exits).to.deep.equal([]);
    clock.ms += 1_500;
    host.emit('SIGINT');
    expect(exits).to.deep.equal([1]);
    step.resolve();
    await running;
  });
});

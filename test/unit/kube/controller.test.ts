import { expect } from 'chai';
import { UserError, Waiting } from '../../../pkg/base/errors.ts';
import { Controller, type ControllerOptions, type Reconcile } from '../../../pkg/kube/controller.ts';
import { Informer } from '../../../pkg/kube/informer.ts';
import { KubeError } from '../../../pkg/kube/kube-error.ts';
import { anythingChanged, specChanged } from '../../../pkg/kube/predicates.ts';
import type { KubeObject } from '../../../pkg/kube/types.ts';
import {
  answer,
  clientFor,
  listOf,
  metric,
  scriptedServer,
  startWatch,
  testRuntime,
  until,
  WIDGETS,
  widget,
} from '../../fixtures/kube/support.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

describe('controller', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  const start = (reconcile: Reconcile, extra: Partial<ControllerOptions> = {}) => {
    const clock = new FakeClock();
    const runtime = testRuntime(clock);
    const controller = new Controller({ name: 'c', runtime, reconcile, workers: 2, ...extra });
    const abort = new AbortController();
    const running = controller.run(abort.signal);
    const stop = async (): Promise<void> => {
      abort.abort();
      await running;
    };
    stops.push(stop);
    const count = (result: string): Promise<number | undefined> =>
      metric(runtime.registry, 'controller_runtime_reconcile_total', { controller: 'c', result });
    return { clock, runtime, controller, abort, running, count };
  };

  const failing = async (error: unknown) => {
    let calls = 0;
    const s = start(async () => {
      calls++;
      throw error;
    });
    await new Promise((resolve) => setImmediate(resolve));
    s.controller.enqueue('ns/a');
    await until(() => calls === 1);
    await new Promise((resolve) => setImmediate(resolve));
    return { ...s, calls: () => calls };
  };

  it('does not retry a UserError', async () => {
    const s = await failing(new UserError('fix the spec'));
    await s.clock.advance(3_600_000);
    expect(s.calls()).equal(1);
    expect(await metric(s.runtime.registry, 'controller_runtime_terminal_reconcile_errors_total')).equal(1);
    expect(await s.count('error')).equal(1);
  });

  it('comes back when Waiting said so, and counts no error', async () => {
    const s = await failing(new Waiting('no pod yet', 30_000));
    await s.clock.advance(29_999);
    expect(s.calls()).equal(1);
    await s.clock.advance(1);
    await until(() => s.calls() === 2);
    expect(await s.count('error')).equal(0);
    expect(await s.count('requeue_after')).greaterThan(0);
  });

  it('backs off after a fault', async () => {
    const s = await failing(new Error('database gone'));
    await s.clock.advance(4);
    expect(s.calls()).equal(1);
    await s.clock.advance(1);
    await until(() => s.calls() === 2);
    await s.clock.advance(9);
    expect(s.calls()).equal(2);
    expect(await metric(s.runtime.registry, 'controller_runtime_reconcile_errors_total')).equal(2);
    expect(await metric(s.runtime.registry, 'controller_runtime_reconcile_panics_total')).equal(0);
  });

  it('counts a programming error as a panic and lives on', async () => {
    const s = await failing(new TypeError('x is undefined'));
    expect(await metric(s.runtime.registry, 'controller_runtime_reconcile_panics_total')).equal(1);
    await s.clock.advance(5);
    await until(() => s.calls() === 2);
  });

  it('repeats a conflict without calling it an error', async () => {
    const s = await failing(new KubeError(409, 'Conflict', 'the object has been modified'));
    await s.clock.advance(5);
    await until(() => s.calls() === 2);
    expect(await s.count('error')).equal(0);
  });

  it('waits when a quota is used up', async () => {
    const s = await failing(new KubeError(403, 'Forbidden', 'pods "x" is forbidden: exceeded quota: q'));
    await s.clock.advance(59_000);
    expect(s.calls()).equal(1);
    expect(await s.count('error')).equal(0);
  });

  it('aborts a reconcile that runs into its time limit, and never runs a key twice at once', async () => {
    let running = 0;
    let most = 0;
    let release: (() => void) | undefined;
    const signals: AbortSignal[] = [];
    const s = start(
      async (_key, { signal }) => {
        running++;
        most = Math.max(most, running);
        signals.push(signal);
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        running--;
        signal.throwIfAborted();
        return undefined;
      },
      { timeoutMs: 1_000 },
    );
    await new Promise((resolve) => setImmediate(resolve));
    s.controller.enqueue('ns/a');
    await until(() => running === 1);
    s.controller.enqueue('ns/a');
    await s.clock.advance(1_000);
    expect(signals[0]?.aborted).equal(true);
    expect(most).equal(1);
    release?.();
    await until(() => signals.length === 2);
    expect(most).equal(1);
    expect(await metric(s.runtime.registry, 'controller_runtime_reconcile_timeouts_total')).equal(1);
    release?.();
  });

  it('finishes running work when stopped, and aborts it after its grace', async () => {
    let aborted = false;
    const s = start(
      (_key, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            resolve(undefined);
          });
        }),
      { graceMs: 2_000 },
    );
    await new Promise((resolve) => setImmediate(resolve));
    s.controller.enqueue('ns/a');
    await until(() => s.clock.sleeping === 1);
    s.abort.abort();
    await until(() => s.clock.sleeping === 2);
    await s.clock.advance(1_999);
    expect(aborted).equal(false);
    await s.clock.advance(1);
    await s.running;
    expect(aborted).equal(true);
  });

  it('works on nothing while it is standby, then on everything, and ignores its own status writes', async () => {
    let watch: ((line: string) => void) | undefined;
    const server = await scriptedServer((seen, response) => {
      if (!seen.watch) return answer(response, listOf([widget('a', '1')], '10'));
      startWatch(response);
      watch = (line) => {
        response.write(line);
      };
      return undefined;
    });
    const runtime = testRuntime();
    const client = clientFor(server, runtime);
    const informer = new Informer({ client, resource: WIDGETS, runtime });
    const done: string[] = [];
    const controller = new Controller({
      name: 'c',
      runtime,
      reconcile: async (key) => {
        done.push(key);
        return undefined;
      },
    }).watch(informer);
    const abort = new AbortController();
    const following = informer.start(abort.signal);
    await informer.synced;
    expect(controller.queue.depth).equal(0);
    const running = controller.run(abort.signal);
    await until(() => done.length === 1);
    await until(() => watch !== undefined);
    watch?.(`${JSON.stringify({ type: 'MODIFIED', object: { ...widget('a', '11'), status: { ready: 1 } } })}\n`);
    watch?.(`${JSON.stringify({ type: 'MODIFIED', object: widget('a', '12', { generation: 2 }) })}\n`);
    await until(() => done.length === 2);
    expect(informer.store.get('ns/a')?.metadata.resourceVersion).equal('12');
    expect(done).eql(['ns/a', 'ns/a']);
    abort.abort();
    await Promise.all([running, following]);
    await client.close();
    await server.close();
  });

  it('works on nothing before its caches are complete, no matter who asks', async () => {
    let release: (() => void) | undefined;
    const server = await scriptedServer((seen, response) => {
      if (seen.watch) return startWatch(response);
      release = () => answer(response, listOf([widget('a', '1')], '10'));
      return undefined;
    });
    const runtime = testRuntime();
    const client = clientFor(server, runtime);
    const informer = new Informer({ client, resource: WIDGETS, runtime });
    const known: (string | undefined)[] = [];
    const controller = new Controller({
      name: 'c',
      runtime,
      reconcile: async (key) => {
        known.push(informer.store.get(key)?.metadata.name);
        return undefined;
      },
    }).watch(informer);
    const abort = new AbortController();
    const running = [informer.start(abort.signal), controller.run(abort.signal)];
    controller.enqueue('ns/a');
    await until(() => release !== undefined);
    release?.();
    await until(() => known.length > 0);
    expect(known[0]).equal('a');
    abort.abort();
    await Promise.all(running);
    await client.close();
    await server.close();
  });

  it('tells what a person changed from the echo of a status write', () => {
    const base = widget('a', '1', { labels: { x: '1' }, finalizers: ['f'] });
    const rows: [string, Partial<KubeObject['metadata']>, boolean][] = [
      ['a status write bumps only the version', {}, false],
      ['a new generation is a new spec', { generation: 2 }, true],
      ['a label may select', { labels: { x: '2' } }, true],
      ['an annotation may command', { annotations: { go: 'now' } }, true],
      ['a finalizer changes what deletion waits for', { finalizers: [] }, true],
      ['a deletion begins', { deletionTimestamp: '2026-01-05T09:00:00Z' }, true],
    ];
    for (const [reason, change, expected] of rows) {
      const next = { ...base, metadata: { ...base.metadata, resourceVersion: '2', ...change } };
      expect(specChanged(base, next), reason).equal(expected);
      expect(anythingChanged(base, next), reason).equal(true);
    }
  });
});

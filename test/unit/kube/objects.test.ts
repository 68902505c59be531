import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { findCondition, removeCondition, setCondition, setConditions } from '../../../pkg/kube/conditions.ts';
import { EventRecorder } from '../../../pkg/kube/events.ts';
import { addFinalizer, removeFinalizer } from '../../../pkg/kube/finalizers.ts';
import { ownerReference } from '../../../pkg/kube/owner-reference.ts';
import { applyStatusIfChanged } from '../../../pkg/kube/status.ts';
import { Store } from '../../../pkg/kube/store.ts';
import type { Condition, SpecObject } from '../../../pkg/kube/types.ts';
import {
  answer,
  clientFor,
  drive,
  fail,
  type Handler,
  metric,
  type Seen,
  scriptedServer,
  testRuntime,
  until,
  WIDGETS,
  widget,
} from '../../fixtures/kube/support.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

const NOW = Date.UTC(2026, 0, 5, 9, 0, 0);
const LATER = NOW + 60_000;
const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'Succeeded',
  message: 'All is well.',
  observedGeneration: 1,
} as const;

describe('conditions', () => {
  it('move lastTransitionTime only with the status', () => {
    const first = setCondition([], ready, NOW);
    const same = setCondition(first, { ...ready, message: 'Still.', observedGeneration: 2 }, LATER);
    expect(findCondition(same, 'Ready')).deep.include({
      lastTransitionTime: '2026-01-05T09:00:00Z',
      observedGeneration: 2,
    });
    const flipped = setCondition(same, { ...ready, status: 'False' }, LATER);
    expect(findCondition(flipped, 'Ready')?.lastTransitionTime).equal('2026-01-05T09:01:00Z');
  });

  it('come in one order, whatever order they were set in, with bounded messages', () => {
    const a = setConditions([], [{ ...ready, type: 'Alpha' }, { ...ready, type: 'Stalled' }, ready], NOW);
    const b = setConditions([], [ready, { ...ready, type: 'Stalled' }, { ...ready, type: 'Alpha' }], LATER);
    expect(a.map((condition) => condition.type)).eql(['Ready', 'Stalled', 'Alpha']);
    expect(b.map((condition) => condition.type)).eql(['Ready', 'Stalled', 'Alpha']);
    expect(setCondition([], { ...ready, message: 'x'.repeat(5_000) }, NOW)[0]?.message.length).equal(1_024);
    expect(removeCondition(a, 'Stalled').length).equal(2);
  });
});

describe('store', () => {
  const make = () => {
    const heard: string[] = [];
    const store = new Store<SpecObject>({
      indexers: { team: (object) => [object.metadata.labels?.team ?? 'none'] },
      onHandlerError: () => undefined,
    });
    store.addHandler({
      onAdd: (object) => heard.push(`+${object.metadata.uid}`),
      onUpdate: (before, after) => heard.push(`${before.metadata.resourceVersion}>${after.metadata.resourceVersion}`),
      onDelete: (object) => heard.push(`-${object.metadata.uid}`),
    });
    return { store, heard };
  };

  it('takes a recreated object for a deletion and an addition', () => {
    const { store, heard } = make();
    store.upsert(widget('a', '1', { uid: 'one' }));
    store.upsert(widget('a', '2', { uid: 'two' }));
    expect(heard).eql(['+one', '-one', '+two']);
  });

  it('tells the state that an object was deleted in, unless that was another of the same name', () => {
    const { store } = make();
    const told: (string | undefined)[] = [];
    store.addHandler({
      onAdd: () => undefined,
      onUpdate: () => undefined,
      onDelete: (object) => told.push(object.metadata.resourceVersion),
    });
    for (const last of [widget('a', '9'), widget('a', '9', { uid: 'another' })]) {
      store.upsert(widget('a', '1'));
      store.remove('ns/a', last);
    }
    expect(told).eql(['9', '1']);
  });

  it('hands out frozen objects without managedFields and says nothing about what it knows already', () => {
    const { store, heard } = make();
    store.upsert(widget('a', '1', { labels: { team: 'x' }, managedFields: [{}] }));
    const list = store.takeOver(false);
    list.page([widget('a', '1')]);
    list.done();
    const object = store.get('ns/a');
    expect(object?.metadata).not.property('managedFields');
    expect(Object.isFrozen(object?.metadata.labels)).equal(true);
    expect(heard).eql(['+uid-a']);
  });

  it('keeps its indexes true through updates and deletions', () => {
    const { store } = make();
    store.upsert(widget('a', '1', { labels: { team: 'x' } }));
    store.upsert(widget('b', '1', { labels: { team: 'x' } }));
    store.upsert(widget('a', '2', { labels: { team: 'y' } }));
    const names = (team: string): string[] => store.byIndex('team', team).map((object) => object.metadata.name);
    expect([names('x'), names('y')]).eql([['b'], ['a']]);
    store.remove('ns/b');
    store.upsert(widget('b', '3', { labels: { team: 'y' } }));
    expect([names('x'), names('y')]).eql([[], ['a', 'b']]);
  });
});

describe('owner references', () => {
  it('name the uid, so that a recreated owner does not adopt the children of the first', () => {
    const owner = widget('o', '1', { uid: 'first' });
    expect(ownerReference(owner)).deep.include({ controller: true, blockOwnerDeletion: true, uid: 'first' });
  });
});

describe('writes to objects', () => {
  const closes: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0)) await close();
  });
  const serve = async (handler: Handler, clock = new FakeClock()) => {
    const server = await scriptedServer(handler);
    const runtime = testRuntime(clock);
    const client = clientFor(server, runtime);
    closes.push(
      () => client.close(),
      () => server.close(),
    );
    return { server, client, runtime, clock };
  };

  it('two reconciles of an unchanged object write nothing', async () => {
    const { server, client } = await serve((seen, response) => {
      answer(response, { ...widget('a', '2'), status: (seen.body as SpecObject).status });
    });
    const reconcile = (object: SpecObject, now: number) => {
      const old = (object.status as { conditions?: Condition[] } | undefined)?.conditions ?? [];
      const status = { count: 3, conditions: setCondition(old, ready, now) };
      return applyStatusIfChanged({ client, resource: WIDGETS, object, status, fieldManager: 'm' });
    };
    const first = await reconcile(widget('a', '1'), NOW);
    const second = await reconcile(first.object, LATER);
    const third = await reconcile(second.object, LATER + 1_000);
    expect([first.written, second.written, third.written]).eql([true, false, false]);
    expect(server.requests.map((seen) => seen.path)).eql(['/apis/example.dev/v1/namespaces/ns/widgets/a/status']);
    // Bound to this very object: one that was made anew under the name gets no status of the old one.
    expect(server.requests[0]?.body).nested.property('metadata.uid', 'uid-a');
  });

  it('a status that changes back before the cache has seen the change is written again', async () => {
    const stored: unknown[] = [];
    const { client } = await serve((seen, response) => {
      stored.push((seen.body as SpecObject).status);
      answer(response, { ...widget('a', '2'), status: stored.at(-1) });
    });
    const cached: SpecObject = { ...widget('a', '1'), status: { state: 'Idle' } };
    const reconcile = (state: string) =>
      applyStatusIfChanged({ client, resource: WIDGETS, object: cached, status: { state }, fieldManager: 'm' });
    await reconcile('Paused');
    await reconcile('Paused');
    await reconcile('Idle');
    expect(stored).eql([{ state: 'Paused' }, { state: 'Idle' }]);
  });

  it('a status whose write was not answered is written again, also when it is what the cache shows', async () => {
    const states: unknown[] = [];
    const { client } = await serve((seen, response) => {
      const { status } = seen.body as SpecObject;
      states.push(status);
      if (states.length === 1) return fail(response, 504, 'Timeout');
      return answer(response, { ...widget('a', '2'), status });
    });
    const cached: SpecObject = { ...widget('a', '1'), status: { state: 'Idle' } };
    const reconcile = (state: string) =>
      applyStatusIfChanged({ client, resource: WIDGETS, object: cached, status: { state }, fieldManager: 'm' });
    await reconcile('Paused').catch(() => undefined);
    await reconcile('Idle');
    expect(states).eql([{ state: 'Paused' }, { state: 'Idle' }]);
  });

  it('add and remove a finalizer by compare-and-set, keeping those of others', async () => {
    let stored = widget('a', '5', { finalizers: ['other'] });
    const { server, client } = await serve((seen, response) => {
      if (seen.method === 'GET') return answer(response, stored);
      const sent = (seen.body as SpecObject).metadata;
      if (sent.resourceVersion !== stored.metadata.resourceVersion) return fail(response, 409, 'Conflict');
      stored = widget('a', String(Number(sent.resourceVersion) + 1), { finalizers: sent.finalizers ?? [] });
      return answer(response, stored);
    });
    const stale = widget('a', '4');
    const added = await addFinalizer(client, WIDGETS, stale, 'ours', 'm');
    if (!added) throw new Error('gone');
    expect(added.metadata.finalizers).eql(['other', 'ours']);
    const before = server.requests.length;
    await addFinalizer(client, WIDGETS, added, 'ours', 'm');
    expect(server.requests.length).equal(before);
    await removeFinalizer(client, WIDGETS, added, 'ours', 'm');
    expect(stored.metadata.finalizers).eql(['other']);
  });

  it('leave the finalizers of another object of the same name alone', async () => {
    const { server, client } = await serve((seen, response) => {
      if (seen.method === 'GET') answer(response, widget('a', '9', { uid: 'another', finalizers: ['ours'] }));
      else fail(response, 409, 'Conflict');
    });
    await removeFinalizer(client, WIDGETS, widget('a', '5', { finalizers: ['ours'] }), 'ours', 'm');
    expect(server.requests.map((seen) => seen.method)).eql(['PATCH', 'GET']);
  });

  it('never add a finalizer to an object that is being deleted', async () => {
    const { server, client } = await serve((_seen, response) => fail(response, 422, 'Invalid'));
    const dying = widget('a', '1', { deletionTimestamp: '2026-01-05T09:00:00Z' });
    expect(await addFinalizer(client, WIDGETS, dying, 'ours', 'm')).equal(dying);
    expect(server.requests).eql([]);
  });

  const note = { type: 'Warning', reason: 'PodLost', action: 'ReplacePod', note: 'Pod x was lost.' } as const;
  const recorder = async (handler: Handler) => {
    const clock = new FakeClock();
    const s = await serve(handler, clock);
    const events = new EventRecorder({
      client: s.client,
      runtime: s.runtime,
      controller: 'example.dev/op',
      instance: 'pod-1',
    });
    return { ...s, clock, events };
  };

  it('write an Event with MicroTime, and a repetition as a series of the same one', async () => {
    const { server, events, clock } = await recorder((seen, response) => answer(response, seen.body));
    const abort = new AbortController();
    const running = events.run(abort.signal);
    for (let time = 0; time < 5; time++) events.record(widget('a', '1'), note);
    await events.flush();
    const [first] = server.requests as [Seen];
    expect(first.path).equal('/apis/events.k8s.io/v1/namespaces/ns/events');
    expect((first.body as Record<string, string>).eventTime).match(/\.\d{6}Z$/);
    expect(first.body).deep.include({
      reportingController: 'example.dev/op',
      reportingInstance: 'pod-1',
      action: 'ReplacePod',
    });
    events.record(widget('a', '1'), note);
    await drive(clock, () => server.requests.length === 2);
    const last = server.requests.at(-1);
    expect(last?.method).equal('PATCH');
    const { series } = (last?.body ?? {}) as { series?: { count: number; lastObservedTime: string } };
    expect(series?.count).equal(6);
    expect(series?.lastObservedTime).match(/\.\d{6}Z$/);
    await clock.advance(7 * 60_000);
    events.record(widget('a', '1'), note);
    await until(() => server.requests.length === 3);
    expect(server.requests.at(-1)?.method).equal('POST');
    abort.abort();
    await running;
  });

  it('an Event that cannot be written fails nobody', async () => {
    const { events, runtime } = await recorder((_seen, response) => fail(response, 403, 'Forbidden'));
    events.record(widget('a', '1'), note);
    await events.flush();
    expect(await metric(runtime.registry, 'outrider_events_dropped_total', { reason: 'error' })).equal(1);
  });

  it('an object that talks too much is not heard', async () => {
    const { events, server, runtime } = await recorder((seen, response) => answer(response, seen.body));
    for (let index = 0; index < 40; index++) events.record(widget('a', '1'), { ...note, reason: `Reason${index}` });
    await events.flush();
    expect(server.requests.length).equal(25);
    expect(await metric(runtime.registry, 'outrider_events_dropped_total', { reason: 'rate_limited' })).equal(15);
  });
});

describe('the Kubernetes library', () => {
  it('is loaded by one file of the runtime only (it doubles the memory of a process)', () => {
    const folder = new URL('../../../pkg/kube/', import.meta.url);
    const importing = readdirSync(folder).filter((file) =>
      readFileSync(new URL(file, folder), 'utf8').includes('@kubernetes/client-node'),
    );
    expect(importing).eql(['connection.ts']);
  });
});

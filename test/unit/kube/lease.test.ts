import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { KubeClient } from '../../../pkg/kube/client.ts';
import { LeaderElector, LeaseLost, type LeaseOptions } from '../../../pkg/kube/lease.ts';
import { formatMicroTime, formatTime, parseTime } from '../../../pkg/kube/time.ts';
import type { TransportOptions } from '../../../pkg/kube/transport.ts';
import {
  answer,
  clientFor,
  drive,
  fail,
  metric,
  type ScriptedServer,
  type Seen,
  scriptedServer,
  testRuntime,
  until,
} from '../../fixtures/kube/support.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

interface LeaseObject {
  metadata: { name: string; namespace: string; resourceVersion: string; annotations?: Record<string, string> };
  spec: Record<string, unknown>;
}

const MICRO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** A clock that may leap while nothing of the process runs, so that nobody who sleeps is woken. */
class LeapingClock extends FakeClock {
  leapt = 0;
  override now(): number {
    return super.now() + this.leapt;
  }
}

describe('leader election', () => {
  let server: ScriptedServer;
  let lease: LeaseObject | undefined;
  let broken: 'no' | 'error' | 'hangs' = 'no';
  let version = 0;
  /** What happens while a write is on its way. */
  let meanwhile: (() => void) | undefined;
  const clients: KubeClient[] = [];

  /** A Lease endpoint as strict as the real one: MicroTime with six digits, optimistic updates. */
  const serve = (seen: Seen, response: ServerResponse) => {
    if (broken === 'error') return fail(response, 500, 'InternalError');
    if (broken === 'hangs') return undefined;
    if (seen.method === 'GET') return lease ? answer(response, lease) : fail(response, 404, 'NotFound');
    meanwhile?.();
    const sent = seen.body as LeaseObject;
    const times = [sent.spec.renewTime, sent.spec.acquireTime];
    if (!times.every((time) => MICRO.test(String(time))))
      return fail(response, 400, 'BadRequest', 'cannot parse as .000000');
    if (seen.method === 'POST' && lease) return fail(response, 409, 'AlreadyExists');
    const stale = seen.method === 'PUT' && sent.metadata.resourceVersion !== lease?.metadata.resourceVersion;
    if (stale) return fail(response, 409, 'Conflict');
    lease = { ...sent, metadata: { ...sent.metadata, resourceVersion: String(++version) } };
    return answer(response, lease);
  };

  beforeEach(async () => {
    lease = undefined;
    broken = 'no';
    version = 0;
    meanwhile = undefined;
    server = await scriptedServer(serve);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    await server.close();
  });

  const replica = (
    identity: string,
    clock: FakeClock,
    extra: Partial<LeaseOptions> & { limits?: TransportOptions; finish?: Promise<void> } = {},
  ) => {
    const runtime = testRuntime(clock);
    const client = clientFor(server, runtime, extra.limits);
    clients.push(client);
    const elector = new LeaderElector({ client, runtime, namespace: 'ns', name: 'op', identity, ...extra });
    const abort = new AbortController();
    let leading: AbortSignal | undefined;
    const ended = elector
      .run(abort.signal, async (signal) => {
        leading = signal;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
        await extra.finish;
      })
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    return { runtime, elector, abort, ended, leads: () => leading !== undefined, signal: () => leading };
  };

  const foreign = (spec: object): void => {
    const metadata = { name: 'op', namespace: 'ns', resourceVersion: String(++version) };
    lease = { metadata, spec: { holderIdentity: 'other', leaseDurationSeconds: 15, leaseTransitions: 3, ...spec } };
  };

  it('creates the Lease, renews it with six-digit times, and gives it back when stopped', async () => {
    const clock = new FakeClock();
    const a = replica('a', clock, { annotations: () => ({ epoch: '7' }) });
    await until(a.leads);
    expect(lease?.spec).deep.include({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(lease?.metadata.annotations).eql({ epoch: '7' });
    expect(await metric(a.runtime.registry, 'leader_election_master_status', { name: 'op' })).equal(1);
    const { renewTime: first, acquireTime: acquired } = lease?.spec ?? {};
    await drive(clock, () => lease?.spec.renewTime !== first);
    expect(lease?.spec.acquireTime).equal(acquired);
    a.abort.abort();
    expect(await a.ended).equal(undefined);
    expect(lease?.spec).deep.include({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(await metric(a.runtime.registry, 'leader_election_master_status', { name: 'op' })).equal(0);
  });

  it('renews by one write over what it remembers', async () => {
    const clock = new FakeClock();
    const a = replica('a', clock);
    await until(a.leads);
    const before = server.requests.length;
    await drive(clock, () => server.requests.length === before + 3);
    expect(server.requests.slice(before).map((seen) => seen.method)).eql(['PUT', 'PUT', 'PUT']);
    a.abort.abort();
    await a.ended;
  });

  it('judges a foreign Lease by changes that it saw, never by the times written in it', async () => {
    const clock = new FakeClock();
    foreign({ renewTime: '2001-01-01T00:00:00.000000Z', acquireTime: '2001-01-01T00:00:00.000000Z' });
    const a = replica('a', clock);
    const started = clock.now();
    await until(() => server.requests.length === 1);
    await drive(clock, () => clock.now() - started >= 8_000);
    // The holder renews: fifteen seconds begin anew, although its clock is 25 years slow.
    foreign({ renewTime: '2001-01-01T00:00:08.000000Z', acquireTime: '2001-01-01T00:00:00.000000Z' });
    await drive(clock, () => clock.now() - started >= 20_000);
    expect(a.leads()).equal(false);
    await drive(clock, a.leads);
    expect(clock.now() - started).greaterThan(23_000);
    expect(lease?.spec).deep.include({ holderIdentity: 'a', leaseTransitions: 4 });
    a.abort.abort();
    await a.ended;
  });

  it('stops work when the Lease cannot be renewed in time, before anybody else may take it', async () => {
    for (const how of ['error', 'hangs'] as const) {
      lease = undefined;
      broken = 'no';
      const clock = new FakeClock();
      const a = replica('a', clock);
      await until(a.leads);
      const renewed = parseTime(String((lease as LeaseObject | undefined)?.spec.renewTime)) ?? 0;
      broken = how;
      await drive(clock, () => a.signal()?.aborted === true);
      expect(clock.now() - renewed, how).within(10_000, 14_999);
      expect(await a.ended).instanceOf(LeaseLost);
      expect(a.elector.isLeader).equal(false);
      // It may be somebody else's by now: nothing is given back.
      const holders = server.requests.flatMap(
        (seen) => (seen.body as LeaseObject | undefined)?.spec.holderIdentity ?? [],
      );
      expect(new Set(holders)).eql(new Set(['a']));
    }
  });

  it('is renewed past the rate limit of ordinary requests', async () => {
    const clock = new FakeClock();
    const a = replica('a', clock, { limits: { qps: 0.001, burst: 1 } });
    await until(a.leads);
    await drive(clock, () => server.requests.filter((seen) => seen.method === 'PUT').length === 5);
    expect(a.elector.isLeader).equal(true);
    a.abort.abort();
    await a.ended;
  });

  it('keeps the Lease while work is being finished, and gives it back after', async () => {
    const clock = new FakeClock();
    const { promise: finish, resolve } = Promise.withResolvers<void>();
    const a = replica('a', clock, { finish });
    await until(a.leads);
    a.abort.abort();
    const before = server.requests.length;
    await drive(clock, () => server.requests.length >= before + 10);
    expect(lease?.spec.holderIdentity).equal('a');
    resolve();
    await a.ended;
    expect(lease?.spec.holderIdentity).equal('');
  });

  it('stops work when somebody else holds the Lease', async () => {
    const clock = new FakeClock();
    const a = replica('a', clock);
    await until(a.leads);
    foreign({});
    const taken = clock.now();
    await drive(clock, () => a.signal()?.aborted === true);
    // At the next round, not when its own time is over.
    expect(clock.now() - taken).below(6_000);
    expect(await a.ended).instanceOf(LeaseLost);
    expect(lease?.spec.holderIdentity).equal('other');
    expect(await metric(a.runtime.registry, 'leader_election_slowpath_total', { name: 'op' })).equal(1);
  });

  it('does not claim to lead after its event loop stood still past the Lease', async () => {
    const clock = new LeapingClock();
    const a = replica('a', clock);
    await until(a.leads);
    clock.leapt = 14_999;
    expect(a.elector.isLeader).equal(true);
    clock.leapt = 15_000;
    expect(a.elector.isLeader).equal(false);
    clock.leapt = 0;
    a.abort.abort();
    await a.ended;
  });

  it('counts its time from before the write: the server may have taken it at once', async () => {
    const clock = new LeapingClock();
    meanwhile = () => {
      clock.leapt = 4_000;
    };
    const a = replica('a', clock);
    await until(a.leads);
    meanwhile = undefined;
    clock.leapt = 15_000;
    expect(a.elector.isLeader).equal(false);
    clock.leapt = 4_000;
    a.abort.abort();
    await a.ended;
  });

  it('lets one of two lead, and the other soon after the first gave the Lease back', async () => {
    const clock = new FakeClock();
    const a = replica('a', clock);
    await until(a.leads);
    const b = replica('b', clock);
    await drive(clock, () => server.requests.filter((seen) => seen.method === 'GET').length >= 4);
    expect(b.leads()).equal(false);
    a.abort.abort();
    await a.ended;
    const given = clock.now();
    await drive(clock, b.leads);
    expect(clock.now() - given).most(6_000);
    expect(b.elector.leader).equal('b');
    b.abort.abort();
    await b.ended;
  });

  it('writes and reads the two time formats of Kubernetes', () => {
    const ms = Date.UTC(2026, 0, 5, 9, 0, 0, 180);
    expect(formatMicroTime(ms)).equal('2026-01-05T09:00:00.180000Z');
    expect(formatTime(ms)).equal('2026-01-05T09:00:00Z');
    expect(parseTime('2026-01-05T09:00:00.180999Z')).equal(ms);
    expect(parseTime('2026-01-05T09:00:00Z')).equal(ms - 180);
    expect(parseTime('yesterday')).equal(undefined);
    expect(parseTime(undefined)).equal(undefined);
  });
});

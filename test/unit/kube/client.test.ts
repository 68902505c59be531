import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { KubeClient } from '../../../pkg/kube/client.ts';
import { fieldConflicts, isConflict, KubeError } from '../../../pkg/kube/kube-error.ts';
import { LEASES, PODS, SECRETS } from '../../../pkg/kube/resources.ts';
import type { SpecObject } from '../../../pkg/kube/types.ts';
import { selfSigned } from '../../fixtures/kube/self-signed.ts';
import {
  answer,
  clientFor,
  drive,
  event,
  fail,
  type Handler,
  kubeconfig,
  listOf,
  metric,
  type ScriptedServer,
  scriptedServer,
  startWatch,
  testRuntime,
  until,
  WIDGETS,
  widget,
} from '../../fixtures/kube/support.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

const REF = { namespace: 'ns', name: 'a' };

describe('kube client', () => {
  const open: { close(): Promise<void> }[] = [];
  const serve = async (handler: Handler, tls?: { key: string; cert: string }): Promise<ScriptedServer> => {
    const server = await scriptedServer(handler, tls);
    open.push(server);
    return server;
  };
  const track = (client: KubeClient): KubeClient => {
    open.unshift(client);
    return client;
  };
  afterEach(async () => {
    for (const item of open.splice(0)) await item.close();
  });
  const inFolder = async (work: (folder: string) => Promise<void>): Promise<void> => {
    const folder = mkdtempSync(join(tmpdir(), 'kube-client-'));
    try {
      await work(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
  const tokenFile = (file: string): object => ({ 'auth-provider': { name: 'file', config: { tokenFile: file } } });
  const caught = async (promise: Promise<unknown>): Promise<KubeError> => {
    const error = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).instanceOf(KubeError);
    return error as KubeError;
  };

  it('makes one TLS handshake for many requests (one dispatcher, not one per request)', async () => {
    const tls = selfSigned(1);
    const server = await serve((_seen, response) => answer(response, widget('a', '1')), tls);
    const data = Buffer.from(tls.cert).toString('base64');
    const text = kubeconfig(server.url, { token: 't' }, { 'certificate-authority-data': data });
    const clock = new FakeClock();
    const client = track(KubeClient.open({ text }, testRuntime(clock), {}));
    for (let index = 0; index < 30; index++) {
      await client.get(WIDGETS, REF);
      // Credentials are read again each minute; unchanged ones keep their sockets.
      if (index % 10 === 9) await clock.advance(60_000);
    }
    expect(server.requests.length).equal(30);
    // The pool opens a second socket when it has not yet noticed that the first is free again.
    expect(server.connections()).at.most(2);
  });

  it('sees a rotated certificate authority within 60 s, without reading files for each request', async () => {
    await inFolder(async (folder) => {
      const [first, second] = [selfSigned(1), selfSigned(2)];
      const file = join(folder, 'ca.crt');
      writeFileSync(file, first.cert);
      const server = await serve((_seen, response) => answer(response, widget('a', '1')), second);
      const clock = new FakeClock();
      const text = kubeconfig(server.url, { token: 't' }, { 'certificate-authority': file });
      const client = track(KubeClient.open({ text }, testRuntime(clock), {}));
      const refused = await caught(client.get(WIDGETS, REF, { urgent: true }));
      expect(refused.reason).equal('NoAnswer');
      writeFileSync(file, second.cert);
      expect((await caught(client.get(WIDGETS, REF, { urgent: true }))).reason).equal('NoAnswer');
      await clock.advance(60_000);
      await client.get(WIDGETS, REF, { urgent: true });
      await client.get(WIDGETS, REF, { urgent: true });
      expect(server.requests.length).equal(2);
      expect(server.connections()).at.most(2);
    });
  });

  it('cuts no open watch when the certificate authority is rotated', async () => {
    await inFolder(async (folder) => {
      const [first, second] = [selfSigned(1), selfSigned(2)];
      const file = join(folder, 'ca.crt');
      writeFileSync(file, first.cert);
      let stream: ServerResponse | undefined;
      const server = await serve((seen, response) => {
        if (!seen.watch) return answer(response, widget('a', '1'));
        stream = response;
        return startWatch(response, event('ADDED', widget('a', '1')));
      }, first);
      const clock = new FakeClock();
      const text = kubeconfig(server.url, { token: 't' }, { 'certificate-authority': file });
      const client = track(KubeClient.open({ text }, testRuntime(clock), {}));
      const watch = client.watch(WIDGETS, { resourceVersion: '1', timeoutSeconds: 300 });
      expect((await watch.next()).value.type).equal('ADDED');
      writeFileSync(file, first.cert + second.cert);
      await clock.advance(60_000);
      await client.get(WIDGETS, REF, { urgent: true });
      expect(server.connections()).equal(2);
      stream?.write(event('MODIFIED', widget('a', '2')));
      expect((await watch.next()).value.type).equal('MODIFIED');
      await watch.return(undefined);
    });
  });

  it('reads a rotated token once more after a 401 and repeats the request, once', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'token');
      writeFileSync(file, 'first\n');
      const server = await serve((seen, response) => {
        if (seen.headers.authorization === 'Bearer second') return answer(response, widget('a', '1'));
        writeFileSync(file, 'second\n');
        return fail(response, 401, 'Unauthorized');
      });
      const client = track(KubeClient.open({ text: kubeconfig(server.url, tokenFile(file)) }, testRuntime(), {}));
      await client.get(WIDGETS, REF);
      const tokens = server.requests.map((seen) => seen.headers.authorization);
      expect(tokens).eql(['Bearer first', 'Bearer second']);
    });
  });

  it('takes a 401 for an answer when the token is as it was', async () => {
    const server = await serve((_seen, response) => fail(response, 401, 'Unauthorized'));
    expect((await caught(track(clientFor(server, testRuntime())).get(WIDGETS, REF))).status).equal(401);
    expect(server.requests.length).equal(2);
  });

  it('forgets that a token could not be read', async () => {
    await inFolder(async (folder) => {
      const file = join(folder, 'token');
      const server = await serve((_seen, response) => answer(response, widget('a', '1')));
      const client = track(KubeClient.open({ text: kubeconfig(server.url, tokenFile(file)) }, testRuntime(), {}));
      const missing = await client.get(WIDGETS, REF).catch((error: NodeJS.ErrnoException) => error.code);
      expect(missing).equal('ENOENT');
      writeFileSync(file, 'late');
      await client.get(WIDGETS, REF);
      expect(server.requests[0]?.headers.authorization).equal('Bearer late');
    });
  });

  it('has sockets for urgent requests when slow ones hold all others', async () => {
    const server = await serve((seen, response) => {
      if (seen.path.includes('/leases/')) answer(response, widget('a', '1'));
    });
    const client = track(clientFor(server, testRuntime()));
    const abort = new AbortController();
    const slow = Array.from({ length: 40 }, () =>
      client.get(WIDGETS, REF, { signal: abort.signal }).catch(() => undefined),
    );
    await until(() => server.requests.length === 32, 'all shared sockets to be taken');
    await client.get(LEASES, REF, { urgent: true });
    abort.abort(new Error('enough'));
    await Promise.all(slow);
  });

  it('ends a watch that is silent for longer than bookmarks may take, and no sooner', async () => {
    const server = await serve((_seen, response) => startWatch(response));
    const client = track(clientFor(server, testRuntime(new SystemClock())));
    const patience: unknown[] = [];
    const hear = (message: unknown): void => {
      patience.push((message as { request: { bodyTimeout: number } }).request.bodyTimeout);
    };
    subscribe('undici:request:create', hear);
    const abort = new AbortController();
    const usual = client.watch(WIDGETS, { resourceVersion: '1', timeoutSeconds: 300, signal: abort.signal }).next();
    const watch = client.watch(WIDGETS, { resourceVersion: '1', timeoutSeconds: 300, timeoutMs: 50 });
    expect(await watch.next().catch((error: Error) => error)).instanceOf(Error);
    unsubscribe('undici:request:create', hear);
    abort.abort(new Error('enough'));
    await usual.catch(() => undefined);
    expect(patience).have.members([150_000, 50]);
  });

  it('repeats reads after 429 and 5xx, honouring Retry-After', async () => {
    const clock = new FakeClock();
    const at: number[] = [];
    const server = await serve((_seen, response) => {
      at.push(clock.now());
      if (at.length === 1) fail(response, 429, 'TooManyRequests', 'slow', { 'retry-after': '7' });
      else if (at.length === 2) fail(response, 503, 'ServiceUnavailable');
      else answer(response, widget('a', '1'));
    });
    let done = false;
    const reading = track(clientFor(server, testRuntime(clock)))
      .get(WIDGETS, REF)
      .then(() => {
        done = true;
      });
    await drive(clock, () => done, 250);
    await reading;
    expect(at.length).equal(3);
    expect((at[1] ?? 0) - (at[0] ?? 0)).within(7_000, 7_500);
  });

  it('repeats a read that got no answer, and waits 30 s at most however long the server asks for', async () => {
    const clock = new FakeClock();
    const at: number[] = [];
    const server = await serve((_seen, response) => {
      at.push(clock.now());
      if (at.length === 1) response.destroy();
      else if (at.length === 2) fail(response, 429, 'TooManyRequests', 'slow', { 'retry-after': '999999' });
      else answer(response, widget('a', '1'));
    });
    let done = false;
    const reading = track(clientFor(server, testRuntime(clock)))
      .get(WIDGETS, REF)
      .finally(() => {
        done = true;
      });
    await drive(clock, () => done, 1_000);
    await reading;
    expect((at[2] ?? 0) - (at[1] ?? 0)).within(30_000, 32_000);
  });

  it('gives a read up after four repetitions', async () => {
    const clock = new FakeClock();
    const server = await serve((_seen, response) => fail(response, 503, 'ServiceUnavailable'));
    let error: unknown;
    const reading = track(clientFor(server, testRuntime(clock)))
      .get(WIDGETS, REF)
      .catch((reason: unknown) => {
        error = reason;
      });
    await drive(clock, () => error !== undefined, 1_000);
    await reading;
    expect(error).instanceOf(KubeError).property('status', 503);
    expect(server.requests.length).equal(5);
  });

  it('never repeats an urgent request: its caller has a loop of its own', async () => {
    const server = await serve((_seen, response) => fail(response, 503, 'ServiceUnavailable'));
    await caught(track(clientFor(server, testRuntime())).get(LEASES, REF, { urgent: true }));
    expect(server.requests.length).equal(1);
  });

  it('never repeats a write that may have been carried out', async () => {
    const server = await serve((_seen, response) => fail(response, 500, 'InternalError'));
    const client = track(clientFor(server, testRuntime()));
    await caught(client.create(WIDGETS, widget('a', '1'), { fieldManager: 'm' }));
    expect(server.requests.length).equal(1);
  });

  it('gives up on a server that does not answer in time', async () => {
    const server = await serve(() => undefined);
    const client = track(clientFor(server, testRuntime(new SystemClock())));
    const error = await caught(client.get(WIDGETS, REF, { timeoutMs: 30 }));
    expect(error.status).equal(0);
    expect(error.reason).equal('NoAnswer');
  });

  it('gives up on an answer that trickles for longer than its time, although it is never silent', async () => {
    const server = await serve((_seen, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 5);
      response.on('close', () => clearInterval(drip));
    });
    const client = track(clientFor(server, testRuntime(new SystemClock())));
    expect((await caught(client.get(WIDGETS, REF, { timeoutMs: 300 }))).reason).equal('NoAnswer');
  });

  it('limits ordinary requests and lets urgent ones pass', async () => {
    const clock = new FakeClock();
    const server = await serve((_seen, response) => answer(response, widget('a', '1')));
    const client = track(clientFor(server, testRuntime(clock), { qps: 1, burst: 2 }));
    let finished = 0;
    const all = Array.from({ length: 4 }, () => client.get(WIDGETS, REF).then(() => finished++));
    await client.get(LEASES, REF, { urgent: true });
    while (clock.sleeping < 2) await new Promise((resolve) => setImmediate(resolve));
    await Promise.all(all.slice(0, 2));
    expect(finished).equal(2);
    await clock.advance(2_000);
    await Promise.all(all);
    expect(finished).equal(4);
  });

  it('lists page by page and says what the items are', async () => {
    const server = await serve((seen, response) => {
      const pod = (name: string): object => ({ metadata: { name, namespace: 'ns' } });
      if (seen.query.get('continue') === 'more') answer(response, listOf([pod('b')], '9'));
      else answer(response, listOf([pod('a')], '9', 'more'));
    });
    const list = await track(clientFor(server, testRuntime())).list(PODS, { namespace: 'ns' });
    expect(list.items.map((item) => [item.metadata.name, item.kind, item.apiVersion])).eql([
      ['a', 'Pod', 'v1'],
      ['b', 'Pod', 'v1'],
    ]);
    expect(list.resourceVersion).equal('9');
    expect(server.requests[0]?.query.get('limit')).equal('500');
    expect(server.requests[0]?.path).equal('/api/v1/namespaces/ns/pods');
  });

  it('gives a list up that never ends', async () => {
    const server = await serve((_seen, response) => answer(response, listOf([widget('a', '1')], '9', 'more')));
    const error = await caught(track(clientFor(server, testRuntime())).list(WIDGETS, { maxItems: 2 }));
    expect(error.reason).equal('TooManyItems');
    expect(server.requests.length).equal(3);
  });

  it('asks for metadata only where nobody reads the rest', async () => {
    const item = { ...widget('a', '1'), kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' };
    const server = await serve((_seen, response) => answer(response, listOf([item], '9')));
    const list = await track(clientFor(server, testRuntime())).list(WIDGETS, { metadataOnly: true });
    expect(server.requests[0]?.headers.accept).match(/as=PartialObjectMetadataList/);
    expect(list.items[0]).deep.include({ kind: 'Widget', apiVersion: 'example.dev/v1' });
  });

  it('starts a list over when its continue token expired', async () => {
    let calls = 0;
    const server = await serve((seen, response) => {
      calls++;
      if (calls === 2) fail(response, 410, 'Expired');
      else if (seen.query.get('continue')) answer(response, listOf([widget('b', '2')], '9'));
      else answer(response, listOf([widget('a', '1')], '9', 'more'));
    });
    const list = await track(clientFor(server, testRuntime())).list(WIDGETS);
    expect(list.items.map((item) => item.metadata.name)).eql(['a', 'b']);
  });

  it('applies server-side with its own content type, strict validation and without managedFields', async () => {
    const server = await serve((seen, response) => answer(response, seen.body));
    const object: SpecObject = { ...widget('a', '1', { managedFields: [{}] }), spec: { size: 1 } };
    const client = track(clientFor(server, testRuntime()));
    await client.apply(WIDGETS, object, { fieldManager: 'me', force: true, subresource: 'status' });
    const [seen] = server.requests;
    expect(seen?.method).equal('PATCH');
    expect(seen?.path).equal('/apis/example.dev/v1/namespaces/ns/widgets/a/status');
    expect(seen?.headers['content-type']).equal('application/apply-patch+yaml');
    expect(Object.fromEntries(seen?.query ?? [])).eql({ fieldManager: 'me', force: 'true', fieldValidation: 'Strict' });
    expect((seen?.body as SpecObject | undefined)?.metadata).not.property('managedFields');
  });

  it('writes by the other ways with their content types, strictly', async () => {
    const server = await serve((seen, response) => answer(response, seen.body));
    const client = track(clientFor(server, testRuntime()));
    const by = { fieldManager: 'me' };
    await client.create(WIDGETS, widget('a', '1'), by);
    await client.update(WIDGETS, widget('a', '1'), by);
    await client.mergePatch(WIDGETS, REF, { spec: {} }, by);
    await client.jsonPatch(WIDGETS, REF, [{ op: 'remove', path: '/spec' }], by);
    await client.apply(WIDGETS, widget('a', '1'), { ...by, force: false });
    expect(server.requests.map((seen) => [seen.method, seen.headers['content-type']])).eql([
      ['POST', 'application/json'],
      ['PUT', 'application/json'],
      ['PATCH', 'application/merge-patch+json'],
      ['PATCH', 'application/json-patch+json'],
      ['PATCH', 'application/apply-patch+yaml'],
    ]);
    for (const seen of server.requests) {
      expect(seen.query.get('fieldValidation'), seen.method).equal('Strict');
      expect(seen.query.get('fieldManager')).equal('me');
    }
    expect(server.requests.at(-1)?.query.get('force')).equal('false');
  });

  it('names the manager and the field of an apply conflict', async () => {
    const causes = [
      { reason: 'FieldManagerConflict', message: 'conflict with "kubectl" using v1', field: '.spec.size' },
    ];
    const server = await serve((_seen, response) =>
      answer(response, { kind: 'Status', code: 409, reason: 'Conflict', message: 'x', details: { causes } }, 409),
    );
    const client = track(clientFor(server, testRuntime()));
    const error = await caught(client.apply(WIDGETS, widget('a', '1'), { fieldManager: 'me', force: false }));
    expect(isConflict(error)).equal(true);
    expect(fieldConflicts(error)).eql([{ manager: 'kubectl', field: '.spec.size' }]);
  });

  it('keeps secrets, bodies and headers out of errors', async () => {
    const server = await serve((_seen, response) => fail(response, 422, 'Invalid', 'data: Invalid value: "hunter2"'));
    const client = track(clientFor(server, testRuntime()));
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: REF, data: { password: 'hunter2' } };
    const error = await caught(client.create(SECRETS, secret, { fieldManager: 'm' }));
    const everything = `${error.stack} ${JSON.stringify(error)} ${JSON.stringify(Object.getOwnPropertyDescriptors(error))}`;
    expect(everything).not.contain('hunter2').and.not.contain('bearer-secret');
    expect(error.status).equal(422);
  });

  it('keeps secrets out of the causes of an error and out of an answer that is not JSON', async () => {
    const causes = [{ reason: 'FieldValueInvalid', message: 'Invalid value: "hunter2"', field: 'data.password' }];
    const server = await serve((seen, response) => {
      if (seen.method === 'GET') response.end('{"data":"hunter2');
      else answer(response, { kind: 'Status', code: 422, reason: 'Invalid', details: { causes } }, 422);
    });
    const client = track(clientFor(server, testRuntime()));
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: REF };
    const refused = await caught(client.create(SECRETS, secret, { fieldManager: 'm' }));
    expect(refused.causes).eql([{ reason: 'FieldValueInvalid', message: '', field: 'data.password' }]);
    expect((await caught(client.get(SECRETS, REF))).message)
      .contain('unreadable')
      .and.not.contain('hunter2');
    expect(() => KubeClient.open({ text: 'users: [{ token: hunter2' }, testRuntime())).throw(/^(?!.*hunter2)/s);
  });

  it('shortens what the server has to say', async () => {
    const server = await serve((_seen, response) => fail(response, 400, 'BadRequest', 'x'.repeat(100_000)));
    expect((await caught(track(clientFor(server, testRuntime())).get(WIDGETS, REF))).message.length).equal(1_024);
  });

  it('deletes by compare-and-set and takes a gone object for deleted', async () => {
    const server = await serve((seen, response) => {
      if (seen.path.endsWith('/gone')) fail(response, 404, 'NotFound');
      else answer(response, { kind: 'Status', status: 'Success' });
    });
    const client = track(clientFor(server, testRuntime()));
    expect(await client.delete(PODS, REF, { uid: 'u1', gracePeriodSeconds: 5 })).equal(true);
    expect(server.requests[0]?.body).deep.include({ preconditions: { uid: 'u1' }, gracePeriodSeconds: 5 });
    expect(await client.delete(PODS, { namespace: 'ns', name: 'gone' })).equal(false);
  });

  it('refuses names that would leave their path segment, and remote servers without TLS', async () => {
    const server = await serve((_seen, response) => answer(response, {}));
    const client = track(clientFor(server, testRuntime()));
    const error = await client.get(WIDGETS, { namespace: 'ns', name: '../secrets/x' }).catch((reason: Error) => reason);
    expect((error as Error).message).match(/not an object name/);
    expect(server.requests).eql([]);
    expect(() => KubeClient.open({ text: kubeconfig('http://10.0.0.1:6443') }, testRuntime())).throw(/loopback only/);
  });

  it('counts requests under the names of client-go, without a path or namespace label', async () => {
    const server = await serve((_seen, response) => fail(response, 404, 'NotFound'));
    const runtime = testRuntime();
    await track(clientFor(server, runtime)).find(WIDGETS, REF);
    const host = new URL(server.url).host;
    expect(await metric(runtime.registry, 'rest_client_requests_total', { code: '404', method: 'GET', host })).equal(1);
    expect(await runtime.registry.metrics()).contain('rest_client_request_duration_seconds_bucket');
  });
});

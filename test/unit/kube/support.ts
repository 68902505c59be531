import { subscribe } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { Clock } from '../../../pkg/base/clock.ts';
import { KubeClient } from '../../../pkg/kube/client.ts';
import type { KubeRuntime } from '../../../pkg/kube/runtime.ts';
import type { TransportOptions } from '../../../pkg/kube/transport.ts';
import type { Resource, SpecObject } from '../../../pkg/kube/types.ts';
import { createKubeMetrics } from '../../../pkg/metrics/kube-metrics.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

export const WIDGETS: Resource = {
  group: 'example.dev',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

/** One request as the scripted server saw it. */
export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: unknown;
  watch: boolean;
}

/** Answers one request; a watch stays open until the handler ends it. */
export type Handler = (seen: Seen, response: ServerResponse) => void | Promise<void>;

export interface ScriptedServer {
  url: string;
  requests: Seen[];
  /** TCP (or TLS) connections accepted so far. */
  connections: () => number;
  openWatches: () => number;
  close(): Promise<void>;
}

/** An HTTP server on a free loopback port that does what the test says. */
export async function scriptedServer(handler: Handler, tls?: { key: string; cert: string }): Promise<ScriptedServer> {
  const requests: Seen[] = [];
  let connections = 0;
  let watches = 0;
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const seen = await read(request);
    requests.push(seen);
    if (seen.watch) {
      watches++;
      response.on('close', () => {
        watches--;
      });
    }
    await handler(seen, response);
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    listener(request, response).catch(() => response.destroy());
  };
  const server: Server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest);
  server.on(tls ? 'secureConnection' : 'connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    openWatches: () => watches,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', 'http://host');
  const text = Buffer.concat(chunks).toString();
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: text === '' ? undefined : JSON.parse(text),
    watch: url.searchParams.get('watch') === 'true',
  };
}

export function answer(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** A metav1.Status failure. */
export function fail(
  response: ServerResponse,
  code: number,
  reason: string,
  message = 'no',
  headers: Record<string, string> = {},
): void {
  answer(response, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message }, code, headers);
}

export function listOf(items: unknown[], resourceVersion: string, token?: string): object {
  return { kind: 'WidgetList', metadata: { resourceVersion, ...(token ? { continue: token } : {}) }, items };
}

export function widget(name: string, version: string, extra: Partial<SpecObject['metadata']> = {}): SpecObject {
  const metadata = { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: version, generation: 1, ...extra };
  return { apiVersion: 'example.dev/v1', kind: 'Widget', metadata };
}

export function event(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

export function startWatch(response: ServerResponse, ...lines: string[]): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write(lines.join(''));
  response.flushHeaders();
}

export function testRuntime(clock: Clock = new FakeClock()): KubeRuntime & { registry: Registry } {
  const registry = new Registry();
  let next = 0;
  const ids = {
    uuid: () => `00000000-0000-7000-8000-${String(++next).padStart(12, '0')}`,
    name: (prefix: string) => `${prefix}-${++next}`,
  };
  return {
    clock,
    random: () => 0.5,
    ids,
    log: pino({ level: 'silent' }),
    metrics: createKubeMetrics(registry),
    registry,
  };
}

export function kubeconfig(server: string, user: object = { token: 'bearer-secret-1' }, cluster: object = {}): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    clusters: [{ name: 'test', cluster: { server, ...cluster } }],
    users: [{ name: 'test', user }],
  });
}

export function clientFor(server: ScriptedServer, runtime: KubeRuntime, options: TransportOptions = {}): KubeClient {
  return KubeClient.open({ text: kubeconfig(server.url) }, runtime, options);
}

/** Waits until `condition` holds, letting the network run; with a fake clock, time passes only through `advance`. */
export async function until(condition: () => boolean, what = 'the condition'): Promise<void> {
  for (let turn = 0; turn < 200_000; turn++) {
    if (condition()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`waited in vain for ${what}`);
}

/** Requests of this process that wait for an answer; a watch is answered by its headers. */
const inFlight = new Set<unknown>();
const published = (channel: string, hear: (request: { path?: string }) => void): void =>
  subscribe(`undici:request:${channel}`, (message) => hear((message as { request: { path?: string } }).request));
published('create', (request) => inFlight.add(request));
published('trailers', (request) => inFlight.delete(request));
published('error', (request) => inFlight.delete(request));
published('headers', (request) => {
  if (request.path?.includes('watch=true')) inFlight.delete(request);
});

/** Lets the network come to rest, so that a busy machine does not look like a slow API server. */
async function settle(condition: () => boolean): Promise<void> {
  let calm = 0;
  for (let turn = 0; turn < 3_000 && calm < 40 && !condition(); turn++) {
    calm = inFlight.size === 0 ? calm + 1 : 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Waits for `condition`, moving the fake clock on when nothing is under way. A request that hangs delays it a little. */
export async function drive(clock: FakeClock, condition: () => boolean, stepMs = 500): Promise<void> {
  for (let turn = 0; turn < 5_000; turn++) {
    await settle(condition);
    if (condition()) return;
    await clock.advance(stepMs);
  }
  throw new Error('waited in vain');
}

/** The value of a metric's series; undefined when there is none. */
export async function metric(
  registry: Registry,
  name: string,
  labels: Record<string, string> = {},
): Promise<number | undefined> {
  const found = await registry.getSingleMetric(name)?.get();
  return found?.values.find((value) =>
    Object.entries(labels).every(([key, text]) => String(value.labels[key]) === text),
  )?.value;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import { NAMESPACE_KIND } from './builtin-kinds.ts';
import { Deletes } from './deletes.ts';
import { groupList, groupOf, resourceList } from './discovery.ts';
import { ObjectStore } from './object-store.ts';
import { openapiDocument, openapiIndex } from './openapi.ts';
import { OPENAPI_V2_PROTOBUF, openapiV2, openapiV2Protobuf } from './openapi-v2.ts';
import { checkOptions } from './options.ts';
import { listOf, pageOf } from './pages.ts';
import type { FieldValidation } from './prepare.ts';
import { Registry } from './registry.ts';
import { readBody } from './request-body.ts';
import { isObject } from './schema.ts';
import { matcherOf } from './selectors.ts';
import type { ServerCertificate } from './server-certificate.ts';
import { ApiError, badRequest, invalid, methodNotAllowed, notFound, statusBody } from './status.ts';
import { partialOf, tableOf } from './table.ts';
import type { Kind, Stored } from './types.ts';
import { type View, WatchStream } from './watching.ts';
import { type WriteRequest, type WriteResult, Writes } from './writes.ts';

/** A scripted fault, for tests of clients: return a Status to answer with it. */
export type FaultHook = (
  method: string,
  path: string,
  query: URLSearchParams,
) => { code: number; reason: string; message: string; retryAfterSeconds?: number } | undefined;

export interface KubeApiOptions {
  pool: pg.Pool;
  /** Real time. */
  clock: Clock;
  log: Logger;
  /** Bearer tokens; anything else is 401. */
  tokens: Map<string, { user: string; groups: string[] }>;
  /** kubectl sends tokens over TLS only. */
  certificate: ServerCertificate;
  port?: number;
  faults?: FaultHook;
}

/** Where `kubectl logs` reads; set by the node agent. */
export type LogSource = (
  namespace: string,
  pod: string,
  request: { follow: boolean; container?: string | undefined; tailLines?: number | undefined; signal: AbortSignal },
) => AsyncIterable<string>;

/** What every token may do. */
const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};

interface Route {
  kind: Kind;
  namespace: string;
  name: string;
  subresource: string | undefined;
}

/**
 * A Kubernetes API for development: the built-in kinds that the product uses and any CustomResourceDefinition, on
 * loopback, with objects in Postgres. No admission, no RBAC: every token may do everything.
 */
export class KubeApi {
  logs: LogSource | undefined;
  readonly #options: KubeApiOptions;
  readonly #store: ObjectStore;
  readonly #registry: Registry;
  readonly #writes: Writes;
  readonly #deletes: Deletes;
  readonly #server: Server;
  readonly #watches = new Set<WatchStream>();
  #url = '';

  private constructor(options: KubeApiOptions) {
    this.#options = options;
    this.#store = new ObjectStore(options.pool);
    this.#registry = new Registry(this.#store);
    this.#writes = new Writes(this.#store, options.clock);
    this.#deletes = new Deletes(this.#store, this.#registry, options.clock);
    this.#server = createServer(options.certificate, (request, response) => {
      this.#serve(request, response).catch((error: unknown) => this.#refuse(response, error));
    });
    this.#server.keepAliveTimeout = 65_000;
    this.#server.maxConnections = 1_000;
  }

  static async start(options: KubeApiOptions): Promise<KubeApi> {
    const api = new KubeApi(options);
    await api.#store.load();
    for (const name of ['default', 'kube-system']) await api.#ensureNamespace(name);
    await api.#listen(options.port ?? 0);
    api.#deletes.sweep();
    return api;
  }

  /** Base URL, `https://127.0.0.1:<port>`. */
  get url(): string {
    return this.#url;
  }

  async stop(): Promise<void> {
    this.#deletes.stop();
    for (const watch of this.#watches) watch.stop();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** Ends all watches with 410 in the stream, as after a compaction; for tests of clients. */
  expireWatches(): void {
    for (const watch of [...this.#watches]) watch.fail(statusBody(410, 'Expired', 'too old resource version'));
  }

  async #ensureNamespace(name: string): Promise<void> {
    if (this.#store.get(NAMESPACE_KIND, '', name)) return;
    await this.#writes.create(
      writeRequest(
        { kind: NAMESPACE_KIND, namespace: '', name, subresource: undefined },
        new URLSearchParams(),
        'kube-apiserver',
        { metadata: { name } },
      ),
    );
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        const address = this.#server.address();
        this.#url = `https://127.0.0.1:${address && typeof address === 'object' ? address.port : port}`;
        resolve();
      });
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const path = pathOf(url).replace(/\/+$/, '') || '/';
    if (['/healthz', '/livez', '/readyz'].includes(path)) {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
      return;
    }
    // Anyone who says nothing of who they are may ask for the version, as with a real one.
    if (path !== '/version' || request.headers.authorization) this.#authenticate(request);
    const fault = this.#options.faults?.(request.method ?? 'GET', path, url.searchParams);
    if (fault)
      throw Object.assign(new ApiError(fault.code, fault.reason, fault.message), {
        retryAfterSeconds: fault.retryAfterSeconds,
      });
    if (path === '/openapi/v2' && (request.headers.accept ?? '').includes('protobuf')) {
      const body = openapiV2Protobuf(this.#registry.kinds());
      response.writeHead(200, { 'content-type': OPENAPI_V2_PROTOBUF, 'content-length': body.length }).end(body);
      return;
    }
    const fixed = await this.#fixed(request, path);
    if (fixed !== undefined) return this.#json(response, 200, fixed);
    const route = this.#route(path);
    await this.#resource(request, response, url.searchParams, route);
  }

  #authenticate(request: IncomingMessage): { user: string; groups: string[] } {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const user = this.#options.tokens.get(token ?? '');
    if (user) return user;
    request.resume();
    throw new ApiError(401, 'Unauthorized', 'Unauthorized');
  }

  /** Everything that is no resource: discovery, version, OpenAPI, access reviews. */
  async #fixed(request: IncomingMessage, path: string): Promise<object | undefined> {
    const kinds = this.#registry.kinds();
    if (path === '/version')
      return { major: '1', minor: '35', gitVersion: 'v1.35.0+outrider', platform: 'development' };
    if (path === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
    if (path === '/apis') return groupList(kinds);
    if (path === '/openapi/v2') return openapiV2(kinds);
    if (path === '/openapi/v3') return openapiIndex(kinds, this.#store.version);
    if (path.startsWith('/openapi/v3/')) return this.#openapi(path.slice('/openapi/v3/'.length));
    const [root, group = '', version = '', ...rest] = path.slice(1).split('/');
    if (root === 'api' && group === 'v1' && version === '') return resourceList(kinds, '', 'v1');
    if (root === 'apis' && version === '' && group !== '') return groupOf(kinds, group) ?? unknownPath();
    if (root === 'apis' && version !== '' && rest.length === 0)
      return resourceList(kinds, group, version) ?? unknownPath();
    if (root === 'apis' && request.method === 'POST' && version === 'v1')
      return this.#review(request, `${group}/${rest[0]}`);
    return undefined;
  }

  /** Who am I, and may I: there is no authorization here, so always. */
  async #review(request: IncomingMessage, name: string): Promise<object | undefined> {
    const user = this.#authenticate(request);
    const allowed = { allowed: true, reason: 'this development server has no authorization' };
    const info = { userInfo: { username: user.user, groups: [...user.groups, 'system:authenticated'] } };
    if (name === 'authorization.k8s.io/selfsubjectaccessreviews')
      return { ...((await readBody(request)) as object), status: allowed };
    if (name === 'authorization.k8s.io/selfsubjectrulesreviews')
      return { ...((await readBody(request)) as object), status: EVERYTHING };
    if (name === 'authentication.k8s.io/selfsubjectreviews')
      return { ...((await readBody(request)) as object), status: info };
    return undefined;
  }

  #openapi(path: string): object {
    const [root, group = '', version = ''] = path.split('/');
    const kinds = this.#registry
      .kinds()
      .filter((kind) =>
        root === 'api' ? kind.group === '' && kind.version === group : kind.group === group && kind.version === version,
      );
    return kinds.length === 0 ? unknownPath() : openapiDocument(kinds);
  }

  #route(path: string): Route {
    const parts = path.slice(1).split('/');
    const core = parts[0] === 'api';
    if (!core && parts[0] !== 'apis') throw unknownPathError();
    const group = core ? '' : (parts[1] ?? '');
    const version = (core ? parts[1] : parts[2]) ?? '';
    let rest = parts.slice(core ? 2 : 3);
    let namespace = '';
    if (rest[0] === 'namespaces' && rest.length >= 3 && rest[2] !== 'status' && rest[2] !== 'finalize') {
      namespace = rest[1] ?? '';
      rest = rest.slice(2);
    }
    const [plural = '', name = '', subresource, extra] = rest;
    const found = this.#registry.find(group, version, plural);
    if (!found || extra !== undefined) throw unknownPathError();
    const kind = found;
    if (
      subresource !== undefined &&
      !(subresource === 'status' && kind.hasStatus) &&
      !(subresource === 'log' && plural === 'pods')
    )
      throw unknownPathError();
    return { kind, namespace, name, subresource };
  }

  async #resource(
    request: IncomingMessage,
    response: ServerResponse,
    query: URLSearchParams,
    route: Route,
  ): Promise<void> {
    const method = request.method ?? 'GET';
    if (route.subresource === 'log') return this.#log(request, response, query, route);
    if (method === 'GET')
      return route.name === ''
        ? this.#collection(request, response, query, route)
        : this.#one(request, response, query, route);
    if (route.kind.namespaced && route.namespace === '') throw methodNotAllowed();
    if (method === 'DELETE' && route.subresource === undefined) return this.#delete(request, response, query, route);
    const result = await this.#write(request, query, route);
    this.#written(request, response, route, result.object, result.created ? 201 : 200, result.warnings);
  }

  async #write(request: IncomingMessage, query: URLSearchParams, route: Route): Promise<WriteResult> {
    const agent = (request.headers['user-agent'] ?? 'unknown').split('/')[0] ?? 'unknown';
    const manager = query.get('fieldManager') ?? agent;
    const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
    const action = `${request.method} ${route.name === '' ? 'collection' : 'object'}`;
    if (!['POST collection', 'PUT object', 'PATCH object'].includes(action)) throw methodNotAllowed();
    if (type === 'application/apply-patch+yaml' && !query.get('fieldManager'))
      throw invalid({ kind: 'PatchOptions', group: 'meta.k8s.io' }, '', [
        { reason: 'FieldValueRequired', field: 'fieldManager', message: 'Required value: is required for apply patch' },
      ]);
    const apply = type === 'application/apply-patch+yaml';
    const verb = { POST: 'Create', PUT: 'Update' }[request.method ?? ''] ?? 'Patch';
    checkOptions(`${verb}Options`, query);
    if (verb === 'Patch' && !apply && query.has('force'))
      throw invalid({ kind: 'PatchOptions', group: 'meta.k8s.io' }, '', [
        {
          reason: 'FieldValueForbidden',
          field: 'force',
          message: 'Forbidden: may not be specified for non-apply patch',
        },
      ]);
    const wanted = writeRequest(route, query, manager, await readBody(request));
    if (action === 'POST collection') return this.#writes.create(wanted);
    return action === 'PUT object' ? this.#writes.update(wanted) : this.#writes.patch(wanted, type);
  }

  #written(
    request: IncomingMessage,
    response: ServerResponse,
    route: Route,
    object: Stored,
    code: number,
    warnings: string[],
  ): void {
    for (const warning of warnings) response.appendHeader('Warning', `299 - "${warning.replaceAll('"', '\\"')}"`);
    this.#json(response, code, this.#show(request, route.kind, object));
  }

  #one(request: IncomingMessage, response: ServerResponse, query: URLSearchParams, route: Route): void {
    const object = this.#store.get(route.kind, route.namespace, route.name);
    if (query.get('watch') === 'true') throw methodNotAllowed();
    if (!object) throw notFound(route.kind, route.name);
    this.#json(response, 200, this.#show(request, route.kind, object));
  }

  #show(request: IncomingMessage, kind: Kind, object: Stored): object {
    const view = viewOf(request);
    if (view === 'table')
      return tableOf(kind, [object], this.#options.clock.now(), 'Metadata', {
        resourceVersion: object.metadata.resourceVersion,
      });
    if (view === 'partial') return partialOf(object);
    return kind.show?.(object) ?? object;
  }

  #collection(request: IncomingMessage, response: ServerResponse, query: URLSearchParams, route: Route): void {
    const { kind, namespace } = route;
    const matches = matcherOf(kind, query.get('labelSelector'), query.get('fieldSelector'));
    const view = viewOf(request);
    const includeObject = query.get('includeObject') ?? 'Metadata';
    if (query.get('watch') === 'true' || query.get('watch') === '1') {
      const resourceVersion = query.get('resourceVersion') ?? '';
      if (!/^\d*$/.test(resourceVersion)) throw badRequest(`resourceVersion: Invalid value: "${resourceVersion}"`);
      const watch = new WatchStream(
        {
          kind,
          namespace,
          matches,
          resourceVersion,
          bookmarks: query.get('allowWatchBookmarks') === 'true',
          sendInitialEvents: query.get('sendInitialEvents') === 'true',
          timeoutSeconds: Number(query.get('timeoutSeconds') ?? '1800') || 1_800,
          view,
          includeObject,
        },
        response,
        this.#store,
        this.#options.clock,
      );
      watch.start();
      this.#watches.add(watch);
      response.on('close', () => this.#watches.delete(watch));
      return;
    }
    const page = pageOf(
      this.#store,
      kind,
      namespace,
      matches,
      Number(query.get('limit') ?? '0'),
      query.get('continue') ?? '',
    );
    // How many are left is not known where a selector leaves some out.
    const selects = query.has('labelSelector') || query.has('fieldSelector');
    const metadata = {
      resourceVersion: page.version,
      ...(page.next ? { continue: page.next, ...(selects ? {} : { remainingItemCount: page.left }) } : {}),
    };
    const now = this.#options.clock.now();
    this.#json(
      response,
      200,
      listOf(kind, page.items, view, metadata, (table) => tableOf(kind, page.items, now, includeObject, table)),
    );
  }

  async #delete(
    request: IncomingMessage,
    response: ServerResponse,
    query: URLSearchParams,
    route: Route,
  ): Promise<void> {
    const body = await readBody(request, true);
    const options = isObject(body) ? body : {};
    checkOptions('DeleteOptions', query, options);
    const preconditions = isObject(options['preconditions']) ? options['preconditions'] : {};
    const grace = query.get('gracePeriodSeconds') ?? options['gracePeriodSeconds'];
    const base = {
      kind: route.kind,
      namespace: route.namespace,
      uid: preconditions['uid'] as string | undefined,
      resourceVersion: preconditions['resourceVersion'] as string | undefined,
      gracePeriodSeconds: grace === undefined || grace === null ? undefined : Number(grace),
      propagation: (query.get('propagationPolicy') ?? options['propagationPolicy'] ?? 'Background') as 'Background',
      dryRun: query.get('dryRun') === 'All' || (Array.isArray(options['dryRun']) && options['dryRun'].includes('All')),
    };
    if (route.name === '') {
      const matches = matcherOf(route.kind, query.get('labelSelector'), query.get('fieldSelector'));
      const items = this.#store.list(route.kind, route.namespace).filter(matches);
      for (const item of items) await this.#deletes.delete({ ...base, name: item.metadata.name }).catch(unlessGone);
      return this.#json(response, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' });
    }
    const { object, gone } = await this.#deletes.delete({ ...base, name: route.name });
    if (!gone) return this.#json(response, 200, object);
    const details = { name: route.name, group: route.kind.group, kind: route.kind.plural, uid: object.metadata.uid };
    this.#json(response, 200, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
  }

  async #log(request: IncomingMessage, response: ServerResponse, query: URLSearchParams, route: Route): Promise<void> {
    if (request.method !== 'GET') throw methodNotAllowed();
    if (!this.#store.get(route.kind, route.namespace, route.name)) throw notFound(route.kind, route.name);
    if (!this.logs) throw new ApiError(503, 'ServiceUnavailable', 'no node agent serves logs');
    const leave = new AbortController();
    response.on('close', () => leave.abort(new Error('client left')));
    const tail = query.get('tailLines');
    response.writeHead(200, { 'content-type': 'text/plain' });
    const lines = this.logs(route.namespace, route.name, {
      follow: query.get('follow') === 'true',
      container: query.get('container') ?? undefined,
      tailLines: tail === null ? undefined : Number(tail),
      signal: leave.signal,
    });
    // A reader that left is no fault.
    await pipeline(Readable.from(lines), response).catch(() => leave.abort(new Error('client left')));
  }

  #json(response: ServerResponse, code: number, body: object): void {
    response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  #refuse(response: ServerResponse, error: unknown): void {
    const known =
      error instanceof ApiError
        ? error
        : new ApiError(500, 'InternalError', 'internal error of the development API server');
    if (!(error instanceof ApiError)) this.#options.log.error({ err: error }, 'request failed');
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const retry = (error as { retryAfterSeconds?: number }).retryAfterSeconds;
    if (retry !== undefined) response.setHeader('retry-after', String(retry));
    this.#json(response, known.code, known.body());
  }
}

function writeRequest(route: Route, query: URLSearchParams, manager: string, body: unknown): WriteRequest {
  const validation = query.get('fieldValidation') ?? 'Warn';
  return {
    ...route,
    manager: manager.slice(0, 128),
    validation: (['Strict', 'Warn', 'Ignore'].includes(validation) ? validation : 'Warn') as FieldValidation,
    force: query.get('force') === 'true',
    dryRun: query.get('dryRun') === 'All',
    body: route.kind.read ? route.kind.read(body) : body,
  };
}

function pathOf(url: URL): string {
  try {
    return decodeURIComponent(url.pathname);
  } catch {
    throw badRequest('the path is not a valid URL');
  }
}

function viewOf(request: IncomingMessage): View {
  const accept = request.headers.accept ?? '';
  if (accept.includes('as=Table')) return 'table';
  return accept.includes('as=PartialObjectMetadata') ? 'partial' : 'object';
}

/** An object of a collection that somebody else deleted meanwhile is deleted, as asked. */
function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError) || error.code !== 404) throw error;
}

function unknownPathError(): ApiError {
  return new ApiError(404, 'NotFound', 'the server could not find the requested resource');
}

function unknownPath(): never {
  throw unknownPathError();
}

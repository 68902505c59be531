import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemIds } from '../../pkg/base/ids.ts';
import { canonicalJson } from '../../pkg/base/json.ts';
import { formatTime } from '../../pkg/kube/time.ts';
import type { KubeObject } from '../../pkg/kube/types.ts';
import { SPEC_SCHEMAS } from '../../pkg/tools/resources/kinds.ts';

type Fields = Record<string, unknown>;
type Stored = KubeObject & { spec?: unknown; status?: unknown; [key: string]: unknown };
interface Address {
  plural: string;
  namespace: string | undefined;
  name: string | undefined;
  subresource: string | undefined;
}

/**
 * An API server in memory for tests of controllers: list, watch, create, apply with field ownership, merge patch,
 * update, delete with finalizers, status subresource, defaults of our kinds. No CEL, no history, no paging.
 */
export class SmallKubeApi {
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #objects = new Map<string, Stored>();
  readonly #owners = new Map<string, Map<string, Map<string, string>>>();
  readonly #watchers = new Set<{ plural: string; namespace: string | undefined; response: ServerResponse }>();
  #version = 100;
  /** Every write that was answered with success: `<method> <plural>/<name>[/<subresource>]`. */
  readonly writes: string[] = [];
  /** Requests are cut off without an answer while true. */
  down = false;

  static async start(): Promise<SmallKubeApi> {
    const api = new SmallKubeApi();
    await new Promise<void>((resolve) => api.#server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  get kubeconfig(): string {
    const { port } = this.#server.address() as AddressInfo;
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'test',
      clusters: [{ name: 'test', cluster: { server: `http://127.0.0.1:${port}` } }],
      users: [{ name: 'test', user: { token: 'test' } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    });
  }

  /** An object as it is stored, by `plural/namespace/name`. */
  object(key: string): Stored | undefined {
    return this.#objects.get(key);
  }

  list(plural: string): Stored[] {
    return [...this.#objects].filter(([key]) => key.startsWith(`${plural}/`)).map(([, object]) => object);
  }

  async stop(): Promise<void> {
    for (const watcher of this.#watchers) watcher.response.destroy();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.down) {
      request.socket.destroy();
      return;
    }
    const url = new URL(request.url ?? '/', 'http://x');
    const body = await readBody(request);
    try {
      this.#route(request, response, url, body);
    } catch (error) {
      const status = error instanceof Refused ? error.status : 500;
      const reason = error instanceof Refused ? error.reason : 'InternalError';
      const details = error instanceof Refused ? { causes: error.causes } : {};
      reply(response, status, {
        kind: 'Status',
        status: 'Failure',
        code: status,
        reason,
        message: String((error as Error).message),
        details,
      });
    }
  }

  #route(request: IncomingMessage, response: ServerResponse, url: URL, body: string): void {
    const at = addressOf(url.pathname);
    if (request.method === 'GET') {
      if (url.searchParams.get('watch') === 'true') this.#watch(at, request, response);
      else if (at.name) reply(response, 200, this.#mustGet(at));
      else this.#list(at, response);
      return;
    }
    const result = this.#write(
      request.method ?? '',
      at,
      url,
      body ? (JSON.parse(body) as Fields) : {},
      request.headers['content-type'] ?? '',
    );
    this.writes.push(
      `${request.method} ${at.plural}/${at.name ?? (result as Stored).metadata?.name}${at.subresource ? `/${at.subresource}` : ''}`,
    );
    reply(response, 200, result);
  }

  #write(method: string, at: Address, url: URL, body: Fields, contentType: string): object {
    const manager = url.searchParams.get('fieldManager') ?? 'unknown';
    if (method === 'POST') return this.#create(at, body as unknown as Stored);
    if (method === 'PUT') return this.#replace(at, body as unknown as Stored);
    if (method === 'DELETE') return this.#delete(at, body);
    if (contentType.startsWith('application/apply-patch')) {
      return this.#apply(at, body as unknown as Stored, manager, url.searchParams.get('force') === 'true');
    }
    return this.#merge(at, body);
  }

  #create(at: Address, object: Stored): Stored {
    const key = keyOf({ ...at, name: object.metadata.name });
    if (this.#objects.has(key)) throw new Refused(409, 'AlreadyExists', `${key} already exists`);
    const { resourceVersion: _, ...metadata } = object.metadata;
    return this.#store(key, 'ADDED', {
      ...object,
      spec: withDefaults(object),
      metadata: {
        ...metadata,
        uid: systemIds.uuid(),
        generation: 1,
        creationTimestamp: formatTime(performance.timeOrigin + performance.now()),
      },
    });
  }

  #replace(at: Address, object: Stored): Stored {
    const current = this.#mustGet(at);
    this.#checkVersion(current, object.metadata);
    return this.#change(
      at,
      current,
      at.subresource ? { ...current, status: object.status } : { ...object, status: current.status },
    );
  }

  #merge(at: Address, patch: Fields): Stored {
    const current = this.#mustGet(at);
    this.#checkVersion(current, (patch['metadata'] ?? {}) as Fields);
    return this.#change(at, current, mergePatch(current, patch) as Stored);
  }

  #apply(at: Address, object: Stored, manager: string, force: boolean): Stored {
    const key = keyOf(at);
    const current = this.#objects.get(key);
    if (at.subresource) return this.#change(at, this.#mustGet(at), { ...this.#mustGet(at), status: object.status });
    if (current) this.#checkVersion(current, object.metadata);
    else if (object.metadata.uid) throw new Refused(409, 'Conflict', 'no such object');
    const leaves = leavesOf({ spec: object.spec ?? {} });
    const owners = this.#owners.get(key) ?? new Map<string, Map<string, string>>();
    const conflicts = force ? [] : conflictsOf(current, leaves, owners, manager);
    if (conflicts.length > 0)
      throw new Refused(409, 'Conflict', `Apply failed with ${conflicts.length} conflict(s)`, conflicts);
    const before = owners.get(manager) ?? new Map<string, string>();
    owners.set(manager, leaves);
    this.#owners.set(key, owners);
    const others = [...owners].filter(([name]) => name !== manager).flatMap(([, set]) => [...set.keys()]);
    let merged = (current ? structuredClone(current) : { ...object }) as Stored;
    for (const path of before.keys()) if (!leaves.has(path) && !others.includes(path)) removePath(merged, path);
    merged = mergePatch(merged, { spec: object.spec ?? {} }) as Stored;
    const managed = { managedFields: managedFields(owners) };
    if (!current) return this.#create(at, { ...merged, metadata: { ...object.metadata, ...managed } } as Stored);
    return this.#change(at, current, { ...merged, metadata: { ...merged.metadata, ...managed } as Stored['metadata'] });
  }

  #delete(at: Address, options: Fields): Stored {
    const current = this.#mustGet(at);
    const { uid } = (options['preconditions'] ?? {}) as { uid?: string };
    if (uid && uid !== current.metadata.uid) throw new Refused(409, 'Conflict', 'uid precondition failed');
    if ((current.metadata.finalizers ?? []).length === 0) return this.#remove(keyOf(at), current);
    if (current.metadata.deletionTimestamp) return current;
    const deletionTimestamp = formatTime(performance.timeOrigin + performance.now());
    return this.#change(at, current, { ...current, metadata: { ...current.metadata, deletionTimestamp } });
  }

  #change(at: Address, current: Stored, next: Stored): Stored {
    const spec = withDefaults(next);
    const grown = canonicalJson(spec) !== canonicalJson(current.spec);
    const generation = (current.metadata.generation ?? 1) + (grown ? 1 : 0);
    const { uid, creationTimestamp } = current.metadata;
    const changed = { ...next, spec, metadata: { ...next.metadata, uid, creationTimestamp, generation } } as Stored;
    if (changed.metadata.deletionTimestamp && (changed.metadata.finalizers ?? []).length === 0)
      return this.#remove(keyOf(at), changed);
    if (
      canonicalJson({ ...changed, metadata: { ...changed.metadata, resourceVersion: '' } }) ===
      canonicalJson({ ...current, metadata: { ...current.metadata, resourceVersion: '' } })
    )
      return current;
    return this.#store(keyOf(at), 'MODIFIED', changed);
  }

  #store(key: string, type: string, object: Stored): Stored {
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.#version) } };
    this.#objects.set(key, stored);
    this.#tell(key, type, stored);
    return stored;
  }

  #remove(key: string, object: Stored): Stored {
    this.#objects.delete(key);
    this.#owners.delete(key);
    this.#tell(key, 'DELETED', {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(++this.#version) },
    });
    return object;
  }

  #tell(key: string, type: string, object: Stored): void {
    for (const watcher of this.#watchers) {
      if (!key.startsWith(`${watcher.plural}/`)) continue;
      if (watcher.namespace && object.metadata.namespace !== watcher.namespace) continue;
      watcher.response.write(`${JSON.stringify({ type, object })}\n`);
    }
  }

  #list(at: Address, response: ServerResponse): void {
    const items = this.list(at.plural).filter((object) => !at.namespace || object.metadata.namespace === at.namespace);
    reply(response, 200, { kind: 'List', metadata: { resourceVersion: String(this.#version) }, items });
  }

  #watch(at: Address, request: IncomingMessage, response: ServerResponse): void {
    const watcher = { plural: at.plural, namespace: at.namespace, response };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    // Objects changed between list and watch: shown again rather than kept in a history.
    const since = Number(new URL(request.url ?? '', 'http://x').searchParams.get('resourceVersion') ?? 0);
    this.#watchers.add(watcher);
    response.on('close', () => this.#watchers.delete(watcher));
    for (const object of this.list(at.plural)) {
      if (Number(object.metadata.resourceVersion) > since)
        response.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
    }
  }

  #mustGet(at: Address): Stored {
    const object = this.#objects.get(keyOf(at));
    if (!object) throw new Refused(404, 'NotFound', `${keyOf(at)} not found`);
    return object;
  }

  #checkVersion(current: Stored, metadata: { resourceVersion?: unknown; uid?: unknown }): void {
    const { resourceVersion, uid } = metadata;
    if (resourceVersion && resourceVersion !== current.metadata.resourceVersion)
      throw new Refused(409, 'Conflict', 'the object has been modified');
    if (uid && uid !== current.metadata.uid) throw new Refused(409, 'Conflict', 'uid precondition failed');
  }
}

class Refused extends Error {
  readonly status: number;
  readonly reason: string;
  readonly causes: object[];
  constructor(status: number, reason: string, message: string, causes: object[] = []) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.causes = causes;
  }
}

function addressOf(path: string): Address {
  const parts = path.split('/').filter(Boolean);
  const rest = parts[0] === 'api' ? parts.slice(2) : parts.slice(3);
  const namespaced = rest[0] === 'namespaces' && rest.length > 2;
  const [plural = '', name, subresource] = namespaced ? rest.slice(2) : rest;
  return { plural, namespace: namespaced ? rest[1] : undefined, name, subresource };
}

const keyOf = (at: { plural: string; namespace: string | undefined; name: string | undefined }): string =>
  `${at.plural}/${at.namespace ?? ''}/${at.name ?? ''}`;

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function withDefaults(object: Stored): unknown {
  const schema = SPEC_SCHEMAS[object.kind as keyof typeof SPEC_SCHEMAS];
  if (!schema) return object.spec;
  const parsed = schema.safeParse(object.spec);
  if (parsed.success) return JSON.parse(JSON.stringify(parsed.data));
  const causes = parsed.error.issues.map((issue) => ({
    reason: 'FieldValueInvalid',
    field: `spec.${issue.path.join('.')}`,
    message: issue.message,
  }));
  throw new Refused(422, 'Invalid', 'the object is invalid', causes);
}

const isMap = (value: unknown): value is Fields => value !== null && typeof value === 'object' && !Array.isArray(value);

function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMap(patch)) return patch;
  const result: Fields = isMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

function leavesOf(value: unknown, path = ''): Map<string, string> {
  if (!isMap(value)) return new Map([[path, canonicalJson(value)]]);
  return new Map(Object.entries(value).flatMap(([key, inner]) => [...leavesOf(inner, path ? `${path}.${key}` : key)]));
}

function conflictsOf(
  current: Stored | undefined,
  leaves: Map<string, string>,
  owners: Map<string, Map<string, string>>,
  manager: string,
): object[] {
  const now = leavesOf({ spec: current?.spec ?? {} });
  return [...leaves].flatMap(([path, value]) =>
    [...owners]
      .filter(([name, set]) => name !== manager && set.has(path) && now.get(path) !== value)
      .map(([name]) => ({ reason: 'FieldManagerConflict', field: `.${path}`, message: `conflict with "${name}"` })),
  );
}

function removePath(object: Stored, path: string): void {
  const parts = path.split('.');
  let at: Fields = object as unknown as Fields;
  for (const part of parts.slice(0, -1)) at = (at[part] ?? {}) as Fields;
  delete at[parts.at(-1) ?? ''];
}

function managedFields(owners: Map<string, Map<string, string>>): object[] {
  return [...owners].map(([manager, set]) => {
    const fieldsV1: Fields = {};
    for (const path of set.keys()) {
      let at = fieldsV1;
      for (const part of path.split('.')) {
        at[`f:${part}`] ??= {};
        at = at[`f:${part}`] as Fields;
      }
    }
    return { manager, operation: 'Apply', fieldsType: 'FieldsV1', fieldsV1 };
  });
}

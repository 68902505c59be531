import { randomUUID } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { CRD_KIND, NAMESPACE_KIND } from './builtin-kinds.ts';
import { CRD_FINALIZER } from './deletes.ts';
import type { ObjectStore } from './object-store.ts';
import { applyOnto, recordUpdate } from './ownership.ts';
import { jsonPatch, mergePatch, strategicPatch } from './patches.ts';
import { type FieldValidation, prepare, requireObject } from './prepare.ts';
import { groupVersion } from './registry.ts';
import { isObject } from './schema.ts';
import { ApiError, alreadyExists, badRequest, conflict, invalid, notFound } from './status.ts';
import { nullCauses, typedProblem } from './typed.ts';
import type { Fields, Kind, Metadata, Stored } from './types.ts';

/** What a write request asks for. */
export interface WriteRequest {
  kind: Kind;
  namespace: string;
  name: string;
  subresource: string | undefined;
  manager: string;
  validation: FieldValidation;
  force: boolean;
  dryRun: boolean;
  body: unknown;
}

export interface WriteResult {
  object: Stored;
  created: boolean;
  warnings: string[];
}

/** Server-owned metadata: what a client sends there is ignored. */
const SERVER_FIELDS = [
  'uid',
  'creationTimestamp',
  'generation',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
] as const;

/** Creates and changes objects; every method runs alone (one writer). */
export class Writes {
  readonly #store: ObjectStore;
  readonly #clock: Clock;

  constructor(store: ObjectStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  create(request: WriteRequest): Promise<WriteResult> {
    return this.#store.exclusive(() => this.#create(request, requireObject(request.body, request.kind)));
  }

  update(request: WriteRequest): Promise<WriteResult> {
    return this.#store.exclusive(async () => {
      const { kind } = request;
      const live = this.#require(request);
      const body = requireObject(request.body, kind);
      const wanted = body['metadata'] as Partial<Metadata>;
      if (!wanted.resourceVersion && (kind.schema || kind.plural === 'leases')) throw needsVersion(request);
      if (wanted.resourceVersion && wanted.resourceVersion !== live.metadata.resourceVersion) throw stale(request);
      return this.#change(request, live, body);
    });
  }

  patch(request: WriteRequest, contentType: string): Promise<WriteResult> {
    return this.#store.exclusive(async () => {
      if (contentType === 'application/apply-patch+yaml') return this.#apply(request);
      const live = this.#require(request);
      const patched = patchOf(contentType, live, request);
      const wanted = isObject(patched['metadata'])
        ? (patched['metadata']['resourceVersion'] as string | undefined)
        : undefined;
      if (wanted !== undefined && wanted !== live.metadata.resourceVersion) throw stale(request);
      const next = requireObject(patched, request.kind);
      const { uid } = next['metadata'] as Partial<Metadata>;
      if (uid && uid !== live.metadata.uid && !request.subresource) throw immutableUid(request, uid);
      return this.#change(request, live, next);
    });
  }

  async #create(
    request: WriteRequest,
    body: Fields,
    owned?: Stored['metadata']['managedFields'],
  ): Promise<WriteResult> {
    const { kind } = request;
    const given = body['metadata'] as Partial<Metadata> & { generateName?: string };
    const name = given.name ?? (given.generateName ? `${given.generateName}${randomUUID().slice(0, 5)}` : request.name);
    if (!name)
      throw invalid(kind, '', [
        {
          reason: 'FieldValueRequired',
          field: 'metadata.name',
          message: 'Required value: name or generateName is required',
        },
      ]);
    requirePlace(request, { ...given, name });
    if (given.resourceVersion)
      throw new ApiError(500, '', 'resourceVersion should not be set on objects to be created');
    this.#requireNamespace(request);
    const object = { ...body } as Stored;
    if (kind.hasStatus && kind.schema) delete object['status'];
    const clean: Fields = { ...given, name };
    for (const field of [...SERVER_FIELDS, 'resourceVersion']) delete clean[field];
    object.metadata = {
      ...clean,
      name,
      ...(kind.namespaced ? { namespace: request.namespace } : {}),
      uid: randomUUID(),
      creationTimestamp: this.#time(),
      resourceVersion: '',
      ...(kind.hasGeneration ? { generation: 1 } : {}),
    } as Metadata;
    const warnings = prepare(object, undefined, kind, request.validation);
    if (this.#store.get(kind, request.namespace, name)) throw alreadyExists(kind, name);
    if (kind === CRD_KIND) object.metadata.finalizers = [...(object.metadata.finalizers ?? []), CRD_FINALIZER];
    if (kind === CRD_KIND) object['status'] = crdStatus(object, this.#time());
    if (kind.plural === 'namespaces') object['spec'] ??= { finalizers: ['kubernetes'] };
    recordUpdate(undefined, object, kind, this.#writer(request));
    if (owned) object.metadata.managedFields = owned;
    return { object: request.dryRun ? object : await this.#store.put(kind, object), created: true, warnings };
  }

  async #apply(request: WriteRequest): Promise<WriteResult> {
    const body = requireObject(request.body, request.kind);
    const metadata = body['metadata'] as Partial<Metadata>;
    if (metadata.managedFields?.length) throw badRequest('metadata.managedFields must be nil');
    const live = this.#store.get(request.kind, request.namespace, request.name);
    requirePlace(request, live ? { name: request.name, ...metadata } : metadata);
    const untyped = typedProblem(body, request.kind);
    if (untyped !== undefined) {
      const what = `${metadata.namespace ?? ''}/${request.name}; ${groupVersion(request.kind)}, Kind=${request.kind.kind}`;
      throw new ApiError(500, '', `failed to create typed patch object (${what}): ${untyped}`);
    }
    const nulls = nullCauses(body, request.kind.schema ?? undefined);
    if (nulls.length > 0) throw invalid(request.kind, request.name, nulls);
    if (!live) {
      if (request.subresource) throw notFound(request.kind, request.name);
      if (metadata.uid) throw immutableUid(request, metadata.uid);
      const empty = { apiVersion: body['apiVersion'], kind: body['kind'], metadata: { name: request.name } } as Stored;
      const { metadata: merged } = applyOnto(
        empty,
        withoutStatus(body, request),
        request.kind,
        this.#writer(request),
        request.force,
      );
      delete metadata.resourceVersion;
      return this.#create(request, body, merged.managedFields);
    }
    if (metadata.resourceVersion && metadata.resourceVersion !== live.metadata.resourceVersion) throw stale(request);
    // Of a status only the status is taken: the uid that it names is not looked at.
    if (metadata.uid && metadata.uid !== live.metadata.uid && !request.subresource)
      throw immutableUid(request, metadata.uid);
    const merged = applyOnto(live, withoutStatus(body, request), request.kind, this.#writer(request), request.force);
    return this.#change(request, live, merged, merged.metadata.managedFields);
  }

  /** Stores a changed object; an unchanged one keeps its resource version. */
  async #change(
    request: WriteRequest,
    live: Stored,
    body: Fields,
    owned?: Stored['metadata']['managedFields'],
  ): Promise<WriteResult> {
    const { kind, subresource } = request;
    const next = structuredClone(body) as Stored;
    const given = next.metadata as Fields;
    requirePlace(request, given as Partial<Metadata>);
    if (given['uid'] && given['uid'] !== live.metadata.uid)
      throw conflict(
        kind,
        request.name,
        `Precondition failed: UID in precondition: ${String(given['uid'])}, UID in object meta: ${live.metadata.uid}`,
      );
    const kept = Object.fromEntries(
      SERVER_FIELDS.flatMap((field) => (live.metadata[field] === undefined ? [] : [[field, live.metadata[field]]])),
    );
    const handedOver = managersOf(given['managedFields']);
    for (const field of SERVER_FIELDS) delete given[field];
    next.metadata = {
      ...given,
      ...kept,
      name: live.metadata.name,
      resourceVersion: live.metadata.resourceVersion,
    } as Metadata;
    if (live.metadata.namespace) next.metadata.namespace = live.metadata.namespace;
    isolate(next, live, kind, subresource);
    forbidNewFinalizers(next, live, kind);
    const warnings = prepare(next, live, kind, request.validation);
    if (kind.hasGeneration && !same(payload(next), payload(live)))
      next.metadata.generation = (live.metadata.generation ?? 0) + 1;
    if (owned) next.metadata.managedFields = owned;
    else recordUpdate(live, next, kind, this.#writer(request), handedOver);
    if (same(comparable(next), comparable(live))) return { object: live, created: false, warnings };
    if (request.dryRun) return { object: next, created: false, warnings };
    const done =
      next.metadata.deletionTimestamp !== undefined &&
      (next.metadata.finalizers ?? []).length === 0 &&
      (next.metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
      kind !== NAMESPACE_KIND;
    return {
      object: done ? await this.#store.remove(kind, next) : await this.#store.put(kind, next),
      created: false,
      warnings,
    };
  }

  #require(request: WriteRequest): Stored {
    const live = this.#store.get(request.kind, request.namespace, request.name);
    if (!live) throw notFound(request.kind, request.name);
    return live;
  }

  #requireNamespace({ kind, namespace }: WriteRequest): void {
    if (!kind.namespaced) return;
    const found = this.#store.get(NAMESPACE_KIND, '', namespace);
    if (!found) throw notFound(NAMESPACE_KIND, namespace);
    if (found.metadata.deletionTimestamp)
      throw new ApiError(
        403,
        'Forbidden',
        `unable to create new content in namespace ${namespace} because it is being terminated`,
      );
  }

  #writer(request: WriteRequest): { manager: string; subresource: string | undefined; time: string } {
    return { manager: request.manager, subresource: request.subresource, time: this.#time() };
  }

  #time(): string {
    return `${new Date(this.#clock.now()).toISOString().slice(0, 19)}Z`;
  }
}

function patchOf(contentType: string, live: Stored, { kind, body }: WriteRequest): Fields {
  if (contentType === 'application/json-patch+json') return jsonPatch(live, body);
  if (contentType === 'application/merge-patch+json') return mergePatch(live, body) as Fields;
  // Kinds of definitions have no merge keys, so a strategic patch has no meaning for them.
  if (contentType === 'application/strategic-merge-patch+json' && !kind.schema)
    return strategicPatch(live, body) as Fields;
  throw new ApiError(
    415,
    'UnsupportedMediaType',
    'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
  );
}

/** An object goes where its URL says: under another name or namespace it would be written in another's place. */
function requirePlace({ kind, name, namespace }: WriteRequest, given: Partial<Metadata>): void {
  if (name !== '' && !given.name)
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (name !== '' && given.name !== name)
    throw badRequest(`the name of the object (${given.name}) does not match the name on the URL (${name})`);
  if (kind.namespaced && given.namespace && given.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** Managers that a replacement or patch hands over; an empty list (or entry) forgets all, absence none. */
function managersOf(given: unknown): Stored['metadata']['managedFields'] {
  if (!Array.isArray(given)) return undefined;
  return (given as Stored['metadata']['managedFields'])?.filter(
    (entry) => isObject(entry) && typeof entry.manager === 'string' && isObject(entry.fieldsV1),
  );
}

/** Of a patch; a replacement that names another uid is a conflict. */
function immutableUid({ kind, name }: WriteRequest, uid: string): ApiError {
  const message = `Invalid value: ${JSON.stringify(uid)}: field is immutable`;
  return invalid(kind, name, [{ reason: 'FieldValueInvalid', field: 'metadata.uid', message }]);
}

/** The status subresource changes status only; the main resource everything else. */
function isolate(next: Stored, live: Stored, kind: Kind, subresource: string | undefined): void {
  if (!kind.hasStatus) return;
  if (subresource === 'status') {
    for (const key of Object.keys(next)) if (key !== 'status' && key !== 'metadata') delete next[key];
    for (const [key, value] of Object.entries(live))
      if (key !== 'status' && key !== 'metadata') next[key] = structuredClone(value);
    next.metadata = { ...structuredClone(live.metadata) };
    return;
  }
  if (live['status'] === undefined) delete next['status'];
  else next['status'] = structuredClone(live['status']);
}

function withoutStatus(body: Fields, request: WriteRequest): Fields {
  if (!request.kind.hasStatus) return body;
  if (request.subresource === 'status')
    return { apiVersion: body['apiVersion'], kind: body['kind'], metadata: {}, status: body['status'] };
  const { status: _, ...rest } = body;
  return rest;
}

function forbidNewFinalizers(next: Stored, live: Stored, kind: Kind): void {
  if (!live.metadata.deletionTimestamp) return;
  const added = (next.metadata.finalizers ?? []).filter((name) => !(live.metadata.finalizers ?? []).includes(name));
  if (added.length > 0) {
    throw invalid(kind, live.metadata.name, [
      {
        reason: 'FieldValueForbidden',
        field: 'metadata.finalizers',
        message: `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`,
      },
    ]);
  }
}

function payload(object: Stored): Fields {
  const { metadata: _metadata, status: _status, ...rest } = object;
  return rest;
}

function comparable(object: Stored): Fields {
  const { managedFields, ...metadata } = object.metadata;
  const owners = (managedFields ?? []).map(({ time: _, ...entry }) => entry);
  return { ...object, metadata: { ...metadata, owners } };
}

function same(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
}

function stale(request: WriteRequest): ApiError {
  return conflict(
    request.kind,
    request.name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

/** Replacing without saying which version is replaced would lose updates; the server refuses it for most kinds. */
function needsVersion({ kind, name }: WriteRequest): ApiError {
  const message = 'Invalid value: 0: must be specified for an update';
  return invalid(kind, name, [{ reason: 'FieldValueInvalid', field: 'metadata.resourceVersion', message }]);
}

function crdStatus(crd: Stored, time: string): Fields {
  const spec = crd['spec'] as { names: Fields; versions: { name: string }[] };
  const condition = (type: string, reason: string): Fields => ({
    type,
    status: 'True',
    reason,
    message: 'the initial names have been accepted',
    lastTransitionTime: time,
  });
  return {
    acceptedNames: spec.names,
    conditions: [condition('NamesAccepted', 'NoConflicts'), condition('Established', 'InitialNamesAccepted')],
    storedVersions: spec.versions.map((version) => version.name),
  };
}

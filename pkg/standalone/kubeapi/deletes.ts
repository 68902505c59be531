import { type Clock, sleepReal } from '../../base/clock.ts';
import { CRD_KIND, EVENT_KIND, NAMESPACE_KIND, POD_KIND } from './builtin-kinds.ts';
import { kindOfCrd } from './crd.ts';
import { type Change, kindKey, type ObjectStore } from './object-store.ts';
import type { Registry } from './registry.ts';
import { conflict, notFound } from './status.ts';
import type { Kind, Stored } from './types.ts';

/** Options of a DELETE. */
export interface DeleteRequest {
  kind: Kind;
  namespace: string;
  name: string;
  uid: string | undefined;
  resourceVersion: string | undefined;
  gracePeriodSeconds: number | undefined;
  propagation: 'Foreground' | 'Background' | 'Orphan';
  dryRun: boolean;
}

const EVENT_LIFE_MS = 3_600_000;
const MAX_EVENTS = 2_000;
/** About one new Event in so many starts a sweep that removes old ones. */
const EVENTS_PER_SWEEP = 100;
/** Pause between two sweeps, so that a burst of changes is swept once. */
const SWEEP_PAUSE_MS = 10;
const ORPHAN = 'orphan';
/** Holds a definition until its objects are gone. */
export const CRD_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** Deletes objects: finalizers, grace periods of Pods, owner references, contents of namespaces. */
export class Deletes {
  readonly #store: ObjectStore;
  readonly #registry: Registry;
  readonly #clock: Clock;
  #stopped = false;
  #sweeping = false;
  #again = false;

  constructor(store: ObjectStore, registry: Registry, clock: Clock) {
    this.#store = store;
    this.#registry = registry;
    this.#clock = clock;
    store.onChange((change) => {
      if (mayLeaveGarbage(change)) this.sweep();
    });
  }

  stop(): void {
    this.#stopped = true;
  }

  /** @returns the object, and whether it is gone now */
  delete(request: DeleteRequest): Promise<{ object: Stored; gone: boolean }> {
    return this.#store.exclusive(async () => {
      const { kind, namespace, name } = request;
      const live = this.#store.get(kind, namespace, name);
      if (!live) throw notFound(kind, name);
      this.#checkPreconditions(request, live);
      if (request.dryRun) return { object: live, gone: false };
      return this.#mark(kind, live, request);
    });
  }

  /** Collects garbage in the background: dependants of what is gone, contents of namespaces that end. */
  sweep(): void {
    this.#again = true;
    if (this.#sweeping || this.#stopped) return;
    this.#sweeping = true;
    void this.#run().finally(() => {
      this.#sweeping = false;
    });
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      await this.#store.exclusive(() => this.#collect()).catch(() => undefined);
      await sleepReal(SWEEP_PAUSE_MS);
    }
  }

  #checkPreconditions({ kind, name, uid, resourceVersion }: DeleteRequest, live: Stored): void {
    if (uid && uid !== live.metadata.uid)
      throw conflict(
        kind,
        name,
        `the UID in the precondition (${uid}) does not match the UID in record (${live.metadata.uid}). The object might have been deleted and then recreated`,
      );
    if (resourceVersion && resourceVersion !== live.metadata.resourceVersion)
      throw conflict(kind, name, 'Precondition failed: resourceVersion');
  }

  async #mark(kind: Kind, live: Stored, request: DeleteRequest): Promise<{ object: Stored; gone: boolean }> {
    const finalizers = [...(live.metadata.finalizers ?? [])];
    // Watchers learn by it that what is below stays; the sweep takes it away again.
    if (request.propagation === 'Orphan' && !finalizers.includes(ORPHAN)) finalizers.push(ORPHAN);
    if (
      request.propagation === 'Foreground' &&
      this.#dependants(live).some((entry) => holds(entry.object, live)) &&
      !finalizers.includes('foregroundDeletion')
    )
      finalizers.push('foregroundDeletion');
    const grace = kind === POD_KIND ? podGrace(live, request.gracePeriodSeconds) : 0;
    const waits = finalizers.length > 0 || grace > 0 || kind === NAMESPACE_KIND;
    if (!waits) return { object: await this.#store.remove(kind, live), gone: true };
    const shorter =
      live.metadata.deletionGracePeriodSeconds === undefined || grace < live.metadata.deletionGracePeriodSeconds;
    if (live.metadata.deletionTimestamp && !shorter) return { object: live, gone: false };
    const next = structuredClone(live);
    if (finalizers.length > 0) next.metadata.finalizers = finalizers;
    next.metadata.deletionTimestamp =
      live.metadata.deletionTimestamp ?? `${new Date(this.#clock.now() + grace * 1_000).toISOString().slice(0, 19)}Z`;
    next.metadata.deletionGracePeriodSeconds = grace;
    if (kind.hasGeneration) next.metadata.generation = (live.metadata.generation ?? 0) + 1;
    if (kind === NAMESPACE_KIND) next['status'] = { phase: 'Terminating' };
    return { object: await this.#store.put(kind, next), gone: false };
  }

  async #collect(): Promise<void> {
    for (const { object, kind } of this.#everything()) {
      if (this.#isOrphan(object) && !object.metadata.deletionTimestamp)
        await this.#mark(kind, object, background(kind, object));
    }
    for (const { object, kind } of this.#everything()) {
      if (object.metadata.deletionTimestamp && object.metadata.finalizers?.includes(ORPHAN))
        await this.#orphan(kind, object);
      else if (object.metadata.deletionTimestamp && object.metadata.finalizers?.includes('foregroundDeletion'))
        await this.#foreground(kind, object);
    }
    for (const namespace of this.#store.list(NAMESPACE_KIND, ''))
      if (namespace.metadata.deletionTimestamp) await this.#emptyNamespace(namespace);
    for (const crd of this.#store.list(CRD_KIND, '')) if (crd.metadata.deletionTimestamp) await this.#emptyKind(crd);
    await this.#orphanedKinds();
    await this.#expireEvents();
  }

  async #foreground(kind: Kind, object: Stored): Promise<void> {
    const dependants = this.#dependants(object);
    for (const entry of dependants)
      if (!entry.object.metadata.deletionTimestamp)
        await this.#mark(entry.kind, entry.object, background(entry.kind, entry.object));
    if (this.#dependants(object).some((entry) => holds(entry.object, object))) return;
    await this.#without(kind, object, 'foregroundDeletion');
  }

  async #emptyNamespace(namespace: Stored): Promise<void> {
    const contents = this.#everything().filter((entry) => entry.object.metadata.namespace === namespace.metadata.name);
    for (const { kind, object } of contents)
      if (!object.metadata.deletionTimestamp) await this.#mark(kind, object, background(kind, object));
    const left = this.#everything().some((entry) => entry.object.metadata.namespace === namespace.metadata.name);
    if (!left && this.#store.get(NAMESPACE_KIND, '', namespace.metadata.name))
      await this.#store.remove(NAMESPACE_KIND, namespace);
  }

  /** A definition goes when its last object has gone (each object's finalizers are honoured). */
  async #emptyKind(crd: Stored): Promise<void> {
    const kind = kindOfCrd(crd);
    for (const object of this.#store.list(kind, ''))
      if (!object.metadata.deletionTimestamp) await this.#mark(kind, object, background(kind, object));
    if (this.#store.list(kind, '').length > 0 || !crd.metadata.finalizers?.includes(CRD_FINALIZER)) return;
    const next = structuredClone(crd);
    next.metadata.finalizers = crd.metadata.finalizers.filter((name) => name !== CRD_FINALIZER);
    if (next.metadata.finalizers.length === 0) await this.#store.remove(CRD_KIND, next);
    else await this.#store.put(CRD_KIND, next);
  }

  /** Dependants of an owner that is deleted with `--cascade=orphan` lose the reference and live on. */
  async #orphan(kind: Kind, owner: Stored): Promise<void> {
    for (const { kind: below, object } of this.#dependants(owner)) {
      const next = structuredClone(object);
      next.metadata.ownerReferences = (next.metadata.ownerReferences ?? []).filter(
        (reference) => reference.uid !== owner.metadata.uid,
      );
      await this.#store.put(below, next);
    }
    await this.#without(kind, owner, ORPHAN);
  }

  /** Takes a finalizer of the API server's own away; with the last one the object goes. */
  async #without(kind: Kind, object: Stored, finalizer: string): Promise<void> {
    const next = structuredClone(object);
    next.metadata.finalizers = (next.metadata.finalizers ?? []).filter((name) => name !== finalizer);
    if (next.metadata.finalizers.length === 0) await this.#store.remove(kind, next);
    else await this.#store.put(kind, next);
  }

  /** Events live an hour, and no more than a maximum of them. */
  async #expireEvents(): Promise<void> {
    const events = this.#store.list(EVENT_KIND, '');
    const born = (event: Stored): number => Date.parse(event.metadata.creationTimestamp);
    const old = events.filter((event) => born(event) < this.#clock.now() - EVENT_LIFE_MS);
    const surplus = events.sort((a, b) => born(a) - born(b)).slice(0, Math.max(0, events.length - MAX_EVENTS));
    for (const event of new Set([...old, ...surplus])) await this.#store.remove(EVENT_KIND, event);
  }

  /** Objects of a definition that is gone are gone too. */
  async #orphanedKinds(): Promise<void> {
    const known = new Set(this.#registry.kinds().map(kindKey));
    for (const { key, object } of [...this.#store.all()]) {
      if (known.has(key)) continue;
      const [group = '', plural = ''] = key.split('/');
      await this.#store.remove({ group, plural } as Kind, object);
    }
  }

  #everything(): { kind: Kind; object: Stored }[] {
    const kinds = new Map(this.#registry.kinds().map((kind) => [kindKey(kind), kind]));
    return [...this.#store.all()].flatMap(({ key, object }) => {
      const kind = kinds.get(key);
      return kind ? [{ kind, object }] : [];
    });
  }

  #dependants(owner: Stored): { kind: Kind; object: Stored }[] {
    return this.#everything().filter((entry) =>
      entry.object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid),
    );
  }

  /** All of its owners are gone. */
  #isOrphan(object: Stored): boolean {
    const references = object.metadata.ownerReferences ?? [];
    if (references.length === 0) return false;
    return references.every((reference) => {
      const kind = this.#registry.byKind(reference.apiVersion, reference.kind);
      if (!kind) return false;
      const owner = this.#store.get(kind, kind.namespaced ? (object.metadata.namespace ?? '') : '', reference.name);
      return owner?.metadata.uid !== reference.uid;
    });
  }
}

/** Whether a sweep could find something to do; most changes (a status, a lease) leave nothing. */
function mayLeaveGarbage({ type, key, object, before, version }: Change): boolean {
  if (key === kindKey(EVENT_KIND)) return type === 'ADDED' && version % EVENTS_PER_SWEEP === 0;
  if (type === 'DELETED' || object.metadata.deletionTimestamp) return true;
  const owners = object.metadata.ownerReferences;
  return owners !== undefined && JSON.stringify(owners) !== JSON.stringify(before?.metadata.ownerReferences);
}

/** Seconds a Pod may take to end; 0 when nothing runs it or it has ended. */
function podGrace(pod: Stored, asked: number | undefined): number {
  const spec = pod['spec'] as { terminationGracePeriodSeconds?: number } | undefined;
  const phase = (pod['status'] as { phase?: string } | undefined)?.phase;
  if (phase === 'Failed' || phase === 'Succeeded') return 0;
  return asked ?? spec?.terminationGracePeriodSeconds ?? 30;
}

function background(kind: Kind, object: Stored): DeleteRequest {
  const { name, namespace = '' } = object.metadata;
  return {
    kind,
    name,
    namespace,
    uid: undefined,
    resourceVersion: undefined,
    gracePeriodSeconds: undefined,
    propagation: 'Background',
    dryRun: false,
  };
}

/** Whether a deletion in the foreground waits for what the owner owns here. */
function holds({ metadata }: Stored, owner: Stored): boolean {
  return (metadata.ownerReferences ?? []).some(
    (one) => one.uid === owner.metadata.uid && one.blockOwnerDeletion === true,
  );
}

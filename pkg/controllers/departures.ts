import type { KindName } from '../api/specs.ts';
import type { Clock } from '../base/clock.ts';
import type { Informer } from '../kube/informer.ts';
import { parseTime } from '../kube/time.ts';
import { keyOf, type OwnerReference } from '../kube/types.ts';
import { BY_PARENT, type CachedObject } from './cached-object.ts';
import { isOurs } from './references.ts';

/** Real ms from the first sight of a deletion until it is judged: what goes together with it shows itself meanwhile. */
export const SETTLE_MS = 2_000;
/** Deletions within so long of each other are counted together (real ms). */
const TOGETHER_MS = 60_000;
/** Deletions that are remembered at most; the oldest go first. */
const MAX_REMEMBERED = 20_000;
/** So many objects of a workspace, and more than half of it, are more than a person deletes one by one within a minute. */
const MANY = 3;
const SHARE = 0.5;
/** The API server's, on what is deleted with `--cascade=orphan`; the garbage collector takes it away within moments. */
const ORPHAN = 'orphan';

interface Departure {
  /** `<namespace>/<name>` of the workspace that it belongs to; empty: not known. */
  workspace: string;
  /** When a watch first showed it (real time, epoch ms). */
  at: number;
  orphan: boolean;
  /** Its parent's deletion asked for it, or a tool: somebody meant it. */
  meant: boolean;
}

interface Stores {
  workspaces: Informer<CachedObject>;
  campaigns: Informer<CachedObject>;
  workflows: Informer<CachedObject>;
}

/**
 * Deletions under way, as the watches show them: when each began, with what else, and whether what is below was to stay. A look
 * at an object may come too late for that. A standby remembers too.
 */
export class Departures {
  readonly #stores: Stores;
  readonly #clock: Clock;
  readonly #known = new Map<string, Departure>();
  /** Uids by workspace. */
  readonly #of = new Map<string, Set<string>>();
  /** Workspaces of campaigns that went: what was below them still belongs there. */
  readonly #workspaces = new Map<string, string>();
  /** Owners of our kinds by uid, also those that were taken away since: the garbage collector may have seen them. */
  readonly #owners = new Map<string, readonly OwnerReference[]>();

  constructor(stores: Stores, clock: Clock) {
    this.#stores = stores;
    this.#clock = clock;
    this.#follow('Workspace', stores.workspaces);
    this.#follow('Campaign', stores.campaigns);
    this.#follow('Workflow', stores.workflows);
  }

  /** Whether nothing more is to be learned about this deletion. */
  isSettled(uid: string): boolean {
    const departure = this.#known.get(uid);
    return departure === undefined || departure.meant || this.#clock.now() - departure.at >= SETTLE_MS;
  }

  /** Whether what is below it was to stay. */
  isOrphaning(uid: string): boolean {
    return this.#known.get(uid)?.orphan ?? false;
  }

  /** A tool deleted it, or its parent's deletion did. */
  isMeant(uid: string): boolean {
    return this.#known.get(uid)?.meant ?? false;
  }

  /** Its owners among our kinds, those that it had included. */
  ownersOf(uid: string): readonly OwnerReference[] {
    return this.#owners.get(uid) ?? [];
  }

  meant(uid: string): void {
    const departure = this.#known.get(uid);
    if (departure) departure.meant = true;
  }

  /** How many objects of the workspace of this one go at a time, and of how many, when that is more than a person means. */
  together(uid: string): { gone: number; of: number } | undefined {
    const workspace = this.#known.get(uid)?.workspace ?? '';
    if (workspace === '') return undefined;
    const since = this.#clock.now() - TOGETHER_MS;
    const going = [...(this.#of.get(workspace) ?? [])].filter((other) => {
      const departure = this.#known.get(other);
      return departure && !departure.meant && departure.at >= since;
    });
    if (going.length < MANY) return undefined;
    const all = new Set([...this.#uidsOf(workspace), ...going]);
    return going.length > all.size * SHARE ? { gone: going.length, of: all.size } : undefined;
  }

  #follow(kind: KindName, { store }: Informer<CachedObject>): void {
    const see = (object: CachedObject): void => {
      const { uid = '', ownerReferences = [] } = object.metadata;
      const owners = ownerReferences.filter(isOurs);
      if (owners.length > 0) remember(this.#owners, uid, owners);
      if (object.metadata.deletionTimestamp !== undefined) this.#see(kind, object);
    };
    store.addHandler({ onAdd: see, onUpdate: (_before, object) => see(object), onDelete: () => undefined });
  }

  #see(kind: KindName, object: CachedObject): void {
    const { uid = '', finalizers = [] } = object.metadata;
    const orphan = finalizers.includes(ORPHAN);
    const known = this.#known.get(uid);
    if (known) {
      known.orphan ||= orphan;
      return;
    }
    const parent = this.#parentOf(kind, object);
    const meant = parent !== undefined && isAskedBy(parent, object);
    const workspace = this.#workspaceOf(kind, object);
    if (kind === 'Campaign') remember(this.#workspaces, keyOf(object), workspace);
    this.#known.set(uid, { workspace, at: this.#clock.now(), orphan, meant });
    this.#of.set(workspace, (this.#of.get(workspace) ?? new Set()).add(uid));
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_REMEMBERED && oldest !== undefined) this.#forget(oldest);
  }

  #forget(uid: string): void {
    const workspace = this.#known.get(uid)?.workspace ?? '';
    const others = this.#of.get(workspace);
    others?.delete(uid);
    if (others?.size === 0) this.#of.delete(workspace);
    this.#known.delete(uid);
  }

  #parentOf(kind: KindName, { parent }: CachedObject): CachedObject | undefined {
    if (kind === 'Workspace') return undefined;
    return this.#stores[kind === 'Campaign' ? 'workspaces' : 'campaigns'].store.get(parent);
  }

  #workspaceOf(kind: KindName, object: CachedObject): string {
    if (kind === 'Workspace') return keyOf(object);
    if (kind === 'Campaign') return object.parent;
    const campaign = this.#stores.campaigns.store.get(object.parent);
    return campaign?.parent ?? this.#workspaces.get(object.parent) ?? '';
  }

  #uidsOf(workspace: string): string[] {
    const { workspaces, campaigns, workflows } = this.#stores;
    const below = campaigns.store.byIndex(BY_PARENT, workspace);
    const flows = below.flatMap((campaign) => workflows.store.byIndex(BY_PARENT, keyOf(campaign)));
    const own = workspaces.store.get(workspace);
    return [...(own ? [own] : []), ...below, ...flows].flatMap(({ metadata }) => metadata.uid ?? []);
  }
}

/** Keeps the newest. */
function remember<T>(all: Map<string, T>, key: string, value: T): void {
  all.delete(key);
  all.set(key, value);
  const [oldest] = all.keys();
  if (all.size > MAX_REMEMBERED && oldest !== undefined) all.delete(oldest);
}

/** Whether the deletion of the parent, once judged, asked for the one of this. */
function isAskedBy(parent: CachedObject, { metadata }: CachedObject): boolean {
  const before = parseTime(parent.metadata.deletionTimestamp);
  const at = parseTime(metadata.deletionTimestamp);
  return before !== undefined && at !== undefined && at - before >= SETTLE_MS;
}

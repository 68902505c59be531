import { FINALIZER } from '../api/kind.ts';
import type { KindName } from '../api/specs.ts';
import type { Informer } from '../kube/informer.ts';
import { keyOf } from '../kube/types.ts';
import type { CachedObject } from './cached-object.ts';

/** It went while it was held and nobody had asked for its deletion: its storage was emptied or replaced below the API server. */
function isLost({ metadata }: Pick<CachedObject, 'metadata'>): boolean {
  return metadata.deletionTimestamp === undefined && (metadata.finalizers ?? []).includes(FINALIZER);
}

/** Names that are remembered at most; the oldest go first. */
const MAX_NAMES = 10_000;

/**
 * Deletions that a watch told of, until their rows are looked at. What is missing in a list may be gone because the cluster was
 * restored; what a watch says was deleted was deleted, also when somebody took its finalizer away first. A standby remembers too.
 */
export class SeenDeletions {
  readonly #uids = new Map<string, Set<string>>();

  follow(kind: KindName, { store }: Informer<CachedObject>): void {
    store.addHandler({
      onAdd: () => undefined,
      onUpdate: () => undefined,
      onDelete: ({ metadata }, told) => {
        if (told && metadata.uid && !isLost({ metadata })) this.#note(`${kind}/${keyOf({ metadata })}`, metadata.uid);
      },
    });
  }

  /** Uids of objects of this name that were deleted. */
  of(kind: KindName, key: string): string[] {
    return [...(this.#uids.get(`${kind}/${key}`) ?? [])];
  }

  /** Their rows say so. */
  forget(kind: KindName, key: string, uids: readonly string[]): void {
    const known = this.#uids.get(`${kind}/${key}`);
    for (const uid of uids) known?.delete(uid);
    if (known?.size === 0) this.#uids.delete(`${kind}/${key}`);
  }

  names(): { kind: KindName; key: string }[] {
    return [...this.#uids.keys()].map((name) => {
      const slash = name.indexOf('/');
      return { kind: name.slice(0, slash) as KindName, key: name.slice(slash + 1) };
    });
  }

  #note(name: string, uid: string): void {
    const uids = this.#uids.get(name) ?? new Set();
    this.#uids.set(name, uids.add(uid));
    const [oldest] = this.#uids.keys();
    if (this.#uids.size > MAX_NAMES && oldest !== undefined) this.#uids.delete(oldest);
  }
}

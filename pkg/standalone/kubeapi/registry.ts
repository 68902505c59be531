import { BUILTIN_KINDS, CORE_EVENT_KIND, CRD_KIND } from './builtin-kinds.ts';
import { kindOfCrd } from './crd.ts';
import type { ObjectStore } from './object-store.ts';
import type { Kind } from './types.ts';

/** All kinds that are served now: built-in ones and those of the definitions. */
export class Registry {
  readonly #store: ObjectStore;
  #cached: { version: string; kinds: Kind[] } | undefined;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  kinds(): Kind[] {
    const definitions = this.#store.list(CRD_KIND, '');
    const version = definitions.map((crd) => `${crd.metadata.uid}/${crd.metadata.resourceVersion}`).join();
    if (this.#cached?.version !== version) {
      this.#cached = {
        version,
        kinds: [...BUILTIN_KINDS, ...definitions.map(kindOfCrd)],
      };
    }
    return this.#cached.kinds;
  }

  find(group: string, version: string, plural: string): Kind | undefined {
    return this.kinds().find((kind) => kind.group === group && kind.version === version && kind.plural === plural);
  }

  byKind(apiVersion: string, name: string): Kind | undefined {
    return this.kinds().find(
      (kind) => groupVersion(kind) === apiVersion && kind.kind === name && kind !== CORE_EVENT_KIND,
    );
  }
}

/** `group/version`, or `version` for the core group. */
export function groupVersion(kind: Pick<Kind, 'group' | 'version'>): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

import { expect } from 'chai';
import type { Clock } from '../../../pkg/base/clock.ts';
import { BY_PARENT, type CachedObject } from '../../../pkg/controllers/cached-object.ts';

import { Departures, SETTLE_MS } from '../../../pkg/controllers/departures.ts';
import type { Informer } from '../../../pkg/kube/informer.ts';
import { Store } from '../../../pkg/kube/store.ts';

const NOON = Date.UTC(2026, 0, 5, 12);

/** What a watch says of objects of the workspace `ns/acme`. */
class World {
  now = NOON;
  #version = 0;
  readonly #stores = new Map(['workspaces', 'campaigns', 'workflows'].map((name) => [name, storeOf()]));
  readonly departures: Departures;

  constructor() {
    const informer = (name: string): Informer<CachedObject> =>
      ({ store: this.#stores.get(name) }) as unknown as Informer<CachedObject>;
    const clock = { now: () => this.now } as Clock;
    const stores = {
      workspaces: informer('workspaces'),
      campaigns: informer('campaigns'),
      workflows: informer('workflows'),
    };
    this.departures = new Departures(stores, clock);
    this.show('workspaces', 'acme', '');
    this.show('campaigns', 'camp', 'ns/acme');
    for (let index = 0; index < 4; index++) this.show('workflows', `flow-${index}`, 'ns/camp');
  }

  /** @param going when its deletion was asked for (the API server's clock) */
  show(
    plural: string,
    name: string,
    parent: string,
    going?: number,
    finalizers = ['outrider.dev/rows'],
    owners: object[] = [],
  ): void {
    const deletion = going === undefined ? {} : { deletionTimestamp: new Date(going).toISOString() };
    const ownerReferences = owners.length > 0 ? { ownerReferences: owners } : {};
    const resourceVersion = `${++this.#version}`;
    const metadata = { name, namespace: 'ns', uid: name, resourceVersion, finalizers, ...ownerReferences, ...deletion };
    this.#stores.get(plural)?.upsert({ apiVersion: 'v', kind: 'k', metadata, parent } as CachedObject);
  }

  gone(plural: string, name: string): void {
    this.#stores.get(plural)?.remove(`ns/${name}`);
  }
}

function storeOf(): Store<CachedObject> {
  return new Store<CachedObject>({
    indexers: { [BY_PARENT]: ({ parent }) => [parent] },
    onHandlerError: (error) => {
      throw error;
    },
  });
}

describe('departures: deletions as the watches show them', () => {
  it('more than half of a workspace within a minute go together, also what is gone from the caches', () => {
    const world = new World();
    for (const index of [0, 1, 2]) world.show('workflows', `flow-${index}`, 'ns/camp', NOON);
    expect(world.departures.together('flow-0'), 'three of six').to.equal(undefined);
    world.gone('workflows', 'flow-0');
    world.show('campaigns', 'camp', 'ns/acme', NOON);
    expect(world.departures.together('flow-1')).to.deep.equal({ gone: 4, of: 6 });
    world.now += 61_000;
    expect(world.departures.together('flow-1'), 'a minute later').to.equal(undefined);
  });

  it('what a tool deleted, or the deletion of its parent, was meant and counts for nothing', () => {
    const world = new World();
    world.show('campaigns', 'camp', 'ns/acme', NOON);
    for (const index of [0, 1, 2, 3]) world.show('workflows', `flow-${index}`, 'ns/camp', NOON + SETTLE_MS);
    expect(world.departures.isMeant('flow-0')).to.equal(true);
    expect(world.departures.together('camp')).to.equal(undefined);
    const other = new World();
    for (const index of [0, 1, 2, 3]) other.show('workflows', `flow-${index}`, 'ns/camp', NOON);
    expect(other.departures.together('flow-0')).to.deep.equal({ gone: 4, of: 6 });
    for (const index of [1, 2, 3]) other.departures.meant(`flow-${index}`);
    expect(other.departures.together('flow-0')).to.equal(undefined);
  });

  it('a deletion is judged once what goes with it had time to show itself', () => {
    const world = new World();
    world.show('workflows', 'flow-0', 'ns/camp', NOON);
    expect(world.departures.isSettled('flow-0')).to.equal(false);
    world.now += SETTLE_MS;
    expect(world.departures.isSettled('flow-0')).to.equal(true);
  });

  it('that what is below was to stay is kept after its finalizer is gone', () => {
    const world = new World();
    world.show('workspaces', 'acme', '', NOON, ['outrider.dev/rows', 'orphan']);
    world.show('workspaces', 'acme', '', NOON);
    expect(world.departures.isOrphaning('acme')).to.equal(true);
  });

  it('a workflow belongs to the workspace of its campaign also after that is gone', () => {
    const world = new World();
    world.show('campaigns', 'camp', 'ns/acme', NOON);
    world.gone('campaigns', 'camp');
    for (const index of [0, 1]) world.show('workflows', `flow-${index}`, 'ns/camp', NOON);
    expect(world.departures.together('flow-0')).to.deep.equal({ gone: 3, of: 4 });
  });

  it('owners that the operator took away are known when the garbage collector deleted for them', () => {
    const world = new World();
    world.show('campaigns', 'camp', 'ns/acme', undefined, [], [{ apiVersion: 'outrider.dev/v1alpha1', uid: 'dead' }]);
    world.show('campaigns', 'camp', 'ns/acme', NOON);
    expect(world.departures.ownersOf('camp').map(({ uid }) => uid)).to.deep.equal(['dead']);
  });
});

import { expect } from 'chai';
import { FINALIZER } from '../../../pkg/api/kind.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import type { OperatorContext } from '../../../pkg/controllers/context.ts';
import { finalize } from '../../../pkg/controllers/deletion.ts';
import type { Conditioned } from '../../../pkg/controllers/object-conditions.ts';
import { findCondition } from '../../../pkg/kube/conditions.ts';
import { formatTime } from '../../../pkg/kube/time.ts';
import type { Condition } from '../../../pkg/kube/types.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

/** A Workspace whose deletion began just now, and what becomes of it. */
function fixture() {
  const real = new FakeClock();
  let object: Conditioned & { status?: { conditions?: Condition[] } } = {
    apiVersion: 'outrider.dev/v1alpha1',
    kind: 'Workspace',
    metadata: {
      name: 'acme',
      namespace: 'outrider',
      uid: 'u',
      resourceVersion: '1',
      generation: 2,
      finalizers: [FINALIZER],
      deletionTimestamp: formatTime(real.now()),
    },
  };
  const done: string[] = [];
  const client = {
    apply: (_resource: unknown, body: { status: object }) => {
      object = { ...object, status: body.status };
      return Promise.resolve(object);
    },
    mergePatch: () => Promise.resolve(done.push('gone')),
  };
  const clocks = { real, product: real };
  // Its rows are there.
  const db = { tx: (): Promise<boolean> => Promise.resolve(true) };
  const runtime = { log: createLogger('test', 'silent') };
  // Somebody meant it.
  const departures = { isMeant: () => true };
  const letGo = new Map<string, () => Promise<boolean>>();
  const context = {
    client,
    clocks,
    db,
    runtime,
    departures,
    letGo,
    homeNamespace: 'outrider',
  } as unknown as OperatorContext;
  const look = (left: string[]) =>
    finalize(context, object, {
      kind: 'Workspace',
      clear: () => Promise.resolve(left),
      tombstone: () => Promise.resolve(done.push('tombstoned') > 0),
    });
  const ready = (): Condition | undefined => findCondition(object.status?.conditions, 'Ready');
  return { real, look, ready, done, db, departures, letGo };
}

describe('deletion of an object', () => {
  it('waits for what is below it, and after some seconds says for what', async () => {
    const { real, look, ready, done } = fixture();
    const left = ['camp-1', 'camp-2', 'camp-3', 'camp-4', 'ex-1'];
    await look(left);
    expect(ready()).to.equal(undefined);
    await real.advance(10_000);
    await look(left);
    expect(ready()).to.include({ status: 'False', reason: 'DeletionBlocked', observedGeneration: 2 });
    expect(ready()?.message).to.match(/^It waits for camp-1, camp-2, camp-3 and 2 more to be gone/);
    expect(done).to.deep.equal([]);
  });

  it('goes when nothing is left, and without the others after two minutes', async () => {
    const nothing = fixture();
    await nothing.look([]);
    expect(nothing.done).to.deep.equal(['tombstoned', 'gone']);
    const stuck = fixture();
    await stuck.look(['camp-1']);
    await stuck.real.advance(120_000);
    await stuck.look(['camp-1']);
    expect(stuck.done).to.deep.equal(['tombstoned', 'gone']);
  });

  it('goes after ten minutes without a database that could judge it, and its rows rest once there is one', async () => {
    const { real, look, done, db, departures, letGo } = fixture();
    departures.isMeant = () => false;
    const down = (): Promise<never> => Promise.reject(new Error('the database is down'));
    db.tx = down;
    await real.advance(599_000);
    expect(await look([]).catch((error: Error) => error.message)).to.equal('the database is down');
    expect(done).to.deep.equal([]);
    await real.advance(1_000);
    await look([]);
    expect(done, 'nothing is ended unasked').to.deep.equal(['gone']);
    db.tx = () => Promise.resolve(true);
    expect(await letGo.get('Workspace/outrider/acme')?.()).to.equal(true);
  });
});

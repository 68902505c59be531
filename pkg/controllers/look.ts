import { FINALIZER } from '../api/kind.ts';
import { idOf } from '../api/object.ts';
import type { KindName } from '../api/specs.ts';
import { addFinalizer, hasFinalizer } from '../kube/finalizers.ts';
import { type KubeObject, keyOf } from '../kube/types.ts';
import { isShown, type LiveObject } from '../store/resources/projection.ts';
import { type OutriderObject, RESOURCES } from '../tools/resources/kinds.ts';
import type { CachedObject } from './cached-object.ts';
import type { OperatorContext } from './context.ts';
import { FIELD_MANAGER } from './names.ts';
import { isReady } from './object-conditions.ts';

/** One of our objects as the API server has it, spec and all. */
export type WholeObject = OutriderObject & { spec: unknown };

/**
 * The object of a reconcile. As the cache has it while its rows show it and its status says so: then its spec is of no
 * interest and nothing is asked of the API server. Else the whole of it, with our finalizer. Undefined: it is gone.
 * @param parent what it refers to; null for a kind without one
 */
export async function lookAt(
  context: OperatorContext,
  kind: KindName,
  seen: CachedObject,
  parent: CachedObject | null | undefined,
): Promise<CachedObject | WholeObject | undefined> {
  if (parent !== undefined && !parent?.metadata.deletionTimestamp && (await isInForce(context, kind, seen)))
    return seen;
  const { client } = context;
  const found = await client.find<OutriderObject>(RESOURCES[kind], seen.metadata);
  if (!found || found.metadata.uid !== seen.metadata.uid) return undefined;
  const whole = { ...found, spec: found.spec ?? {} };
  const held = await addFinalizer<WholeObject>(client, RESOURCES[kind], whole, FINALIZER, FIELD_MANAGER);
  // Gone or going meanwhile, and nobody waits for us: rows made now would outlive it.
  return held && hasFinalizer(held, FINALIZER) ? held : undefined;
}

/** Whether it was read whole: then it is to be projected. */
export function isWhole(object: CachedObject | WholeObject): object is WholeObject {
  return 'spec' in object;
}

/** What is known of the name of an object that was read just now. */
export function liveOf({ deletions }: OperatorContext, kind: KindName, object: KubeObject): LiveObject {
  return { deletedUids: deletions.of(kind, keyOf(object)) };
}

async function isInForce({ db, homeNamespace }: OperatorContext, kind: KindName, seen: CachedObject): Promise<boolean> {
  if (!isReady(seen) || !hasFinalizer(seen, FINALIZER)) return false;
  return db.tx({ kind: 'platform' }, (tx) => isShown(tx, kind, idOf(seen, homeNamespace), seen));
}

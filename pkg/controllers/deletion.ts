import { FINALIZER } from '../api/kind.ts';
import { idOf, objectId } from '../api/object.ts';
import type { KindName } from '../api/specs.ts';
import { messageOf, UserError } from '../base/errors.ts';
import { setConditions } from '../kube/conditions.ts';
import type { ReconcileResult } from '../kube/controller.ts';
import { hasFinalizer, removeFinalizer } from '../kube/finalizers.ts';
import { isConflict } from '../kube/kube-error.ts';
import { applyStatusIfChanged } from '../kube/status.ts';
import { parseTime } from '../kube/time.ts';
import { type Condition, keyOf, type Resource } from '../kube/types.ts';
import type { Tx } from '../postgres/database.ts';
import { tombstonePart } from '../store/erasure/tombstones.ts';
import { hasRow } from '../store/resources/projection.ts';
import { holdDeletion, holdLetGo, isDeletionHeld } from '../store/restore/held-deletions.ts';
import { type OutriderObject, RESOURCES } from '../tools/resources/kinds.ts';
import { projectObject } from '../tools/resources/project.ts';
import type { OperatorContext } from './context.ts';
import { FIELD_MANAGER, FORCE_DELETE } from './names.ts';
import type { Conditioned } from './object-conditions.ts';
import type { OwnCondition } from './readiness.ts';
import { type Judgement, judgeDeletion } from './unmeant-deletion.ts';

/** Children and pods may take this long to go (real ms); then the object goes without them. */
const PATIENCE_MS = 120_000;
const LOOK_AGAIN_MS = 1_000;
/** Without a database that says what it was, an object goes after so long (real ms), and its rows rest once there is one. */
const BOUND_MS = 600_000;
/** What can go on does, behind those who wait already. */
export const GO_ON_MS = 1;
/** Parts of a deletion that one look works off: some seconds, after which other objects have their turn. */
const PARTS_AT_ONCE = 5;
/** What takes longer than this is told. */
const TOLD_AFTER_MS = 5_000;
/** Names that are told at most. */
const MAX_NAMED = 3;
const LET_GO =
  'its resource was let go by force before its rows could be marked deleted; apply it again, then release it';

/** What a kind does when one of its objects is deleted. */
export interface Deletion {
  kind: KindName;
  /** Asks what belongs to the object to go. @returns what is still there, for people; empty when all is gone */
  clear(): Promise<string[]>;
  /** Tombstones a part of the rows, in a transaction of its own; idempotent. @returns whether nothing is left */
  tombstone(): Promise<boolean>;
}

/**
 * The bounded finalizer: children first, then the rows, then the object; of a deletion that nobody can have meant the object
 * alone. When either can't be done the condition Ready
 * says so and names the annotation that lets the object go anyway.
 */
export async function finalize(
  context: OperatorContext,
  object: Conditioned,
  deletion: Deletion,
): Promise<ReconcileResult | undefined> {
  if (!hasFinalizer(object, FINALIZER)) return undefined;
  const forced = object.metadata.annotations?.[FORCE_DELETE] === 'true';
  const since = parseTime(object.metadata.deletionTimestamp) ?? 0;
  const resource = RESOURCES[deletion.kind];
  const show = (what: string): Promise<void> => showBlocked(context, object, resource, what);
  const told = (what: string) => async (error: unknown) => {
    context.runtime.log.warn({ object: object.metadata.name, err: messageOf(error) }, 'a deletion is blocked');
    if (!isConflict(error)) await show(what);
    throw error;
  };
  const waited = context.clocks.real.now() - since;
  if (!forced) {
    const judged = await judgeDeletion(context, deletion.kind, object)
      .catch((error: unknown) => unjudged(context, object, deletion.kind, error, waited))
      .catch(told('Its rows cannot be looked at yet.'));
    if (judged.do === 'wait') return { requeueAfterMs: judged.ms };
    if (judged.do === 'hold') {
      await removeFinalizer(context.client, resource, object, FINALIZER, FIELD_MANAGER);
      return undefined;
    }
  }
  const left = forced ? [] : await deletion.clear().catch(told('What belongs to it cannot be ended yet.'));
  if (left.length > 0 && waited < PATIENCE_MS) {
    if (waited >= TOLD_AFTER_MS) await show(waitsFor(left));
    return { requeueAfterMs: LOOK_AGAIN_MS };
  }
  if (forced) await letGo(context, object, deletion);
  else if (!(await markDeleted(context, object, deletion).catch(told('Its rows cannot be marked deleted yet.')))) {
    if (waited >= TOLD_AFTER_MS) await show('Nobody in it is written to any more, and its runs are being ended.');
    return { requeueAfterMs: GO_ON_MS };
  }
  await removeFinalizer(context.client, resource, object, FINALIZER, FIELD_MANAGER);
  return undefined;
}

/**
 * Tombstones the rows. An object without any is shown once before: a tool that made it may be about to write them, and
 * would find nothing that says that it is gone. @returns whether nothing is left
 */
async function markDeleted(context: OperatorContext, object: Conditioned, deletion: Deletion): Promise<boolean> {
  const { client, db, clocks, runtime, homeNamespace, checker } = context;
  const { kind } = deletion;
  const { name, namespace, uid = '' } = object.metadata;
  const id = idOf(object, homeNamespace);
  if (!(await db.tx({ kind: 'platform' }, (tx) => hasRow(tx, kind, id, [uid])))) {
    const whole = await client.find<OutriderObject>(RESOURCES[kind], { name, namespace });
    const projection = { now: clocks.product.now(), homeNamespace, ids: runtime.ids, checker };
    if (whole?.metadata.uid === uid) {
      await db
        .tx({ kind: 'platform' }, async (tx) => {
          const shown = await projectObject(tx, kind, whole, projection);
          if (shown === 'projected') await tombstonePart(tx, kind, id, projection.now);
        })
        // What is refused has no rows, no matter who writes them.
        .catch((error: unknown) => {
          if (!(error instanceof UserError)) throw error;
        });
    }
  }
  return workOff(() => deletion.tombstone());
}

/** Parts of a deletion, as many as one look works off. @returns whether nothing is left */
async function workOff(part: () => Promise<boolean>): Promise<boolean> {
  for (let parts = 0; parts < PARTS_AT_ONCE; parts++) if (await part()) return true;
  return false;
}

/**
 * Live rows without an object look like those of a restored cluster, for which all sends freeze: what can't be marked
 * deleted is held back, and without a database that takes this either it is tried again once the object is gone.
 */
async function letGo(context: OperatorContext, object: Conditioned, { kind, tombstone }: Deletion): Promise<void> {
  const { db, clocks, homeNamespace, runtime } = context;
  const id = idOf(object, homeNamespace);
  const end = (): Promise<boolean> =>
    workOff(tombstone).catch(async (error: unknown) => {
      runtime.log.warn({ kind, id, err: messageOf(error) }, 'let go by force, its rows are held back');
      await db.tx({ kind: 'platform' }, (tx) => holdLetGo(tx, kind, id, clocks.product.now(), LET_GO));
      return true;
    });
  const done = await end().catch(() => false);
  if (!done) context.letGo.set(`${kind}/${keyOf(object)}`, end);
}

/** Nobody could judge the deletion: no namespace hangs for that, and nothing is ended unasked. @throws the error until its time is over */
function unjudged(
  { db, clocks, homeNamespace, letGo: later }: OperatorContext,
  object: Conditioned,
  kind: KindName,
  error: unknown,
  waitedMs: number,
): Judgement {
  if (waitedMs < BOUND_MS) throw error;
  const row = { kind, id: idOf(object, homeNamespace), uid: object.metadata.uid ?? '' };
  const why = 'the database did not answer while it was deleted';
  later.set(`${kind}/${keyOf(object)}`, async () => {
    await db.tx({ kind: 'platform' }, (tx) => holdDeletion(tx, row, why, clocks.product.now()));
    return true;
  });
  return { do: 'hold' };
}

/** Works on what is left of the rows of an object that is gone. */
export async function endGone(
  context: OperatorContext,
  kind: KindName,
  key: string,
): Promise<ReconcileResult | undefined> {
  const done = (await endLetGo(context, kind, key)) && (await endDeleted(context, kind, key));
  return done ? undefined : { requeueAfterMs: GO_ON_MS };
}

/** Ends what {@link letGo} could not, for an object that is gone. @returns whether nothing is left */
async function endLetGo({ letGo: left }: OperatorContext, kind: KindName, key: string): Promise<boolean> {
  const name = `${kind}/${key}`;
  const end = left.get(name);
  const done = end === undefined || (await end());
  if (done) left.delete(name);
  return done;
}

/** The same for an object whose deletion was seen: what held it may have been taken away. */
async function endDeleted(context: OperatorContext, kind: KindName, key: string): Promise<boolean> {
  const { db, clocks, homeNamespace, deletions } = context;
  const uids = deletions.of(kind, key);
  if (uids.length === 0) return true;
  const [namespace = '', name = ''] = key.split('/');
  const id = objectId(namespace, name, homeNamespace);
  const done = await workOff(() =>
    db.tx(
      { kind: 'platform' },
      async (tx) => !(await isToEnd(tx, kind, id, uids)) || (await tombstonePart(tx, kind, id, clocks.product.now())),
    ),
  );
  if (done) deletions.forget(kind, key, uids);
  return done;
}

/** Whether the row is that of one of these deleted objects, and its deletion is not held. */
async function isToEnd(tx: Tx, kind: KindName, id: string, uids: readonly string[]): Promise<boolean> {
  if (!(await hasRow(tx, kind, id, uids))) return false;
  for (const uid of uids) if (await isDeletionHeld(tx, { kind, id, uid })) return false;
  return true;
}

/** Whether this object, which others are below, is being deleted: what goes now goes with it. */
export function isGoing(parent: { metadata: { deletionTimestamp?: string } } | undefined): boolean {
  return parent?.metadata.deletionTimestamp !== undefined;
}

function waitsFor(left: readonly string[]): string {
  const named = left.slice(0, MAX_NAMED).join(', ');
  const more = left.length > MAX_NAMED ? ` and ${left.length - MAX_NAMED} more` : '';
  return `It waits for ${named}${more} to be gone, two minutes at most.`;
}

async function showBlocked(
  { client, clocks }: OperatorContext,
  object: Conditioned,
  resource: Resource,
  what: string,
): Promise<void> {
  const status = (object.status ?? {}) as { conditions?: Condition[] };
  const message = `${what} The annotation ${FORCE_DELETE}="true" lets it go anyway.`;
  const observedGeneration = object.metadata.generation ?? 0;
  const ready: OwnCondition = {
    type: 'Ready',
    status: 'False',
    reason: 'DeletionBlocked',
    message,
    observedGeneration,
  };
  const conditions = setConditions(status.conditions ?? [], [ready], clocks.real.now());
  await applyStatusIfChanged({
    client,
    resource,
    object,
    status: { ...status, observedGeneration, conditions },
    fieldManager: FIELD_MANAGER,
  });
}

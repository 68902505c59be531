import { FINALIZER } from '../../api/kind.ts';
import { objectRef, parseSpec } from '../../api/object.ts';
import type { KindName, WorkflowSpec } from '../../api/specs.ts';
import { UserError } from '../../base/errors.ts';
import { keepNodeIds } from '../../domain/node-history.ts';
import { addFinalizer } from '../../kube/finalizers.ts';
import { fieldConflicts, isConflict } from '../../kube/kube-error.ts';
import type { Tx } from '../../postgres/database.ts';
import { againAfterDeadlock } from '../../postgres/deadlock.ts';
import { requireTakenUp } from '../../store/resources/projection.ts';
import { lostMessage, nodeHistory } from '../../store/resources/workflow-graph.ts';
import { notFound, type RecordType } from '../errors.ts';
import { scopeOf } from './create-object.ts';
import { applied, type OutriderObject, RESOURCES, SPEC_SCHEMAS } from './kinds.ts';
import { fieldsToApply, foreignRemovals, managerOf, ownedSpec, same } from './owned-fields.ts';
import { projectObject, writtenOf } from './project.ts';
import type { Specs, Written } from './resources.ts';
import { withNames } from './spec-names.ts';
import { isUnclaimed } from './unclaimed-fields.ts';
import { WRITE_TIMEOUT_MS, type WriteContext } from './write-context.ts';
import { managedElsewhere, writeError } from './write-errors.ts';

interface UpdateRequest<K extends KindName, T extends object> {
  kind: K;
  workspaceId: string;
  id: string;
  check?: (tx: Tx) => Promise<void>;
  change: (spec: Specs[K]) => Specs[K];
  finish: (tx: Tx, written: Written) => Promise<T>;
}

/** Status writes of the controllers move the resourceVersion too, so losing the race a few times is ordinary. */
const TRIES = 6;

const RECORDS: Readonly<Record<KindName, RecordType>> = {
  Workspace: 'adminWorkspace',
  Campaign: 'campaign',
  Workflow: 'workflow',
};

/** Reads, changes, applies at the version that was read; then projection and answer in one transaction. */
export async function updateObject<K extends KindName, T extends object>(
  context: WriteContext,
  request: UpdateRequest<K, T>,
): Promise<T> {
  const { db, ids, clocks, homeNamespace, checker, onGap } = context;
  const object = await applyChange(context, request);
  await onGap('applied');
  const result = await againAfterDeadlock(() =>
    db.tx(scopeOf(request.kind, request.workspaceId), async (tx) => {
      await projectObject(tx, request.kind, object, { now: clocks.product.now(), homeNamespace, ids, checker });
      return request.finish(tx, writtenOf(object, homeNamespace));
    }),
  );
  await onGap('projected');
  return result;
}

async function applyChange<K extends KindName, T extends object>(
  context: WriteContext,
  request: UpdateRequest<K, T>,
): Promise<OutriderObject> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryChange(context, request);
    } catch (error) {
      const raced = isConflict(error) && fieldConflicts(error).length === 0;
      if (!raced || attempt >= TRIES) throw writeError(error);
    }
  }
}

async function tryChange<K extends KindName, T extends object>(
  context: WriteContext,
  request: UpdateRequest<K, T>,
): Promise<OutriderObject> {
  const { client, fieldManager, homeNamespace } = context;
  const { kind, id } = request;
  const ref = objectRef(id, homeNamespace);
  const found = await client.find<OutriderObject>(RESOURCES[kind], ref, { timeoutMs: WRITE_TIMEOUT_MS });
  if (found) await context.db.tx(scopeOf(kind, request.workspaceId), (tx) => requireTakenUp(tx, kind, id, found));
  // Its rows may be written here before the operator has seen it: then its deletion must be told as well.
  const live = found && (await addFinalizer(client, RESOURCES[kind], found, FINALIZER, fieldManager));
  if (!live || live.metadata.deletionTimestamp) throw notFound(RECORDS[kind], id);
  if (request.check) await checkAsRead(context, request, live);
  const current = parseSpec<Specs[K]>(SPEC_SCHEMAS[kind] as never, live);
  const wanted = withNames(kind, request.change(current));
  const next = kind === 'Workflow' ? ((await keepIdentity(context, request, current, wanted)) as Specs[K]) : wanted;
  if (same(current, next)) return live;
  const owned = ownedSpec(live.metadata.managedFields, fieldManager);
  const spec = fieldsToApply({ ...current }, { ...next }, owned);
  const foreign = foreignRemovals({ ...current }, { ...next }, owned).flatMap((field) => {
    const manager = managerOf(live.metadata.managedFields, field);
    return manager ? [{ manager, field }] : [];
  });
  if (foreign.length > 0) throw managedElsewhere(foreign, { kind, ...ref });
  const metadata = { ...ref, uid: live.metadata.uid, resourceVersion: live.metadata.resourceVersion };
  return applyUnclaimed(context, { kind, id }, live, applied(kind, metadata as typeof ref, spec));
}

/**
 * Applies without force; what a conflict names and nobody asked for is taken over. The version that was read is still the one that
 * is written: what another manager wrote meanwhile is never taken.
 */
async function applyUnclaimed(
  { client, fieldManager, homeNamespace }: WriteContext,
  { kind, id }: { kind: KindName; id: string },
  live: OutriderObject,
  object: OutriderObject,
): Promise<OutriderObject> {
  const options = { fieldManager, timeoutMs: WRITE_TIMEOUT_MS };
  try {
    return await client.apply(RESOURCES[kind], object, { ...options, force: false });
  } catch (error) {
    const conflicts = fieldConflicts(error);
    const claimed = conflicts.filter(({ field }) => !isUnclaimed(kind, live, field, fieldManager));
    if (claimed.length > 0) throw managedElsewhere(claimed, { kind, ...objectRef(id, homeNamespace) });
    if (conflicts.length === 0) throw error;
    return client.apply(RESOURCES[kind], object, { ...options, force: true });
  }
}

/** The rows are first brought to the version that was read: somebody's write may not have reached them yet. */
async function checkAsRead<K extends KindName, T extends object>(
  { db, ids, clocks, homeNamespace, checker }: WriteContext,
  { kind, workspaceId, check }: UpdateRequest<K, T>,
  live: OutriderObject,
): Promise<void> {
  await againAfterDeadlock(() =>
    db.tx(scopeOf(kind, workspaceId), async (tx) => {
      await projectObject(tx, kind, live, { now: clocks.product.now(), homeNamespace, ids, checker });
      await check?.(tx);
    }),
  );
}

/** A replaced graph keeps the ids of its nodes; one that would lose a node with sends is refused before anything is written. */
async function keepIdentity<K extends KindName, T extends object>(
  context: WriteContext,
  request: UpdateRequest<K, T>,
  current: Specs[K],
  wanted: Specs[K],
): Promise<WorkflowSpec> {
  const before = current as WorkflowSpec;
  const next = wanted as WorkflowSpec;
  if (same(before.graph, next.graph)) return next;
  const history = await context.db.tx(scopeOf(request.kind, request.workspaceId), (tx) => nodeHistory(tx, request.id));
  const { nodes, lost } = keepNodeIds(next.graph.nodes, history);
  if (lost.length > 0) {
    throw new UserError(`Workflow not changed: ${lostMessage(lost)}. Call svc_get_workflow.`, 'NodeIdentityLost');
  }
  return { ...next, graph: { ...next.graph, nodes } };
}

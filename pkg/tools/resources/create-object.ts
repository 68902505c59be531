import { withoutDefaults } from '../../api/defaults.ts';
import { objectRef } from '../../api/object.ts';
import type { KindName, WorkflowSpec } from '../../api/specs.ts';
import { keepNodeIds } from '../../domain/node-history.ts';
import type { Scope, Tx } from '../../postgres/database.ts';
import { againAfterDeadlock } from '../../postgres/deadlock.ts';
import type { IntentKey } from '../idempotency/intent-key.ts';
import { closeIntent, dropIntent, type Intent, lockIntent, openIntent, renewIntent } from '../idempotency/intents.ts';
import { applied, type OutriderObject, RESOURCES } from './kinds.ts';
import { projectObject, writtenOf } from './project.ts';
import type { Specs, Written } from './resources.ts';
import { withNames } from './spec-names.ts';
import { WRITE_TIMEOUT_MS, type WriteContext } from './write-context.ts';
import { isRefusal, writeError } from './write-errors.ts';

interface CreateRequest<K extends KindName, T extends object> {
  kind: K;
  workspaceId: string;
  prefix: string;
  spec: Specs[K];
  intent: IntentKey;
  finish: (tx: Tx, written: Written) => Promise<T>;
}

/** Intent, object, then projection and answer in one transaction; each step may be the first that a retry does. */
export async function createObject<K extends KindName, T extends object>(
  context: WriteContext,
  request: CreateRequest<K, T>,
): Promise<T> {
  const { db, ids, clocks, homeNamespace, checker, onGap } = context;
  const { intent: key } = request;
  const scope = scopeOf(request.kind, request.workspaceId);
  const intent = await beginOrResume(context, request);
  if (intent.result) return intent.result as T;
  await onGap('intent');
  const object = await applyOnce(context, request, intent);
  await onGap('applied');
  const result = await againAfterDeadlock(() =>
    db.tx(scope, async (tx) => {
      const finished = await lockIntent(tx, key, intent);
      if (finished) return finished as T;
      await projectObject(tx, request.kind, object, { now: clocks.product.now(), homeNamespace, ids, checker });
      const answer = await request.finish(tx, writtenOf(object, homeNamespace));
      await closeIntent(tx, key, answer);
      return answer;
    }),
  );
  await onGap('projected');
  return result;
}

/** The intent of this call, or that of an earlier try; where its object was deleted since, the call begins anew. */
async function beginOrResume<K extends KindName, T extends object>(
  context: WriteContext,
  request: CreateRequest<K, T>,
): Promise<Intent> {
  const { db, ids } = context;
  const { intent: key, prefix } = request;
  const scope = scopeOf(request.kind, request.workspaceId);
  const intent = await db.tx(scope, (tx) => openIntent(tx, key, ids.name(prefix)));
  if (!intent.resumed || !(await isGone(context, request, intent))) return intent;
  return db.tx(scope, (tx) => renewIntent(tx, key, intent, ids.name(prefix)));
}

/** Whether the object of an earlier try was there and is deleted. Under a key of the caller's own its answer is given nevertheless. */
async function isGone<K extends KindName, T extends object>(
  context: WriteContext,
  request: CreateRequest<K, T>,
  intent: Intent,
): Promise<boolean> {
  if (intent.result && !request.intent.call.natural) return false;
  try {
    const object = await findObject(context, request, intent);
    // One that was never applied is about to be.
    return object ? object.metadata.deletionTimestamp !== undefined : intent.result !== null;
  } catch (error) {
    throw writeError(error);
  }
}

/** A workspace is made by the platform; the other kinds inside one. */
export function scopeOf(kind: KindName, workspaceId: string): Scope {
  return kind === 'Workspace' ? { kind: 'platform' } : { kind: 'workspaces', ids: [workspaceId] };
}

/** An earlier try may have made the object, and others may have changed it since: then it is taken as it is. */
async function applyOnce<K extends KindName, T extends object>(
  context: WriteContext,
  request: CreateRequest<K, T>,
  intent: Intent,
): Promise<OutriderObject> {
  const { client, fieldManager, db } = context;
  const ref = refOf(context, request, intent);
  const spec = withNodeIds(request.kind, withNames(request.kind, request.spec));
  try {
    const existing = intent.resumed ? await findObject(context, request, intent) : undefined;
    if (existing) return existing;
    // What nobody asked for is left to the definition: a manifest may say it later without a conflict.
    const object = applied(request.kind, ref, withoutDefaults(request.kind, spec));
    return await client.apply(RESOURCES[request.kind], object, {
      fieldManager,
      force: false,
      timeoutMs: WRITE_TIMEOUT_MS,
    });
  } catch (error) {
    const scope = scopeOf(request.kind, request.workspaceId);
    if (isRefusal(error)) await db.tx(scope, (tx) => dropIntent(tx, request.intent));
    throw writeError(error);
  }
}

function findObject<K extends KindName, T extends object>(
  context: WriteContext,
  request: CreateRequest<K, T>,
  intent: Intent,
): Promise<OutriderObject | undefined> {
  const ref = refOf(context, request, intent);
  return context.client.find<OutriderObject>(RESOURCES[request.kind], ref, { timeoutMs: WRITE_TIMEOUT_MS });
}

function refOf<K extends KindName, T extends object>(
  { homeNamespace }: WriteContext,
  { workspaceId }: CreateRequest<K, T>,
  { objectName: name }: Intent,
): { namespace: string; name: string } {
  return { namespace: workspaceId ? objectRef(workspaceId, homeNamespace).namespace : homeNamespace, name };
}

/** Nodes carry their id in the resource from the start, so that reading a graph and writing it back keeps them. */
function withNodeIds<K extends KindName>(kind: K, spec: Specs[K]): Specs[K] {
  if (kind !== 'Workflow') return spec;
  const workflow = spec as WorkflowSpec;
  const { nodes } = keepNodeIds(workflow.graph.nodes, { previous: null, used: new Set(), sent: new Set() });
  return { ...workflow, graph: { ...workflow.graph, nodes } } as Specs[K];
}

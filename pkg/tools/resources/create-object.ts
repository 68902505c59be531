import { objectRef } from '../../api/object.ts';
import type { KindName, WorkflowSpec } from '../../api/specs.ts';
import { keepNodeIds } from '../../domain/node-history.ts';
import type { Scope, Tx } from '../../postgres/database.ts';
import { againAfterDeadlock } from '../../postgres/deadlock.ts';
import { closeIntent, dropIntent, type Intent, type IntentKey, lockIntent, openIntent } from './intents.ts';
import { applied, type OutriderObject, RESOURCES } from './kinds.ts';
import { projectObject, writtenOf } from './project.ts';
import type { Specs, Written } from './resources.ts';
import { withNames } from './spec-names.ts';
import { WRITE_TIMEOUT_MS, type WriteContext } from './write-context.ts';
import { isRefusal, writeError } from './write-errors.ts';

interface CreateRequest<K extends KindName, T extends object> {
  kind: K;
  tool: string;
  workspaceId: string;
  prefix: string;
  spec: Specs[K];
  intentKey: string | undefined;
  keepSeconds?: number | undefined;
  finish: (tx: Tx, written: Written) => Promise<T>;
}

/** Intent, object, then projection and answer in one transaction; each step may be the first that a retry does. */
export async function createObject<K extends KindName, T extends object>(
  context: WriteContext,
  request: CreateRequest<K, T>,
): Promise<T> {
  const { db, ids, clocks, homeNamespace, checker, onGap } = context;
  const scope = scopeOf(request.kind, request.workspaceId);
  const key: IntentKey = {
    workspaceId: request.workspaceId,
    tool: request.tool,
    key: request.intentKey ?? ids.uuid(),
    keepSeconds: request.keepSeconds,
  };
  const input = { kind: request.kind, spec: request.spec };
  const intent = await db.tx(scope, (tx) => openIntent(tx, key, ids.name(request.prefix), input));
  if (intent.result) return intent.result as T;
  await onGap('intent');
  const object = await applyOnce(context, request, intent, key);
  await onGap('applied');
  const result = await againAfterDeadlock(() =>
    db.tx(scope, async (tx) => {
      const finished = await lockIntent(tx, key);
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

/** A workspace is made by the platform; the other kinds inside one. */
export function scopeOf(kind: KindName, workspaceId: string): Scope {
  return kind === 'Workspace' ? { kind: 'platform' } : { kind: 'workspaces', ids: [workspaceId] };
}

/** An earlier try may have made the object, and others may have changed it since: then it is taken as it is. */
async function applyOnce<K extends KindName, T extends object>(
  context: WriteContext,
  request: CreateRequest<K, T>,
  intent: Intent,
  key: IntentKey,
): Promise<OutriderObject> {
  const { client, fieldManager, homeNamespace, db } = context;
  const resource = RESOURCES[request.kind];
  const namespace = request.workspaceId ? objectRef(request.workspaceId, homeNamespace).namespace : homeNamespace;
  const ref = { namespace, name: intent.objectName };
  const spec = withNodeIds(request.kind, withNames(request.kind, request.spec));
  try {
    const existing = intent.resumed
      ? await client.find<OutriderObject>(resource, ref, { timeoutMs: WRITE_TIMEOUT_MS })
      : undefined;
    if (existing) return existing;
    const object = applied(request.kind, ref, spec);
    return await client.apply(resource, object, { fieldManager, force: false, timeoutMs: WRITE_TIMEOUT_MS });
  } catch (error) {
    if (isRefusal(error)) await db.tx(scopeOf(request.kind, request.workspaceId), (tx) => dropIntent(tx, key));
    throw writeError(error);
  }
}

/** Nodes carry their id in the resource from the start, so that reading a graph and writing it back keeps them. */
function withNodeIds<K extends KindName>(kind: K, spec: Specs[K]): Specs[K] {
  if (kind !== 'Workflow') return spec;
  const workflow = spec as WorkflowSpec;
  const { nodes } = keepNodeIds(workflow.graph.nodes, { previous: null, used: new Set(), sent: new Set() });
  return { ...workflow, graph: { ...workflow.graph, nodes } } as Specs[K];
}

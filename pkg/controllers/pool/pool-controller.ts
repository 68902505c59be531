import { objectRef } from '../../api/object.ts';
import { Controller, type ReconcileResult } from '../../kube/controller.ts';
import { isAlreadyExists, isConflict, isQuotaExceeded } from '../../kube/kube-error.ts';
import { anythingChanged } from '../../kube/predicates.ts';
import { PODS } from '../../kube/resources.ts';
import { parseTime } from '../../kube/time.ts';
import { keyOf } from '../../kube/types.ts';
import { servingPods } from '../../store/leases/seats.ts';
import type { OperatorContext } from '../context.ts';
import { FIELD_MANAGER, LABELS, TEMPLATE_ANNOTATION } from '../names.ts';
import { executorPod, type Pod } from '../workspace/pod.ts';
import { isSurplus, poolPods, serves } from './members.ts';
import { type PoolAction, type PoolPodFact, planPool } from './pool-plan.ts';
import type { Seating } from './seating.ts';

/** The only key of this controller. */
export const POOL_KEY = 'pool';
/** Looked at again this often (real ms): that a member hangs is told by its claims alone. */
const AGAIN_MS = 2_000;
/** Where there is no pool and none is left. */
const NO_POOL_MS = 60_000;

/**
 * The controller of the pods that serve many workspaces: as many as the platform asks for, and who is seated where.
 * @param moved called with the key of each workspace that got another member
 */
export function poolController(context: OperatorContext, seating: Seating, moved: (key: string) => void): Controller {
  const controller = new Controller({
    name: 'pool',
    runtime: context.runtime,
    workers: 1,
    reconcile: () => reconcilePool(context, seating, moved),
  });
  return controller.watch(context.pods, {
    predicate: anythingChanged,
    map: (pod) => (pod.metadata.labels?.[LABELS.role] === 'pool' ? [POOL_KEY] : []),
  });
}

async function reconcilePool(
  context: OperatorContext,
  seating: Seating,
  moved: (key: string) => void,
): Promise<ReconcileResult> {
  const pods = poolPods(context);
  const { wanted } = seating.members;
  if (pods.length === 0 && wanted.length === 0) return { requeueAfterMs: NO_POOL_MS };
  for (const id of await seating.balance()) moved(keyOf({ metadata: objectRef(id, context.homeNamespace) }));
  const serving = await servingNow(context, pods);
  const now = context.clocks.real.now();
  const facts = pods.map((pod) => factOf(context, pod, serving.has(pod.metadata.name), now));
  for (const action of planPool(wanted, facts)) await act(context, pods, action);
  return { requeueAfterMs: AGAIN_MS };
}

/** Names of the Pods at which somebody is seated, or that hold a claim. */
async function servingNow({ db }: OperatorContext, pods: readonly Pod[]): Promise<Set<string>> {
  const uids = new Map(pods.map(({ metadata }) => [metadata.name, metadata.uid ?? '']));
  return new Set(await db.tx({ kind: 'platform' }, (tx) => servingPods(tx, uids)));
}

function templateOf(context: OperatorContext, name: string): Pod {
  return executorPod(name, context.homeNamespace, { role: 'pool' }, context.executor);
}

function factOf(context: OperatorContext, pod: Pod, isServing: boolean, now: number): PoolPodFact {
  const { metadata, status } = pod;
  const template = templateOf(context, metadata.name);
  const deletedAt = parseTime(metadata.deletionTimestamp);
  return {
    name: metadata.name,
    surplus: isSurplus(pod, context.executor.pool?.replicas ?? 0),
    serves: isServing,
    ended: status?.phase === 'Failed' || status?.phase === 'Succeeded',
    outdated: metadata.annotations?.[TEMPLATE_ANNOTATION] !== template.metadata.annotations?.[TEMPLATE_ANNOTATION],
    ready: serves(pod),
    deletingOverdueMs: deletedAt === undefined ? null : now - deletedAt,
  };
}

async function act(context: OperatorContext, pods: readonly Pod[], action: PoolAction): Promise<void> {
  if (action.do === 'create') return create(context, action.name);
  const { name, namespace, uid } = pods.find((pod) => pod.metadata.name === action.name)?.metadata ?? {};
  if (name === undefined) return;
  context.runtime.log.info({ pod: name, why: action.why }, 'a pod of the pool goes');
  const force = action.force ? { gracePeriodSeconds: 0 } : {};
  await context.client.delete(PODS, { name, namespace }, { uid, ...force }).catch((error: unknown) => {
    if (!isConflict(error)) throw error;
  });
}

async function create(context: OperatorContext, name: string): Promise<void> {
  try {
    await context.client.create(PODS, templateOf(context, name), { fieldManager: FIELD_MANAGER });
  } catch (error) {
    if (isAlreadyExists(error)) return;
    // The others of the pool go on; it is asked for again.
    if (!isQuotaExceeded(error)) throw error;
    context.runtime.log.warn({ pod: name }, 'the quota of the namespace is used up; a pod of the pool waits for room');
  }
}

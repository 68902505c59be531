import type { ConditionReason } from '../../api/condition-words.ts';
import { isAlreadyExists, isConflict, isQuotaExceeded, KubeError } from '../../kube/kube-error.ts';
import { PODS } from '../../kube/resources.ts';
import { claimSleep, requestDrain } from '../../store/leases/drain.ts';
import type { OperatorContext } from '../context.ts';
import { FIELD_MANAGER, LABELS } from '../names.ts';
import type { Seating } from '../pool/seating.ts';
import type { StartGate } from '../wake/start-gate.ts';
import type { ExecutorAction } from './executor-plan.ts';
import type { Pod } from './pod.ts';

/** Work due this soon (product ms) is due now: a pod takes a moment to start. */
export const LEAD_MS = 5_000;

const MAX_MESSAGE = 300;

export interface ExecutorTarget {
  /** Opaque workspace id. */
  id: string;
  /** Key in the queue. */
  key: string;
  pod: Pod | undefined;
  /** The Pod that would be made. */
  template: Pod;
  idleTimeoutMs: number;
}

interface Refused {
  reason: ConditionReason;
  message: string;
}

/** Executes what the plan decided about the Pod. @throws Waiting when a start must wait its turn */
export async function actOnExecutor(
  context: OperatorContext,
  { gate, seating }: { gate: StartGate; seating: Seating },
  target: ExecutorTarget,
  action: ExecutorAction,
): Promise<void> {
  switch (action.do) {
    case 'nothing':
      return;
    case 'create':
      return create(context, gate, target);
    case 'drain':
      await drain(context, target.id, action.epoch);
      return remove(context, target.pod, false);
    case 'sleep':
      return sleep(context, target, action.epoch);
    case 'remove':
      return remove(context, target.pod, action.force);
    case 'seat':
      return takeSeat(gate, seating, target.id);
    case 'unseat':
      return seating.unseat(target.id, action.epoch);
    case 'rest':
      return rest(context, seating, target, action.epoch);
  }
}

async function create(context: OperatorContext, gate: StartGate, target: ExecutorTarget): Promise<void> {
  const { name } = target.template.metadata;
  gate.admit(name);
  await gate.hold(target.id);
  try {
    await context.client.create(PODS, target.template, { fieldManager: FIELD_MANAGER });
    context.metrics.executorStarts.inc();
  } catch (error) {
    gate.notMade(target.id, name);
    const taken = isAlreadyExists(error);
    const refusal = taken ? await inTheWay(context, target.template) : refusalOf(error);
    if (taken && !refusal) return;
    if (!refusal) throw error;
    throw gate.refuse(target.key, refusal);
  }
}

/** Product time stands still until its member has claimed it, as for a pod that starts. */
async function takeSeat(gate: StartGate, seating: Seating, id: string): Promise<void> {
  await gate.hold(id);
  await seating.seat(id);
}

async function rest(
  context: OperatorContext,
  seating: Seating,
  { id, idleTimeoutMs }: ExecutorTarget,
  epoch: number,
): Promise<void> {
  const dueBefore = context.clocks.product.now() + LEAD_MS;
  if (await seating.rest(id, { epoch, idleMs: idleTimeoutMs, dueBefore })) context.metrics.executorSleeps.inc();
}

/** A pod of this name that is not the workspace's own. Null: it is, and the cache has not seen it yet. */
async function inTheWay({ client }: OperatorContext, { metadata }: Pod): Promise<Refused | null> {
  const there = await client.find<Pod>(PODS, metadata);
  if (!there || there.metadata.labels?.[LABELS.workspaceUid] === metadata.labels?.[LABELS.workspaceUid]) return null;
  return { reason: 'PodRefused', message: `A pod named "${metadata.name}" that is not its executor is in the way.` };
}

/** What the cluster has against the pod: a quota, a limit range, a policy, a value. Null: another fault. */
function refusalOf(error: unknown): Refused | null {
  if (isQuotaExceeded(error)) {
    return { reason: 'QuotaExceeded', message: 'The quota of the namespace is used up; the executor waits for room.' };
  }
  if (!(error instanceof KubeError) || (error.status !== 403 && error.status !== 422)) return null;
  return { reason: 'PodRefused', message: `The cluster refuses the pod: ${error.message.slice(0, MAX_MESSAGE)}` };
}

async function drain(context: OperatorContext, id: string, epoch: number | null): Promise<void> {
  if (epoch === null) return;
  await context.db.tx({ kind: 'platform' }, (tx) => requestDrain(tx, id, epoch));
}

async function sleep(context: OperatorContext, target: ExecutorTarget, epoch: number): Promise<void> {
  const { id, idleTimeoutMs, pod } = target;
  const dueBefore = context.clocks.product.now() + LEAD_MS;
  const taken = await context.db.tx({ kind: 'platform' }, (tx) =>
    claimSleep(tx, id, { epoch, idleMs: idleTimeoutMs, dueBefore }),
  );
  if (!taken) return;
  context.metrics.executorSleeps.inc();
  await remove(context, pod, false);
}

/** Deletes exactly this Pod, not one that was made under its name meanwhile. */
async function remove(context: OperatorContext, pod: Pod | undefined, force: boolean): Promise<void> {
  if (!pod) return;
  const { name, namespace, uid } = pod.metadata;
  try {
    await context.client.delete(PODS, { name, namespace }, { uid, ...(force ? { gracePeriodSeconds: 0 } : {}) });
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
}

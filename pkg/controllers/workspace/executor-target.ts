import type { ModeInForce } from '../../domain/executor-mode.ts';
import { ownerReference } from '../../kube/owner-reference.ts';
import { parseTime } from '../../kube/time.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { OperatorContext } from '../context.ts';
import { durationMs } from '../duration.ts';
import { executorPodName, LABELS, TEMPLATE_ANNOTATION } from '../names.ts';
import { modeOf } from '../pool/mode-of.ts';
import type { Seating } from '../pool/seating.ts';
import type { HoldFact } from '../readiness.ts';
import type { StartGate } from '../wake/start-gate.ts';
import { type ExecutorTarget, LEAD_MS } from './executor-actions.ts';
import { type ExecutorPlan, type PodFact, planExecutor } from './executor-plan.ts';
import type { WorkspaceFacts } from './facts.ts';
import type { Observed } from './observe.ts';
import { executorPod, type Pod, type PodRole } from './pod.ts';
import { podProblem } from './pod-problem.ts';
import type { Restarts } from './restarts.ts';
import type { Rollout } from './rollout.ts';
import { planPooled, type SeatFact } from './seat-plan.ts';

/** A plan, and what executing it needs. */
export interface Planned {
  plan: ExecutorPlan;
  target: ExecutorTarget;
  /** At work with the current template, or not needed: once the status says so, others may be replaced. */
  settled: boolean;
  mode: ModeInForce;
}

/** While workspaces wait for a place, an executor that is idle for so long gives its own up (real ms). */
const CROWDED_IDLE_MS = 2_000;

/** What all plans share. */
export interface PlanShared {
  gate: StartGate;
  seating: Seating;
  rollout: Rollout;
  restarts: Restarts;
}

/** What becomes of the executor of an observed Workspace. */
export function planFor(
  context: OperatorContext,
  { gate, rollout, seating }: Pick<PlanShared, 'gate' | 'rollout' | 'seating'>,
  key: string,
  object: KubeObject,
  observed: Observed,
): Planned {
  const { id, hold, facts, executor } = observed;
  const uid = object.metadata.uid ?? '';
  const pod = podOf(context, uid);
  const wanted = durationMs(executor.idleTimeout);
  const idleTimeoutMs = gate.crowded ? Math.min(wanted, CROWDED_IDLE_MS) : wanted;
  const role = roleOf(context, object, observed, key);
  const template = executorPod(executorPodName(uid), context.homeNamespace, role, context.executor);
  const refusal = gate.refusal(key);
  const fact = pod ? podFact(pod, template, context.clocks.real.now()) : null;
  const stopped = stoppedBy(facts, hold);
  const lease = facts?.lease ?? null;
  const due = facts?.dueAt != null && facts.dueAt <= context.clocks.product.now() + LEAD_MS;
  const mode = modeOf(context.executor, executor);
  const working = fact !== null && !fact.deleting && !stopped && lease?.live && lease.holder === fact.uid;
  const target = { id, key, pod, template, idleTimeoutMs };
  const shared = { stopped, due, idleTimeoutMs, lease };
  if (mode.mode === 'Pooled') {
    // A pod of its own finishes first; of those at work a few at a time go.
    if (fact && working && !rollout.admit(key)) {
      const plan = planExecutor({ ...shared, pod: { ...fact, outdated: true }, mayReplace: false, refused: refusal });
      return { plan, target, settled: false, mode };
    }
    const plan = fact
      ? planExecutor({ ...shared, stopped: stopped ?? TO_POOL, pod: fact, mayReplace: true, refused: refusal })
      : planPooled({ ...shared, seat: seatFact(context, facts), serving: seating.members.serving });
    const asleep = fact === null && plan.action.do === 'nothing' && plan.state === 'Idle';
    return { plan, target, settled: fact === null && (asleep || plan.state === 'Running'), mode };
  }
  const seat = seatFact(context, facts);
  if (seat)
    return {
      plan: planPooled({ ...shared, stopped: stopped ?? FROM_POOL, seat, serving: 0 }),
      target,
      settled: false,
      mode,
    };
  const plan = planExecutor({
    ...shared,
    pod: fact,
    mayReplace: fact?.outdated && working ? rollout.admit(key) : true,
    refused: refusal,
  });
  const asleep = fact === null && plan.action.do === 'nothing' && refusal === null;
  const settled = asleep || (plan.state === 'Running' && !fact?.outdated);
  return { plan, target, settled, mode };
}

const TO_POOL = 'The workspace moves to the pool.';
const FROM_POOL = 'The workspace gets a pod of its own.';

/** The place of a workspace in the pool, and the Pod that is there now. */
function seatFact({ pods, homeNamespace }: OperatorContext, facts: WorkspaceFacts | undefined): SeatFact | null {
  if (!facts?.seat) return null;
  const { member, ageMs } = facts.seat;
  return { member, ageMs, podUid: pods.store.get(`${homeNamespace}/${member}`)?.metadata.uid ?? null };
}

/** The Pod of a Workspace, as the cache has it. One of its name that works for another is not its own. */
export function podOf(context: OperatorContext, uid: string): Pod | undefined {
  const pod = context.pods.store.get(`${context.homeNamespace}/${executorPodName(uid)}`);
  return pod?.metadata.labels?.[LABELS.workspaceUid] === uid ? pod : undefined;
}

/**
 * All executor pods live in the home namespace: their Secret must never be where tenants may start pods. Only there
 * can an owner reference point at the Workspace; elsewhere the finalizer and `removeStrayPods` end them.
 */
function roleOf(context: OperatorContext, object: KubeObject, observed: Observed, key: string): PodRole {
  const home = object.metadata.namespace === context.homeNamespace;
  const owner = home ? ownerReference(object) : undefined;
  const { id, executor } = observed;
  return { role: 'workspace', id, key, uid: object.metadata.uid ?? '', owner, executor };
}

function stoppedBy(facts: WorkspaceFacts | undefined, hold: HoldFact | null): string | null {
  if (!facts) return 'The workspace is not in force.';
  if (facts.operatingMode === 'Suspended') return 'The workspace is suspended.';
  return hold ? 'The workspace is stopped by a tool.' : null;
}

function podFact(pod: Pod, template: Pod, now: number): PodFact {
  const { metadata, status } = pod;
  const deletedAt = parseTime(metadata.deletionTimestamp);
  return {
    name: metadata.name,
    uid: metadata.uid ?? '',
    phase: status?.phase ?? 'Pending',
    reason: [status?.reason, status?.message].filter(Boolean).join(': '),
    ageMs: now - (parseTime(metadata.creationTimestamp) ?? now),
    deleting: deletedAt === undefined ? null : { overdueMs: now - deletedAt },
    outdated: metadata.annotations?.[TEMPLATE_ANNOTATION] !== template.metadata.annotations?.[TEMPLATE_ANNOTATION],
    problem: podProblem(pod),
  };
}

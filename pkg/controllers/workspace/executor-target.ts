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
import { type ExecutorFacts, type ExecutorPlan, type PodFact, planExecutor } from './executor-plan.ts';
import type { WorkspaceFacts } from './facts.ts';
import type { Observed } from './observe.ts';
import { executorPod, type Pod, type PodRole } from './pod.ts';
import { podProblem } from './pod-problem.ts';
import type { Restarts } from './restarts.ts';
import type { Rollout } from './rollout.ts';
import { type PooledFacts, planPooled, type SeatFact } from './seat-plan.ts';

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
  shared: Pick<PlanShared, 'gate' | 'rollout' | 'seating'>,
  key: string,
  object: KubeObject,
  observed: Observed,
): Planned {
  const { gate, seating } = shared;
  const { id, hold, facts, executor } = observed;
  const uid = object.metadata.uid ?? '';
  const pod = podOf(context, uid);
  const wanted = durationMs(executor.idleTimeout);
  const idleTimeoutMs = gate.crowded ? Math.min(wanted, CROWDED_IDLE_MS) : wanted;
  const role = roleOf(context, object, observed, key);
  const template = executorPod(executorPodName(uid), context.homeNamespace, role, context.executor);
  const mode = modeOf(context.executor, executor);
  const seen: Seen = {
    key,
    stopped: stoppedBy(facts, hold),
    due: facts?.dueAt != null && facts.dueAt <= context.clocks.product.now() + LEAD_MS,
    idleTimeoutMs,
    pod: pod ? podFact(pod, template, context.clocks.real.now()) : null,
    seat: seatFact(context, facts),
    serving: seating.members.serving,
    lease: facts?.lease ?? null,
    refused: gate.refusal(key),
  };
  const planned = mode.mode === 'Pooled' ? planInPool(shared, seen) : planAlone(shared, seen);
  return { ...planned, target: { id, key, pod, template, idleTimeoutMs }, mode };
}

/** What both modes are decided by. */
type Seen = Omit<ExecutorFacts, 'mayReplace'> & PooledFacts & { key: string };

/** With a pod of its own; one that the pool serves leaves it first. */
function planAlone({ rollout }: Pick<PlanShared, 'rollout'>, seen: Seen): Pick<Planned, 'plan' | 'settled'> {
  const { pod, stopped, key, refused } = seen;
  if (seen.seat) return { plan: planPooled({ ...seen, stopped: stopped ?? FROM_POOL }), settled: false };
  const mayReplace = pod?.outdated && isWorking(seen) ? rollout.admit(key) : true;
  const plan = planExecutor({ ...seen, mayReplace });
  const asleep = pod === null && plan.action.do === 'nothing' && refused === null;
  return { plan, settled: asleep || (plan.state === 'Running' && !pod?.outdated) };
}

/** In the pool. A pod of its own finishes first; of those at work a few at a time go. */
function planInPool({ rollout }: Pick<PlanShared, 'rollout'>, seen: Seen): Pick<Planned, 'plan' | 'settled'> {
  const { pod, stopped, key } = seen;
  if (!pod) {
    const plan = planPooled(seen);
    return { plan, settled: plan.state === 'Idle' || plan.state === 'Running' };
  }
  if (isWorking(seen) && !rollout.admit(key)) {
    return { plan: planExecutor({ ...seen, pod: { ...pod, outdated: true }, mayReplace: false }), settled: false };
  }
  return { plan: planExecutor({ ...seen, stopped: stopped ?? TO_POOL, mayReplace: true }), settled: false };
}

/** Its own pod holds the claim and is not to go for another reason. */
function isWorking({ pod, stopped, lease }: Seen): boolean {
  return pod !== null && !pod.deleting && !stopped && lease?.live === true && lease.holder === pod.uid;
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

import type { ConditionReason } from '../../api/condition-words.ts';
import type { OwnCondition } from '../readiness.ts';
import type { PodProblem } from './pod-problem.ts';

/** What is known of the Pod of a workspace. Ages are real ms. */
export interface PodFact {
  name: string;
  uid: string;
  phase: string;
  /** Why it failed, for people; for example Evicted. */
  reason: string;
  ageMs: number;
  /** It is being deleted; `overdueMs` after its grace period (negative before). */
  deleting: { overdueMs: number } | null;
  /** Made from another template than a Pod made now. */
  outdated: boolean;
  /** What keeps it from starting. */
  problem: PodProblem | null;
}

/** What is known of the claim of a workspace. Ages are real ms on the database clock. */
export interface LeaseFact {
  epoch: number;
  /** Unexpired. */
  live: boolean;
  /** Uid of the Pod that holds or held it. */
  holder: string | null;
  /** Since when its holder has nothing due; null while it has. */
  idleMs: number | null;
  /** Since when it is expired; negative while live. */
  lapsedMs: number;
}

export interface ExecutorFacts {
  /** Why no executor may run (suspended, held, no row), or null. */
  stopped: string | null;
  /** Work is due now or in a moment. */
  due: boolean;
  idleTimeoutMs: number;
  pod: PodFact | null;
  lease: LeaseFact | null;
  /** The executor's turn to be replaced by one of the current template. */
  mayReplace: boolean;
  /** A start was refused for the time being (quota). */
  refused: { reason: ConditionReason; message: string; retryMs: number } | null;
}

/** What to do about the Pod. */
export type ExecutorAction =
  | { do: 'nothing' }
  | { do: 'create' }
  /** Tell the holder of this epoch to finish, and delete the Pod with its grace period. */
  | { do: 'drain'; epoch: number | null; why: string }
  /** Delete it if its holder of this epoch is still idle (compare-and-set). */
  | { do: 'sleep'; epoch: number }
  /** Take a seat in the pool. */
  | { do: 'seat' }
  /** Tell the holder of this epoch to finish, and take its seat away. */
  | { do: 'unseat'; epoch: number | null; why: string }
  /** Take the seat away if its holder of this epoch is still idle (compare-and-set). */
  | { do: 'rest'; epoch: number }
  /** Delete it; `force` without waiting for a node that may be gone. */
  | { do: 'remove'; force: boolean; why: string };

export interface ExecutorPlan {
  action: ExecutorAction;
  state: 'Idle' | 'Starting' | 'Running' | 'Draining';
  condition: Omit<OwnCondition, 'observedGeneration'>;
  requeueAfterMs?: number;
}

/** A node that does not confirm a deletion for so long is taken for lost; fencing makes a forced deletion safe. */
const LOST_NODE_MS = 30_000;
/** A claim expired for so long belongs to a process that hangs. */
const HUNG_MS = 90_000;
const NOT_CLAIMING_MS = 300_000;
/** An executor that waits for its turn to be replaced is looked at again after so long. */
const TURN_MS = 5_000;
const LOOK_MS = 60_000;

/** Decides what becomes of the executor of a workspace. Pure: the same facts give the same plan. */
export function planExecutor(facts: ExecutorFacts): ExecutorPlan {
  const { pod, stopped, due, refused } = facts;
  if (pod) return planWithPod(facts, pod);
  if (stopped) return plan({ do: 'nothing' }, 'Idle', 'True', 'Asleep', stopped);
  if (!due) return plan({ do: 'nothing' }, 'Idle', 'True', 'Asleep', 'No work is due.');
  if (refused) {
    return {
      ...plan({ do: 'nothing' }, 'Idle', 'False', refused.reason, refused.message),
      requeueAfterMs: refused.retryMs,
    };
  }
  return {
    ...plan({ do: 'create' }, 'Starting', 'Unknown', 'Starting', 'The pod is being started.'),
    requeueAfterMs: 15_000,
  };
}

function planWithPod(facts: ExecutorFacts, pod: PodFact): ExecutorPlan {
  const { stopped, lease } = facts;
  const ours = lease !== null && lease.holder === pod.uid;
  const epoch = ours && lease.live ? lease.epoch : null;
  if (pod.deleting) {
    const lost = pod.deleting.overdueMs > LOST_NODE_MS;
    const action: ExecutorAction = lost
      ? { do: 'remove', force: true, why: 'its node does not answer' }
      : { do: 'nothing' };
    return { ...plan(action, 'Draining', 'Unknown', 'Draining', 'The pod is ending.'), requeueAfterMs: LOST_NODE_MS };
  }
  if (pod.phase === 'Failed' || pod.phase === 'Succeeded') {
    const why = pod.reason || pod.phase;
    return {
      ...plan({ do: 'remove', force: false, why }, 'Starting', 'False', 'PodLost', `The pod ended: ${why}.`),
      requeueAfterMs: 1_000,
    };
  }
  if (stopped) return draining(epoch, stopped);
  // One that holds no claim does no work that could wait for its turn.
  if (pod.outdated && (facts.mayReplace || epoch === null)) {
    return draining(epoch, 'The pod is replaced by one of the current template.');
  }
  return epoch === null ? planWithoutLease(facts, pod, ours) : planRunning(facts, epoch);
}

function planRunning(facts: ExecutorFacts, epoch: number): ExecutorPlan {
  const { due, lease, idleTimeoutMs, pod } = facts;
  const idleMs = due ? null : (lease?.idleMs ?? null);
  const idle = idleMs !== null && idleMs >= idleTimeoutMs;
  const action: ExecutorAction = idle ? { do: 'sleep', epoch } : { do: 'nothing' };
  const untilIdle = idleMs === null || idle ? LOOK_MS : idleTimeoutMs - idleMs + 100;
  const requeueAfterMs = Math.min(LOOK_MS, untilIdle, pod?.outdated ? TURN_MS : LOOK_MS);
  // Its claim outlives a container that ended: what the pod says counts.
  if (pod?.problem) {
    const { reason, message } = pod.problem;
    return { ...plan(action, 'Starting', 'False', reason, message), requeueAfterMs: Math.min(requeueAfterMs, 15_000) };
  }
  return { ...plan(action, 'Running', 'True', 'Running', 'The executor is at work.'), requeueAfterMs };
}

/** The Pod is there and holds no claim: it is starting, or it hangs, or nobody needs it any more. */
function planWithoutLease(facts: ExecutorFacts, pod: PodFact, ours: boolean): ExecutorPlan {
  const { lease, due, idleTimeoutMs } = facts;
  if (ours && lease && lease.lapsedMs > HUNG_MS) {
    const action: ExecutorAction = { do: 'remove', force: false, why: 'its claim ran out' };
    return {
      ...plan(action, 'Starting', 'False', 'ClaimLost', 'The executor lost its claim and is replaced.'),
      requeueAfterMs: 5_000,
    };
  }
  if (!due && pod.ageMs > idleTimeoutMs) {
    return {
      ...plan(
        { do: 'remove', force: false, why: 'no work is due' },
        'Draining',
        'Unknown',
        'Draining',
        'The pod is ending.',
      ),
      requeueAfterMs: LOST_NODE_MS,
    };
  }
  if (pod.problem) {
    const { reason, message } = pod.problem;
    return { ...plan({ do: 'nothing' }, 'Starting', 'False', reason, message), requeueAfterMs: 15_000 };
  }
  const late = pod.ageMs > NOT_CLAIMING_MS;
  const starting = late
    ? plan({ do: 'nothing' }, 'Starting', 'False', 'NotClaiming', 'The pod does not take up work; see its log.')
    : plan({ do: 'nothing' }, 'Starting', 'Unknown', 'Starting', 'The pod is being started.');
  return { ...starting, requeueAfterMs: 15_000 };
}

function draining(epoch: number | null, why: string): ExecutorPlan {
  return { ...plan({ do: 'drain', epoch, why }, 'Draining', 'Unknown', 'Draining', why), requeueAfterMs: LOST_NODE_MS };
}

export function plan(
  action: ExecutorAction,
  state: ExecutorPlan['state'],
  status: OwnCondition['status'],
  reason: ConditionReason,
  message: string,
): ExecutorPlan {
  return { action, state, condition: { type: 'ExecutorAvailable', status, reason, message } };
}

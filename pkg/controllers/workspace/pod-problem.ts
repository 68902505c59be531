import { type ConditionReason, passedReason } from '../../api/condition-words.ts';
import type { Pod } from './pod.ts';

/** Why a Pod does not come up, in the words of the scheduler or kubelet. */
export interface PodProblem {
  reason: ConditionReason;
  message: string;
}

/** Reasons of a waiting container that are no trouble. */
const ORDINARY: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);
const MAX_MESSAGE = 300;

/**
 * What the Pod's status says against it: it can't be scheduled, its image can't be pulled, it ends again and again
 * (with how it ended last). Null: nothing, or it only needs a moment.
 */
export function podProblem(pod: Pod): PodProblem | null {
  const scheduled = pod.status?.conditions?.find((condition) => condition.type === 'PodScheduled');
  if (scheduled?.status === 'False') {
    const said = scheduled.message ?? 'no node takes it';
    return problem(
      scheduled.reason ? passedReason(scheduled.reason) : 'Unschedulable',
      `The pod can not be scheduled: ${said}`,
    );
  }
  const [container] = pod.status?.containerStatuses ?? [];
  const waiting = container?.state?.waiting;
  if (!waiting?.reason || ORDINARY.has(waiting.reason)) return null;
  const last = container?.lastState?.terminated;
  const ended = last ? ` It ended with ${last.reason ?? 'an error'} (exit code ${last.exitCode ?? '?'}).` : '';
  return problem(passedReason(waiting.reason), `The pod does not start: ${waiting.message ?? waiting.reason}.${ended}`);
}

function problem(reason: ConditionReason, message: string): PodProblem {
  return { reason, message: message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message };
}

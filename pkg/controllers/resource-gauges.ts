import { POD_REASONS } from '../api/condition-words.ts';
import { isConditionTrue } from '../kube/conditions.ts';
import type { Condition } from '../kube/types.ts';
import type { OperatorContext } from './context.ts';
import type { Conditioned } from './object-conditions.ts';
import { type PodProblem, podProblem } from './workspace/pod-problem.ts';

interface Status {
  conditions?: Condition[];
  executor?: { state?: string };
}

const EXECUTOR_STATES = ['Idle', 'Starting', 'Running', 'Draining'];

/** Sets the gauges that count objects, from the caches, at the moment of a scrape. */
export function setResourceGauges({ metrics, workspaces, campaigns, workflows, pods }: OperatorContext): void {
  const kinds = { Workspace: workspaces, Campaign: campaigns, Workflow: workflows };
  for (const [kind, informer] of Object.entries(kinds)) {
    const objects = informer.store.list();
    const ready = objects.filter((object) => isConditionTrue(statusOf(object).conditions, 'Ready')).length;
    metrics.resources.set({ kind, ready: 'true' }, ready);
    metrics.resources.set({ kind, ready: 'false' }, objects.length - ready);
    const stalled = objects.filter((object) => isConditionTrue(statusOf(object).conditions, 'Stalled')).length;
    metrics.resourcesStalled.set({ kind }, stalled);
  }
  const states = workspaces.store.list().map((object) => statusOf(object).executor?.state ?? 'Idle');
  for (const state of EXECUTOR_STATES) {
    metrics.executors.set({ state }, states.filter((other) => other === state).length);
  }
  setProblems(metrics, pods.store.list().map(podProblem));
}

function setProblems(metrics: OperatorContext['metrics'], problems: readonly (PodProblem | null)[]): void {
  const reasons = problems.flatMap((problem) => (problem ? [problem.reason] : []));
  // Others count as Other, so that the label stays bounded.
  const known = reasons.map((reason) => POD_REASONS.find((one) => one === reason) ?? 'Other');
  for (const reason of [...POD_REASONS, 'Other']) {
    metrics.executorProblem.set({ reason }, known.filter((other) => other === reason).length);
  }
}

function statusOf(object: Conditioned): Status {
  return (object.status ?? {}) as Status;
}

import { isConditionTrue } from '../kube/conditions.ts';
import type { Condition } from '../kube/types.ts';
import type { OutriderObject } from '../tools/resources/kinds.ts';
import type { OperatorContext } from './context.ts';

interface Status {
  conditions?: Condition[];
  executor?: { state?: string };
}

const EXECUTOR_STATES = ['Idle', 'Starting', 'Running', 'Draining'];

/** Sets the gauges that count objects, from the caches, at the moment of a scrape. */
export function setResourceGauges({ metrics, workspaces, campaigns, workflows }: OperatorContext): void {
  const kinds = { Workspace: workspaces, Campaign: campaigns, Workflow: workflows };
  for (const [kind, informer] of Object.entries(kinds)) {
    const objects = informer.store.list();
    const ready = objects.filter((object) => isConditionTrue(statusOf(object).conditions, 'Ready')).length;
    metrics.resources.set({ kind, ready: 'true' }, ready);
    metrics.resources.set({ kind, ready: 'false' }, objects.length - ready);
  }
  const states = workspaces.store.list().map((object) => statusOf(object).executor?.state ?? 'Idle');
  for (const state of EXECUTOR_STATES) {
    metrics.executors.set({ state }, states.filter((other) => other === state).length);
  }
}

function statusOf(object: OutriderObject): Status {
  return (object.status ?? {}) as Status;
}

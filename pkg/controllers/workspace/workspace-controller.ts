import { EVENT_REASONS, type EventReason, passedReason } from '../../api/condition-words.ts';
import { Waiting } from '../../base/errors.ts';
import type { ModeInForce } from '../../domain/executor-mode.ts';
import { Controller, type ReconcileResult } from '../../kube/controller.ts';
import { anythingChanged } from '../../kube/predicates.ts';
import type { CachedObject } from '../cached-object.ts';
import { BY_WORKSPACE, type OperatorContext } from '../context.ts';
import { endGone } from '../deletion.ts';
import { lookAt } from '../look.ts';
import { executorPodName, WORKSPACE_ANNOTATION } from '../names.ts';
import { becameReady, type Conditioned } from '../object-conditions.ts';
import { showStatus } from '../show-status.ts';
import { finalizeWorkspace, removeStrayPods } from './deletion.ts';
import { actOnExecutor } from './executor-actions.ts';
import type { ExecutorPlan } from './executor-plan.ts';
import { type PlanShared, planFor, podOf } from './executor-target.ts';
import { type Observed, observe } from './observe.ts';
import type { Pod } from './pod.ts';
import { workspaceStatus } from './status.ts';

/** Whether a platform admin has handed the rows of its name over is looked at this often (real ms). */
const CONFIRMED_MS = 5_000;

/** The controller of Workspaces: rows, executor pod, status. */
export function workspaceController(context: OperatorContext, shared: PlanShared): Controller {
  const controller = new Controller({
    name: 'workspace',
    runtime: context.runtime,
    workers: 8,
    reconcile: (key) => reconcileWorkspace(context, shared, key),
  });
  // What is below is counted: it is in the rows when it is Ready.
  return controller
    .watch(context.workspaces)
    .watch(context.pods, { predicate: anythingChanged, map: podIndexers[BY_WORKSPACE] })
    .watch(context.campaigns, { predicate: becameReady, map: (campaign) => [campaign.parent] })
    .watch(context.workflows, { predicate: becameReady, map: (workflow) => workspaceOf(context, workflow) });
}

function workspaceOf(context: OperatorContext, workflow: CachedObject): string[] {
  const campaign = context.campaigns.store.get(workflow.parent);
  return campaign ? [campaign.parent] : [];
}

/** One look at one Workspace: observe, plan, execute, and the status at the end when it differs. */
export async function reconcileWorkspace(
  context: OperatorContext,
  shared: PlanShared,
  key: string,
): Promise<ReconcileResult | undefined> {
  const seen = context.workspaces.store.get(key);
  await removeStrayPods(context, key, seen);
  if (!seen || seen.metadata.deletionTimestamp) shared.rollout.back(key);
  if (!seen) return endGone(context, 'Workspace', key);
  if (seen.metadata.deletionTimestamp) return finalizeWorkspace(context, seen);
  const object = await lookAt(context, 'Workspace', seen, null);
  if (!object) return undefined;
  const observed = await observe(context, object);
  const { plan, target, settled, mode } = planFor(context, shared, key, object, observed);
  const confirmable = observed.readiness.reason === 'NameTaken';
  let result: ReconcileResult = { requeueAfterMs: confirmable ? CONFIRMED_MS : plan.requeueAfterMs };
  let shown = plan;
  try {
    await actOnExecutor(context, shared, target, plan.action);
    report(context, object, plan, shared.restarts.news(key, target.pod));
  } catch (error) {
    if (!(error instanceof Waiting)) throw error;
    shown = waiting(plan, error);
    result = { requeueAfterMs: error.retryAfterMs };
  }
  await writeStatus(context, object, observed, { plan: shown, mode });
  if (settled) shared.rollout.back(key);
  return result;
}

/** What the status says while a start waits. */
function waiting(plan: ExecutorPlan, { reason, message }: Waiting): ExecutorPlan {
  return {
    ...plan,
    action: { do: 'nothing' },
    state: 'Idle',
    condition: { ...plan.condition, status: 'False', reason: passedReason(reason), message },
  };
}

/** Events tell what happened, never what will. */
function report(context: OperatorContext, object: Conditioned, plan: ExecutorPlan, restarted: string | null): void {
  const { action } = plan;
  if (restarted) note(context, object, 'ExecutorRestarted', 'Restart', restarted);
  if (action.do === 'create')
    note(context, object, 'ExecutorStarted', 'Start', 'Started the executor because work is due.');
  if (action.do === 'drain') note(context, object, 'ExecutorDrained', 'Drain', `Drained the executor: ${action.why}`);
  if (action.do === 'seat')
    note(
      context,
      object,
      'ExecutorStarted',
      'Seat',
      'A process of the pool takes the workspace up because work is due.',
    );
  if (action.do === 'unseat') note(context, object, 'ExecutorDrained', 'Unseat', `It leaves the pool: ${action.why}`);
  if (action.do === 'remove') {
    const ended = plan.state === 'Draining' && !action.force;
    const reason = ended ? 'ExecutorEnded' : 'ExecutorReplaced';
    note(context, object, reason, 'Remove', `Removed the executor: ${action.why}.`);
  }
}

function note(context: OperatorContext, object: Conditioned, reason: EventReason, action: string, text: string): void {
  context.events.record(object, { type: EVENT_REASONS[reason], reason, action, note: text });
}

async function writeStatus(
  context: OperatorContext,
  object: Conditioned,
  observed: Observed,
  { plan, mode }: { plan: ExecutorPlan; mode: ModeInForce },
): Promise<void> {
  const counts = observed.facts ? await context.counts.of(observed.id) : undefined;
  const podNow = podOf(context, object.metadata.uid ?? '') !== undefined || plan.action.do === 'create';
  const seat = plan.action.do === 'unseat' || plan.action.do === 'rest' ? undefined : observed.facts?.seat?.member;
  const podName = podNow ? executorPodName(object.metadata.uid ?? '') : seat;
  const status = workspaceStatus(object, { ...observed, plan, mode, counts, podName, now: context.clocks.real.now() });
  await showStatus(context, 'Workspace', object, status);
}

/** Index of Pods by workspace key, for the informer. */
export const podIndexers = {
  [BY_WORKSPACE]: (pod: Pod): string[] => [pod.metadata.annotations?.[WORKSPACE_ANNOTATION] ?? []].flat(),
};

import { idOf } from '../../api/object.ts';
import type { WorkspaceSpec } from '../../api/specs.ts';
import { workspaceSpec } from '../../api/workspace.ts';
import { Waiting } from '../../base/errors.ts';
import { Controller, type ReconcileResult } from '../../kube/controller.ts';
import { addFinalizer } from '../../kube/finalizers.ts';
import { isQuotaExceeded } from '../../kube/kube-error.ts';
import { ownerReference } from '../../kube/owner-reference.ts';
import { anythingChanged } from '../../kube/predicates.ts';
import { applyStatusIfChanged } from '../../kube/status.ts';
import { parseTime } from '../../kube/time.ts';
import { projectWorkspace } from '../../store/project-workspace.ts';
import { type OutriderObject, RESOURCES } from '../../tools/resources/kinds.ts';
import { BY_WORKSPACE, type OperatorContext } from '../context.ts';
import { durationMs } from '../duration.ts';
import { currentHold } from '../holds.ts';
import { executorPodName, FIELD_MANAGER, FINALIZER, TEMPLATE_ANNOTATION, WORKSPACE_ANNOTATION } from '../names.ts';
import { becameReady } from '../readiness.ts';
import { reconcileRecord, storeReconcile } from '../reconcile-record.ts';
import { campaignKey, workspaceKey } from '../references.ts';
import { type HoldFact, type Verdict, verdictOf } from '../verdict.ts';
import type { StartGate } from '../wake/start-gate.ts';
import { finalizeWorkspace, removeStrayPods } from './deletion.ts';
import { actOnExecutor, LEAD_MS } from './executor-actions.ts';
import { type ExecutorPlan, type PodFact, planExecutor } from './executor-plan.ts';
import { readFacts, type WorkspaceFacts } from './facts.ts';
import { executorPod, type Pod, type PodDuty } from './pod.ts';
import { workspaceStatus } from './status.ts';

/** The controller of Workspaces: rows, executor pod, status. */
export function workspaceController(context: OperatorContext, gate: StartGate): Controller {
  const controller = new Controller({
    name: 'workspace',
    runtime: context.runtime,
    workers: 8,
    reconcile: (key) => reconcileWorkspace(context, gate, key),
  });
  // What is below is counted: it is in the rows when it is Ready.
  return controller
    .watch(context.workspaces)
    .watch(context.pods, { predicate: anythingChanged, map: podIndexers[BY_WORKSPACE] })
    .watch(context.campaigns, { predicate: becameReady, map: (campaign) => [workspaceKey(campaign)] })
    .watch(context.workflows, { predicate: becameReady, map: (workflow) => workspaceOf(context, workflow) });
}

function workspaceOf(context: OperatorContext, workflow: OutriderObject): string[] {
  const campaign = context.campaigns.store.get(campaignKey(workflow));
  return campaign ? [workspaceKey(campaign)] : [];
}

/** One look at one Workspace: observe, plan, execute, and the status at the end when it differs. */
export async function reconcileWorkspace(
  context: OperatorContext,
  gate: StartGate,
  key: string,
): Promise<ReconcileResult | undefined> {
  const seen = context.workspaces.store.get(key);
  await removeStrayPods(context, key, seen);
  if (!seen) return undefined;
  if (seen.metadata.deletionTimestamp) return finalizeWorkspace(context, seen);
  const object = await addFinalizer(context.client, RESOURCES.Workspace, seen, FINALIZER, FIELD_MANAGER);
  const observed = await observe(context, object);
  const { plan, target } = planFor(context, gate, key, object, observed);
  let result: ReconcileResult = { requeueAfterMs: plan.requeueAfterMs };
  let shown = plan;
  try {
    if (target) await actOnExecutor(context, gate, target, plan.action);
    report(context, object, plan);
  } catch (error) {
    if (!(error instanceof Waiting) && !isQuotaExceeded(error)) throw error;
    const again = planFor(context, gate, key, object, observed);
    shown = error instanceof Waiting ? { ...plan, state: 'Idle' } : again.plan;
    result = { requeueAfterMs: error instanceof Waiting ? error.retryAfterMs : (again.refusal?.retryMs ?? 30_000) };
  }
  await writeStatus(context, object, observed, shown);
  return result;
}

/** What is known after the projection. */
export interface Observed {
  id: string;
  verdict: Verdict;
  hold: HoldFact | null;
  facts: WorkspaceFacts | undefined;
  spec: WorkspaceSpec | undefined;
}

async function observe(context: OperatorContext, object: OutriderObject): Promise<Observed> {
  const { db, homeNamespace, clocks, runtime } = context;
  const id = idOf(object, homeNamespace);
  const verdict = await project(context, object);
  return db.tx({ kind: 'platform' }, async (tx) => {
    const hold = await currentHold(tx, 'workspace', id, object);
    const facts = await readFacts(tx, id);
    if (facts) {
      const generation = object.metadata.generation ?? 0;
      const record = reconcileRecord(facts.reconcile, {
        verdict,
        generation,
        inForce: true,
        now: clocks.product.now(),
      });
      await storeReconcile(tx, 'workspace', { id, uid: object.metadata.uid ?? '' }, record);
    }
    const parsed = workspaceSpec.safeParse(object.spec);
    if (!parsed.success) runtime.log.debug({ object: object.metadata.name }, 'spec is not valid');
    return { id, verdict, hold, facts, spec: parsed.success ? parsed.data : undefined };
  });
}

async function project(context: OperatorContext, object: OutriderObject): Promise<Verdict> {
  const { db, homeNamespace, clocks, runtime } = context;
  try {
    const projection = { now: clocks.product.now(), homeNamespace, ids: runtime.ids };
    await db.tx({ kind: 'platform' }, (tx) => projectWorkspace(tx, object, projection));
    return { ready: true, reason: 'Succeeded', message: 'The workspace is in force.' };
  } catch (error) {
    return verdictOf(error);
  }
}

interface Planned {
  plan: ExecutorPlan;
  target: Parameters<typeof actOnExecutor>[2] | undefined;
  refusal: ReturnType<StartGate['refusal']>;
}

function planFor(
  context: OperatorContext,
  gate: StartGate,
  key: string,
  object: OutriderObject,
  observed: Observed,
): Planned {
  const { id, hold, facts, spec } = observed;
  const uid = object.metadata.uid ?? '';
  const pod = podOf(context, uid);
  const idleTimeoutMs = durationMs(spec?.executor.idleTimeout ?? '5m');
  const duty = dutyOf(context, object, observed, key);
  const template = executorPod(executorPodName(uid), context.homeNamespace, duty, context.executor);
  const refusal = gate.refusal(key);
  const plan = planExecutor({
    stopped: stoppedBy(facts, hold),
    due: facts?.dueAt != null && facts.dueAt <= context.clocks.product.now() + LEAD_MS,
    idleTimeoutMs,
    pod: pod ? podFact(pod, template, context.clocks.real.now()) : null,
    claim: facts?.claim ?? null,
    refused: refusal,
  });
  return { plan, target: { id, key, pod, template, idleTimeoutMs }, refusal };
}

function podOf(context: OperatorContext, uid: string): Pod | undefined {
  return context.pods.store.get(`${context.homeNamespace}/${executorPodName(uid)}`);
}

/**
 * All executor pods live in the home namespace: their Secret must never be where tenants may start pods. Only there
 * can an owner reference point at the Workspace; elsewhere the finalizer and `removeStrayPods` end them.
 */
function dutyOf(context: OperatorContext, object: OutriderObject, observed: Observed, key: string): PodDuty {
  const home = object.metadata.namespace === context.homeNamespace;
  const owner = home ? ownerReference(object) : undefined;
  const executor = observed.spec?.executor ?? { idleTimeout: '5m' };
  return { role: 'workspace', id: observed.id, key, uid: object.metadata.uid ?? '', owner, executor };
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
  };
}

/** Events tell what happened, never what will. */
function report(context: OperatorContext, object: OutriderObject, plan: ExecutorPlan): void {
  const { action } = plan;
  if (action.do === 'create')
    note(context, object, 'ExecutorStarted', 'Start', 'Started the executor because work is due.');
  if (action.do === 'drain') note(context, object, 'ExecutorDrained', 'Drain', `Drained the executor: ${action.why}`);
  if (action.do === 'remove')
    note(context, object, 'ExecutorReplaced', 'Remove', `Removed the executor: ${action.why}.`);
}

function note(context: OperatorContext, object: OutriderObject, reason: string, action: string, text: string): void {
  const type = reason === 'ExecutorReplaced' ? 'Warning' : 'Normal';
  context.events.record(object, { type, reason, action, note: text });
}

async function writeStatus(
  context: OperatorContext,
  object: OutriderObject,
  observed: Observed,
  plan: ExecutorPlan,
): Promise<void> {
  const counts = observed.facts ? await context.counts.of(observed.id) : undefined;
  const podNow = podOf(context, object.metadata.uid ?? '') !== undefined || plan.action.do === 'create';
  const podName = podNow ? executorPodName(object.metadata.uid ?? '') : undefined;
  const status = workspaceStatus(object, { ...observed, plan, counts, podName, now: context.clocks.real.now() });
  const { client } = context;
  await applyStatusIfChanged({ client, resource: RESOURCES.Workspace, object, status, fieldManager: FIELD_MANAGER });
}

/** Index of Pods by workspace key, for the informer. */
export const podIndexers = {
  [BY_WORKSPACE]: (pod: Pod): string[] => [pod.metadata.annotations?.[WORKSPACE_ANNOTATION] ?? []].flat(),
};

import { Controller, type ReconcileResult } from '../../kube/controller.ts';
import { isAlreadyExists } from '../../kube/kube-error.ts';
import { anythingChanged } from '../../kube/predicates.ts';
import { PODS } from '../../kube/resources.ts';
import { parseTime } from '../../kube/time.ts';
import { IS_SYNCED } from '../../store/runs/wake.ts';
import type { OperatorContext } from '../context.ts';
import { ACCOUNTS_POD, FIELD_MANAGER, LABELS, TEMPLATE_ANNOTATION } from '../names.ts';
import { executorPod, type Pod } from '../workspace/pod.ts';

/** The only key of this controller. */
export const ACCOUNTS_KEY = 'accounts';
/** Looked at again this often (real ms): accounts are linked and healed without a sign to us. */
const AGAIN_MS = 2_000;
/** Nothing to sync for so long, and the pod ends (real ms). */
const LINGER_MS = 60_000;
const LOST_NODE_MS = 30_000;

/** What to do about the shared pod of account sync. */
export type AccountsPlan = 'nothing' | 'create' | 'delete' | 'force-delete';

export interface AccountsFacts {
  /** An account waits to be synced. */
  wanted: boolean;
  /** Real ms since it was last wanted. */
  unwantedMs: number;
  pod: { ended: boolean; outdated: boolean; deletingOverdueMs: number | null } | null;
}

/** Decides about the pod of account sync. Pure. */
export function planAccounts({ wanted, unwantedMs, pod }: AccountsFacts): AccountsPlan {
  if (!pod) return wanted ? 'create' : 'nothing';
  if (pod.deletingOverdueMs !== null) return pod.deletingOverdueMs > LOST_NODE_MS ? 'force-delete' : 'nothing';
  if (pod.ended || pod.outdated) return 'delete';
  return !wanted && unwantedMs > LINGER_MS ? 'delete' : 'nothing';
}

/** The controller of the one pod that syncs accounts (inbox, acceptances, health) for all workspaces. */
export function accountsController(context: OperatorContext): Controller {
  const state = { wantedAt: context.clocks.real.now() };
  const controller = new Controller({
    name: 'accounts',
    runtime: context.runtime,
    workers: 1,
    reconcile: () => reconcileAccounts(context, state),
  });
  return controller.watch(context.pods, {
    predicate: anythingChanged,
    map: (pod) => (pod.metadata.labels?.[LABELS.role] === 'accounts' ? [ACCOUNTS_KEY] : []),
  });
}

async function reconcileAccounts(context: OperatorContext, state: { wantedAt: number }): Promise<ReconcileResult> {
  const now = context.clocks.real.now();
  const wanted = await isWanted(context);
  if (wanted) state.wantedAt = now;
  const template = executorPod(ACCOUNTS_POD, context.homeNamespace, { role: 'accounts' }, context.executor);
  const pod = context.pods.store.get(`${context.homeNamespace}/${ACCOUNTS_POD}`);
  const plan = planAccounts({
    wanted,
    unwantedMs: now - state.wantedAt,
    pod: pod ? podFact(pod, template, now) : null,
  });
  await act(context, plan, pod, template);
  return { requeueAfterMs: AGAIN_MS };
}

async function isWanted({ db }: OperatorContext): Promise<boolean> {
  const row = await db.tx({ kind: 'platform' }, (tx) =>
    tx.row(`select 1 from account_wake k where ${IS_SYNCED} limit 1`),
  );
  return row !== undefined;
}

function podFact(pod: Pod, template: Pod, now: number): NonNullable<AccountsFacts['pod']> {
  const { metadata, status } = pod;
  const deletedAt = parseTime(metadata.deletionTimestamp);
  return {
    ended: status?.phase === 'Failed' || status?.phase === 'Succeeded',
    outdated: metadata.annotations?.[TEMPLATE_ANNOTATION] !== template.metadata.annotations?.[TEMPLATE_ANNOTATION],
    deletingOverdueMs: deletedAt === undefined ? null : now - deletedAt,
  };
}

async function act(context: OperatorContext, plan: AccountsPlan, pod: Pod | undefined, template: Pod): Promise<void> {
  if (plan === 'nothing') return;
  if (plan === 'create') {
    await context.client.create(PODS, template, { fieldManager: FIELD_MANAGER }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    return;
  }
  if (!pod) return;
  const { name, namespace, uid } = pod.metadata;
  const force = plan === 'force-delete' ? { gracePeriodSeconds: 0 } : {};
  await context.client.delete(PODS, { name, namespace }, { uid, ...force });
}

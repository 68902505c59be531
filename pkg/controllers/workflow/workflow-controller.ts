import { passedReason, refused } from '../../api/condition-words.ts';
import { idOf } from '../../api/object.ts';
import type { WorkflowStatus } from '../../api/specs.ts';
import { Controller, type ReconcileResult } from '../../kube/controller.ts';
import { keyOf } from '../../kube/types.ts';
import { tombstonePart } from '../../store/erasure/tombstones.ts';
import { projectWorkflow } from '../../store/resources/project-workflow.ts';
import { cancelLeftDrafts, LEFT_DRAFTS } from '../../store/reviews/cancel-drafts.ts';
import { RESOURCES } from '../../tools/resources/kinds.ts';
import { BY_PARENT, type CachedObject } from '../cached-object.ts';
import type { OperatorContext } from '../context.ts';
import { forgetCounts } from '../counts.ts';
import { endGone, finalize, GO_ON_MS, isGoing } from '../deletion.ts';
import { currentHold } from '../holds.ts';
import { isWhole, liveOf, lookAt, type WholeObject } from '../look.ts';
import { becameParent, type Conditioned } from '../object-conditions.ts';
import type { OwnCondition } from '../readiness.ts';
import { conditionsOf, type HoldFact, holdText, type Readiness, readinessUnder, shownBy } from '../readiness.ts';
import { type ReconcileRecord, reconcileRecord, storeReconcile } from '../reconcile-record.ts';
import { dropOwners, parentName } from '../references.ts';
import { showStatus } from '../show-status.ts';
import { graphErrorsOf } from './graph-errors.ts';
import { tellEnding, tellLeftRuns } from './told-ending.ts';

/** An edit that waits for runs to end is judged again this often (real ms). */
const JUDGE_AGAIN_MS = 60_000;

/** The controller of Workflows: graph versions, rows, status. */
export function workflowController(context: OperatorContext): Controller {
  const controller = new Controller({
    name: 'workflow',
    runtime: context.runtime,
    reconcile: (key) => reconcileWorkflow(context, key),
  });
  return controller.watch(context.workflows).watch(context.campaigns, {
    map: (campaign) => context.workflows.store.byIndex(BY_PARENT, keyOf(campaign)).map(keyOf),
    predicate: becameParent,
  });
}

/** One look at one Workflow. */
export async function reconcileWorkflow(context: OperatorContext, key: string): Promise<ReconcileResult | undefined> {
  const seen = context.workflows.store.get(key);
  if (!seen) return endGone(context, 'Workflow', key);
  if (seen.metadata.deletionTimestamp) return finalizeWorkflow(context, seen);
  const parent = context.campaigns.store.get(seen.parent);
  const found = await lookAt(context, 'Workflow', seen, parent);
  if (!found) return undefined;
  const failure = isWhole(found) ? await project(context, found, parent) : null;
  const object = await dropOwners(context.client, RESOURCES.Workflow, found);
  forgetCounts(context, object, parent && context.workspaces.store.get(parent.parent));
  const errors = isWhole(found) ? graphErrorsOf(context.checker, found) : [];
  const { status, readiness, drafts } = await judge(context, object, { failure, errors });
  const { db, clocks, homeNamespace } = context;
  await showStatus(context, 'Workflow', object, status);
  if (drafts) {
    await db.tx({ kind: 'platform' }, (tx) => cancelLeftDrafts(tx, idOf(object, homeNamespace), clocks.product.now()));
    return { requeueAfterMs: GO_ON_MS };
  }
  return readiness.reason === 'NodeIdentityLost' ? { requeueAfterMs: JUDGE_AGAIN_MS } : undefined;
}

/** @returns why the object is not in force, or null when its row shows it */
async function project(
  context: OperatorContext,
  object: WholeObject,
  parent: CachedObject | undefined,
): Promise<Readiness | null> {
  const { db, clocks, runtime, homeNamespace, checker } = context;
  try {
    if (!parent || parent.metadata.deletionTimestamp) {
      throw refused('RefNotFound', `Campaign "${parentName(object, 'campaignRef')}" was not found in this namespace.`);
    }
    const parentUid = parent.metadata.uid;
    const live = liveOf(context, 'Workflow', object);
    const projection = { now: clocks.product.now(), homeNamespace, ids: runtime.ids, checker, parentUid, live };
    const shown = await db.tx({ kind: 'platform' }, (tx) => projectWorkflow(tx, object, projection));
    const isNew = shown === 'projected' && object.metadata.generation === 1;
    if (isNew) await tellLeftRuns(context, object, idOf(object, homeNamespace));
    return null;
  } catch (error) {
    return readinessUnder(error, parent);
  }
}

interface Row {
  uid: string;
  workspace_id: string;
  graph_version: number;
  node_count: number;
  graph_problem: string | null;
  drafts: boolean;
  reconcile: Partial<ReconcileRecord> | null;
}

async function judge(
  context: OperatorContext,
  object: Conditioned,
  { failure, errors }: { failure: Readiness | null; errors: readonly string[] },
): Promise<{ status: WorkflowStatus; readiness: Readiness; drafts: boolean }> {
  const { db, homeNamespace, clocks, counts } = context;
  const id = idOf(object, homeNamespace);
  const uid = object.metadata.uid ?? '';
  const generation = object.metadata.generation ?? 0;
  const { row, hold, readiness } = await db.tx({ kind: 'platform' }, async (tx) => {
    const found = await tx.row<Row>(
      `select
         w.uid, w.workspace_id, w.graph_version, w.node_count, w.graph_problem, w.reconcile,
         ${LEFT_DRAFTS} as drafts
       from workflow w
       where w.id = $1 and w.deleted_at is null`,
      [id],
    );
    const own = found?.uid === uid ? found : undefined;
    const judged = shownBy(own, failure ?? graphReadiness(own?.graph_problem ?? null));
    if (own) {
      const inForce = own.graph_version > 0;
      const record = reconcileRecord(own.reconcile, {
        readiness: judged,
        generation,
        inForce,
        now: clocks.product.now(),
      });
      await storeReconcile(tx, 'workflow', { id, uid }, record);
    }
    return { row: own, hold: await currentHold(tx, 'workflow', id, object, clocks.product.now()), readiness: judged };
  });
  const runs = row ? (await counts.of(row.workspace_id)).runs.get(id) : undefined;
  const graphErrors = row?.graph_problem ? errors : [];
  const status = workflowStatus(object, { readiness, hold, row, runs, graphErrors, now: clocks.real.now() });
  return { status, readiness, drafts: row?.drafts ?? false };
}

/** The row keeps a problem as `<Reason>: <sentence>`. */
export function graphReadiness(problem: string | null): Readiness {
  if (problem === null) return { ready: true, reason: 'Succeeded', message: 'The workflow is in force.' };
  const colon = problem.indexOf(': ');
  return { ready: false, reason: passedReason(problem.slice(0, colon)), message: problem.slice(colon + 2) };
}

interface StatusFacts {
  readiness: Readiness;
  hold: HoldFact | null;
  row: Row | undefined;
  runs: Readonly<Record<string, number>> | undefined;
  graphErrors: readonly string[];
  now: number;
}

function workflowStatus(object: Conditioned, facts: StatusFacts): WorkflowStatus {
  const previous = (object.status ?? {}) as Partial<WorkflowStatus>;
  const generation = object.metadata.generation ?? 0;
  const { readiness, hold, row, runs, graphErrors, now } = facts;
  const graph = graphReadiness(row?.graph_problem ?? null);
  const valid: OwnCondition[] = row
    ? [
        {
          type: 'GraphValid',
          status: graph.ready ? 'True' : 'False',
          reason: graph.reason,
          message: graph.ready ? 'The graph can run.' : graph.message,
        },
      ]
    : [];
  const conditions = conditionsOf(previous.conditions ?? [], { generation, readiness, hold, others: valid, now });
  if (!row) return { observedGeneration: generation, conditions, ...holdText(hold) };
  return {
    observedGeneration: generation,
    conditions,
    ...holdText(hold),
    ...(graphErrors.length > 0 ? { graphErrors: [...graphErrors] } : {}),
    nodeCount: row.node_count,
    graphVersion: row.graph_version,
    ...(runs && Object.keys(runs).length > 0 ? { runs } : {}),
  };
}

function finalizeWorkflow(context: OperatorContext, object: CachedObject): Promise<ReconcileResult | undefined> {
  const { db, clocks, counts, homeNamespace } = context;
  const id = idOf(object, homeNamespace);
  const withParent = isGoing(context.campaigns.store.get(object.parent));
  return finalize(context, object, {
    kind: 'Workflow',
    clear: async () => {
      await tellEnding(context, object, id);
      return [];
    },
    tombstone: async () => {
      const { row, done } = await db.tx({ kind: 'platform' }, async (tx) => {
        const found = await tx.row<{ uid: string; workspace_id: string }>(
          `select uid, workspace_id from workflow where id = $1`,
          [id],
        );
        const own = found?.uid === object.metadata.uid;
        const now = clocks.product.now();
        return { row: found, done: !own || (await tombstonePart(tx, 'Workflow', id, now, { withParent })) };
      });
      if (row && done) counts.forget(row.workspace_id);
      return done;
    },
  });
}

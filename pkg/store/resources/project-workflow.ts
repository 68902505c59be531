import { refused } from '../../api/condition-words.ts';
import { type ApiObject, idOf, objectId, parseSpec } from '../../api/object.ts';
import type { WorkflowSpec } from '../../api/specs.ts';
import { workflowSpec } from '../../api/workflow.ts';
import type { Tx } from '../../postgres/database.ts';
import { tombstoneWhole } from '../erasure/tombstones.ts';
import { standingOf, tookPlace } from '../restore/adoption.ts';
import { cancelDrafts } from '../reviews/cancel-drafts.ts';
import { lookAtChangedSteps } from '../runs/changed-steps.ts';
import { wakeWorkspace } from '../runs/wake.ts';
import { activateDraft } from './activate-draft.ts';
import type { GraphChecker } from './graph-checker.ts';
import {
  createdAt,
  lockProjection,
  nameTaken,
  type ProjectContext,
  type Projected,
  pendingReconcile,
  type RowIdentity,
  type Standing,
} from './projection.ts';
import { type GraphReadiness, judgeGraph, storeGraph } from './workflow-graph.ts';

export interface WorkflowContext extends ProjectContext {
  checker: GraphChecker;
}

type Row = RowIdentity & {
  workspace_id: string;
  campaign_id: string;
  enabled: boolean;
  graph_version: number;
  graph_problem: string | null;
};

/**
 * Shows a Workflow object in its row. A changed graph that is valid becomes a new version; one that is not, or that
 * would lose the identity of a node that sent (NodeIdentityLost), leaves the old version in force and its problem in
 * `graph_problem` (`<Reason>: <sentence>`), which is judged again at every later projection.
 * @throws UserError RefNotFound when its campaign is unknown, NameTaken when the id's history is another workspace's
 */
export async function projectWorkflow(tx: Tx, object: ApiObject, context: WorkflowContext): Promise<Projected> {
  const { now, homeNamespace } = context;
  const id = idOf(object, homeNamespace);
  await lockProjection(tx, 'workflow', id);
  const row = await tx.row<Row>(
    `select
       uid, generation, object_created_at, deleted_at, workspace_id, campaign_id, enabled, graph_version,
       graph_problem
     from workflow
     where id = $1
     for update`,
    [id],
  );
  const how = await standingOf(tx, { kind: 'Workflow', id, row, object, live: context.live });
  if (how === 'stale') return 'stale';
  if (how === 'same' && row?.graph_problem === null) return 'unchanged';
  const spec = parseSpec<WorkflowSpec>(workflowSpec, object);
  const campaign = await requireCampaign(tx, object, spec, context);
  if (row) requireSameHome(row, campaign, how);
  // Runs that its deletion has not come to would go on in the graph of another.
  if (row && (how === 'replaces' || how === 'first')) await tombstoneWorkflow(tx, id, now);
  const readiness = await judgeGraph(tx, id, spec.graph, context.checker);
  if (how === 'same' && readiness.problem === row?.graph_problem) return 'unchanged';
  await write(tx, id, { object, spec, campaign, readiness, now });
  await tookPlace(tx, 'Workflow', id, how);
  if (readiness.change) await storeGraph(tx, id, campaign.workspace_id, readiness.change, now);
  if (spec.enabled) {
    // What was approved before it was disabled, and is not taken back yet, is not to be sent now.
    if (row && !row.enabled) while (!(await cancelDrafts(tx, id, now)));
    await lookAtChangedSteps(tx, id, now);
    await activateDraft(tx, campaign.id, now);
    await wakeWorkspace(tx, campaign.workspace_id, now, 'workflow');
  } else if (row?.enabled) await cancelDrafts(tx, id, now);
  return 'projected';
}

/** Marks the row deleted: live runs stop, what was not dispatched is cancelled, what proves contact stays. */
export function tombstoneWorkflow(tx: Tx, id: string, now: number, atOnce?: number): Promise<void> {
  return tombstoneWhole(tx, 'Workflow', id, now, atOnce);
}

interface CampaignRow {
  id: string;
  workspace_id: string;
}

async function requireCampaign(
  tx: Tx,
  object: ApiObject,
  spec: WorkflowSpec,
  { homeNamespace, parentUid }: ProjectContext,
): Promise<CampaignRow> {
  const id = objectId(object.metadata.namespace ?? homeNamespace, spec.campaignRef.name, homeNamespace);
  const found = await tx.row<CampaignRow>(
    `select id, workspace_id from campaign where id = $1 and deleted_at is null and ($2::text is null or uid = $2)`,
    [id, parentUid ?? null],
  );
  if (found) return found;
  throw refused('RefNotFound', `Campaign "${spec.campaignRef.name}" was not found in this namespace.`);
}

/** @throws UserError NameTaken when the history of the id is another workspace's, or its live runs are another campaign's */
function requireSameHome(row: Row, campaign: CampaignRow, how: Standing): void {
  if (row.workspace_id !== campaign.workspace_id) throw nameTaken('Workflow');
  if (how === 'adopts' && row.campaign_id !== campaign.id) throw nameTaken('Workflow', 'campaign');
}

interface Writing {
  object: ApiObject;
  spec: WorkflowSpec;
  campaign: CampaignRow;
  readiness: GraphReadiness;
  now: number;
}

async function write(tx: Tx, id: string, { object, spec, campaign, readiness, now }: Writing): Promise<void> {
  const { uid, generation, resourceVersion } = object.metadata;
  await tx.exec(
    `insert into workflow as w (
       id, workspace_id, campaign_id, uid, generation, resource_version, name, enabled, graph_version,
       node_count, network_account_ids, provider_account_ids, in_flight, graph_problem, reconcile,
       object_created_at, created_at, updated_at
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17)
     on conflict (id) do update set
       campaign_id = excluded.campaign_id,
       uid = excluded.uid,
       generation = excluded.generation,
       resource_version = excluded.resource_version,
       name = excluded.name,
       enabled = excluded.enabled,
       graph_version = excluded.graph_version,
       node_count = excluded.node_count,
       network_account_ids = excluded.network_account_ids,
       provider_account_ids = excluded.provider_account_ids,
       in_flight = excluded.in_flight,
       graph_problem = excluded.graph_problem,
       reconcile = excluded.reconcile,
       object_created_at = excluded.object_created_at,
       updated_at = excluded.updated_at,
       deleted_at = null,
       deleted_enabled = null,
       purged_at = null,
       purged_to = null`,
    [
      id,
      campaign.workspace_id,
      campaign.id,
      uid,
      generation ?? 0,
      resourceVersion ?? null,
      spec.name,
      spec.enabled,
      readiness.version,
      readiness.nodeCount,
      spec.networkAccountIds,
      spec.providerAccountIds,
      spec.inFlight,
      readiness.problem,
      pendingReconcile(object, now),
      createdAt(object),
      now,
    ],
  );
}

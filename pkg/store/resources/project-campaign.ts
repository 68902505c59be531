import { campaignSpec } from '../../api/campaign.ts';
import { refused } from '../../api/condition-words.ts';
import { type ApiObject, idOf, objectId, parseSpec } from '../../api/object.ts';
import type { CampaignSpec } from '../../api/specs.ts';
import { canonicalJson } from '../../base/json.ts';
import { effectiveState } from '../../domain/campaign-activation.ts';
import type { CampaignState } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';
import { tombstoneWhole } from '../erasure/tombstones.ts';
import { standingOf, tookPlace } from '../restore/adoption.ts';
import { wakeWorkspace } from '../runs/wake.ts';
import {
  createdAt,
  hoursProblem,
  lockProjection,
  nameTaken,
  type ProjectContext,
  type Projected,
  pendingReconcile,
  type RowIdentity,
} from './projection.ts';
import { withReadHours } from './read-hours.ts';

type Hours = NonNullable<CampaignSpec['businessHours']>;
type Row = RowIdentity & {
  workspace_id: string;
  state: CampaignState;
  settings: { specState?: CampaignState; businessHours?: Hours | null; signalWeights?: unknown; signalRules?: unknown };
};

/**
 * Shows a Campaign object in its row. Everything settable that is not a column is in `settings`:
 * {playbookOverride|null, scoreMin, signalWeights, signalRules, businessHours|null, contactPolicy, reviewMode, reviewExpiresAfterHours,
 * creditBudget, specState}.
 * @throws UserError RefNotFound when its workspace is unknown, NameTaken when the id's history is another workspace's,
 * InvalidHours when a new object's can't be in force (a known one keeps those it had, see `hoursProblem`)
 */
export async function projectCampaign(tx: Tx, object: ApiObject, context: ProjectContext): Promise<Projected> {
  const { now, homeNamespace } = context;
  const id = idOf(object, homeNamespace);
  await lockProjection(tx, 'campaign', id);
  const row = await tx.row<Row>(
    `select uid, generation, object_created_at, deleted_at, workspace_id, state, settings
     from campaign
     where id = $1
     for update`,
    [id],
  );
  const how = await standingOf(tx, { kind: 'Campaign', id, row, object, live: context.live });
  if (how === 'stale') return 'stale';
  if (how === 'same') return 'unchanged';
  const spec = withReadHours(parseSpec<CampaignSpec>(campaignSpec, object));
  const workspaceId = objectId(object.metadata.namespace ?? homeNamespace, spec.workspaceRef.name, homeNamespace);
  await requireWorkspace(tx, workspaceId, spec.workspaceRef.name, context.parentUid);
  if (row && row.workspace_id !== workspaceId) throw nameTaken('Campaign');
  if (how === 'replaces') await tombstoneCampaign(tx, id, now);
  const history = (how === 'newer' || how === 'adopts') && row ? row : undefined;
  const problem = hoursProblem(spec);
  if (problem && (!row || how === 'first')) throw problem;
  const hours = (problem ? row?.settings.businessHours : spec.businessHours) ?? undefined;
  const state = effectiveState(spec.state, {
    specState: history?.settings.specState ?? null,
    state: history?.state ?? null,
    enabledWorkflows: await enabledWorkflows(tx, id),
  });
  await write(tx, id, workspaceId, object, { spec: { ...spec, businessHours: hours }, state, now });
  await tookPlace(tx, 'Campaign', id, how);
  if (row && pointsOf(row.settings) !== pointsOf(spec))
    await tx.exec('update icp set scores_stale = true where campaign_id = $1 and deleted_at is null', [id]);
  if (state === 'active') await wakeWorkspace(tx, workspaceId, now, 'campaign');
  return 'projected';
}

/** What signals add to scores. */
function pointsOf({ signalWeights, signalRules }: Pick<Row['settings'], 'signalWeights' | 'signalRules'>): string {
  return canonicalJson([signalWeights ?? {}, signalRules ?? {}]);
}

/** Marks the row deleted and stops its workflows; what proves contact stays. */
export function tombstoneCampaign(tx: Tx, id: string, now: number): Promise<void> {
  return tombstoneWhole(tx, 'Campaign', id, now);
}

async function requireWorkspace(tx: Tx, id: string, name: string, uid: string | undefined): Promise<void> {
  const found = await tx.row(
    `select 1 from workspace where id = $1 and deleted_at is null and ($2::text is null or uid = $2)`,
    [id, uid ?? null],
  );
  if (!found) throw refused('RefNotFound', `Workspace "${name}" was not found in this namespace.`);
}

async function enabledWorkflows(tx: Tx, campaignId: string): Promise<number> {
  const row = await tx.row<{ count: number }>(
    `select count(*) as count from workflow where campaign_id = $1 and enabled and deleted_at is null`,
    [campaignId],
  );
  return row?.count ?? 0;
}

async function write(
  tx: Tx,
  id: string,
  workspaceId: string,
  object: ApiObject,
  { spec, state, now }: { spec: CampaignSpec; state: CampaignState; now: number },
): Promise<void> {
  const { uid, generation, resourceVersion } = object.metadata;
  await tx.exec(
    `insert into campaign as c (id, workspace_id, uid, generation, resource_version, title, goal, description, state,
       settings, reconcile, object_created_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13)
     on conflict (id) do update set uid = excluded.uid, generation = excluded.generation,
       resource_version = excluded.resource_version, title = excluded.title, goal = excluded.goal,
       description = excluded.description, state = excluded.state, settings = excluded.settings,
       reconcile = excluded.reconcile, object_created_at = excluded.object_created_at,
       updated_at = excluded.updated_at, deleted_at = null, purged_at = null`,
    [
      id,
      workspaceId,
      uid,
      generation ?? 0,
      resourceVersion ?? null,
      spec.title,
      spec.goal,
      spec.description,
      state,
      JSON.stringify(settingsOf(spec)),
      pendingReconcile(object, now),
      createdAt(object),
      now,
    ],
  );
}

/** The record CampaignSettings of the catalog, and the state that the spec asked for. */
function settingsOf(spec: CampaignSpec): object {
  return {
    playbookOverride: spec.playbookOverride || null,
    scoreMin: spec.scoreMin,
    signalWeights: spec.signalWeights,
    signalRules: spec.signalRules,
    businessHours: spec.businessHours ?? null,
    contactPolicy: spec.contactPolicy,
    reviewMode: spec.reviewMode,
    reviewExpiresAfterHours: spec.reviewExpiresAfterHours,
    creditBudget: spec.creditBudget,
    specState: spec.state,
  };
}

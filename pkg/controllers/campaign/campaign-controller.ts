import { campaignSpec } from '../../api/campaign.ts';
import { refused } from '../../api/condition-words.ts';
import { idOf, objectId, parseSpec } from '../../api/object.ts';
import type { CampaignSpec, CampaignStatus } from '../../api/specs.ts';
import { Controller, type ReconcileResult } from '../../kube/controller.ts';
import { anythingChanged } from '../../kube/predicates.ts';
import { keyOf } from '../../kube/types.ts';
import { tombstonePart } from '../../store/erasure/tombstones.ts';
import { projectCampaign } from '../../store/resources/project-campaign.ts';
import { hoursProblem } from '../../store/resources/projection.ts';
import { RESOURCES } from '../../tools/resources/kinds.ts';
import { BY_PARENT, type CachedObject } from '../cached-object.ts';
import type { OperatorContext } from '../context.ts';
import { forgetCounts } from '../counts.ts';
import { endGone, finalize, isGoing } from '../deletion.ts';
import { currentHold } from '../holds.ts';
import { isWhole, liveOf, lookAt, type WholeObject } from '../look.ts';
import { becameParent, type Conditioned } from '../object-conditions.ts';
import {
  conditionsOf,
  type HoldFact,
  holdText,
  type OwnCondition,
  type Readiness,
  readinessUnder,
  shownBy,
} from '../readiness.ts';
import { type ReconcileRecord, reconcileRecord, storeReconcile } from '../reconcile-record.ts';
import { dropOwners, parentName } from '../references.ts';
import { showStatus } from '../show-status.ts';
import { showActivation } from './activation.ts';

/** The controller of Campaigns: rows, status. A Workspace that appears brings its campaigns back. */
export function campaignController(context: OperatorContext): Controller {
  const controller = new Controller({
    name: 'campaign',
    runtime: context.runtime,
    reconcile: (key) => reconcileCampaign(context, key),
  });
  return controller
    .watch(context.campaigns)
    .watch(context.workspaces, {
      map: (workspace) => context.campaigns.store.byIndex(BY_PARENT, keyOf(workspace)).map(keyOf),
      predicate: becameParent,
    })
    .watch(context.workflows, {
      // A workflow's status is written after its projection, which may have activated the campaign.
      map: (workflow) => [workflow.parent],
      predicate: anythingChanged,
    });
}

/** One look at one Campaign. */
export async function reconcileCampaign(context: OperatorContext, key: string): Promise<ReconcileResult | undefined> {
  const seen = context.campaigns.store.get(key);
  if (!seen) return endGone(context, 'Campaign', key);
  if (seen.metadata.deletionTimestamp) return finalizeCampaign(context, seen);
  const parent = context.workspaces.store.get(seen.parent);
  const found = await lookAt(context, 'Campaign', seen, parent);
  if (!found) return undefined;
  const readiness = isWhole(found) ? await project(context, found, parent) : IN_FORCE;
  const object = await dropOwners(context.client, RESOURCES.Campaign, found);
  forgetCounts(context, object, parent);
  const status = await judge(context, object, readiness);
  await showStatus(context, 'Campaign', object, status);
  return undefined;
}

const IN_FORCE: Readiness = { ready: true, reason: 'Succeeded', message: 'The campaign is in force.' };

async function project(
  context: OperatorContext,
  object: WholeObject,
  parent: CachedObject | undefined,
): Promise<Readiness> {
  const { db, clocks, runtime, homeNamespace } = context;
  try {
    if (!parent || parent.metadata.deletionTimestamp) {
      throw refused(
        'RefNotFound',
        `Workspace "${parentName(object, 'workspaceRef')}" was not found in this namespace.`,
      );
    }
    const parentUid = parent.metadata.uid;
    const live = liveOf(context, 'Campaign', object);
    const projection = { now: clocks.product.now(), homeNamespace, ids: runtime.ids, parentUid, live };
    await db.tx({ kind: 'platform' }, (tx) => projectCampaign(tx, object, projection));
    const problem = hoursProblem(parseSpec<CampaignSpec>(campaignSpec, object));
    if (problem) throw problem;
    return IN_FORCE;
  } catch (error) {
    return readinessUnder(error, parent);
  }
}

interface Row {
  uid: string;
  state: NonNullable<CampaignStatus['state']>;
  spec_state: string | null;
  reconcile: Partial<ReconcileRecord> | null;
  workflows: number;
  leads: number;
}

async function judge(context: OperatorContext, object: Conditioned, projected: Readiness): Promise<CampaignStatus> {
  const { db, homeNamespace, clocks } = context;
  const id = idOf(object, homeNamespace);
  const uid = object.metadata.uid ?? '';
  const generation = object.metadata.generation ?? 0;
  const { row, hold, readiness } = await db.tx({ kind: 'platform' }, async (tx) => {
    const found = await tx.row<Row>(
      `select c.uid, c.state, c.settings ->> 'specState' as spec_state, c.reconcile,
         (select count(*) from workflow w where w.campaign_id = c.id and w.deleted_at is null) as workflows,
         coalesce((select p.leads from campaign_pool p where p.campaign_id = c.id), 0) as leads
       from campaign c where c.id = $1 and c.deleted_at is null`,
      [id],
    );
    const own = found?.uid === uid ? found : undefined;
    const judged = shownBy(own, projected);
    if (own) {
      const record = reconcileRecord(own.reconcile, {
        readiness: judged,
        generation,
        inForce: true,
        now: clocks.product.now(),
      });
      await storeReconcile(tx, 'campaign', { id, uid }, record);
    }
    return { row: own, hold: await currentHold(tx, 'campaign', id, object, clocks.product.now()), readiness: judged };
  });
  const others = row
    ? [await showActivation(context, object, { id, state: row.state, specState: row.spec_state })]
    : [];
  return campaignStatus(object, { readiness, hold, row, others, now: clocks.real.now() });
}

function campaignStatus(
  object: Conditioned,
  facts: {
    readiness: Readiness;
    hold: HoldFact | null;
    row: Row | undefined;
    others: OwnCondition[];
    now: number;
  },
): CampaignStatus {
  const previous = (object.status ?? {}) as Partial<CampaignStatus>;
  const generation = object.metadata.generation ?? 0;
  const { readiness, hold, row, others, now } = facts;
  const conditions = conditionsOf(previous.conditions ?? [], { generation, readiness, hold, others, now });
  if (!row) return { observedGeneration: generation, conditions, ...holdText(hold) };
  const counts = { workflows: row.workflows, leadsInPool: row.leads };
  return { observedGeneration: generation, conditions, ...holdText(hold), state: row.state, counts };
}

function finalizeCampaign(context: OperatorContext, object: CachedObject): Promise<ReconcileResult | undefined> {
  const { client, db, clocks, counts, homeNamespace } = context;
  const id = objectId(object.metadata.namespace ?? homeNamespace, object.metadata.name, homeNamespace);
  const withParent = isGoing(context.workspaces.store.get(object.parent));
  return finalize(context, object, {
    kind: 'Campaign',
    clear: async () => {
      const workflows = context.workflows.store.byIndex(BY_PARENT, keyOf(object));
      for (const { metadata } of workflows) {
        if (!metadata.deletionTimestamp) await client.delete(RESOURCES.Workflow, metadata, { uid: metadata.uid });
      }
      return workflows.map((workflow) => workflow.metadata.name);
    },
    tombstone: async () => {
      const { row, done } = await db.tx({ kind: 'platform' }, async (tx) => {
        const found = await tx.row<{ uid: string; workspace_id: string }>(
          `select uid, workspace_id from campaign where id = $1`,
          [id],
        );
        const own = found?.uid === object.metadata.uid;
        const now = clocks.product.now();
        return { row: found, done: !own || (await tombstonePart(tx, 'Campaign', id, now, { withParent })) };
      });
      if (row && done) counts.forget(row.workspace_id);
      return done;
    },
  });
}

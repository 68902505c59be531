import type { KindName } from '../../api/specs.ts';
import type { Tx } from '../../postgres/database.ts';
import { lockProjection } from '../resources/projection.ts';
import { forgetHeld } from '../restore/held-deletions.ts';

/** Live runs, or scores, that one transaction takes: about half a second, for which their accounts and persons are locked. */
const ROWS_AT_ONCE = 5_000;

/** How a deletion is carried out. */
interface DeletionPart {
  /** Rows of one kind that it takes at most. */
  most?: number;
  /** What is above it is being deleted, and takes it along. */
  withParent?: boolean;
}

/**
 * A part of a deletion, for a transaction of its own. The first marks the rows deleted, from when on nobody is written to;
 * each ends a part of the live runs below. What proves contact stays. To be repeated until nothing is left, by the one who
 * finds it: a crash between two parts loses nothing.
 * @param now epoch ms UTC, product time
 * @returns whether nothing is left
 */
export async function tombstonePart(
  tx: Tx,
  kind: KindName,
  id: string,
  now: number,
  { most = ROWS_AT_ONCE, withParent = false }: DeletionPart = {},
): Promise<boolean> {
  await forgetHeld(tx, kind, id);
  await MARKS[kind](tx, id, now, withParent);
  let left = most;
  for (const flow of await unended(tx, kind, id)) {
    await lockProjection(tx, 'workflow', flow);
    left -= await endRuns(tx, flow, now, left);
    if (left <= 0) return false;
  }
  return kind !== 'Campaign' || (await forgetScores(tx, id, left)) < left;
}

/** A whole deletion in one transaction: for what is small, or must be over before something else begins. */
export async function tombstoneWhole(tx: Tx, kind: KindName, id: string, now: number, atOnce?: number): Promise<void> {
  while (!(await tombstonePart(tx, kind, id, now, atOnce === undefined ? {} : { most: atOnce })));
}

/**
 * Ends a part of the live runs of a workflow that was deleted before, if there is one: the one who deleted it went away, or a
 * run began at that very moment. For the platform only.
 * @returns the workflow; null when no deleted workflow has live runs
 */
export async function endLeftRuns(tx: Tx, now: number, most = ROWS_AT_ONCE): Promise<string | null> {
  const row = await tx.row<{ id: string }>(
    `select w.id
     from workflow w
     where w.deleted_at is not null and w.purged_at is null and ${HAS_LIVE_RUNS}
     order by w.deleted_at limit 1`,
  );
  if (!row) return null;
  await lockProjection(tx, 'workflow', row.id);
  const still = await tx.row('select 1 from workflow where id = $1 and deleted_at is not null', [row.id]);
  if (still) await endRuns(tx, row.id, now, most);
  return row.id;
}

const HAS_LIVE_RUNS = 'exists (select 1 from run r where r.workflow_id = w.id and r.ended_at is null)';

const MARKS: Readonly<Record<KindName, (tx: Tx, id: string, now: number, withParent: boolean) => Promise<void>>> = {
  Workspace: markWorkspace,
  Campaign: markCampaign,
  Workflow: markWorkflow,
};

async function markWorkspace(tx: Tx, id: string, now: number): Promise<void> {
  await lockProjection(tx, 'workspace', id);
  const campaigns = await tx.rows<{ id: string }>(
    `select id from campaign where workspace_id = $1 and deleted_at is null order by id`,
    [id],
  );
  for (const campaign of campaigns) await markCampaign(tx, campaign.id, now, true);
  await tx.exec(`update workspace set deleted_at = $2, updated_at = $2 where id = $1 and deleted_at is null`, [
    id,
    now,
  ]);
  await tx.exec(`delete from workspace_wake where workspace_id = $1`, [id]);
}

async function markCampaign(tx: Tx, id: string, now: number, withParent: boolean): Promise<void> {
  await lockProjection(tx, 'campaign', id);
  const workflows = await tx.rows<{ id: string }>(
    `select id from workflow where campaign_id = $1 and deleted_at is null order by id`,
    [id],
  );
  for (const workflow of workflows) await markWorkflow(tx, workflow.id, now, true);
  await tx.exec(
    `update campaign
     set deleted_at = $2, last_deleted_at = $2, deleted_with_parent = $3, updated_at = $2
     where id = $1 and deleted_at is null`,
    [id, now, withParent],
  );
}

async function markWorkflow(tx: Tx, id: string, now: number, withParent: boolean): Promise<void> {
  await lockProjection(tx, 'workflow', id);
  await tx.exec(
    'update workflow set last_deleted_at = $2, deleted_with_parent = $3 where id = $1 and deleted_at is null',
    [id, now, withParent],
  );
  await endRuns(tx, id, now, 0);
}

/** Marks the workflow deleted too. @returns how many live runs it found, `most` at most */
async function endRuns(tx: Tx, id: string, now: number, most: number): Promise<number> {
  const row = await tx.row<{ found: number }>(
    `select app.tombstone_workflow($1, $2, 'the workflow was deleted', $3) as found`,
    [id, now, most],
  );
  return row?.found ?? 0;
}

const BELOW: Readonly<Record<KindName, string>> = {
  Workspace: 'w.workspace_id = $1',
  Campaign: 'w.campaign_id = $1',
  Workflow: 'w.id = $1',
};

/** Deleted workflows below it whose runs live on. */
async function unended(tx: Tx, kind: KindName, id: string): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    `select w.id from workflow w where ${BELOW[kind]} and w.deleted_at is not null and ${HAS_LIVE_RUNS} order by w.id`,
    [id],
  );
  return rows.map((row) => row.id);
}

/** Scores by ICPs that were deleted with their campaign. @returns how many */
function forgetScores(tx: Tx, campaignId: string, most: number): Promise<number> {
  return tx.exec(
    `delete from lead_score
     where campaign_id = $1
       and ctid = any (
         array(
           select s.ctid
           from lead_score s
           where s.campaign_id = $1
             and s.icp_id = any (
               array(select i.id from icp i where i.campaign_id = $1 and i.deleted_at is not null)
             )
           limit $2 for update
         )
       )`,
    [campaignId, most],
  );
}

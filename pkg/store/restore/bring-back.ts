import type { KindName } from '../../api/specs.ts';
import type { Tx } from '../../postgres/database.ts';
import { lockProjection } from '../resources/projection.ts';
import { holdDeletion } from './held-deletions.ts';

/** Runs that one transaction takes up again; as many as a part of a deletion ends. */
const ROWS_AT_ONCE = 5_000;
const WHY = 'it was brought back, and its object is to be applied';

/** What came back of a deletion. */
export interface BroughtBack {
  /** Rows that live again and rest until their objects are applied, in the order of a manifest. */
  toApply: { kind: KindName; id: string }[];
  /** Workflows whose runs are to be taken up ({@link reviveRuns}): of those, and of objects that were made anew since. */
  workflows: string[];
}

/**
 * The rows of what was deleted live again, with what went with it, and rest until the objects are applied; of what was made anew
 * since, by GitOps or by hand, the objects stay. {@link reviveRuns} follows for each workflow.
 * @param now epoch ms UTC, product time
 * @returns empty when there is nothing to bring back: {@link whyNotBack} says why
 */
export async function bringBack(tx: Tx, kind: KindName, id: string, now: number): Promise<BroughtBack> {
  const back: BroughtBack = { toApply: [], workflows: [] };
  await BACK[kind](tx, id, now, back);
  return back;
}

type Bring = (tx: Tx, id: string, now: number, back: BroughtBack) => Promise<void>;

const BACK: Readonly<Record<KindName, Bring>> = {
  Workspace: workspaceBack,
  Campaign: campaignBack,
  Workflow: workflowBack,
};

async function workspaceBack(tx: Tx, id: string, now: number, back: BroughtBack): Promise<void> {
  await lockProjection(tx, 'workspace', id);
  const row = await tx.row<Deleted>(
    `select uid, deleted_at from workspace where id = $1 and purged_at is null and erase_at is null for update`,
    [id],
  );
  if (!row) return;
  if (row.deleted_at !== null) {
    await tx.exec('update workspace set deleted_at = null, updated_at = $2 where id = $1', [id, now]);
    await toBeApplied(tx, 'Workspace', id, row, back);
  }
  for (const one of await wentWith(tx, 'campaign', 'workspace_id', id)) await campaignBack(tx, one, now, back);
}

async function campaignBack(tx: Tx, id: string, now: number, back: BroughtBack): Promise<void> {
  await lockProjection(tx, 'campaign', id);
  const row = await tx.row<Deleted & { last_deleted_at: number | null }>(
    `select c.uid, c.deleted_at, c.last_deleted_at
     from campaign c
     join workspace w on w.id = c.workspace_id and w.deleted_at is null
     where c.id = $1 and c.purged_at is null
     for update of c`,
    [id],
  );
  if (!row) return;
  if (row.deleted_at !== null) {
    await tx.exec('update campaign set deleted_at = null, updated_at = $2 where id = $1', [id, now]);
    await toBeApplied(tx, 'Campaign', id, row, back);
    // A tool takes the ICPs along, and their scores with them.
    await tx.exec(
      `update icp
       set deleted_at = null, scores_stale = true
       where campaign_id = $1 and deleted_at >= $2 and purged_at is null`,
      [id, row.last_deleted_at ?? row.deleted_at],
    );
  }
  for (const one of await wentWith(tx, 'workflow', 'campaign_id', id)) await workflowBack(tx, one, now, back);
}

async function workflowBack(tx: Tx, id: string, now: number, back: BroughtBack): Promise<void> {
  await lockProjection(tx, 'workflow', id);
  const row = await tx.row<Deleted>(
    `select f.uid, f.deleted_at
     from workflow f
     join campaign c on c.id = f.campaign_id and c.deleted_at is null
     where f.id = $1 and f.purged_at is null and f.purged_to is null
     for update of f`,
    [id],
  );
  if (!row) return;
  if (row.deleted_at === null) {
    const ended = await tx.row('select 1 from app.ended_with($1) limit 1', [id]);
    if (ended) back.workflows.push(id);
    return;
  }
  await tx.exec(
    `update workflow
     set deleted_at = null, enabled = coalesce(deleted_enabled, false), deleted_enabled = null, updated_at = $2
     where id = $1`,
    [id, now],
  );
  await toBeApplied(tx, 'Workflow', id, row, back);
  back.workflows.push(id);
}

/** A row as its deletion left it; it lives where `deleted_at` is null. */
interface Deleted {
  uid: string;
  /** Epoch ms UTC, product time. */
  deleted_at: number | null;
}

async function toBeApplied(tx: Tx, kind: KindName, id: string, row: Deleted, back: BroughtBack): Promise<void> {
  await holdDeletion(tx, { kind, id, uid: row.uid }, WHY, row.deleted_at ?? 0);
  back.toApply.push({ kind, id });
}

/** What was deleted last with what is above it. */
async function wentWith(tx: Tx, table: 'campaign' | 'workflow', parent: string, id: string): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    `select id from ${table} where ${parent} = $1 and deleted_with_parent and last_deleted_at is not null order by id`,
    [id],
  );
  return rows.map((row) => row.id);
}

/**
 * Takes up a part of the runs that the last deletion of a workflow ended, for a transaction of its own; to be repeated until none is
 * left. They go on where they stood: a wait counts from when they came to it, drafts are made and asked for anew, and what was
 * sent stays sent; contact claims that nobody else took since are theirs again.
 * @param now epoch ms UTC, product time
 * @returns how many were taken up
 */
export async function reviveRuns(tx: Tx, workflowId: string, now: number, most = ROWS_AT_ONCE): Promise<number> {
  const row = await tx.row<{ taken: number }>('select app.revive_runs($1, $2, $3) as taken', [workflowId, now, most]);
  return row?.taken ?? 0;
}

interface Known {
  /** Epoch ms UTC, product time, as the next ones. */
  deleted_at: number | null;
  purged_at: number | null;
  last_deleted_at: number | null;
  /** What is above it and deleted too, the topmost first. */
  above: string | null;
  erase_at: number | null;
}

const KNOWN: Readonly<Record<KindName, string>> = {
  Workspace: `select w.deleted_at, w.purged_at, null::bigint as last_deleted_at, null as above, w.erase_at
    from workspace w where w.id = $1`,
  Campaign: `select c.deleted_at, c.purged_at, c.last_deleted_at, w.erase_at,
      case when w.deleted_at is not null then 'workspace ' || w.id end as above
    from campaign c join workspace w on w.id = c.workspace_id where c.id = $1`,
  Workflow: `select f.deleted_at, f.last_deleted_at, w.erase_at,
      coalesce(f.purged_at, case when f.purged_to is not null then f.deleted_at end) as purged_at,
      case
        when w.deleted_at is not null then 'workspace ' || w.id
        when c.deleted_at is not null then 'campaign ' || c.id
      end as above
    from workflow f
    join campaign c on c.id = f.campaign_id
    join workspace w on w.id = f.workspace_id
    where f.id = $1`,
};

/** Why there is nothing to bring back of this object, and what can be done, for people. */
export async function whyNotBack(tx: Tx, kind: KindName, id: string): Promise<string> {
  const what = `${kind} ${id}`;
  const known = await tx.row<Known>(KNOWN[kind], [id]);
  if (!known) return `No ${kind.toLowerCase()} ${id} is known. List what can be brought back: outrider deletions`;
  const { deleted_at: deletedAt, purged_at: purgedAt, last_deleted_at: lastAt, above, erase_at: eraseAt } = known;
  if (eraseAt !== null)
    return `A platform admin deletes the workspace of ${what}: svc_admin_delete_workspace with cancel takes that back while its grace lasts.`;
  if (purgedAt !== null)
    return `${what} was deleted, and its content went at ${timeOf(purgedAt)} (retentionDays of its workspace). Apply its manifest: it begins anew, and nobody is contacted twice.`;
  if (deletedAt !== null && above !== null)
    return `${what} is deleted, and so is ${above} above it. Bring that back: outrider deletions undo ${above}`;
  if (lastAt === null) return `${what} is not deleted, and no deletion of it is known.`;
  const took = kind === 'Workflow' ? 'no run' : 'no workflow with a run';
  return `${what} was deleted at ${timeOf(lastAt)} and made anew since. That deletion ended ${took} that could go on: there is nothing to bring back.`;
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}

import type { KindName } from '../../api/specs.ts';
import type { Tx } from '../../postgres/database.ts';

/** Who placed the holds of deletions that are held. */
export const DELETED_BY = 'outrider deletions';
/** The same in versions before this one, for what a reconciliation missed. */
export const RECONCILED_BY = 'outrider reconcile';
/** The same for what went by force before its rows could be marked deleted. */
export const LET_GO_BY = 'outrider force-delete';

/** An object that was deleted and whose rows rest until it is known whether that was meant. */
export interface HeldDeletion {
  kind: KindName;
  id: string;
  workspaceId: string;
  /** Of a workflow. */
  campaignId: string | null;
  reason: string;
  /** Epoch ms, product time. */
  heldAt: number;
}

/** What one of our rows is told by: kind, id, and the uid of its object. */
interface RowOf {
  kind: KindName;
  id: string;
  uid: string;
}

const workspaceOf = (kind: KindName): string => (kind === 'Workspace' ? 'r.id' : 'r.workspace_id');

/** Whether a restored backup is suspected, so that no deletion is taken at its word. */
export async function isRestoreSuspected(tx: Tx): Promise<boolean> {
  return (await tx.row(`select 1 from send_freeze where scope = 'platform' and target = 'restore'`)) !== undefined;
}

/** Uid of the object that the live row of this id shows; undefined: there is no live row. */
export async function liveUid(tx: Tx, kind: KindName, id: string): Promise<string | undefined> {
  const text = `select uid from ${kind.toLowerCase()} where id = $1 and deleted_at is null`;
  return (await tx.row<{ uid: string }>(text, [id]))?.uid;
}

const ENABLED: Readonly<Record<KindName, string>> = {
  Workspace: 'f.workspace_id = r.id',
  Campaign: 'f.campaign_id = r.id',
  Workflow: 'f.id = r.id',
};

/** Stops what is below an object whose deletion was asked for, where anything acts; a stop that is there already stays. */
export async function pauseDeleted(tx: Tx, { kind, id, uid }: RowOf, now: number): Promise<void> {
  await tx.exec(
    `insert into hold (workspace_id, kind, id, reason, held_by, created_at)
     select ${workspaceOf(kind)}, $1, r.id, 'its deletion was asked for', $4, $5
     from ${kind.toLowerCase()} r
     where r.id = $2 and r.uid = $3 and exists (select 1 from workflow f where ${ENABLED[kind]} and f.enabled)
     on conflict (kind, id) do nothing`,
    [kind.toLowerCase(), id, uid, DELETED_BY, now],
  );
}

/**
 * Holds a deletion: the rows stay as they are and nothing acts for them until the object is applied again, or somebody confirms.
 * @returns whether the row of this very object was live
 */
export async function holdDeletion(tx: Tx, { kind, id, uid }: RowOf, reason: string, now: number): Promise<boolean> {
  const held = await tx.exec(
    `insert into held_deletion (kind, id, workspace_id, uid, reason, held_at)
     select $1, r.id, ${workspaceOf(kind)}, r.uid, $4, $5
     from ${kind.toLowerCase()} r
     where r.id = $2 and r.uid = $3 and r.deleted_at is null
     on conflict (kind, id) do update set uid = excluded.uid, reason = excluded.reason, held_at = excluded.held_at`,
    [kind, id, uid, reason, now],
  );
  if (held === 0) return false;
  await tx.exec(
    `insert into hold (workspace_id, kind, id, reason, held_by, created_at)
     select ${workspaceOf(kind)}, $1, r.id, $4, $3, $5
     from ${kind.toLowerCase()} r
     where r.id = $2
     on conflict (kind, id) do nothing`,
    [kind.toLowerCase(), id, DELETED_BY, `its object was deleted: ${reason}`, now],
  );
  return true;
}

/**
 * Nothing acts for what went by force before its rows could be marked deleted; a hold of a tool that it has already gives way, for
 * this one tells why.
 */
export async function holdLetGo(tx: Tx, kind: KindName, id: string, now: number, reason: string): Promise<void> {
  await tx.exec(
    `insert into hold as h (workspace_id, kind, id, reason, held_by, created_at)
     select ${workspaceOf(kind)}, $1, r.id, $5, $3, $4
     from ${kind.toLowerCase()} r
     where r.id = $2
     on conflict (kind, id) do update set
       reason = excluded.reason || ' (held by ' || h.held_by || ' before: ' || h.reason || ')',
       held_by = excluded.held_by
       where h.held_by <> excluded.held_by`,
    [kind.toLowerCase(), id, LET_GO_BY, now, reason],
  );
}

/** Whether the deletion of this very object is held. */
export async function isDeletionHeld(tx: Tx, { kind, id, uid }: RowOf): Promise<boolean> {
  const text = 'select 1 from held_deletion where kind = $1 and id = $2 and uid = $3';
  return (await tx.row(text, [kind, id, uid])) !== undefined;
}

const BELOW: Readonly<Record<KindName, string>> = {
  Workspace: 't.workspace_id = $1',
  Campaign: `(t.id = $1 or t.id in (select f.id from workflow f where f.campaign_id = $1))
    and lower(t.kind) in ('campaign', 'workflow')`,
  Workflow: `t.id = $1 and lower(t.kind) = 'workflow'`,
};

/** What is deleted for good is held no more, with what is below it. */
export async function forgetHeld(tx: Tx, kind: KindName, id: string): Promise<void> {
  await tx.exec(`delete from held_deletion t where ${BELOW[kind]}`, [id]);
  await tx.exec(`delete from hold t where ${BELOW[kind]} and t.held_by = $2`, [id, DELETED_BY]);
}

/** Deletions that are held, in the order in which they were; of one workspace, or all. */
export function heldDeletions(tx: Tx, workspaceId?: string): Promise<HeldDeletion[]> {
  return tx.rows<HeldDeletion>(
    `select
       h.kind,
       h.id,
       h.workspace_id as "workspaceId",
       f.campaign_id as "campaignId",
       h.reason,
       h.held_at as "heldAt"
     from held_deletion h
     left join workflow f on h.kind = 'Workflow' and f.id = h.id
     where $1::text is null or h.workspace_id = $1
     order by h.workspace_id, array_position(array['Workspace', 'Campaign', 'Workflow'], h.kind), h.id limit 10000`,
    [workspaceId ?? null],
  );
}

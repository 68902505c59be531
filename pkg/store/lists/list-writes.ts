import type { Tx } from '../../postgres/database.ts';

/** A list whose leads are added and removed one by one. @param list `now`: epoch ms UTC, product time */
export async function insertStaticList(
  tx: Tx,
  list: {
    id: string;
    workspaceId: string;
    campaignId: string | null;
    name: string;
    description: string;
    now: number;
  },
): Promise<void> {
  await tx.exec(
    `insert into lead_list (id, workspace_id, campaign_id, name, description, type, created_at)
     values ($1, $2, $3, $4, $5, 'static', $6)`,
    [list.id, list.workspaceId, list.campaignId, list.name, list.description, list.now],
  );
}

/**
 * A list that leads enter by a search; it is empty until refreshList.
 * @param list `predicate`: what was asked, `filter`: as app.lead_criteria takes it; `now`: epoch ms UTC, product time
 */
export async function insertQueryList(
  tx: Tx,
  list: {
    id: string;
    workspaceId: string;
    campaignId: string | null;
    name: string;
    predicate: object;
    filter: object;
    maxLeads: number;
    now: number;
  },
): Promise<void> {
  await tx.exec(
    `insert into lead_list (id, workspace_id, campaign_id, name, type, predicate, filter, max_leads, created_at)
     values ($1, $2, $3, $4, 'query', $5, $6, $7, $8)`,
    [
      list.id,
      list.workspaceId,
      list.campaignId,
      list.name,
      JSON.stringify(list.predicate),
      JSON.stringify(list.filter),
      list.maxLeads,
      list.now,
    ],
  );
}

/** What of a list changes: null stays, campaign '' is none. */
export interface ListChange {
  name: string | null;
  description: string | null;
  campaignId: string | null;
  query: { predicate: object; filter: object } | null;
}

/** A new predicate is materialised whole at the next refreshList: nothing of the old one is known to match. */
export async function changeList(
  tx: Tx,
  id: string,
  { name, description, campaignId, query }: ListChange,
): Promise<void> {
  await tx.exec(
    `update lead_list
     set
       name = coalesce($2, name),
       description = coalesce($3, description),
       campaign_id = case when $4::text is null then campaign_id else nullif($4, '') end,
       predicate = coalesce($5::jsonb, predicate),
       filter = coalesce($6::jsonb, filter),
       materialized_tx = case when $6::jsonb is null then materialized_tx end
     where id = $1`,
    [
      id,
      name,
      description,
      campaignId,
      query === null ? null : JSON.stringify(query.predicate),
      query === null ? null : JSON.stringify(query.filter),
    ],
  );
}

/** Leaves a tombstone and lets the leads go. @param now epoch ms UTC, product time */
export async function deleteList(tx: Tx, id: string, now: number): Promise<void> {
  await tx.exec('update lead_list set deleted_at = $2 where id = $1', [id, now]);
  await tx.exec('delete from lead_list_member where lead_list_id = $1', [id]);
}

/** @returns ids of the leads that were on the list and are not any more */
export async function removeMembers(tx: Tx, listId: string, leadIds: readonly string[]): Promise<string[]> {
  const removed = await tx.rows<{ id: string }>(
    'delete from lead_list_member where lead_list_id = $1 and lead_id = any ($2::uuid[]) returning lead_id as id',
    [listId, leadIds],
  );
  if (removed.length === 0) return [];
  await tx.exec('update lead_list set lead_count = greatest(0, lead_count - $2) where id = $1', [
    listId,
    removed.length,
  ]);
  return removed.map((row) => row.id);
}

import type { FieldOwner } from '../../domain/field-ownership.ts';
import type { Tx } from '../../postgres/database.ts';

/** A list of a CRM that is or was imported. */
export interface ProviderList {
  id: string;
  workspaceId: string;
  integrationId: string;
  /** Its id there. */
  externalId: string;
  name: string;
  leadListId: string | null;
  campaignId: string | null;
  /** Property there -> field of a lead. */
  mapping: Readonly<Record<string, string | { to: string; owner?: FieldOwner | undefined }>>;
  onDuplicate: 'skip' | 'fill_empty' | 'overwrite';
  keepInSync: boolean;
  removeFromList: boolean;
}

const COLUMNS = `id, workspace_id as "workspaceId", integration_id as "integrationId", external_id as "externalId", name,
  lead_list_id as "leadListId", campaign_id as "campaignId", mapping, on_duplicate as "onDuplicate",
  keep_in_sync as "keepInSync", remove_from_list as "removeFromList"`;

/**
 * Keeps where the people of a list go; the same list into the same place is the same row, as the last call wants it.
 * @param now epoch ms UTC, product time
 * @returns its id
 */
export async function keepProviderList(tx: Tx, list: ProviderList, now: number): Promise<string> {
  const row = await tx.row<{ id: string }>(
    `insert into provider_list (
       id, workspace_id, integration_id, external_id, name, lead_list_id, campaign_id, mapping, on_duplicate,
       keep_in_sync, remove_from_list, created_at
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (integration_id, external_id, lead_list_id, campaign_id) do update set
       name = excluded.name,
       mapping = excluded.mapping,
       on_duplicate = excluded.on_duplicate,
       keep_in_sync = excluded.keep_in_sync,
       remove_from_list = excluded.remove_from_list
     returning id`,
    [
      list.id,
      list.workspaceId,
      list.integrationId,
      list.externalId,
      list.name,
      list.leadListId,
      list.campaignId,
      JSON.stringify(list.mapping),
      list.onDuplicate,
      list.keepInSync,
      list.removeFromList,
      now,
    ],
  );
  if (!row) throw new Error('a list was not kept');
  return row.id;
}

/** The list, while the lead list and the campaign that it feeds are there. */
export function readProviderList(tx: Tx, id: string): Promise<ProviderList | undefined> {
  return tx.row<ProviderList>(
    `select ${COLUMNS}
     from provider_list p
     where p.id = $1
       and not exists (select 1 from lead_list l where l.id = p.lead_list_id and l.deleted_at is not null)
       and not exists (select 1 from campaign c where c.id = p.campaign_id and c.deleted_at is not null)`,
    [id],
  );
}

/** The next list of a CRM that is kept in sync. @param after id of the one before; null for the first */
export async function nextSyncedList(tx: Tx, integrationId: string, after: string | null): Promise<string | null> {
  const row = await tx.row<{ id: string }>(
    `select id
     from provider_list
     where integration_id = $1 and keep_in_sync and ($2::uuid is null or id > $2)
     order by id limit 1`,
    [integrationId, after],
  );
  return row?.id ?? null;
}

/**
 * Takes a list for the pass of a job; one at a time has it, until it gives it back or its job has ended. Two passes that overlap would
 * each think that whom the other met has left the list.
 * @returns whether the job has it now
 */
export async function takeList(tx: Tx, listId: string, jobId: string): Promise<boolean> {
  const row = await tx.row(
    `update provider_list p
     set pass_job = $2
     where p.id = $1
       and (
         p.pass_job is null
         or p.pass_job = $2
         or not exists (
           select 1 from background_job j where j.id = p.pass_job and j.status in ('queued', 'running')
         )
       )
     returning p.id`,
    [listId, jobId],
  );
  return row !== undefined;
}

/** Gives a list back after a pass: the next job may read it. */
export async function releaseList(tx: Tx, listId: string, jobId: string): Promise<void> {
  await tx.exec('update provider_list set pass_job = null where id = $1 and pass_job = $2', [listId, jobId]);
}

/** Notes who was met in a list by a pass. @returns ids of those whom the pass had not met before */
export async function meetMembers(
  tx: Tx,
  list: Pick<ProviderList, 'id' | 'workspaceId'>,
  passId: string,
  externalIds: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string }>(
    `insert into provider_list_member as m (provider_list_id, external_id, workspace_id, pass_id)
     select $1, id, $2, $3
     from unnest($4::text[]) id
     on conflict (provider_list_id, external_id) do update set
       pass_id = excluded.pass_id
       where m.pass_id <> excluded.pass_id
     returning m.external_id as id`,
    [list.id, list.workspaceId, passId, [...new Set(externalIds)]],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Notes which leads the members of a list are. */
export async function nameMembers(
  tx: Tx,
  listId: string,
  members: readonly { externalId: string; leadId: string }[],
): Promise<void> {
  await tx.exec(
    `update provider_list_member m
     set lead_id = n.lead_id
     from unnest($2::text[], $3::uuid[]) n (external_id, lead_id)
     where m.provider_list_id = $1 and m.external_id = n.external_id and m.lead_id is distinct from n.lead_id`,
    [listId, members.map((one) => one.externalId), members.map((one) => one.leadId)],
  );
}

/**
 * Forgets the members whom a pass that came to its end did not meet: they have left the list there.
 * @returns their leads, without those that another member of the list still is
 */
export async function forgetLeftMembers(
  tx: Tx,
  listId: string,
  passId: string,
): Promise<{ count: number; leadIds: string[] }> {
  const rows = await tx.rows<{ lead_id: string | null }>(
    'delete from provider_list_member where provider_list_id = $1 and pass_id <> $2 returning lead_id',
    [listId, passId],
  );
  const left = [...new Set(rows.flatMap((row) => row.lead_id ?? []))];
  const still = await tx.rows<{ lead_id: string }>(
    'select lead_id from provider_list_member where provider_list_id = $1 and lead_id = any ($2::uuid[])',
    [listId, left],
  );
  const there = new Set(still.map((row) => row.lead_id));
  return { count: rows.length, leadIds: left.filter((id) => !there.has(id)) };
}

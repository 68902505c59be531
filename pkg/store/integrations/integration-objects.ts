import { createHash } from 'node:crypto';
import type { Tx } from '../../postgres/database.ts';

const DAY_MS = 86_400_000;

/** A person of a CRM who is a lead here. */
export interface IntegrationObject {
  externalId: string;
  leadId: string;
  /** The CRM says that they must not be contacted. */
  excluded: boolean;
  /** When it was told so by us, epoch ms product time. */
  toldAt: number | null;
}

/** Those of these people who are known leads. */
export function knownObjects(
  tx: Tx,
  integrationId: string,
  externalIds: readonly string[],
): Promise<IntegrationObject[]> {
  return tx.rows<IntegrationObject>(
    `select o.external_id as "externalId", o.lead_id as "leadId", o.excluded, o.told_at as "toldAt"
     from integration_object o
     join lead l on l.id = o.lead_id and l.erased_at is null
     where o.integration_id = $1 and o.external_id = any ($2)`,
    [integrationId, externalIds],
  );
}

/** The next people of a CRM who are known, in the order of their ids. @param after id of the last one; '' for the first */
export async function nextObjects(tx: Tx, integrationId: string, after: string, limit: number): Promise<string[]> {
  const rows = await tx.rows<{ id: string }>(
    `select external_id as id
     from integration_object
     where integration_id = $1 and external_id > $2
     order by external_id limit $3`,
    [integrationId, after, limit],
  );
  return rows.map(({ id }) => id);
}

/** Keeps who is who; that somebody must not be contacted, and that we told so, is never taken back. */
export async function keepObjects(
  tx: Tx,
  { workspaceId, integrationId }: { workspaceId: string; integrationId: string },
  objects: readonly IntegrationObject[],
): Promise<void> {
  await tx.exec(
    `insert into integration_object as o (integration_id, external_id, workspace_id, lead_id, excluded, told_at)
     select $1, n.external_id, $2, n.lead_id, n.excluded, n.told_at
     from unnest($3::text[], $4::uuid[], $5::boolean[], $6::bigint[]) n (external_id, lead_id, excluded, told_at)
     on conflict (integration_id, external_id) do update set
       lead_id = excluded.lead_id,
       excluded = o.excluded or excluded.excluded,
       told_at = coalesce(o.told_at, excluded.told_at)`,
    [
      integrationId,
      workspaceId,
      objects.map((one) => one.externalId),
      objects.map((one) => one.leadId),
      objects.map((one) => one.excluded),
      objects.map((one) => one.toldAt),
    ],
  );
}

/** Forgets ids that the CRM merged into others. */
export async function forgetObjects(tx: Tx, integrationId: string, externalIds: readonly string[]): Promise<void> {
  if (externalIds.length === 0) return;
  await tx.exec('delete from integration_object where integration_id = $1 and external_id = any ($2)', [
    integrationId,
    externalIds,
  ]);
}

/** Notes that the CRM was told who must not be contacted. @param now epoch ms UTC, product time */
export async function noteTold(
  tx: Tx,
  integrationId: string,
  externalIds: readonly string[],
  now: number,
): Promise<void> {
  await tx.exec(
    'update integration_object set told_at = $3, excluded = true where integration_id = $1 and external_id = any ($2)',
    [integrationId, externalIds, now],
  );
}

/**
 * Leads who told this workspace themselves that they want no contact. A CRM keeps an opt-out as the person's own word, for good: what a
 * member excludes (a customer's domain, a keyword, somebody for a month) is none, and what other workspaces and the platform know is no
 * business of its CRM.
 */
export async function ownWishes(
  tx: Tx,
  workspaceId: string,
  leadIds: readonly string[],
  now: number,
): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string }>(
    `select distinct lead_id as id
     from app.suppressions_of($1, null, $2::uuid[], $3)
     where level = 'workspace' and source in ('unsubscribe', 'complaint')`,
    [workspaceId, leadIds, now],
  );
  return new Set(rows.map(({ id }) => id));
}

/** What a value is recognised by when it comes back. */
export function valueHash(value: string): Buffer {
  return createHash('sha256').update(value.trim()).digest();
}

/** What we wrote within a day, as `<external id> <property> <hash>`: see `echoKey`. @param now epoch ms UTC, product time */
export async function echoesOf(
  tx: Tx,
  integrationId: string,
  externalIds: readonly string[],
  now: number,
): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string; property: string; hash: Buffer }>(
    `select external_id as id, property, value_hash as hash
     from integration_echo
     where integration_id = $1 and external_id = any ($2) and written_at > $3`,
    [integrationId, externalIds, now - DAY_MS],
  );
  return new Set(rows.map(({ id, property, hash }) => `${id} ${property} ${hash.toString('hex')}`));
}

export const echoKey = (externalId: string, property: string, value: string): string =>
  `${externalId} ${property} ${valueHash(value).toString('hex')}`;

/** Remembers what was written to a person there, and forgets what is older than a day. @param now epoch ms UTC, product time */
export async function keepEchoes(
  tx: Tx,
  { workspaceId, integrationId }: { workspaceId: string; integrationId: string },
  written: readonly { externalId: string; leadId: string; property: string; value: string }[],
  now: number,
): Promise<void> {
  await tx.exec('delete from integration_echo where integration_id = $1 and written_at <= $2', [
    integrationId,
    now - DAY_MS,
  ]);
  await tx.exec(
    `insert into integration_echo (
       integration_id, external_id, property, workspace_id, lead_id, value_hash, written_at
     )
     select $1, n.external_id, n.property, $2, n.lead_id, n.hash, $7
     from unnest($3::text[], $4::text[], $5::uuid[], $6::bytea[]) n (external_id, property, lead_id, hash)
     on conflict (integration_id, external_id, property) do update set
       value_hash = excluded.value_hash,
       written_at = excluded.written_at`,
    [
      integrationId,
      workspaceId,
      written.map((one) => one.externalId),
      written.map((one) => one.property),
      written.map((one) => one.leadId),
      written.map((one) => valueHash(one.value)),
      now,
    ],
  );
}

/** The same, by an executor (app.note_pushed), which also learns who the lead is there. */
export async function notePushed(
  tx: Tx,
  pushed: {
    integrationId: string;
    externalId: string;
    leadId: string;
    written: Readonly<Record<string, string>>;
    now: number;
  },
): Promise<void> {
  const entries = Object.entries(pushed.written);
  await tx.exec('select app.note_pushed($1, $2, $3, $4, $5, $6)', [
    pushed.integrationId,
    pushed.externalId,
    pushed.leadId,
    entries.map(([property]) => property),
    entries.map(([, value]) => valueHash(value)),
    pushed.now,
  ]);
}

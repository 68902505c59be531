import type { Tx } from '../../postgres/database.ts';
import { tryLock } from '../../postgres/taken-lock.ts';
import { MOST_TAGS } from './lead-overlay.ts';

/** A lead ready to be stored; empty texts are unknown. */
export interface ImportLead {
  id: string;
  line: number;
  firstName: string;
  lastName: string;
  fullName: string;
  headline: string;
  title: string;
  seniority: string;
  company: string;
  companyKey: string;
  companyDomain: string;
  industry: string;
  companySize: string;
  location: string;
  country: string;
  timezone: string;
  profileUrl: string;
  profileId: string | null;
  email: string | null;
  phone: string;
  customFields: Record<string, string>;
  /** As `matchKeys` of the domain's same-person. */
  matchKeys: string[];
  /** The file says that the person must not be contacted: by which source, and in which words. */
  exclusion?: { source: 'import' | 'bounce' | 'unsubscribe'; reason: string } | null;
}

/** A private lead that is there already. */
export interface ExistingLead {
  id: string;
  profile_url: string;
  email: string | null;
  full_name: string;
  company: string;
  company_domain: string;
}

/**
 * Who enters leads, and who erases them, come one after the other in a workspace: two who enter one person at the same time
 * would both find them new, and one who was just erased would be written again. The lock is tried: see `againWhenFree`.
 * @throws LockTaken
 */
export async function lockLeads(tx: Tx, workspaceId: string): Promise<void> {
  await tryLock(tx, workspaceId, 29, IMPORT_RUNS);
}

/** What the caller is told who came while leads were written all the time. */
const IMPORT_RUNS =
  'An import is running in this workspace, or another call that writes its leads; nothing was done. Call svc_get_import_progress to see how far it is, and repeat this call in a few seconds.';

/**
 * Takes the locks of the identities that leads will have, before anything is written: they are 64 stripes, so that an import of any size
 * holds few of the server's locks. @throws Error 55P03 when another transaction has one of them (see `againWhenFree`)
 */
export async function tryIdentities(
  tx: Tx,
  workspaceId: string,
  leads: readonly Pick<ImportLead, 'profileId' | 'email'>[],
): Promise<void> {
  await tx.exec('select app.try_identities($1, $2, $3)', [
    workspaceId,
    leads.map((lead) => lead.profileId),
    leads.map((lead) => lead.email),
  ]);
}

/** Private leads that may be the same persons: by mail, profile, or a common key of name and company; in one statement. */
export async function findExisting(tx: Tx, workspaceId: string, leads: readonly ImportLead[]): Promise<ExistingLead[]> {
  const profiles = leads.flatMap((lead) => lead.profileId ?? []);
  const mails = leads.flatMap((lead) => lead.email ?? []);
  const named = leads.filter((lead) => lead.fullName !== '' && lead.companyKey !== '');
  return tx.rows<ExistingLead>(
    `select id, profile_url, email, full_name, company, company_domain
     from app.existing_leads($1, $2, $3, $4, $5, $6)`,
    [
      workspaceId,
      profiles,
      mails,
      named.map((lead) => lead.fullName),
      named.map((lead) => lead.companyKey),
      [...new Set(leads.flatMap((lead) => lead.matchKeys))],
    ],
  );
}

const TEXT_COLUMNS = [
  ['first_name', 'firstName'],
  ['last_name', 'lastName'],
  ['full_name', 'fullName'],
  ['headline', 'headline'],
  ['title', 'title'],
  ['seniority', 'seniority'],
  ['company', 'company'],
  ['company_key', 'companyKey'],
  ['company_domain', 'companyDomain'],
  ['industry', 'industry'],
  ['company_size', 'companySize'],
  ['location', 'location'],
  ['country', 'country'],
  ['profile_url', 'profileUrl'],
] as const;

const NULLABLE_COLUMNS = [
  ['timezone', 'timezone'],
  ['profile_id', 'profileId'],
  ['email', 'email'],
  ['phone', 'phone'],
] as const;

/** Fields that follow another one and have no provenance of their own. */
const FOLLOWS: Readonly<Record<string, string>> = { companyKey: 'company', profileId: 'profileUrl' };
/** Fields of a lead's record that provenance speaks of. */
const OWN_FIELDS = [...TEXT_COLUMNS, ...NULLABLE_COLUMNS].map(([, field]) => field).filter((field) => !FOLLOWS[field]);

/** Rows as JSON for one statement; `provenance` names each field that the row fills. */
function rowsOf(leads: readonly ImportLead[], source: string, now: number): string {
  const entry = { source, at: now };
  return JSON.stringify(
    leads.map((lead) => ({
      id: lead.id,
      ...Object.fromEntries(TEXT_COLUMNS.map(([column, field]) => [column, lead[field]])),
      ...Object.fromEntries(NULLABLE_COLUMNS.map(([column, field]) => [column, lead[field] || null])),
      custom_fields: lead.customFields,
      provenance: Object.fromEntries(OWN_FIELDS.filter((field) => lead[field]).map((field) => [field, entry])),
    })),
  );
}

const NAMES = [...TEXT_COLUMNS, ...NULLABLE_COLUMNS].map(([column]) => column);
const COLUMNS = [...NAMES, 'custom_fields', 'provenance'];
const RECORD = `jsonb_to_recordset($2::jsonb) as n (id uuid, ${NAMES.map((column) => `${column} text`).join(', ')}, custom_fields jsonb, provenance jsonb)`;

/** Stores new private leads in one statement. */
export async function insertLeads(
  tx: Tx,
  workspaceId: string,
  leads: readonly ImportLead[],
  source: string,
  now: number,
): Promise<void> {
  if (leads.length === 0) return;
  await tx.exec(
    `insert into lead (id, workspace_id, ${COLUMNS.join(', ')}, created_at, updated_at)
     select n.id, $1, ${COLUMNS.map((column) => `n.${column}`).join(', ')}, $3, $3 from ${RECORD}`,
    [workspaceId, rowsOf(leads, source, now), now],
  );
}

/** Remembers under which keys leads are found again. Keys of an earlier spelling stay: somebody may still use it. */
export async function keepMatchKeys(
  tx: Tx,
  workspaceId: string,
  leads: readonly Pick<ImportLead, 'id' | 'matchKeys'>[],
): Promise<void> {
  const pairs = leads.flatMap((lead) => lead.matchKeys.map((key) => [lead.id, key] as const));
  if (pairs.length === 0) return;
  await tx.exec(
    `insert into lead_match_key (workspace_id, lead_id, key)
     select distinct $1, u.id, u.key
     from unnest($2::uuid[], $3::text[]) u (id, key)
     on conflict do nothing`,
    [workspaceId, pairs.map(([id]) => id), pairs.map(([, key]) => key)],
  );
}

/** Whether a person entered the field by hand. */
const byHand = (field: string): string => `l.provenance -> '${FOLLOWS[field] ?? field}' ->> 'source' = 'manual'`;

/**
 * Merges rows into leads that are there. `fill_empty` fills only what is unknown, so hand edits win; `overwrite` takes
 * what the row gives, except fields that a person edited by hand (provenance `manual`); `replace` takes these too, where
 * the workspace said that the field is another system's.
 */
export async function mergeLeads(
  tx: Tx,
  workspaceId: string,
  leads: readonly ImportLead[],
  mode: 'fill_empty' | 'overwrite' | 'replace',
  source: string,
  now: number,
): Promise<void> {
  if (leads.length === 0) return;
  const fill = mode === 'fill_empty';
  const kept = (field: string): string => (mode === 'replace' ? 'false' : `(${byHand(field)}) is true`);
  const sets = TEXT_COLUMNS.map(([column, field]) =>
    fill
      ? `${column} = case when l.${column} = '' then n.${column} else l.${column} end`
      : `${column} = case when n.${column} = '' or ${kept(field)} then l.${column} else n.${column} end`,
  );
  const nullable = NULLABLE_COLUMNS.map(([column, field]) =>
    fill
      ? `${column} = coalesce(l.${column}, n.${column})`
      : `${column} = case when n.${column} is null or ${kept(field)} then l.${column} else n.${column} end`,
  );
  const custom = fill ? 'n.custom_fields || l.custom_fields' : 'l.custom_fields || n.custom_fields';
  const news = {
    fill_empty: 'not (l.provenance ? e.key)',
    overwrite: `(l.provenance -> e.key ->> 'source') is distinct from 'manual'`,
    replace: 'true',
  }[mode];
  await tx.exec(
    `update lead l
     set
       ${[...sets, ...nullable].join(', ')},
       custom_fields = ${custom},
       updated_at = $3,
       provenance = l.provenance || coalesce(
         (select jsonb_object_agg(e.key, e.value) from jsonb_each(n.provenance) e where ${news}),
         '{}'
       )
     from ${RECORD}
     where l.id = n.id and l.workspace_id = $1 and l.erased_at is null`,
    [workspaceId, rowsOf(leads, source, now), now],
  );
}

/** When each field of these leads was written last: by lead and field, epoch ms product time. */
export async function provenanceOf(
  tx: Tx,
  leadIds: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<string, number>>>> {
  const rows = await tx.rows<{ id: string; since: Record<string, number> | null }>(
    `select l.id, (select jsonb_object_agg(e.key, e.value -> 'at') from jsonb_each(l.provenance) e) as since
     from lead l
     where l.id = any ($1::uuid[])`,
    [leadIds],
  );
  return new Map(rows.map(({ id, since }) => [id, since ?? {}]));
}

/** What private leads say in their text fields, by lead and field; what is unknown is ''. */
export async function leadTexts(
  tx: Tx,
  workspaceId: string,
  leadIds: readonly string[],
): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
  const columns = [...TEXT_COLUMNS, ...NULLABLE_COLUMNS].map(
    ([column, field]) => `coalesce(${column}, '') as "${field}"`,
  );
  const rows = await tx.rows<Record<string, string> & { id: string }>(
    `select id, ${columns.join(', ')}
     from lead
     where workspace_id = $1 and id = any ($2::uuid[]) and erased_at is null`,
    [workspaceId, leadIds],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** A lead of these that has more custom fields than `most`. */
export async function leadOfManyFields(tx: Tx, leadIds: readonly string[], most: number): Promise<string | undefined> {
  if (leadIds.length === 0) return undefined;
  const row = await tx.row<{ id: string }>(
    `select id
     from lead
     where id = any ($1::uuid[]) and (select count(*) from jsonb_object_keys(custom_fields)) > $2
     limit 1`,
    [leadIds, most],
  );
  return row?.id;
}

/** Adds tags to leads of the workspace. @returns one that has more than {@link MOST_TAGS} then */
export async function tagLeads(
  tx: Tx,
  workspaceId: string,
  leadIds: readonly string[],
  tags: readonly string[],
): Promise<string | undefined> {
  if (leadIds.length === 0 || tags.length === 0) return undefined;
  const row = await tx.row<{ id: string }>(
    `with tagged as (
       insert into lead_overlay as o (workspace_id, lead_id, tags)
       select $1, id, $3::text[]
       from unnest($2::uuid[]) id
       on conflict (workspace_id, lead_id) do update set
         tags = (select array_agg(distinct t order by t) from unnest(o.tags || excluded.tags) t)
         where not o.tags @> excluded.tags
       returning o.lead_id, o.tags
     )
     select lead_id as id
     from tagged
     where cardinality(tags) > $4
     limit 1`,
    [workspaceId, leadIds, tags, MOST_TAGS],
  );
  return row?.id;
}

/** Locks a list before its members: so nobody who writes them waits for another in a circle. @returns false when it is gone */
export async function lockList(tx: Tx, leadListId: string): Promise<boolean> {
  const list = await tx.row('select 1 from lead_list where id = $1 and deleted_at is null for no key update', [
    leadListId,
  ]);
  return list !== undefined;
}

/**
 * Adds leads to a static list, one writer at a time; one that was deleted takes nobody.
 * @returns how many were not there yet
 */
export async function addMembers(
  tx: Tx,
  workspaceId: string,
  leadListId: string,
  leadIds: readonly string[],
  now: number,
): Promise<number> {
  if (!(await lockList(tx, leadListId))) return 0;
  const added = await tx.exec(
    `insert into lead_list_member (workspace_id, lead_list_id, lead_id, added_at)
     select $1, $2, id, $4
     from unnest($3::uuid[]) id
     on conflict do nothing`,
    [workspaceId, leadListId, leadIds, now],
  );
  if (added > 0) {
    await tx.exec('update lead_list set lead_count = lead_count + $2 where id = $1', [leadListId, added]);
  }
  return added;
}

/** Makes leads candidates of one campaign only. */
export async function attachToCampaign(
  tx: Tx,
  workspaceId: string,
  campaignId: string,
  leadIds: readonly string[],
  now: number,
): Promise<void> {
  await tx.exec(
    `insert into campaign_lead (workspace_id, campaign_id, lead_id, added_at)
     select $1, $2, id, $4
     from unnest($3::uuid[]) id
     on conflict do nothing`,
    [workspaceId, campaignId, leadIds, now],
  );
}

/** What an import did, as it is kept; `errors`: the first ones. */
export interface ImportRecord {
  id: string;
  workspaceId: string;
  keyId: string;
  total: number;
  created: number;
  updated: number;
  skipped: number;
  suppressed: number;
  /** Leads that the file itself excludes. */
  excluded: number;
  errors: readonly object[];
  sourceNote: string | null;
  /** Epoch ms UTC, product time. */
  now: number;
}

/** Keeps the record of an import from a file, which is over when it is written. */
export async function recordImport(tx: Tx, done: ImportRecord): Promise<void> {
  await tx.exec(
    `insert into lead_import (
       id, workspace_id, kind, key_id, status, total, created, updated, skipped, suppressed, errors, source_note,
       started_at, finished_at, excluded
     )
     values ($1, $2, 'csv', $3, 'completed', $4, $5, $6, $7, $8, $9, $10, $11, $11, $12)`,
    [
      done.id,
      done.workspaceId,
      done.keyId,
      done.total,
      done.created,
      done.updated,
      done.skipped,
      done.suppressed,
      JSON.stringify(done.errors),
      done.sourceNote,
      done.now,
      done.excluded,
    ],
  );
}

/** Notes when leads got what a provider knows of them. @param now epoch ms UTC, product time */
export async function markEnriched(tx: Tx, leadIds: readonly string[], now: number): Promise<void> {
  await tx.exec('update lead set enriched_at = $2 where id = any ($1)', [leadIds, now]);
}

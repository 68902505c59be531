import type { Tx } from '../postgres/database.ts';

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
}

/** A private lead that is there already. */
export interface ExistingLead {
  id: string;
  profile_id: string | null;
  email: string | null;
  full_name: string;
  company_key: string;
}

/** Private leads that may be the same persons, found by mail, profile, or name and company, in one statement. */
export async function findExisting(tx: Tx, workspaceId: string, leads: readonly ImportLead[]): Promise<ExistingLead[]> {
  const profiles = leads.flatMap((lead) => lead.profileId ?? []);
  const mails = leads.flatMap((lead) => lead.email ?? []);
  const names = leads.map((lead) => lead.fullName.toLowerCase());
  return tx.rows<ExistingLead>(
    `select id, profile_id, lower(email) as email, lower(full_name) as full_name, company_key from lead
     where workspace_id = $1 and erased_at is null
       and (profile_id = any ($2) or lower(email) = any ($3) or (lower(full_name) = any ($4) and company_key <> ''))`,
    [workspaceId, profiles, mails, names],
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

function rowsOf(leads: readonly ImportLead[]): string {
  return JSON.stringify(
    leads.map((lead) => ({
      id: lead.id,
      ...Object.fromEntries(TEXT_COLUMNS.map(([column, field]) => [column, lead[field]])),
      timezone: lead.timezone || null,
      profile_id: lead.profileId,
      email: lead.email,
      phone: lead.phone || null,
      custom_fields: lead.customFields,
    })),
  );
}

const RECORD = `jsonb_to_recordset($2::jsonb) as n (id uuid, ${TEXT_COLUMNS.map(([column]) => `${column} text`).join(', ')}, timezone text, profile_id text, email text, phone text, custom_fields jsonb)`;
const COLUMNS = `${TEXT_COLUMNS.map(([column]) => column).join(', ')}, timezone, profile_id, email, phone, custom_fields`;

/** Stores new private leads in one statement. */
export async function insertLeads(tx: Tx, workspaceId: string, leads: readonly ImportLead[], source: string, now: number): Promise<void> {
  if (leads.length === 0) return;
  await tx.exec(
    `insert into lead (id, workspace_id, ${COLUMNS}, provenance, created_at, updated_at)
     select n.id, $1, ${COLUMNS.split(', ').map((column) => `n.${column}`).join(', ')}, jsonb_build_object('import', jsonb_build_object('source', $3::text, 'at', $4::bigint)), $4, $4
     from ${RECORD}`,
    [workspaceId, rowsOf(leads), source, now],
  );
}

/**
 * Merges rows into leads that are there. `fill_empty` fills only what is unknown, so hand edits win; `overwrite` takes
 * what the row gives, except fields that a person edited by hand (provenance `manual`).
 */
export async function mergeLeads(
  tx: Tx,
  workspaceId: string,
  leads: readonly ImportLead[],
  mode: 'fill_empty' | 'overwrite',
  source: string,
  now: number,
): Promise<void> {
  if (leads.length === 0) return;
  const sets = TEXT_COLUMNS.map(([column]) =>
    mode === 'fill_empty'
      ? `${column} = case when l.${column} = '' then n.${column} else l.${column} end`
      : `${column} = case when n.${column} = '' or l.provenance -> '${column}' ->> 'source' = 'manual' then l.${column} else n.${column} end`,
  );
  const nullable = ['timezone', 'profile_id', 'email', 'phone'].map((column) =>
    mode === 'fill_empty' ? `${column} = coalesce(l.${column}, n.${column})` : `${column} = coalesce(n.${column}, l.${column})`,
  );
  const custom = mode === 'fill_empty' ? 'n.custom_fields || l.custom_fields' : 'l.custom_fields || n.custom_fields';
  await tx.exec(
    `update lead l set ${[...sets, ...nullable].join(', ')}, custom_fields = ${custom}, updated_at = $4,
       provenance = l.provenance || jsonb_build_object('import', jsonb_build_object('source', $3::text, 'at', $4::bigint))
     from ${RECORD} where l.id = n.id and l.workspace_id = $1`,
    [workspaceId, rowsOf(leads), source, now],
  );
}

/** Adds tags to leads of the workspace. */
export async function tagLeads(tx: Tx, workspaceId: string, leadIds: readonly string[], tags: readonly string[]): Promise<void> {
  if (leadIds.length === 0 || tags.length === 0) return;
  await tx.exec(
    `insert into lead_overlay as o (workspace_id, lead_id, tags) select $1, id, $3::text[] from unnest($2::uuid[]) id
     on conflict (workspace_id, lead_id) do update set tags = (select array_agg(distinct t order by t) from unnest(o.tags || excluded.tags) t)`,
    [workspaceId, leadIds, tags],
  );
}

/** Adds leads to a static list. @returns how many were not there yet */
export async function addMembers(tx: Tx, workspaceId: string, leadListId: string, leadIds: readonly string[], now: number): Promise<number> {
  const added = await tx.exec(
    `insert into lead_list_member (workspace_id, lead_list_id, lead_id, added_at) select $1, $2, id, $4 from unnest($3::uuid[]) id
     on conflict do nothing`,
    [workspaceId, leadListId, leadIds, now],
  );
  if (added > 0) {
    await tx.exec('update lead_list set lead_count = lead_count + $2 where id = $1', [leadListId, added]);
  }
  return added;
}

/** Makes leads candidates of one campaign only. */
export async function attachToCampaign(tx: Tx, workspaceId: string, campaignId: string, leadIds: readonly string[], now: number): Promise<void> {
  await tx.exec(
    `insert into campaign_lead (workspace_id, campaign_id, lead_id, added_at) select $1, $2, id, $4 from unnest($3::uuid[]) id
     on conflict do nothing`,
    [workspaceId, campaignId, leadIds, now],
  );
}

import type { Tx } from '../../postgres/database.ts';
import type { ImportLead } from './imports.ts';

/** A profile that a job reads. */
export interface ScrapeItem {
  place: number;
  profileId: string;
  /** By what the network is asked for it. */
  asked: string;
  /** The private lead to fill; null: the pool's. */
  leadId: string | null;
}

/** A lead that is there already, as queueing sees it. */
export interface KnownLead {
  id: string;
  profileId: string | null;
  profileUrl: string;
  isPrivate: boolean;
  /** Epoch ms, product time. */
  enrichedAt: number | null;
  suppressed: boolean;
}

/** Leads by id or by profile that the workspace may see; the private one stands before the pool's. */
export async function knownLeads(
  tx: Tx,
  wanted: {
    workspaceId: string;
    campaignId: string | null;
    leadIds: readonly string[];
    profileIds: readonly string[];
    now: number;
  },
): Promise<KnownLead[]> {
  const { workspaceId, campaignId, leadIds, profileIds, now } = wanted;
  return tx.rows<KnownLead>(
    `with l as materialized (
       select x.*
       from lead x
       where x.id = any ($3::uuid[])
         and x.erased_at is null
         and (x.workspace_id is null or x.workspace_id = $1)
       union
       select x.*
       from unnest($4::text[]) p (profile)
       join lead x on coalesce(x.workspace_id, '') in ('', $1) and x.profile_id = p.profile and x.erased_at is null
     )
     select
       l.id,
       l.profile_id as "profileId",
       l.profile_url as "profileUrl",
       l.workspace_id is not null as "isPrivate",
       l.enriched_at as "enrichedAt",
       s.lead_id is not null as suppressed
     from l
     left join (select distinct lead_id from app.suppressed_leads($1, $2, (select array_agg(id) from l), $5)) s
       on s.lead_id = l.id
     order by l.workspace_id nulls last, l.id`,
    [workspaceId, campaignId, leadIds, profileIds, now],
  );
}

/** Profiles whose persons must not be contacted or were erased, also where no lead has them yet. */
export async function suppressedProfiles(
  tx: Tx,
  workspaceId: string,
  profileIds: readonly string[],
  now: number,
): Promise<Set<string>> {
  const rows = await tx.rows<{ profile: string }>('select p as profile from app.suppressed_profiles($1, $2, $3) p', [
    workspaceId,
    profileIds,
    now,
  ]);
  return new Set(rows.map((row) => row.profile));
}

/** Profiles that a job of the workspace is going to read. */
export async function queuedProfiles(tx: Tx, workspaceId: string, profileIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.rows<{ profile: string }>(
    `select profile_id as profile
     from lead_scrape_item
     where workspace_id = $1 and profile_id = any ($2) and state = 'queued'`,
    [workspaceId, profileIds],
  );
  return new Set(rows.map((row) => row.profile));
}

/** Queues what a job reads. */
export async function queueItems(
  tx: Tx,
  workspaceId: string,
  jobId: string,
  items: readonly ScrapeItem[],
): Promise<void> {
  await tx.exec(
    `insert into lead_scrape_item (job_id, place, workspace_id, profile_id, asked, lead_id)
     select $1, i.place, $2, i."profileId", nullif(i.asked, i."profileId"), i."leadId"
     from jsonb_to_recordset($3::jsonb) as i (place int, "profileId" text, asked text, "leadId" uuid)`,
    [jobId, workspaceId, JSON.stringify(items)],
  );
}

/** What a job has still to read, in order. */
export function openItems(tx: Tx, jobId: string, limit: number): Promise<ScrapeItem[]> {
  return tx.rows<ScrapeItem>(
    `select
       place,
       profile_id as "profileId",
       coalesce(asked, profile_id) as asked,
       lead_id as "leadId"
     from lead_scrape_item
     where job_id = $1 and state = 'queued'
     order by place limit $2`,
    [jobId, limit],
  );
}

/** Which of these are still to be read: the person of another one was erased meanwhile. */
export async function stillOpen(tx: Tx, jobId: string, places: readonly number[]): Promise<Set<number>> {
  const rows = await tx.rows<{ place: number }>(
    `select place from lead_scrape_item where job_id = $1 and place = any ($2) and state = 'queued'`,
    [jobId, places],
  );
  return new Set(rows.map((row) => row.place));
}

/** Closes items. */
export async function closeItems(
  tx: Tx,
  jobId: string,
  places: readonly number[],
  state: 'found' | 'not_found' | 'failed',
): Promise<void> {
  if (places.length === 0) return;
  await tx.exec('update lead_scrape_item set state = $3 where job_id = $1 and place = any ($2)', [
    jobId,
    places,
    state,
  ]);
}

/** Closes what a job will not read any more. */
export async function closeRest(tx: Tx, jobId: string): Promise<number> {
  return tx.exec(`update lead_scrape_item set state = 'failed' where job_id = $1 and state = 'queued'`, [jobId]);
}

/**
 * Units of an account's budget for reading what the network shows; they are spent, whatever comes of the reading.
 * @param of `accountId`: the one account that may be asked; null: any of the workspace. `now`: epoch ms, product time
 * @returns the account and how many were granted, or when to ask again (null: no account is linked)
 */
export async function takeReads(
  tx: Tx,
  workspaceId: string,
  of: { action: 'profile_scrape' | 'search'; wanted: number; accountId: string | null; now: number },
): Promise<{ accountId: string | null; granted: number; nextAt: number | null }> {
  const row = await tx.row<{ accountId: string | null; granted: number; nextAt: number | null }>(
    'select account_id as "accountId", granted, next_at as "nextAt" from app.take_reads($1, $2, $3, $4, $5)',
    [workspaceId, of.now, of.action, of.wanted, of.accountId],
  );
  return row ?? { accountId: null, granted: 0, nextAt: null };
}

/** Brings public profiles into the shared pool. @returns lead ids by profile */
export async function keepPublicProfiles(
  tx: Tx,
  leads: readonly (ImportLead & { profileId: string })[],
  now: number,
): Promise<Map<string, string>> {
  if (leads.length === 0) return new Map();
  const entry = { source: 'network', at: now };
  const told = [
    'firstName',
    'lastName',
    'fullName',
    'headline',
    'title',
    'seniority',
    'company',
    'location',
    'profileUrl',
  ] as const;
  const rows = leads.map((lead) => ({
    id: lead.id,
    profile_id: lead.profileId,
    profile_url: lead.profileUrl,
    first_name: lead.firstName,
    last_name: lead.lastName,
    full_name: lead.fullName,
    headline: lead.headline,
    title: lead.title,
    seniority: lead.seniority,
    company: lead.company,
    company_key: lead.companyKey,
    location: lead.location,
    provenance: Object.fromEntries(told.filter((field) => lead[field]).map((field) => [field, entry])),
  }));
  const kept = await tx.rows<{ profile: string; id: string }>(
    'select profile_id as profile, lead_id as id from app.keep_public_profiles($1, $2)',
    [JSON.stringify(rows), now],
  );
  return new Map(kept.map((row) => [row.profile, row.id]));
}

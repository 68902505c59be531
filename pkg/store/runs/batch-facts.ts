import type { JsonObject } from '../../base/json.ts';
import type { BusinessHours } from '../../domain/business-hours.ts';
import { type Whereabouts, zoneOf } from '../../domain/place-zone.ts';
import type { InFlightMode } from '../../domain/vocabulary.ts';
import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';

/** A workflow with what its campaign says; `active` is false while anything stops it (state, hold, suspension). */
export interface FlowRow {
  id: string;
  campaignId: string;
  graphVersion: number;
  inFlight: InFlightMode;
  networkAccountIds: string[];
  providerAccountIds: string[];
  /** CampaignSettings as stored. */
  settings: JsonObject;
  active: boolean;
}

/** Workflows of the workspace by id, or all that are not deleted when no ids are given. */
export async function readFlows(tx: Tx, workspaceId: string, ids: readonly string[] | null): Promise<FlowRow[]> {
  return tx.named<FlowRow>(
    'read_flows',
    `select
       w.id,
       w.campaign_id as "campaignId",
       w.graph_version as "graphVersion",
       w.in_flight as "inFlight",
       w.network_account_ids as "networkAccountIds",
       w.provider_account_ids as "providerAccountIds",
       c.settings,
       w.enabled
         and w.deleted_at is null
         and c.state = 'active'
         and c.deleted_at is null
         and s.operating_mode = 'Running'
         and s.deleted_at is null
         and not exists (
           select 1
           from hold h
           where h.workspace_id = w.workspace_id
             and (h.kind, h.id) in (('workspace', w.workspace_id), ('campaign', w.campaign_id), ('workflow', w.id))
         ) as active
     from workflow w
     join campaign c on c.id = w.campaign_id
     join workspace s on s.id = w.workspace_id
     where w.workspace_id = $1
       and ($2::text[] is null and w.deleted_at is null or w.id = any ($2::text[]))`,
    [workspaceId, ids],
  );
}

/** A stored graph version. */
export async function readGraph(tx: Tx, workflowId: string, version: number): Promise<JsonObject | undefined> {
  const row = await tx.row<{ graph: JsonObject }>(
    'select graph from workflow_graph where workflow_id = $1 and version = $2',
    [workflowId, version],
  );
  return row?.graph;
}

/** What every action needs of its lead. */
export interface LeadBasics {
  id: string;
  /** Told, else that of its place (`zoneOf`). */
  timezone: string | null;
  profileUrl: string;
  profileId: string | null;
  erased: boolean;
}

/** Leads of runs by what every action needs of them. */
export async function readLeadBasics(tx: Tx, leadIds: readonly string[]): Promise<LeadBasics[]> {
  const rows = await tx.named<LeadBasics & { location: string; country: string }>(
    'read_lead_basics',
    `select
       l.id, l.timezone, l.location, l.country, l.profile_url as "profileUrl", l.profile_id as "profileId",
       l.erased_at is not null as erased
     from unnest($1::uuid[]) as k (lead_id)
     join lead l on l.id = k.lead_id`,
    [arrayText(leadIds)],
  );
  return rows.map(withZone);
}

function withZone<T extends Whereabouts>(lead: T): T {
  return { ...lead, timezone: zoneOf(lead) };
}

/** A lead by all that nodes may ask of it, with the workspace's tags and its best score in the campaign. */
export interface LeadRow {
  id: string;
  campaignId: string;
  firstName: string;
  lastName: string;
  fullName: string;
  headline: string;
  title: string;
  seniority: string;
  company: string;
  companySize: string;
  industry: string;
  location: string;
  country: string;
  timezone: string | null;
  email: string | null;
  emailStatus: string;
  profileUrl: string;
  customFields: Record<string, string>;
  tags: string[];
  total: number | null;
  icp: number | null;
  signals: number | null;
}

/** Leads of runs, one row per (lead, campaign). */
export async function readLeads(
  tx: Tx,
  workspaceId: string,
  leadIds: readonly string[],
  campaignIds: readonly string[],
): Promise<LeadRow[]> {
  const rows = await tx.named<LeadRow>(
    'read_leads',
    `select
       l.id, k.campaign_id as "campaignId", l.first_name as "firstName", l.last_name as "lastName",
       l.full_name as "fullName", l.headline, l.title, l.seniority, l.company, l.company_size as "companySize",
       l.industry, l.location, l.country, l.timezone, l.email, l.email_status as "emailStatus",
       l.profile_url as "profileUrl", l.custom_fields as "customFields", coalesce(o.tags, '{}') as tags, s.total, s.icp_score as icp,
       s.signal_score as signals
     from unnest($2::uuid[], $3::text[]) as k (lead_id, campaign_id)
     join lead l on l.id = k.lead_id
     left join lead_overlay o on o.workspace_id = $1 and o.lead_id = l.id
     left join lateral (
       select total, icp_score, signal_score
       from lead_score x
       where x.workspace_id = $1 and x.lead_id = l.id and x.campaign_id = k.campaign_id
       order by total desc limit 1
     ) s on true`,
    [workspaceId, arrayText(leadIds), arrayText(campaignIds)],
  );
  return rows.map(withZone);
}

/** An account (network or mailbox) linked to the workspace. */
export interface AccountRow {
  id: string;
  provider: string;
  kind: 'network' | 'mail';
  /** The provider's id; of a mailbox its address. */
  externalId: string;
  displayName: string;
  tier: string;
  timezone: string;
  businessHours: BusinessHours | null;
  usable: boolean;
}

/** `$2`: the workspace, which may have paused the account for itself. */
const ACCOUNT_COLUMNS = `a.id, a.provider, a.kind, a.external_id as "externalId", a.display_name as "displayName", a.tier, a.timezone,
  a.business_hours as "businessHours", a.status = 'ok' and not a.paused and not exists (
    select 1 from account_link p where p.account_id = a.id and p.workspace_id = $2 and p.paused
  ) as usable`;

/** Accounts linked to the workspace, by id or all (at most 10,000), in the order of their ids. */
export async function readAccounts(tx: Tx, workspaceId: string, ids: readonly string[] | null): Promise<AccountRow[]> {
  if (ids !== null) {
    // Ordered here: a batch's statements may not sort, and would walk all accounts in the order of their ids instead.
    const rows = await tx.named<AccountRow>('read_accounts', `select ${ACCOUNT_COLUMNS} from app.accounts_of($1) a`, [
      arrayText(ids),
      workspaceId,
    ]);
    return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  }
  return tx.rows<AccountRow>(
    `select ${ACCOUNT_COLUMNS}
     from network_account a
     join account_link l on l.account_id = a.id
     where l.workspace_id = $1
     order by a.id limit 10000`,
    [workspaceId, workspaceId],
  );
}

/** What is known between an account and a person, with their conversation. Times epoch ms product time. */
export interface RelationRow {
  accountId: string;
  personId: string;
  state: 'none' | 'pending' | 'connected';
  providerId: string | null;
  invitationId: string | null;
  requestedAt: number | null;
  connectedAt: number | null;
  chatId: string | null;
  chatSyncedAt: number | null;
  /** The profile, in lower case, under which the account looked up `providerId`; null: nobody has proved whose id it is. */
  profileId: string | null;
}

/** Relations of these persons with accounts that the claim's workspace is linked to. */
export async function readRelations(tx: Tx, personIds: readonly string[]): Promise<RelationRow[]> {
  return tx.named<RelationRow>(
    'read_relations',
    `select
       account_id as "accountId", person_id as "personId", state, provider_id as "providerId",
       invitation_id as "invitationId", requested_at as "requestedAt", connected_at as "connectedAt",
       chat_id as "chatId", chat_synced_at as "chatSyncedAt", profile_id as "profileId"
     from app.known_relations($1)`,
    [arrayText(personIds)],
  );
}

/** The workspace's own settings that count for sends. */
export interface WorkspaceRow {
  timezone: string;
  businessHours: BusinessHours | null;
}

export async function readWorkspace(tx: Tx, workspaceId: string): Promise<WorkspaceRow | undefined> {
  return tx.row<WorkspaceRow>('select timezone, business_hours as "businessHours" from workspace where id = $1', [
    workspaceId,
  ]);
}

import type { Tx } from '../../postgres/database.ts';

/** Product ms after which a profile is looked at again. */
const AGAIN_MS = 20 * 3_600_000;

/** A lead whose profile an agent watches, with what it showed at the last look; null: nobody looked yet. */
export interface WatchedLead {
  leadId: string;
  profileId: string;
  profileUrl: string;
  email: string | null;
  company: string;
  /** Domains of its company, as the lead and the company say; '' where unknown. */
  domains: string[];
  seen: { title: string; company: string } | null;
  /** The search of the agent brought the person. */
  searched: boolean;
}

/**
 * Leads of a campaign, else of the workspace, and whom searches of the agent brought, whose profile nobody looked at for a day: who
 * waited longest first. Who was erased or shows
 * no profile is not watched.
 * @param now epoch ms, product time
 */
export function watchedLeads(
  tx: Tx,
  of: { workspaceId: string; campaignId: string | null; agentId: string },
  now: number,
  limit: number,
): Promise<WatchedLead[]> {
  const members =
    of.campaignId === null
      ? '(select x.id as lead_id from lead x where x.workspace_id = $1 and $2::text is null)'
      : '(select c.lead_id from campaign_lead c where c.campaign_id = $2)';
  return tx.rows<WatchedLead>(
    `select
       l.id as "leadId",
       l.profile_id as "profileId",
       l.profile_url as "profileUrl",
       l.email,
       l.company,
       array[lower(l.company_domain), coalesce(c.domain, '')] as domains,
       case when w.looked_at > 0 then jsonb_build_object('title', w.title, 'company', w.company) end as seen,
       w.found_by is not distinct from $5 as searched
     from (
       select x.lead_id from ${members} x
       union
       select y.lead_id from signal_watch y where y.found_by = $5 and y.workspace_id = $1
     ) m
     join lead l on l.id = m.lead_id
     left join company c on c.id = l.company_id
     left join signal_watch w on w.workspace_id = $1 and w.lead_id = l.id
     where l.erased_at is null and l.profile_id is not null and coalesce(w.looked_at, 0) <= $3
     order by w.looked_at nulls first, l.id limit $4`,
    [of.workspaceId, of.campaignId, now - AGAIN_MS, limit, of.agentId],
  );
}

/** Whom an agent's searches may have brought at most. */
const MOST_STRANGERS = 500;

/** How many more people the searches of an agent may bring. */
export async function roomForStrangers(tx: Tx, agentId: string): Promise<number> {
  const row = await tx.row<{ count: number }>('select count(*)::int as count from signal_watch where found_by = $1', [
    agentId,
  ]);
  return Math.max(0, MOST_STRANGERS - (row?.count ?? 0));
}

/** Watches the profiles of people whom a search brought, from the next run on. @returns how many are new */
export function watchStrangers(
  tx: Tx,
  agent: { id: string; workspaceId: string },
  leadIds: readonly string[],
): Promise<number> {
  return tx.exec(
    `insert into signal_watch (workspace_id, lead_id, looked_at, title, company, found_by)
     select $1, u.id, 0, '', '', $2 from (select distinct x as id from unnest($3::uuid[]) x order by x) u
     on conflict do nothing`,
    [agent.workspaceId, agent.id, leadIds],
  );
}

/** Notes what profiles showed; null: there was none to see. @param now epoch ms, product time */
export async function noteLooks(
  tx: Tx,
  workspaceId: string,
  looks: readonly { leadId: string; seen: { title: string; company: string } | null }[],
  now: number,
): Promise<void> {
  await tx.exec(
    `insert into signal_watch as w (workspace_id, lead_id, looked_at, title, company)
     select $1, x."leadId", $2, coalesce(x.title, ''), coalesce(x.company, '')
     from jsonb_to_recordset($3::jsonb) as x ("leadId" uuid, title text, company text)
     order by x."leadId"
     on conflict (workspace_id, lead_id) do update set
       looked_at = excluded.looked_at,
       title = case when excluded.company = '' then w.title else excluded.title end,
       company = case when excluded.company = '' then w.company else excluded.company end`,
    [workspaceId, now, JSON.stringify(looks.map(({ leadId, seen }) => ({ leadId, ...seen })))],
  );
}

/**
 * What rested on the company that a lead left goes (app.change_job).
 * @param job as the profile shows it; `forgetMail`: the lead's address is the old company's
 */
export async function changeJob(
  tx: Tx,
  workspaceId: string,
  leadId: string,
  job: { title: string; company: string; headline: string; seniority: string; forgetMail: boolean },
  now: number,
): Promise<void> {
  await tx.exec('select app.change_job($1, $2, $3, $4, $5, $6, $7, $8)', [
    workspaceId,
    leadId,
    job.title,
    job.company,
    job.headline,
    job.seniority,
    job.forgetMail,
    now,
  ]);
}

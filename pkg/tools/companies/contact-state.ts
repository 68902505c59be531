import type { Tx } from '../../postgres/database.ts';
import { isoOrNull } from '../times.ts';
import type { ContactRecord } from './company-row.ts';

interface Row {
  company_id: string;
  known: number;
  contacted: number;
  replied: number;
  last_at: number | null;
  account_id: string | null;
  campaign_id: string | null;
  stop: boolean;
  elsewhere: number | null;
}

/**
 * What the workspace knows of its contact with people of companies. `stop` is said when somebody replied in a campaign
 * whose policy then stops the whole company; a later contact by the agency's other workspaces shows as a time only.
 */
const STATES = `select
                  c.id as company_id,
                  coalesce(s.known, 0)::int as known,
                  coalesce(s.contacted, 0)::int as contacted,
                  coalesce(s.replied, 0)::int as replied,
                  s.last_at,
                  last.account_id,
                  last.campaign_id,
                  coalesce(stops.found, false) as stop,
                  app.company_contact_elsewhere($1, c.id) as elsewhere
                from unnest($2::uuid[]) c (id)
                left join lateral (
                  select
                    count(*) as known,
                    count(o.last_contacted_at) as contacted,
                    count(o.last_replied_at) as replied,
                    max(o.last_contacted_at) as last_at
                  from (
                    select l.id
                    from lead l
                    where l.company_id = c.id
                      and l.erased_at is null
                      and (l.workspace_id is null or l.workspace_id = $1)
                    limit 10000
                  ) l
                  left join lead_overlay o on o.lead_id = l.id and o.workspace_id = $1
                ) s on true
                left join lateral (
                  select d.account_id, d.campaign_id
                  from lead l
                  join run r on r.lead_id = l.id and r.workspace_id = $1
                  join send d on d.run_id = r.id and d.state = 'confirmed'
                  where l.company_id = c.id and s.contacted > 0
                  order by d.settled_at desc nulls last limit 1
                ) last on true
                left join lateral (
                  select true as found
                  from lead l
                  join lead_overlay o on o.lead_id = l.id and o.workspace_id = $1 and o.last_replied_at is not null
                  join run r on r.lead_id = l.id and r.workspace_id = $1
                  join campaign k on k.id = r.campaign_id and k.deleted_at is null
                  where l.company_id = c.id
                    and s.replied > 0
                    and app.policy_flag(k.settings, 'stopCompanyOnReply')
                    and app.has_replied(r.facts)
                  limit 1
                ) stops on true`;

/** The contact state of each company by its id. */
export async function contactStates(
  tx: Tx,
  workspaceId: string,
  companyIds: readonly string[],
): Promise<Map<string, ContactRecord>> {
  const rows = companyIds.length === 0 ? [] : await tx.rows<Row>(STATES, [workspaceId, companyIds]);
  return new Map(rows.map((row) => [row.company_id, stateOf(row)]));
}

/** Nobody known, nobody contacted. */
export const NO_CONTACT: ContactRecord = {
  leadsKnown: 0,
  leadsContacted: 0,
  lastContactedAt: null,
  lastBy: null,
  repliedLeads: 0,
  stopForCompany: false,
};

function stateOf(row: Row): ContactRecord {
  const own = row.last_at !== null && row.last_at >= (row.elsewhere ?? 0);
  const by = own && row.account_id !== null && row.campaign_id !== null;
  return {
    leadsKnown: row.known,
    leadsContacted: row.contacted,
    lastContactedAt: isoOrNull(own ? row.last_at : (row.elsewhere ?? row.last_at)),
    lastBy: by ? { networkAccountId: row.account_id ?? '', campaignId: row.campaign_id ?? '' } : null,
    repliedLeads: row.replied,
    stopForCompany: row.stop,
  };
}

import type { EnrichField } from '../../domain/enrichment/enrich-fields.ts';
import type { OutsideContact } from '../../domain/outside-contact.ts';
import type { Tx } from '../../postgres/database.ts';

/** Where a walk over new leads stands: the last one that was looked at. */
export interface LeadPlace {
  /** Epoch ms, product time. */
  createdAt: number;
  leadId: string;
}

/** A lead, and which of the asked fields it lacks. */
export type LackingLead = OutsideContact & { createdAt: number; wanted: EnrichField[] };

/** A stretch of the walk. */
export interface LeadsAfter {
  /** Those of the page that lack a field and may be asked for, in the order of the walk. */
  leads: LackingLead[];
  /** Where the page ends; null: nobody comes after the place. */
  last: LeadPlace | null;
}

/**
 * Looks at the next private leads of the executor's workspace after a place, the oldest first: at a page of so many, however few of them
 * the campaign may take. Excluded ones are left out.
 */
export async function leadsAfter(
  tx: Tx,
  campaignId: string,
  of: { after: LeadPlace; fields: readonly EnrichField[]; now: number; limit: number },
): Promise<LeadsAfter> {
  const rows = await tx.rows<LackingLead & { taken: boolean }>(
    `with page as materialized (
       select x.id
       from (
         (select l.id, l.created_at
          from lead l
          where l.workspace_id = app.workspace() and l.created_at = $2 and l.id < $3
          order by l.id desc limit $6)
         union all
         (select l.id, l.created_at
          from lead l
          where l.workspace_id = app.workspace() and l.created_at > $2
          order by l.created_at, l.id desc limit $6)
       ) x
       order by x.created_at, x.id desc limit $6
     ),
     judged as materialized (
       select
         l.*,
         array(
           select f
           from unnest($4::text[]) f
           where case f
             when 'email' then l.email is null
             when 'phone' then coalesce(l.phone, '') = ''
             when 'email_verification' then l.email_status = 'unknown'
             else not l.provenance ? 'profile'
           end
         ) as wanted,
         l.erased_at is null
           and (
             exists (select 1 from campaign_lead c where c.campaign_id = $1 and c.lead_id = l.id)
             or not exists (select 1 from campaign_lead c where c.workspace_id = l.workspace_id and c.lead_id = l.id)
           ) as ours
       from page p
       join lead l on l.id = p.id
     ),
     barred as materialized (
       select b.lead_id
       from (select array_agg(j.id) as ids from judged j where j.ours and cardinality(j.wanted) > 0) k
       cross join lateral app.suppressed_leads(app.workspace(), $1, k.ids, $5) b
     )
     select
       j.id as "leadId", j.first_name as "firstName", j.last_name as "lastName", j.full_name as "fullName", j.title,
       j.company, j.email, j.profile_url as "profileUrl", j.country, j.created_at as "createdAt", j.wanted,
       j.ours and cardinality(j.wanted) > 0 and not exists (select 1 from barred b where b.lead_id = j.id) as taken
     from judged j
     order by j.created_at, j.id desc`,
    [campaignId, of.after.createdAt, of.after.leadId, of.fields, of.now, of.limit],
  );
  const last = rows.at(-1);
  return {
    leads: rows.flatMap(({ taken, ...lead }) => (taken ? [lead] : [])),
    last: last ? { createdAt: last.createdAt, leadId: last.leadId } : null,
  };
}

/** Where the last run of a schedule came to in its walk over leads; before the first one: leads that came after it was made. */
export async function placeBefore(tx: Tx, scheduleId: string, runId: string): Promise<LeadPlace> {
  const row = await tx.row<LeadPlace>(
    `select
       coalesce((r.cursor ->> 'createdAt')::bigint, s.created_at - 1) as "createdAt",
       coalesce(r.cursor ->> 'leadId', $3) as "leadId"
     from schedule s
     left join lateral (
       select x.cursor
       from scheduled_run x
       where x.schedule_id = s.id and x.id <> $2 and x.cursor ? 'createdAt'
       order by x.scheduled_for desc limit 1
     ) r on true
     where s.id = $1`,
    [scheduleId, runId, NO_LEAD],
  );
  return row ?? { createdAt: 0, leadId: NO_LEAD };
}

/** Comes after all others of one moment. */
const NO_LEAD = '00000000-0000-0000-0000-000000000000';

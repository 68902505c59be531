import type { EnrichField } from '../../domain/enrich-fields.ts';
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

/** Private leads of the executor's workspace that the campaign may take, after a place, the oldest first; excluded ones are left out. */
export function leadsAfter(
  tx: Tx,
  campaignId: string,
  of: { after: LeadPlace; fields: readonly EnrichField[]; now: number; limit: number },
): Promise<LackingLead[]> {
  return tx.rows<LackingLead>(
    `select
       l.id as "leadId", l.first_name as "firstName", l.last_name as "lastName", l.full_name as "fullName", l.title,
       l.company, l.email, l.profile_url as "profileUrl", l.country, l.created_at as "createdAt",
       array(
         select f
         from unnest($4::text[]) f
         where case f
           when 'email' then l.email is null
           when 'phone' then coalesce(l.phone, '') = ''
           when 'email_verification' then l.email_status = 'unknown'
           else not l.provenance ? 'profile'
         end
       ) as wanted
     from lead l
     where l.workspace_id = app.workspace()
       and l.erased_at is null
       and (l.created_at > $2 or l.created_at = $2 and l.id < $3)
       and (
         exists (select 1 from campaign_lead c where c.campaign_id = $1 and c.lead_id = l.id)
         or not exists (select 1 from campaign_lead c where c.workspace_id = l.workspace_id and c.lead_id = l.id)
       )
       and not exists (select 1 from app.suppressed_leads(app.workspace(), $1, array[l.id], $5))
     order by l.created_at, l.id desc
     limit $6`,
    [campaignId, of.after.createdAt, of.after.leadId, of.fields, of.now, of.limit],
  );
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

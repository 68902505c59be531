import { type BusinessHours, DEFAULT_BUSINESS_HOURS, nextSendOpening } from '../../domain/business-hours.ts';
import { zoneOf } from '../../domain/place-zone.ts';
import type { Tx } from '../../postgres/database.ts';

/** Whom a draft is for, who sends it, and when that may be at the earliest. */
export interface ReviewPeople {
  leadName: string;
  title: string;
  company: string;
  /** Display name of the account; null: none is chosen yet. */
  sender: string | null;
  workflowName: string;
  /** Epoch ms, product time, were it approved now; null: the hours never open. */
  earliestAt: number | null;
}

interface Row {
  id: string;
  lead_name: string | null;
  title: string | null;
  company: string | null;
  timezone: string | null;
  location: string | null;
  country: string | null;
  sender: string | null;
  account_timezone: string | null;
  account_hours: Partial<BusinessHours> | null;
  cooldown_until: number | null;
  workflow_name: string | null;
  campaign_hours: Partial<BusinessHours> | null;
  workspace_hours: Partial<BusinessHours> | null;
  workspace_timezone: string;
}

/** Of each of these drafts, under the caller's rights. @param now epoch ms UTC, product time */
export async function reviewPeople(tx: Tx, ids: readonly string[], now: number): Promise<Map<string, ReviewPeople>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.rows<Row>(
    `select
       i.id, l.full_name as lead_name, l.title, l.company, l.timezone, l.location, l.country,
       coalesce(nullif(a.display_name, ''), a.id) as sender, a.timezone as account_timezone,
       a.business_hours as account_hours, a.cooldown_until, f.name as workflow_name,
       c.settings -> 'businessHours' as campaign_hours, w.business_hours as workspace_hours,
       w.timezone as workspace_timezone
     from review_item i
     join workspace w on w.id = i.workspace_id
     left join lead l on l.id = i.lead_id and l.erased_at is null
     left join network_account a on a.id = i.account_id
     left join workflow f on f.id = i.workflow_id
     left join campaign c on c.id = i.campaign_id
     where i.id = any ($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, peopleOf(row, now)]));
}

function peopleOf(row: Row, now: number): ReviewPeople {
  const earliest = earliestAt(row, now);
  return {
    leadName: row.lead_name ?? '',
    title: row.title ?? '',
    company: row.company ?? '',
    sender: row.sender,
    workflowName: row.workflow_name ?? '',
    earliestAt: Number.isFinite(earliest) ? earliest : null,
  };
}

/** When the account is rested and the hours are open; budgets and gaps may make it later. */
function earliestAt(row: Row, now: number): number {
  const campaign = { ...DEFAULT_BUSINESS_HOURS, ...(row.campaign_hours ?? row.workspace_hours) };
  const account = row.sender === null ? campaign : { ...DEFAULT_BUSINESS_HOURS, ...row.account_hours };
  const hours = {
    account,
    accountTimezone: row.account_timezone ?? row.workspace_timezone,
    campaign,
    leadTimezone: zoneOf({ timezone: row.timezone, location: row.location ?? '', country: row.country ?? '' }),
  };
  return nextSendOpening(Math.max(now, row.cooldown_until ?? 0), hours).at;
}

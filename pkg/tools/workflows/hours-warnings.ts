import type { z } from 'zod';
import { type BusinessHours, nextSendOpening } from '../../domain/business-hours.ts';
import type { ForecastAccount } from '../../domain/forecast-account.ts';
import { zoneOf } from '../../domain/place-zone.ts';
import type { Tx } from '../../postgres/database.ts';
import type { graphProblem } from '../records/graph.ts';

/** Leads of each kind (scored, enrolled, in lists) whose zones are looked at, and zones that are told. */
const SAMPLE = 500;
const MAX_ZONES = 50;
const TOLD = 5;

/**
 * Hours of an account that never meet those of the campaign within a week: the account alone decides there, so that people
 * are written to outside of the campaign's hours. Source: catalog `defaults.businessHours.rule`.
 */
export async function hoursWarnings(
  tx: Tx,
  { workspaceId, campaignId, workflowId }: { workspaceId: string; campaignId: string; workflowId: string | null },
  accounts: readonly ForecastAccount[],
  campaign: BusinessHours,
  now: number,
): Promise<z.input<typeof graphProblem>[]> {
  const zones =
    campaign.timezoneMode === 'lead' ? await leadZones(tx, { workspaceId, campaignId, workflowId }) : ([null] as const);
  const known = new Map<string, readonly string[]>();
  const apart = accounts.flatMap((account) => {
    const key = JSON.stringify([account.timezone, account.hours]);
    const found = known.get(key) ?? zonesApart(account, campaign, zones, now);
    known.set(key, found);
    return found.length > 0 ? [{ id: account.networkAccountId, zones: found }] : [];
  });
  const [first] = apart;
  if (!first) return [];
  const others = apart.length > 1 ? ` and of ${apart.length - 1} more` : '';
  const where = first.zones[0] === '' ? '' : ` for leads in ${first.zones.slice(0, TOLD).join(', ')}`;
  const message = `The hours of account ${first.id}${others} never meet those of the campaign within 7 days${where}: the account's hours alone decide there. Change one of them with svc_update_network_account_settings or svc_update_campaign.`;
  return [{ nodeIndex: null, edgeIndex: null, code: 'hours_never_meet', message }];
}

/** Zones of leads in which the two never meet; '' where the zone of the lead does not matter, or is not known. */
function zonesApart(
  account: ForecastAccount,
  campaign: BusinessHours,
  zones: readonly (string | null)[],
  now: number,
): string[] {
  return zones.flatMap((leadTimezone) => {
    const { leadHoursIgnored } = nextSendOpening(now, {
      account: account.hours,
      accountTimezone: account.timezone,
      campaign,
      leadTimezone,
    });
    return leadHoursIgnored ? [leadTimezone ?? ''] : [];
  });
}

/** Where leads of the campaign live: some of those that are scored, in its lists, or in the workflow; null: not known. */
async function leadZones(
  tx: Tx,
  { workspaceId, campaignId, workflowId }: { workspaceId: string; campaignId: string; workflowId: string | null },
): Promise<(string | null)[]> {
  const rows = await tx.rows<{ timezone: string | null; location: string; country: string }>(
    `select l.timezone, case when l.timezone is null then l.location else '' end as location,
       case when l.timezone is null then l.country else '' end as country, count(*) as leads
     from (
       (select s.lead_id from lead_score s where s.campaign_id = $2 limit $4)
       union (select r.lead_id from run r where r.workspace_id = $1 and r.workflow_id = $3 limit $4)
       union (
         select m.lead_id
         from lead_list i
         join lead_list_member m on m.lead_list_id = i.id
         where i.campaign_id = $2
         limit $4
       )
     ) x
     join lead l on l.id = x.lead_id
     where coalesce(l.timezone, nullif(l.location, ''), nullif(l.country, '')) is not null
     group by 1, 2, 3
     order by 4 desc, 1, 2, 3 limit $5`,
    [workspaceId, campaignId, workflowId ?? '', SAMPLE, MAX_ZONES],
  );
  const zones = rows.flatMap((row) => zoneOf(row) ?? []);
  return [null, ...new Set(zones)];
}

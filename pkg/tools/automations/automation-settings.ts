import { z } from 'zod';
import type { JsonObject } from '../../base/json.ts';
import { ENRICH_FIELDS } from '../../domain/enrichment/enrich-fields.ts';
import type { AutomationKind } from '../../domain/schedule/automation-kinds.ts';
import { REPORT_PERIODS } from '../../domain/schedule/report-period.ts';
import type { Tx } from '../../postgres/database.ts';
import { invalidInput, notFound } from '../errors.ts';
import { requireIcp } from '../icps/icp-row.ts';
import { requireList } from '../lead-lists/list-row.ts';

const rescore = z.strictObject({ icpId: z.string().min(1).optional() });
/** Defaults are kept with the automation: what it was made for stays. */
const withdraw = z.strictObject({
  olderThanDays: z.int().min(1).max(365).default(21),
  maxRequests: z.int().min(1).max(1000).default(100),
});
const enrich = z.strictObject({
  fields: z.array(z.enum(ENRICH_FIELDS)).min(1).max(ENRICH_FIELDS.length),
  creditLimit: z.int().min(1).max(1_000_000),
});
const source = z.strictObject({
  icpId: z.string().min(1),
  maxLeads: z.int().min(1).max(1000).default(100),
  creditLimit: z.int().min(1).max(1_000_000).default(100),
});
const report = z.strictObject({
  memberIds: z.array(z.string().min(1)).min(1).max(50),
  period: z.enum(REPORT_PERIODS).default('week'),
});
const sync = z.strictObject({ integrationId: z.string().min(1) });
const refresh = z.strictObject({ leadListId: z.string().min(1).optional() });

/**
 * The settings of an automation, checked: what they name is the campaign's.
 * @throws UserError
 */
export async function checkSettings(
  tx: Tx,
  of: { kind: AutomationKind; campaignId: string },
  settings: unknown,
): Promise<JsonObject> {
  switch (of.kind) {
    case 'rescore_leads':
      return checkRescore(tx, of.campaignId, settings);
    case 'source_leads':
      return checkSource(tx, of.campaignId, settings);
    case 'enrich_new_leads':
      return parsed(enrich, settings);
    case 'send_report':
      return checkReport(tx, of.campaignId, settings);
    case 'sync_crm':
      return checkSync(tx, of.campaignId, settings);
    case 'withdraw_stale_requests':
      return parsed(withdraw, settings);
    default:
      return checkRefresh(tx, of.campaignId, settings);
  }
}

/** An ICP of the campaign that a search of the network can be made of. */
async function checkSource(tx: Tx, campaignId: string, settings: unknown): Promise<JsonObject> {
  const given = parsed(source, settings);
  const icp = await requireIcp(tx, given.icpId);
  if (icp.campaign_id !== campaignId) throw invalidInput('settings.icpId', 'is an ICP of another campaign');
  if (icp.titles.length === 0 && icp.keywords.length === 0)
    throw invalidInput('settings.icpId', 'has neither titles nor keywords, which the network is searched for');
  return given;
}

async function checkRescore(tx: Tx, campaignId: string, settings: unknown): Promise<JsonObject> {
  const { icpId } = parsed(rescore, settings);
  if (icpId === undefined) return {};
  const icp = await requireIcp(tx, icpId);
  if (icp.campaign_id !== campaignId) throw invalidInput('settings.icpId', 'is an ICP of another campaign');
  return { icpId };
}

/** Members are named by their own id or by that of their user. */
async function checkReport(tx: Tx, campaignId: string, settings: unknown): Promise<JsonObject> {
  const given = parsed(report, settings);
  const rows = await tx.rows<{ id: string; user: string }>(
    `select m.id::text as id, m.user_id::text as "user"
     from member m
     join campaign c on c.workspace_id = m.workspace_id
     where c.id = $1 and (m.id::text = any ($2::text[]) or m.user_id::text = any ($2::text[]))`,
    [campaignId, given.memberIds],
  );
  const known = new Set(rows.flatMap((row) => [row.id, row.user]));
  for (const memberId of given.memberIds) if (!known.has(memberId)) throw notFound('member', memberId);
  return given;
}

async function checkSync(tx: Tx, campaignId: string, settings: unknown): Promise<JsonObject> {
  const { integrationId } = parsed(sync, settings);
  const row = await tx.row<{ kind: string }>(
    `select i.kind
     from integration i
     join campaign c on c.workspace_id = i.workspace_id
     where c.id = $1 and i.id = $2 and i.deleted_at is null`,
    [campaignId, integrationId],
  );
  if (!row) throw notFound('integration', integrationId);
  if (row.kind !== 'crm') throw invalidInput('settings.integrationId', 'is no CRM; svc_list_integrations shows kinds');
  return { integrationId };
}

async function checkRefresh(tx: Tx, campaignId: string, settings: unknown): Promise<JsonObject> {
  const { leadListId } = parsed(refresh, settings);
  if (leadListId === undefined) return {};
  const list = await requireList(tx, leadListId);
  if (list.type !== 'query') throw invalidInput('settings.leadListId', 'is a static list; name a query list');
  if (list.campaign_id !== campaignId)
    throw invalidInput('settings.leadListId', 'is not attached to this campaign; svc_update_lead_list attaches it');
  return { leadListId };
}

function parsed<T>(schema: z.ZodType<T>, settings: unknown): T {
  const answer = schema.safeParse(settings);
  if (answer.success) return answer.data;
  const [issue] = answer.error.issues;
  throw invalidInput(['settings', ...(issue?.path ?? [])].join('.'), issue?.message ?? 'is not valid');
}

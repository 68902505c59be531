import { type BusinessHours, DEFAULT_BUSINESS_HOURS } from '../../domain/business-hours.ts';
import type { ForecastAccount } from '../../domain/forecast-account.ts';
import type { BudgetAction } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';
import { ACCOUNT_COLUMNS, type AccountRow, rampUpOf } from '../network-accounts/account-row.ts';

/** What a forecast needs of the campaign. */
export interface CampaignFacts {
  hours: BusinessHours | null;
  reviewMode: 'off' | 'ai_only' | 'first_touch' | 'all';
}

/** Hours and review mode of a campaign. */
export async function campaignFacts(tx: Tx, campaignId: string): Promise<CampaignFacts> {
  const row = await tx.row<{
    settings: { businessHours?: BusinessHours | null; reviewMode?: CampaignFacts['reviewMode'] };
  }>('select settings from campaign where id = $1', [campaignId]);
  return { hours: row?.settings.businessHours ?? null, reviewMode: row?.settings.reviewMode ?? 'off' };
}

/**
 * The accounts and mailboxes that would send, with what they used already: the named ones of a kind, or all healthy ones
 * of the workspace when none of that kind is named.
 */
export async function sendingAccounts(
  tx: Tx,
  workspaceId: string,
  accountIds: readonly string[],
  now: number,
): Promise<ForecastAccount[]> {
  const rows = await tx.rows<AccountRow>(
    `select ${ACCOUNT_COLUMNS} where a.id in (select account_id from account_link where workspace_id = $1) and a.status = 'ok' and not a.paused
       and (a.id = any ($2) or not exists (select 1 from network_account o where o.id = any ($2) and o.kind = a.kind))
     order by a.id limit 100`,
    [workspaceId, accountIds],
  );
  const boxes = await tx.rows<{ account_id: string; min_gap_ms: number }>(
    'select account_id, min_gap_ms from mailbox where account_id = any ($1)',
    [rows.map((row) => row.id)],
  );
  const gaps = new Map(boxes.map((box) => [box.account_id, box.min_gap_ms]));
  const used = await tx.rows<{ account_id: string; action: BudgetAction; head_date: string; used: number[] }>(
    'select account_id, action, head_date::text as head_date, used from account_budget where account_id = any ($1)',
    [rows.map((row) => row.id)],
  );
  return rows.map((row) => {
    const rampUp = rampUpOf(row, now);
    const mine = used.filter((entry) => entry.account_id === row.id);
    return {
      networkAccountId: row.id,
      channel: gaps.has(row.id) ? 'mail' : 'network',
      minGapMs: gaps.get(row.id) ?? 0,
      tier: row.tier,
      timezone: row.timezone,
      hours: row.business_hours ? { ...DEFAULT_BUSINESS_HOURS, ...row.business_hours } : DEFAULT_BUSINESS_HOURS,
      limits: row.limits,
      pace: row.pacing,
      ramp: row.ramp_enabled ? { startShare: row.ramp_start_share, days: row.ramp_days } : null,
      daysSinceFirstSend: row.first_send_at === null ? null : rampUp.day,
      health: row.health,
      used: Object.fromEntries(mine.map((entry) => [entry.action, { headDate: entry.head_date, used: entry.used }])),
    };
  });
}

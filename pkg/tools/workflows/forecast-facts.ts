import type { z } from 'zod';
import type { BudgetAction } from '../../domain/actions.ts';
import { localDate } from '../../domain/budget-window.ts';
import { type BusinessHours, DEFAULT_BUSINESS_HOURS } from '../../domain/business-hours.ts';
import { DEFAULT_REVIEW_MODE } from '../../domain/campaign-defaults.ts';
import { CONTACT_POLICY } from '../../domain/contact-policy.ts';
import type { ForecastAccount } from '../../domain/forecast-account.ts';
import type { ReviewMode } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';
import { ACCOUNT_COLUMNS, type AccountRow, rampUpOf } from '../network-accounts/account-row.ts';
import type { graphProblem } from '../records/graph.ts';

/** What a forecast needs of the campaign. */
export interface CampaignFacts {
  /** Those in force: the campaign's, else the workspace's, else the defaults. */
  hours: BusinessHours;
  reviewMode: ReviewMode;
  /** Days between two touches of a person. */
  touchDays: number;
}

/** Hours, review mode and contact policy of a campaign. */
export async function campaignFacts(tx: Tx, campaignId: string): Promise<CampaignFacts> {
  const row = await tx.row<{
    settings: {
      businessHours?: Partial<BusinessHours> | null;
      reviewMode?: CampaignFacts['reviewMode'];
      contactPolicy?: { minDaysBetweenTouches?: number } | null;
    };
    business_hours: Partial<BusinessHours> | null;
  }>('select c.settings, w.business_hours from campaign c join workspace w on w.id = c.workspace_id where c.id = $1', [
    campaignId,
  ]);
  const own = row?.settings;
  return {
    hours: { ...DEFAULT_BUSINESS_HOURS, ...(own?.businessHours ?? row?.business_hours) },
    reviewMode: own?.reviewMode ?? DEFAULT_REVIEW_MODE,
    touchDays: own?.contactPolicy?.minDaysBetweenTouches ?? CONTACT_POLICY.minDaysBetweenTouches,
  };
}

/** Accounts of a kind that a forecast reckons with. */
const MOST_ACCOUNTS = 100;

/** Who sends for a workflow. */
export interface Senders {
  workspaceId: string;
  /** Accounts and mailboxes that it names. */
  named: readonly string[];
  /** It names network accounts, which may be linked no more: then nobody else sends for it. */
  networkNamed: boolean;
}

/**
 * Of an account `n`, as SQL: whether it would send for a workspace ($1) and those that a workflow names ($2); $3 is whether network
 * accounts are among them. Calendars are named beside mailboxes: without a linked mailbox among them all of them mail.
 */
export const WOULD_SEND = `n.id in (select account_id from account_link where workspace_id = $1) and n.status = 'ok' and not n.paused
  and (n.id = any ($2) or case when n.kind = 'network' then not $3::boolean
    else not exists (select 1 from account_link l join network_account o on o.id = l.account_id
      where l.workspace_id = $1 and o.id = any ($2) and o.kind = n.kind) end)`;

/** The parameters of {@link WOULD_SEND}. */
export function senderValues({ workspaceId, named, networkNamed }: Senders): unknown[] {
  return [workspaceId, named, networkNamed];
}

/**
 * The accounts and mailboxes that would send, with what they used already: the named ones of a kind, or all healthy ones
 * of the workspace when none of that kind is named; of each kind {@link MOST_ACCOUNTS} at most.
 */
export async function sendingAccounts(tx: Tx, senders: Senders, now: number): Promise<ForecastAccount[]> {
  const { workspaceId } = senders;
  const rows = await tx.rows<AccountRow>(
    `select ${ACCOUNT_COLUMNS}
     where a.id in (
       select n.id
       from (
         select n.id, row_number() over (partition by n.kind order by n.id) as place
         from network_account n
         where ${WOULD_SEND}
       ) n
       where n.place <= ${MOST_ACCOUNTS}
     )
     order by a.id`,
    senderValues(senders),
  );
  const boxes = await tx.rows<{ account_id: string; min_gap_ms: number }>(
    'select account_id, min_gap_ms from mailbox where account_id = any ($1)',
    [rows.map((row) => row.id)],
  );
  const gaps = new Map(boxes.map((box) => [box.account_id, box.min_gap_ms]));
  const used = await tx.rows<{
    account_id: string;
    action: BudgetAction;
    head_date: string;
    used: number[];
    others: number;
  }>(
    `select account_id, action, head_date::text as head_date, used,
       (select coalesce(sum(w.value::int), 0) from jsonb_each_text(by_workspace) w where w.key <> $2)::int as others
     from account_budget where account_id = any ($1)`,
    [rows.map((row) => row.id), workspaceId],
  );
  const shares = await tx.rows<{ id: string; share: number }>(
    'select x.id, app.other_shares(x.id, $2) as share from unnest($1::text[]) as x (id)',
    [rows.map((row) => row.id), workspaceId],
  );
  const kept = new Map(shares.map((row) => [row.id, row.share]));
  const own = await tx.row<{ most: Record<string, number> | null }>(
    `select limits -> 'dailyActions' as most from workspace where id = $1`,
    [workspaceId],
  );
  return rows.map((row) => {
    const rampUp = rampUpOf(row, now);
    const mine = used.filter((entry) => entry.account_id === row.id);
    return {
      networkAccountId: row.id,
      channel: row.kind,
      minGapMs: gaps.get(row.id) ?? 0,
      tier: row.tier,
      timezone: row.timezone,
      hours: row.business_hours ? { ...DEFAULT_BUSINESS_HOURS, ...row.business_hours } : DEFAULT_BUSINESS_HOURS,
      limits: row.limits,
      most: own?.most ?? undefined,
      pace: row.pacing,
      ramp: row.ramp_enabled ? { startShare: row.ramp_start_share, days: row.ramp_days } : null,
      daysSinceFirstSend: row.first_send_at === null ? null : rampUp.day,
      health: row.health,
      used: Object.fromEntries(mine.map((entry) => [entry.action, { headDate: entry.head_date, used: entry.used }])),
      othersShare: kept.get(row.id) ?? 0,
      usedByOthers: Object.fromEntries(
        mine
          .filter((entry) => entry.head_date === localDate(now, row.timezone))
          .map((entry) => [entry.action, entry.others]),
      ),
    };
  });
}

/** Says when more accounts would send than a forecast reckons with: they would be done sooner than it says. */
export async function accountsWarning(
  tx: Tx,
  senders: Senders,
  reckoned: number,
): Promise<z.input<typeof graphProblem>[]> {
  if (reckoned < MOST_ACCOUNTS) return [];
  const row = await tx.row<{ all: number }>(
    `select count(*)::int as all from network_account n where ${WOULD_SEND}`,
    senderValues(senders),
  );
  const all = row?.all ?? 0;
  if (all <= reckoned) return [];
  const message = `The simulation reckons with ${reckoned} of the ${all} accounts that would send: all of them do more a day, and are done sooner. Name the accounts of the workflow to simulate with those.`;
  return [{ nodeIndex: null, edgeIndex: null, code: 'accounts_left_out', message }];
}

import { z } from 'zod';
import { type ConfiguredLimit, rampFactor } from '../../domain/budget.ts';
import { localDate } from '../../domain/budget-window.ts';
import { type BusinessHours, DEFAULT_BUSINESS_HOURS } from '../../domain/business-hours.ts';
import { DEFAULT_PACE, type PaceSettings } from '../../domain/pacing.ts';
import type { AccountTier } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';
import type { CompactForm } from '../compact.ts';
import { notFound } from '../errors.ts';
import { iso, isoOrNull } from '../times.ts';

/** Catalog record RampUp. */
export const rampUpRecord = z.object({
  enabled: z.boolean(),
  day: z.number(),
  days: z.number(),
  factor: z.number(),
  startedAt: z.string().nullable(),
  completesAt: z.string().nullable(),
});

/** Catalog record NetworkAccount. */
export const networkAccount = z.object({
  networkAccountId: z.string(),
  displayName: z.string(),
  profileUrl: z.string(),
  tier: z.string(),
  status: z.string(),
  statusSince: z.string(),
  timezone: z.string(),
  businessHours: z.object({
    timezoneMode: z.string(),
    timezone: z.string().optional(),
    days: z.array(z.number()),
    startHour: z.number(),
    endHour: z.number(),
    holidayCountry: z.string().optional(),
  }),
  rampUp: rampUpRecord,
  pacing: z.object({
    minGapSeconds: z.number(),
    maxGapSeconds: z.number(),
    sessionMinutes: z.number(),
    weekendFactor: z.number().nullable(),
    heavyFreeAt: z.string().nullable(),
    lightFreeAt: z.string().nullable(),
  }),
  linkedWorkspaces: z.number(),
  workspaceShare: z.number(),
  paused: z.boolean(),
  workflowIds: z.array(z.string()).describe('The first 100 by id; svc_list_workflows lists all.'),
  lastActionAt: z.string().nullable(),
});

/** An account of a list: as much of it as the caller asked for. */
export const listedAccount = networkAccount.partial().required({ networkAccountId: true });

/** Which account it is, and whether it works; pace and hours are in the single account. */
export const ACCOUNT_FORM: CompactForm = {
  id: 'networkAccountId',
  known: Object.keys(networkAccount.shape),
  kept: ['displayName', 'tier', 'status', 'statusSince', 'timezone', 'paused', 'linkedWorkspaces', 'lastActionAt'],
};

/** A row of `network_account` with what the tools show beside it. */
export interface AccountRow {
  id: string;
  display_name: string;
  profile_url: string;
  tier: AccountTier;
  kind: 'network' | 'mail';
  provider: string;
  status: string;
  status_since: number;
  timezone: string;
  business_hours: BusinessHours | null;
  ramp_enabled: boolean;
  ramp_days: number;
  ramp_start_share: number;
  first_send_at: number | null;
  health: number;
  limits: Record<string, ConfiguredLimit>;
  pacing: PaceSettings | null;
  /** For all workspaces that share it. */
  paused: boolean;
  /** For a workspace whose account is shown; others may go on. */
  paused_here: boolean;
  cooldown_until: number | null;
  /** Why it rests; empty: nobody knows more than that it shall. */
  cooldown_reason: string;
  last_action_at: number | null;
  created_at: number;
  heavy_free_at: number | null;
  light_free_at: number | null;
  linked: number;
  share: number | null;
  workflow_ids: string[];
}

/** Workflows that an account names, the first by id; svc_list_workflows pages through all. */
const MOST_WORKFLOWS = 100;

/** Select list shared by the list and the single read; `$1` is the workspace whose share is shown, or ''. */
export const ACCOUNT_COLUMNS = `a.*, app.last_action_at(a) as last_action_at, p.heavy_free_at, p.light_free_at,
  greatest(1, app.link_count(a.id)) as linked,
  (select max(l.share) from account_link l where l.account_id = a.id and ($1 = '' or l.workspace_id = $1)) as share,
  exists (select 1 from account_link l where l.account_id = a.id and ($1 = '' or l.workspace_id = $1) and l.paused) as paused_here,
  array(select w.id from workflow w join account_link l on l.workspace_id = w.workspace_id and l.account_id = a.id
     where w.deleted_at is null and w.enabled and (cardinality(w.network_account_ids) = 0 or a.id = any (w.network_account_ids))
     order by w.id limit ${MOST_WORKFLOWS}) as workflow_ids
  from network_account a left join account_pacing p on p.account_id = a.id`;

/** Reads an account (of the network where nothing else is said) that is linked to a workspace of the caller. @throws UserError not found */
export async function requireAccount(
  tx: Tx,
  accountId: string,
  kinds: readonly AccountRow['kind'][] = ['network'],
): Promise<AccountRow> {
  const row = await tx.row<AccountRow>(
    `select ${ACCOUNT_COLUMNS}
     where a.id = $2 and a.kind = any ($3::text[]) and a.id in (select app.linked_accounts())`,
    ['', accountId, kinds],
  );
  if (!row) throw notFound('networkAccount', accountId);
  return row;
}

/** Whether it does nothing for who asks: everybody's pause, or their own. */
export function isPaused({ paused, paused_here: here }: Pick<AccountRow, 'paused' | 'paused_here'>): boolean {
  return paused || here;
}

/** Until when it rests, and why, in words that follow its name; null: it does not rest. @param now epoch ms, product time */
export function restOf(
  { cooldown_until: until, cooldown_reason: reason }: Pick<AccountRow, 'cooldown_until' | 'cooldown_reason'>,
  now: number,
): string | null {
  if (until === null || until <= now) return null;
  return `rests until ${iso(until)}${reason === '' ? '' : ` (${reason})`}`;
}

const DAY_MS = 86_400_000;

/** Where the account stands in its ramp-up. */
export function rampUpOf(row: AccountRow, now: number): z.input<typeof rampUpRecord> {
  const started = row.first_send_at;
  const first = Date.parse(localDate(started ?? now, row.timezone));
  const day = Math.max(0, Math.round((Date.parse(localDate(now, row.timezone)) - first) / DAY_MS));
  const ramp = row.ramp_enabled ? { startShare: row.ramp_start_share, days: row.ramp_days } : null;
  return {
    enabled: row.ramp_enabled,
    day: Math.min(day, row.ramp_days),
    days: row.ramp_days,
    factor: rampFactor(started === null ? null : day, ramp),
    startedAt: isoOrNull(started),
    completesAt: started === null ? null : iso(started + row.ramp_days * DAY_MS),
  };
}

/** The record of a row. */
export function accountOf(row: AccountRow, now: number): z.input<typeof networkAccount> {
  const hours = { ...DEFAULT_BUSINESS_HOURS, ...row.business_hours };
  return {
    networkAccountId: row.id,
    displayName: row.display_name,
    profileUrl: row.profile_url,
    tier: row.tier,
    status: row.status,
    statusSince: iso(row.status_since),
    timezone: row.timezone,
    businessHours: { ...hours, days: [...hours.days] },
    rampUp: rampUpOf(row, now),
    pacing: {
      ...DEFAULT_PACE,
      ...row.pacing,
      heavyFreeAt: row.heavy_free_at ? iso(row.heavy_free_at) : null,
      lightFreeAt: row.light_free_at ? iso(row.light_free_at) : null,
    },
    linkedWorkspaces: row.linked,
    workspaceShare: row.share ?? 0,
    paused: isPaused(row),
    workflowIds: row.workflow_ids,
    lastActionAt: isoOrNull(row.last_action_at),
  };
}

/** An account that is linked to this workspace: another one of the caller lends none. @throws UserError not found */
export async function requireAccountOf(tx: Tx, workspaceId: string, accountId: string): Promise<string> {
  const { id } = await requireAccount(tx, accountId);
  const link = await tx.row('select 1 from account_link where account_id = $1 and workspace_id = $2', [
    id,
    workspaceId,
  ]);
  if (!link) throw notFound('networkAccount', accountId);
  return id;
}

import { z } from 'zod';
import { effectiveLimit } from '../../domain/budget.ts';
import { DEFAULT_BUSINESS_HOURS } from '../../domain/business-hours.ts';
import type { Tx } from '../../postgres/database.ts';
import { type ProviderAccountRow, readProviderAccount } from '../../store/accounts/provider-accounts.ts';
import { notFound } from '../errors.ts';
import type { ToolContext } from '../tool-context.ts';

/** Catalog record ProviderAccount. */
export const providerAccount = z.object({
  providerAccountId: z.string(),
  email: z.string(),
  capabilities: z.array(z.enum(['mail', 'calendar'])),
  status: z.enum(['connected', 'paused', 'needs_auth', 'error']),
  timezone: z.string(),
  timezoneSource: z.enum(['detected', 'override', 'fallback']),
  schedulingStartHour: z.number(),
  schedulingEndHour: z.number(),
  dailyMailLimit: z.number().nullable().describe('Null: it sends no mail.'),
  sentToday: z.number(),
  isDefault: z.boolean(),
});
type ProviderAccount = z.input<typeof providerAccount>;

/** Words of both kinds of account for whether it works. */
const STATUSES: Readonly<Record<string, ProviderAccount['status']>> = {
  ok: 'connected',
  connected: 'connected',
  needs_auth: 'needs_auth',
  credentials_expired: 'needs_auth',
};

/** Mails a day that its settings allow, before ramp-up and health. */
export function mailLimit(limit: number | null): number {
  return effectiveLimit('mail', 'basic', limit === null ? null : { day: limit }, 1, 1).day;
}

/** The record of a row. */
export function providerAccountOf(row: ProviderAccountRow): ProviderAccount {
  const status = STATUSES[row.status] ?? 'error';
  return {
    providerAccountId: row.id,
    email: row.email,
    capabilities: [row.capability],
    status: status === 'connected' && row.paused ? 'paused' : status,
    timezone: row.timezone,
    timezoneSource: row.timezoneOverridden ? 'override' : row.detectedTimezone === null ? 'fallback' : 'detected',
    schedulingStartHour: row.startHour ?? DEFAULT_BUSINESS_HOURS.startHour,
    schedulingEndHour: row.endHour ?? DEFAULT_BUSINESS_HOURS.endHour,
    dailyMailLimit: row.capability === 'mail' ? mailLimit(row.limit) : null,
    sentToday: row.sentToday,
    isDefault: row.isDefault,
  };
}

/** A mailbox or calendar of one of the caller's workspaces. @throws UserError not found */
export async function requireProviderAccount(
  ctx: ToolContext,
  tx: Tx,
  providerAccountId: string,
): Promise<ProviderAccountRow> {
  const mine = ctx.caller.workspaces.map(({ workspaceId }) => workspaceId);
  const row = await readProviderAccount(tx, mine, providerAccountId, ctx.clocks.product.now());
  if (!row) throw notFound('providerAccount', providerAccountId);
  return row;
}

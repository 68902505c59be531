import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { type BusinessHours, DEFAULT_BUSINESS_HOURS } from '../../domain/business-hours.ts';
import { readTimezone } from '../../domain/identity/time-zone.ts';
import { paceOf } from '../../domain/warmup.ts';
import type { Tx } from '../../postgres/database.ts';
import {
  keepCalendarSettings,
  keepDefaultCalendar,
  keepDefaultMailbox,
  keepMailboxSettings,
  type ProviderAccountRow,
} from '../../store/accounts/provider-accounts.ts';
import { keepWarmup, keepWarmupPace, readWarmups } from '../../store/mail/warmups.ts';
import { invalidInput } from '../errors.ts';
import { ownerOf } from '../network-accounts/account-owner.ts';
import { requireAccount } from '../network-accounts/account-row.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { providerAccount, providerAccountOf, requireProviderAccount } from './provider-account.ts';
import { requireMailboxOwner } from './require-mailbox-owner.ts';

const input = z.strictObject({
  providerAccountId: z.string().min(1),
  schedulingStartHour: z.int().min(0).max(23).optional(),
  schedulingEndHour: z.int().min(1).max(24).optional(),
  timezone: z.string().optional().describe('IANA; empty string returns to the detected one.'),
  dailyMailLimit: z.int().min(0).max(2000).optional(),
  minGapSeconds: z.int().min(30).max(7200).optional(),
  signature: z.string().max(5000).optional(),
  bufferMinutes: z.array(z.int().min(0).max(120)).max(2).optional().describe('Free time before and after meetings.'),
  isDefault: z.boolean().optional(),
});
type Change = z.output<typeof input>;

/** What is in force after the change. */
const applied = providerAccount
  .pick({
    timezone: true,
    timezoneSource: true,
    schedulingStartHour: true,
    schedulingEndHour: true,
    dailyMailLimit: true,
    isDefault: true,
  })
  .extend({
    minGapSeconds: z.number().nullable(),
    signature: z.string(),
    bufferMinutes: z.array(z.number()),
  });
const output = z.object({ providerAccountId: z.string(), applied });

export const updateProviderAccountSettings = tool({
  name: 'svc_update_provider_account_settings',
  domain: 'External provider services (mail, calendar, warm-up)',
  title: 'Update provider account settings',
  description:
    'Sets scheduling hours, timezone override, mailbox limits, gap and signature. Next: svc_list_provider_accounts.',
  example: { input: { providerAccountId: '$mailboxId', dailyMailLimit: 30, minGapSeconds: 600 } },
  scope: 'ext_integrations:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input,
  output,
  async run(ctx, change) {
    const { row, result } = await ctx.tx((tx) => apply(ctx, tx, change));
    // Not in the same transaction: executors lock their runs before the account.
    if (row.capability === 'mail') await ctx.tx((tx) => tx.exec('select app.wake_waiting($1)', [row.id]));
    return result;
  },
});

async function apply(
  ctx: ToolContext,
  tx: Tx,
  change: Change,
): Promise<{ row: ProviderAccountRow; result: z.input<typeof output> }> {
  const before = await requireProviderAccount(ctx, tx, change.providerAccountId);
  requireFitting(before, change);
  await (before.capability === 'mail' ? applyToMailbox(ctx, tx, before, change) : applyToCalendar(tx, before, change));
  const row = await requireProviderAccount(ctx, tx, before.id);
  const { timezone, timezoneSource, schedulingStartHour, schedulingEndHour, dailyMailLimit, isDefault } =
    providerAccountOf(row);
  return {
    row,
    result: {
      providerAccountId: row.id,
      applied: {
        timezone,
        timezoneSource,
        schedulingStartHour,
        schedulingEndHour,
        dailyMailLimit,
        isDefault,
        minGapSeconds: row.minGapMs === null ? null : row.minGapMs / 1000,
        signature: row.signature,
        bufferMinutes: [row.bufferBefore, row.bufferAfter],
      },
    },
  };
}

const OF_MAILBOXES = ['dailyMailLimit', 'minGapSeconds', 'signature'] as const;

/** @throws UserError for a setting that the account has not, or that can not stand */
function requireFitting(row: ProviderAccountRow, change: Change): void {
  if (row.capability === 'calendar') {
    const odd = OF_MAILBOXES.find((name) => change[name] !== undefined);
    if (odd) throw invalidInput(odd, 'is a setting of mailboxes, and this account is a calendar');
  } else if (change.bufferMinutes !== undefined) {
    throw invalidInput('bufferMinutes', 'is a setting of calendars, and this account is a mailbox');
  }
  if (change.bufferMinutes?.length === 1) throw invalidInput('bufferMinutes', 'give both, before and after a meeting');
  const zone = change.timezone ? readTimezone(change.timezone) : null;
  if (zone?.value === null) throw invalidInput('timezone', zone.note);
  const { startHour, endHour } = hoursAfter(row, change);
  if (endHour > startHour) return;
  throw new UserError(
    `Invalid input: schedulingEndHour: ${endHour} is not after schedulingStartHour, which is ${startHour}. Call svc_list_provider_accounts.`,
    'InvalidInput',
  );
}

function hoursAfter(row: ProviderAccountRow, change: Change): { startHour: number; endHour: number } {
  return {
    startHour: change.schedulingStartHour ?? row.startHour ?? DEFAULT_BUSINESS_HOURS.startHour,
    endHour: change.schedulingEndHour ?? row.endHour ?? DEFAULT_BUSINESS_HOURS.endHour,
  };
}

function zoneAfter(
  row: ProviderAccountRow,
  { timezone }: Change,
): Pick<ProviderAccountRow, 'timezone' | 'timezoneOverridden'> {
  if (timezone === undefined) return row;
  const zone = timezone === '' ? null : readTimezone(timezone).value;
  return { timezone: zone ?? row.detectedTimezone ?? 'UTC', timezoneOverridden: zone !== null };
}

/** What binds all workspaces that share a mailbox. */
const SHARED = [...OF_MAILBOXES, 'schedulingStartHour', 'schedulingEndHour', 'timezone'] as const;

async function applyToMailbox(ctx: ToolContext, tx: Tx, row: ProviderAccountRow, change: Change): Promise<void> {
  const mine = ctx.caller.workspaces.map(({ workspaceId }) => workspaceId);
  if (SHARED.some((name) => change[name] !== undefined)) {
    requireMailboxOwner(ctx, await ownerOf(tx, row.id));
    // Two changes at once would each write what the other replaces.
    await tx.exec('select 1 from network_account where id = $1 for no key update', [row.id]);
    const now = ctx.clocks.product.now();
    const held = await requireProviderAccount(ctx, tx, row.id);
    const hours = (await requireAccount(tx, row.id, ['mail'])).business_hours;
    await keepMailboxSettings(
      tx,
      row.id,
      {
        ...zoneAfter(held, change),
        hours: mailHours(hours, held, change),
        limit: change.dailyMailLimit ?? held.limit,
        minGapMs: change.minGapSeconds === undefined ? (held.minGapMs ?? 0) : change.minGapSeconds * 1000,
        signature: change.signature ?? held.signature,
      },
      now,
    );
    if (change.dailyMailLimit !== undefined) await boundWarmup(tx, row.id, change.dailyMailLimit, now);
  }
  if (change.isDefault !== undefined) await keepDefaultMailbox(tx, mine, row.id, change.isDefault);
}

/** Under a warm-up the smaller of both holds, and the setting alone once it stops. The caller has locked the account. */
async function boundWarmup(tx: Tx, accountId: string, limit: number, now: number): Promise<void> {
  const [known] = await readWarmups(tx, [accountId]);
  if (!known || known.state === 'off') return;
  const row = { ...known, limitBefore: limit };
  await keepWarmup(tx, row);
  await keepWarmupPace(tx, accountId, paceOf(row, row.heldDay), now);
}

/** The days stay as they are; null: nobody set any hours, and the default holds. */
function mailHours(now: BusinessHours | null, row: ProviderAccountRow, change: Change): BusinessHours | null {
  if (change.schedulingStartHour === undefined && change.schedulingEndHour === undefined) return now;
  return { ...DEFAULT_BUSINESS_HOURS, timezoneMode: 'account', ...now, ...hoursAfter(row, change) };
}

async function applyToCalendar(tx: Tx, row: ProviderAccountRow, change: Change): Promise<void> {
  const [bufferBefore = row.bufferBefore, bufferAfter = row.bufferAfter] = change.bufferMinutes ?? [];
  await keepCalendarSettings(tx, row.id, {
    ...zoneAfter(row, change),
    ...hoursAfter(row, change),
    bufferBefore,
    bufferAfter,
  });
  if (change.isDefault !== undefined) await keepDefaultCalendar(tx, row.id, change.isDefault);
}

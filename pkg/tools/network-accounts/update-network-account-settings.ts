import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import type { NotificationKind } from '../../domain/notifications/notification-kinds.ts';
import { NOTIFICATION_RULES } from '../../domain/notifications/notification-rules.ts';
import { type SharedNews, sharersOrigin } from '../../domain/notifications/sharers-origin.ts';
import type { Tx } from '../../postgres/database.ts';
import { keepConsents, readConsents } from '../../store/accounts/account-consents.ts';
import { keepPause, keepShare } from '../../store/accounts/account-links.ts';
import { keepSettings } from '../../store/accounts/network-accounts.ts';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import type { Caller, ToolContext } from '../tool-context.ts';
import { isOwner, ownerOf } from './account-owner.ts';
import { type AccountRow, accountOf, networkAccount, requireAccount } from './account-row.ts';
import { changedSettings } from './account-settings.ts';
import { type SettingsChange, settingsInput } from './settings-input.ts';

/** What is in force after the change. */
const applied = networkAccount
  .pick({ businessHours: true, rampUp: true, pacing: true, workspaceShare: true, paused: true })
  .extend({
    sharedWith: z.array(z.string()),
    limits: z.record(z.string(), z.object({ day: z.number().optional(), week: z.number().nullish() })),
  });

const output = z.object({ networkAccountId: z.string(), applied, clamped: z.array(z.string()) });
type Result = z.input<typeof output>;

export const updateNetworkAccountSettings = tool({
  name: 'svc_update_network_account_settings',
  domain: 'Network Accounts',
  title: 'Update account settings',
  description:
    'Sets daily and weekly limits (only below the platform ceiling), ramp-up, business hours, pacing and the share of each workspace. Next: svc_get_network_account_budgets.',
  example: {
    input: { networkAccountId: '$networkAccountId', dailyLimits: { message: 20 }, pacing: { minGapSeconds: 180 } },
  },
  scope: 'accounts:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: settingsInput,
  output,
  async run(ctx, change) {
    const result = await ctx.tx((tx) => apply(ctx, tx, change));
    // Not in the same transaction: executors lock their runs before the account.
    await ctx.tx((tx) => tx.exec('select app.wake_waiting($1)', [result.networkAccountId]));
    return result;
  },
});

async function apply(ctx: ToolContext, tx: Tx, change: SettingsChange): Promise<Result> {
  const now = ctx.clocks.product.now();
  await requireAccount(tx, change.networkAccountId);
  const owner = await ownerOf(tx, change.networkAccountId);
  if (SHARED.some((name) => change[name] !== undefined)) requireOwner(ctx.caller, owner);
  // Two changes at once would each merge into what the other replaces.
  await tx.exec('select 1 from network_account where id = $1 for no key update', [change.networkAccountId]);
  const row = await requireAccount(tx, change.networkAccountId);
  const { clamped, ...settings } = changedSettings(row, change);
  await keepSettings(
    tx,
    row.id,
    {
      ...settings,
      rampUp: {
        enabled: change.rampUp?.enabled ?? row.ramp_enabled,
        days: change.rampUp?.days ?? row.ramp_days,
        startShare: change.rampUp?.startShare ?? row.ramp_start_share,
        restart: change.rampUp?.restart ?? false,
      },
      paused: isOwner(ctx.caller, owner) ? (change.paused ?? row.paused) : row.paused,
    },
    now,
  );
  if (change.paused !== undefined) clamped.push(...(await storePause(tx, ctx.caller, { row, owner }, change.paused)));
  if (change.sharedWith !== undefined && owner !== null)
    await keepConsents(tx, { accountId: row.id, owner, workspaceIds: change.sharedWith, now });
  if (change.workspaceShare !== undefined) clamped.push(...(await storeShare(tx, row.id, change.workspaceShare)));
  const kept = await requireAccount(tx, row.id);
  const after = accountOf(kept, now);
  const { businessHours, rampUp, pacing, workspaceShare, paused } = after;
  if (owner !== null) await tellSharers(tx, row.id, owner, newsOf(row, kept), now);
  const { limits } = settings;
  return {
    networkAccountId: row.id,
    applied: {
      limits,
      businessHours,
      rampUp,
      pacing,
      workspaceShare,
      paused,
      sharedWith: owner === null ? [] : await readConsents(tx, row.id, owner),
    },
    clamped,
  };
}

/** The guaranteed part of one workspace; all parts together are at most the whole. @returns what had to be bent */
async function storeShare(tx: Tx, accountId: string, share: number): Promise<string[]> {
  const visible = await tx.rows<{ workspace_id: string }>(
    'select workspace_id from account_link where account_id = $1 order by workspace_id limit 2',
    [accountId],
  );
  const mine = visible[0]?.workspace_id;
  if (mine === undefined || visible.length > 1) {
    throw invalidInput(
      'workspaceShare',
      'the account is linked to several of your workspaces; call with a workspace key, see svc_create_api_key',
    );
  }
  const others = await tx.row<{ share: number }>('select app.other_shares($1, $2) as share', [accountId, mine]);
  const rounded = Math.round(share * 1000) / 1000;
  const left = Math.max(0, Math.round((1 - (others?.share ?? 0)) * 1000) / 1000);
  await keepShare(tx, accountId, mine, Math.min(rounded, left));
  if (rounded <= left) return [];
  return [`workspaceShare: ${left}, because other workspaces are guaranteed the rest.`];
}

/**
 * The owner's workspace pauses an account for all that share it, another one for itself: stopping always works, and stops nobody else.
 * @returns what had to be bent
 */
async function storePause(
  tx: Tx,
  caller: Caller,
  { row, owner }: { row: AccountRow; owner: string | null },
  paused: boolean,
): Promise<string[]> {
  const owns = isOwner(caller, owner);
  const own = caller.workspaces.map(({ workspaceId }) => workspaceId);
  // An owner that lets it go on ends its own pause too, which may be from before it was the owner.
  if (!owns || !paused) await keepPause(tx, row.id, own, paused);
  if (owns || paused || !row.paused) return [];
  return ['paused: true, because the workspace that linked the account first paused it for all that share it.'];
}

/** What binds all workspaces that share the account. */
const SHARED = ['sharedWith', 'dailyLimits', 'weeklyLimits', 'rampUp', 'businessHours', 'pacing'] as const;

function bindingOf({
  limits,
  business_hours,
  pacing,
  ramp_enabled,
  ramp_days,
  ramp_start_share,
}: AccountRow): unknown[] {
  return [limits, business_hours, pacing, ramp_enabled, ramp_days, ramp_start_share];
}

/** @throws UserError for a workspace that only shares the account */
function requireOwner(caller: Caller, owner: string | null): void {
  if (isOwner(caller, owner)) return;
  throw new UserError(
    'Limits, ramp-up, hours, pacing and who else may have this account are set by the workspace that linked it first, because they bind all that share it; yours sets its workspaceShare, and may pause it for itself. Call svc_get_network_account_budgets to see what is in force.',
    'NotOwner',
  );
}

interface News {
  title: string;
  text: string;
  /** The same is told once an hour. */
  of: SharedNews;
}

/** What the others that share the account have to hear. */
function newsOf(before: AccountRow, after: AccountRow): News[] {
  const name = before.display_name || before.id;
  const news: News[] = [];
  if (!isDeepStrictEqual(bindingOf(before), bindingOf(after)))
    news.push({
      title: `Settings of ${name} changed`,
      text: 'The workspace that linked this account first changed its limits, ramp-up, hours or pacing, which bind yours too.',
      of: 'account-settings',
    });
  if (before.paused === after.paused) return news;
  const [title, does] = after.paused
    ? [`${name} was paused`, 'paused it, for yours too']
    : [`${name} goes on`, 'lets it go on'];
  news.push({
    title,
    text: `The workspace that linked this account first ${does}.`,
    of: after.paused ? 'account-paused' : 'account-resumed',
  });
  return news;
}

async function tellSharers(
  tx: Tx,
  accountId: string,
  owner: string,
  news: readonly News[],
  now: number,
): Promise<void> {
  const kind: NotificationKind = 'account.status_changed';
  for (const { title, text, of } of news)
    await tx.exec('select app.tell_sharers($1, $2, $3, $4, $5, $6, $7, $8)', [
      accountId,
      owner,
      kind,
      title,
      text,
      NOTIFICATION_RULES[kind].nextTool,
      sharersOrigin(of, accountId, now),
      now,
    ]);
}

import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { keepShare } from '../../store/accounts/account-links.ts';
import { keepSettings } from '../../store/accounts/network-accounts.ts';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import { accountOf, networkAccount, requireAccount } from './account-row.ts';
import { changedSettings } from './account-settings.ts';
import { type SettingsChange, settingsInput } from './settings-input.ts';

/** What is in force after the change. */
const applied = networkAccount
  .pick({ businessHours: true, rampUp: true, pacing: true, workspaceShare: true, paused: true })
  .extend({ limits: z.record(z.string(), z.object({ day: z.number().optional(), week: z.number().nullish() })) });

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
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: settingsInput,
  output,
  async run(ctx, change) {
    const result = await ctx.tx((tx) => apply(tx, change, ctx.clocks.product.now()));
    // Not in the same transaction: executors lock their runs before the account.
    await ctx.tx((tx) => tx.exec('select app.wake_waiting($1)', [result.networkAccountId]));
    return result;
  },
});

async function apply(tx: Tx, change: SettingsChange, now: number): Promise<Result> {
  await requireAccount(tx, change.networkAccountId);
  // Two changes at once would each merge into what the other replaces.
  await tx.exec('select 1 from network_account where id = $1 for no key update', [change.networkAccountId]);
  const row = await requireAccount(tx, change.networkAccountId);
  const { clamped, ...settings } = changedSettings(row, change);
  await keepSettings(tx, row.id, {
    ...settings,
    rampUp: {
      enabled: change.rampUp?.enabled ?? row.ramp_enabled,
      days: change.rampUp?.days ?? row.ramp_days,
      startShare: change.rampUp?.startShare ?? row.ramp_start_share,
      restart: change.rampUp?.restart ?? false,
    },
    paused: change.paused ?? row.paused,
  });
  if (change.workspaceShare !== undefined) clamped.push(...(await storeShare(tx, row.id, change.workspaceShare)));
  const after = accountOf(await requireAccount(tx, row.id), now);
  const { businessHours, rampUp, pacing, workspaceShare, paused } = after;
  const { limits } = settings;
  return {
    networkAccountId: row.id,
    applied: { limits, businessHours, rampUp, pacing, workspaceShare, paused },
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

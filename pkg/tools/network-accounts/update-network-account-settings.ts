import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import { type AccountRow, accountOf, networkAccount, requireAccount } from './account-row.ts';
import { type AccountSettings, changedSettings } from './account-settings.ts';
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
  await store(tx, row, settings, change);
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

async function store(
  tx: Tx,
  row: AccountRow,
  settings: Omit<AccountSettings, 'clamped'>,
  change: SettingsChange,
): Promise<void> {
  const { rampUp } = change;
  await tx.exec(
    `update network_account
     set
       limits = $2,
       business_hours = $3,
       pacing = $4,
       ramp_enabled = $5,
       ramp_days = $6,
       ramp_start_share = $7,
       first_send_at = case when $8 then null else first_send_at end,
       paused = $9
     where id = $1`,
    [
      row.id,
      JSON.stringify(settings.limits),
      settings.hours === null ? null : JSON.stringify(settings.hours),
      settings.pacing === null ? null : JSON.stringify(settings.pacing),
      rampUp?.enabled ?? row.ramp_enabled,
      rampUp?.days ?? row.ramp_days,
      rampUp?.startShare ?? row.ramp_start_share,
      // The next send is the first one of a ramp-up that begins again.
      rampUp?.restart ?? false,
      change.paused ?? row.paused,
    ],
  );
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
  await tx.exec('update account_link set share = $3 where account_id = $1 and workspace_id = $2', [
    accountId,
    mine,
    Math.min(rounded, left),
  ]);
  if (rounded <= left) return [];
  return [`workspaceShare: ${left}, because other workspaces are guaranteed the rest.`];
}

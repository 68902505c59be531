import { z } from 'zod';
import { type HealthFactor, healthFactors, healthScore } from '../../domain/account-health.ts';
import { readAccountFacts } from '../../store/accounts/account-health.ts';
import { type MailboxPause, readMailboxPause } from '../../store/mail/mailboxes.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { type AccountRow, isPaused, requireAccount } from './account-row.ts';

/** Catalog records HealthFactor and Cooldown. */
const healthFactor = z.object({
  name: z.string(),
  score: z.number(),
  value: z.number().nullable(),
  advice: z.string().nullable(),
});
const cooldown = z.object({ scope: z.string(), until: z.string(), reason: z.string() });

const RECONNECT: Readonly<Record<string, string>> = {
  connecting: 'The account is being connected: wait until the provider is done.',
  checkpoint: 'The network asks for a confirmation: log in at the network and confirm, then actions go on.',
  credentials_expired: 'The session has ended: connect the account again at the provider.',
  restricted: 'The network restricts the account: stop, wait, and let ramp-up begin again at half afterwards.',
  disconnected: 'The account is disconnected: connect it again at the provider.',
};

export const getNetworkAccountHealth = tool({
  name: 'svc_get_network_account_health',
  domain: 'Network Accounts',
  title: 'Get account health',
  description:
    'Health score (its worst factor), factors, warnings, cool-downs and what to do. Next: svc_update_network_account_settings.',
  example: { input: { networkAccountId: '$networkAccountId' } },
  scope: 'accounts:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ networkAccountId: z.string().min(1) }),
  output: z.object({
    networkAccountId: z.string(),
    status: z.string(),
    score: z.number(),
    factors: z.array(healthFactor),
    cooldowns: z.array(cooldown),
    advice: z.array(z.string()),
  }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const account = await requireAccount(tx, input.networkAccountId, ['network', 'mail']);
      const mailbox = account.kind === 'mail' ? await readMailboxPause(tx, account.id) : null;
      const factors = mailbox ? [] : healthFactors(await readAccountFacts(tx, account.id, now));
      const score = account.status === 'ok' ? healthScore(factors) : 0;
      return {
        networkAccountId: account.id,
        status: account.status,
        score,
        factors,
        cooldowns: cooldownsOf(account, now),
        advice: mailbox ? mailboxAdvice(account, mailbox, now) : adviceOf(account, factors),
      };
    });
  },
});

function cooldownsOf(account: AccountRow, now: number): z.input<typeof cooldown>[] {
  const until = account.cooldown_until;
  if (until === null || until <= now) return [];
  const unknown = account.kind === 'mail' ? 'Its mail server signalled a limit.' : 'The network signalled a limit.';
  const scope = account.kind === 'mail' ? 'mailbox' : 'account';
  return [{ scope, until: iso(until), reason: account.cooldown_reason || unknown }];
}

/** What to do about a mailbox: its factors are what comes back of its mails, and it rests or pauses by them. */
function mailboxAdvice(account: AccountRow, { address, pauseReason }: MailboxPause, now: number): string[] {
  const why = pauseReason ? ` (${pauseReason})` : '';
  const isClosed = account.status === 'ok' ? [] : ['The mailbox does not let us in: connect it again.'];
  const paused = isPaused(account)
    ? [`The mailbox is paused${why}: mend that, then run \`outrider mailbox connect ${address} --resume\`.`]
    : [];
  const rests = (account.cooldown_until ?? 0) > now && account.cooldown_reason !== '';
  return [...isClosed, ...paused, ...(rests ? [`The mailbox rests: ${account.cooldown_reason}.`] : [])];
}

/** What to do, the status first. */
function adviceOf(account: AccountRow, factors: readonly HealthFactor[]): string[] {
  const status = RECONNECT[account.status];
  const paused = isPaused(account)
    ? ['The account is paused: call svc_update_network_account_settings with paused false.']
    : [];
  return [...(status ? [status] : []), ...paused, ...factors.flatMap(({ advice }) => advice ?? [])];
}

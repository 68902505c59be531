import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { ACCOUNT_TIERS } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';
import { mayLink } from '../../store/accounts/account-consents.ts';
import { linkAccount, stopUnlinkedRuns, unlinkAccount } from '../../store/accounts/account-links.ts';
import { refuseInRehearsal } from '../../store/restore/rehearsal.ts';
import { wakeAccount } from '../../store/runs/wake.ts';
import { actorOf } from '../actor-of.ts';
import { documentedDefault } from '../documented-default.ts';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { providerOf, registerAccount } from './register-account.ts';
import { requireAdminWorkspace, requireNetworkAccount } from './require-workspace.ts';

const input = z.strictObject({
  action: z.enum(['register', 'link', 'unlink']),
  accountKind: z.enum(['network', 'provider']),
  accountId: z.string().min(1).optional().describe('Needed for link and unlink.'),
  workspaceId: z.string().min(1).optional(),
  displayName: z.string().max(120).optional(),
  externalId: z.string().max(200).optional(),
  tier: documentedDefault(z.enum(ACCOUNT_TIERS), 'basic'),
  timezone: z.string().optional(),
});
type Request = z.output<typeof input>;

interface Linked {
  accountId: string;
  workspaceIds: string[];
}

export const adminLinkAccount = tool({
  name: 'svc_admin_link_account',
  domain: 'Admin (platform admins only)',
  title: 'Admin: link account',
  description:
    'Registers a network or provider account, or links it to or unlinks it from a workspace. Next: svc_list_network_accounts.',
  example: {
    input: {
      action: 'register',
      accountKind: 'network',
      displayName: 'Kim Berg',
      workspaceId: '$newWorkspaceId',
    },
    caller: 'admin',
  },
  scope: 'admin:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'platform',
  input,
  output: z.object({ accountId: z.string(), workspaceIds: z.array(z.string()), stoppedRuns: z.number() }),
  async run(ctx, request) {
    if (request.accountKind === 'provider') {
      throw new UserError(
        'Mailboxes are connected with `outrider mailbox connect`, calendars not by this tool yet. Register a network account; call svc_list_network_accounts.',
        'Unsupported',
      );
    }
    const provider = request.action === 'register' ? await providerOf(ctx, request) : undefined;
    const done = await ctx.repeatable<Linked>('', {
      work: async (tx, earlier) => {
        const accountId = provider
          ? await registerAccount(ctx, tx, request, provider, earlier?.accountId)
          : required(request, 'accountId');
        await requireNetworkAccount(tx, accountId);
        if (request.action !== 'unlink') await refuseInRehearsal(tx, accountId);
        if (request.workspaceId !== undefined || request.action !== 'register') {
          const workspaceId = required(request, 'workspaceId');
          await requireAdminWorkspace(tx, workspaceId);
          if (request.action === 'unlink') await unlinkAccount(tx, accountId, workspaceId);
          else await link(ctx, tx, accountId, workspaceId);
        }
        const links = await tx.rows<{ workspace_id: string }>(
          'select workspace_id from account_link where account_id = $1 order by 1 limit 1000',
          [accountId],
        );
        return { accountId, workspaceIds: links.map((row) => row.workspace_id) };
      },
      // Another registration without an id at the provider would be another account.
      did: () => request.action === 'register' && request.externalId === undefined,
    });
    const gone = request.action === 'unlink' ? required(request, 'workspaceId') : null;
    return { ...done, stoppedRuns: gone === null ? 0 : await stopRuns(ctx, done.accountId, gone) };
  },
});

function required(request: Request, name: 'accountId' | 'workspaceId'): string {
  const value = request[name];
  if (value === undefined) throw invalidInput(name, `is required for ${request.action}`);
  return value;
}

async function link(ctx: ToolContext, tx: Tx, accountId: string, workspaceId: string): Promise<void> {
  if (!(await mayLink(tx, accountId, workspaceId))) throw withoutConsent(accountId, workspaceId);
  const now = ctx.clocks.product.now();
  await linkAccount(tx, accountId, workspaceId, now);
  await wakeAccount(tx, accountId, now);
}

/** An account acts for all that share it: whose it is says who they are. */
function withoutConsent(accountId: string, workspaceId: string): UserError {
  return new UserError(
    `Account "${accountId}" belongs to another workspace, which has not let "${workspaceId}" in. Its owner or an admin names it in sharedWith of svc_update_network_account_settings; then call this again.`,
    'NoConsent',
  );
}

/** Runs that one transaction stops: about half a second, for which their accounts and persons are locked. */
const RUNS_AT_ONCE = 5_000;

/**
 * Runs that send through the account stop, part by part; what it already did stays recorded. When it is interrupted, the
 * next call goes on.
 */
async function stopRuns(ctx: ToolContext, accountId: string, workspaceId: string): Promise<number> {
  const runs = await ctx.platformTx((tx) =>
    tx.rows<{ id: string }>(
      'select id from run where workspace_id = $1 and account_id = $2 and ended_at is null order by id',
      [workspaceId, accountId],
    ),
  );
  let stopped = 0;
  for (let first = 0; first < runs.length; first += RUNS_AT_ONCE) {
    ctx.signal.throwIfAborted();
    const part = runs.slice(first, first + RUNS_AT_ONCE).map((run) => run.id);
    const by = actorOf(ctx);
    const stop = { accountId, workspaceId, runs: part, by, now: ctx.clocks.product.now() };
    stopped += await ctx.platformTx((tx) => stopUnlinkedRuns(tx, stop));
  }
  return stopped;
}

import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { isNamedTimezone } from '../../domain/local-time.ts';
import { ACCOUNT_TIERS } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';
import { refuseInRehearsal } from '../../store/rehearsal.ts';
import { wakeAccount } from '../../store/wake.ts';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { requireAdminWorkspace, requireNetworkAccount } from './require-workspace.ts';

const input = z.strictObject({
  action: z.enum(['register', 'link', 'unlink']),
  accountKind: z.enum(['network', 'provider']),
  accountId: z.string().min(1).optional().describe('Needed for link and unlink.'),
  workspaceId: z.string().min(1).optional(),
  displayName: z.string().max(120).optional(),
  externalId: z.string().max(200).optional(),
  tier: z.enum(ACCOUNT_TIERS).default('basic'),
  timezone: z.string().optional(),
});
type Request = z.output<typeof input>;

export const adminLinkAccount = tool({
  name: 'svc_admin_link_account',
  domain: 'Admin (platform admins only)',
  title: 'Admin: link account',
  description:
    'Registers a network or provider account, or links it to or unlinks it from a workspace. Next: svc_list_network_accounts.',
  scope: 'admin:write',
  category: 'write',
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
    return ctx.platformTx(async (tx) => {
      const accountId =
        request.action === 'register' ? await register(ctx, tx, request) : required(request, 'accountId');
      await requireNetworkAccount(tx, accountId);
      if (request.action !== 'unlink') await refuseInRehearsal(tx, accountId);
      let stoppedRuns = 0;
      if (request.workspaceId !== undefined || request.action !== 'register') {
        const workspaceId = required(request, 'workspaceId');
        await requireAdminWorkspace(tx, workspaceId);
        if (request.action === 'unlink') stoppedRuns = await unlink(ctx, tx, accountId, workspaceId);
        else await link(ctx, tx, accountId, workspaceId);
      }
      const links = await tx.rows<{ workspace_id: string }>(
        'select workspace_id from account_link where account_id = $1 order by 1 limit 1000',
        [accountId],
      );
      return { accountId, workspaceIds: links.map((row) => row.workspace_id), stoppedRuns };
    });
  },
});

function required(request: Request, name: 'accountId' | 'workspaceId'): string {
  const value = request[name];
  if (value === undefined) throw invalidInput(name, `is required for ${request.action}`);
  return value;
}

/** The same external id is the same account: registering again changes its name, tier and timezone. */
async function register(ctx: ToolContext, tx: Tx, request: Request): Promise<string> {
  if (request.timezone !== undefined && !isNamedTimezone(request.timezone)) {
    throw invalidInput('timezone', 'must be an IANA name such as Europe/Berlin');
  }
  const now = ctx.clocks.product.now();
  const id = ctx.ids.name('acc');
  const externalId = request.externalId ?? id;
  const row = await tx.row<{ id: string }>(
    `insert into network_account (id, external_id, display_name, tier, timezone, status, status_since, profile_url, created_at)
     values ($1, $2, $3, $4, $5, 'ok', $6, $7, $6)
     on conflict (provider, external_id) do update set
       display_name = coalesce(nullif(excluded.display_name, ''), network_account.display_name), tier = excluded.tier,
       timezone = case when $8 then excluded.timezone else network_account.timezone end
     returning id`,
    [
      id,
      externalId,
      request.displayName ?? '',
      request.tier,
      request.timezone ?? 'UTC',
      now,
      `https://www.linkedin.com/in/${encodeURIComponent(externalId)}`,
      request.timezone !== undefined,
    ],
  );
  return row?.id ?? id;
}

async function link(ctx: ToolContext, tx: Tx, accountId: string, workspaceId: string): Promise<void> {
  const now = ctx.clocks.product.now();
  await tx.exec(
    'insert into account_link (account_id, workspace_id, linked_at) values ($1, $2, $3) on conflict do nothing',
    [accountId, workspaceId, now],
  );
  await wakeAccount(tx, accountId, now);
}

/** Runs that send through the account stop, and their histories say so; what it already did stays recorded. */
async function unlink(ctx: ToolContext, tx: Tx, accountId: string, workspaceId: string): Promise<number> {
  const now = ctx.clocks.product.now();
  const reason = 'account unlinked';
  await tx.exec('delete from account_link where account_id = $1 and workspace_id = $2', [accountId, workspaceId]);
  return tx.exec(
    `with stopped as (
       update run set state = 'stopped', due_at = null, wait_reason = null, ended_at = $3, end_reason = $4, version = version + 1
         where workspace_id = $2 and account_id = $1 and ended_at is null returning id, node_id)
     insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
       select $2, id, $3, 'run.completed', nullif(node_id, ''), $5, $4, '{"action": "stop"}' from stopped`,
    [accountId, workspaceId, now, reason, ctx.caller.user?.email ?? ctx.caller.keyPrefix],
  );
}

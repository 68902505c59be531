import { z } from 'zod';
import { creditsFor } from '../../domain/credits.ts';
import type { Tx } from '../../postgres/database.ts';
import { lastExportList, type NetworkSize, networkSize } from '../../store/accounts/connection-exports.ts';
import { queueJob, statusOfJob } from '../../store/jobs/background-jobs.ts';
import { beginImport } from '../../store/leads/import-records.ts';
import { insertStaticList } from '../../store/lists/list-writes.ts';
import { wrongState } from '../errors.ts';
import { holdFor } from '../idempotency/credit-hold.ts';
import { beginJob } from '../jobs/run-job.ts';
import { naturalKeyParam } from '../key-params.ts';
import { requireList } from '../lead-lists/list-row.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';
import { workspaceParam } from '../workspace-param.ts';
import { type AccountRow, requireAccount } from './account-row.ts';
import { exportHandler } from './export-handler.ts';
import { exportWork } from './export-work.ts';

/** Assumed of an account whose network was never listed. */
const UNKNOWN_SIZE = 500;
/** Pages exported before the call answers; a server goes on with what is left. */
const PAGES_AT_ONCE = 5;

const input = z.strictObject({
  networkAccountId: z.string().min(1),
  workspaceId: workspaceParam,
  leadListId: z.string().min(1).optional(),
  incremental: z.boolean().default(true),
  maxCredits: z.int().min(0).optional().describe('Refuse when the estimate is above this.'),
  idempotencyKey: naturalKeyParam,
});
type Request = z.output<typeof input>;

export const exportNetworkConnections = tool({
  name: 'svc_export_network_connections',
  domain: 'Network Accounts',
  title: 'Export connections',
  description:
    "Exports the account's first-degree connections as private leads into a list, in the background. Next: svc_get_import_progress.",
  example: { input: { networkAccountId: '$networkAccountId' }, other: { incremental: false } },
  scope: 'accounts:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  workspace: 'param',
  input,
  output: z.object({ importId: z.string(), status: z.string(), estimatedCredits: z.number() }),
  async run(ctx, request) {
    const queued = await ctx.repeatable<Answer>(ctx.workspaceId, {
      // What failed is exported anew; of what is under way the refusal names the job, as to every other call.
      work: async (tx, earlier) =>
        earlier && (await statusOfJob(tx, earlier.importId)) === 'completed' ? earlier : queue(ctx, tx, request),
      did: () => true,
    });
    // A call that repeats another one joins its job, and works on it only when nobody does.
    const status = await beginJob({ ...ctx, tx: ctx.unrecorded }, queued.importId, PAGES_AT_ONCE);
    // Under a key every answer is the first one, to the byte; how the job stands now is svc_get_import_progress.
    return request.idempotencyKey === undefined ? { ...queued, status } : queued;
  },
});

interface Answer {
  importId: string;
  status: string;
  estimatedCredits: number;
}

/** Everything that the export needs, in one transaction: a refusal leaves nothing behind. */
async function queue(ctx: ToolContext, tx: Tx, request: Request): Promise<Answer> {
  const now = ctx.clocks.product.now();
  const account = await requireAccount(tx, request.networkAccountId);
  // The records come before their state (catalog, check order).
  const named = request.leadListId === undefined ? undefined : await requireList(tx, request.leadListId);
  await requireReady(tx, ctx.workspaceId, account);
  if (named?.type === 'query') throw wrongState('A query list has no manual members', 'svc_update_lead_list');
  const leadListId = named?.id ?? (await usualList(ctx, tx, account));
  const estimate = await estimateOf(tx, ctx.workspaceId, account.id, request.incremental);
  const importId = ctx.ids.uuid();
  const { id: holdId } = await holdFor(ctx, tx, {
    workspaceId: ctx.workspaceId,
    action: 'connections_export',
    estimate,
    maxCredits: request.maxCredits,
    job: importId,
  });
  await beginImport(tx, {
    id: importId,
    workspaceId: ctx.workspaceId,
    kind: 'connections',
    keyId: ctx.caller.keyId,
    sourceNote: `connections of ${account.id}`,
    now,
  });
  const work = exportWork.parse({ leadListId, incremental: request.incremental, paidFor: estimate * 100 });
  await queueJob(tx, {
    id: importId,
    workspaceId: ctx.workspaceId,
    kind: exportHandler.kind,
    accountId: account.id,
    holdId,
    work,
    now,
  });
  return { importId, status: 'running', estimatedCredits: estimate };
}

async function requireReady(tx: Tx, workspaceId: string, account: AccountRow): Promise<void> {
  if (account.status !== 'ok') {
    throw wrongState(
      `The account is ${account.status}, only ok accounts can be read`,
      'svc_get_network_account_health',
    );
  }
  // Two calls at once: the second one waits here and then sees the first one's job.
  await tx.exec('select 1 from account_link where account_id = $1 and workspace_id = $2 for no key update', [
    account.id,
    workspaceId,
  ]);
  const open = await tx.row<{ id: string }>(
    `select id
     from background_job
     where workspace_id = $1
       and account_id = $2
       and kind = 'connections_export'
       and status in ('queued', 'running')`,
    [workspaceId, account.id],
  );
  if (open) throw wrongState(`An export of this account is under way (${open.id})`, 'svc_get_import_progress');
}

/** The list of the last export, else a new one. */
async function usualList(ctx: ToolContext, tx: Tx, account: AccountRow): Promise<string> {
  const last = await lastExportList(tx, ctx.workspaceId, account.id);
  if (last !== undefined) return last;
  const id = ctx.ids.uuid();
  const name = `Connections of ${account.display_name || account.id}`.slice(0, 120);
  const list = {
    id,
    workspaceId: ctx.workspaceId,
    campaignId: null,
    name,
    description: '',
    now: ctx.clocks.product.now(),
  };
  await insertStaticList(tx, list);
  return id;
}

/** Credits for what is probably there; an export ends where the held credits do. */
async function estimateOf(tx: Tx, workspaceId: string, accountId: string, incremental: boolean): Promise<number> {
  const network = await networkSize(tx, workspaceId, accountId);
  const size = sizeOf(network);
  return Math.max(1, creditsFor('connections_export', incremental ? size - network.known : size));
}

/** Of a network whose end nobody has seen, an export may double what is known of it: some thousands take a few calls, not one for each hundred. */
function sizeOf({ seen, cut, exported, known }: NetworkSize): number {
  if (seen === null) return UNKNOWN_SIZE;
  return cut ? Math.max(seen, exported ?? 2 * known) : seen;
}

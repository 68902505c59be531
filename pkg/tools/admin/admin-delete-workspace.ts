import { z } from 'zod';
import { UserError } from '../../base/errors.ts';
import { wakeIfWorking } from '../../store/runs/wake.ts';
import {
  type DeletableWorkspace,
  lockWorkspace,
  markForDeletion,
  unmarkDeletion,
} from '../../store/tenancy/workspace-deletion.ts';
import { actorOf } from '../actor-of.ts';
import { notFound } from '../errors.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';

const DAY_MS = 86_400_000;

const input = z.strictObject({
  workspaceId: z.string().min(1),
  confirmName: z.string().min(1),
  graceDays: z.int().min(0).max(90).default(30),
  cancel: z.boolean().default(false).describe('Take the mark back.'),
  reason: z.string().min(1).max(500).describe('Kept in the audit log.'),
});
type Request = z.output<typeof input>;

export const adminDeleteWorkspace = tool({
  name: 'svc_admin_delete_workspace',
  domain: 'Admin (platform admins only)',
  title: 'Admin: delete workspace',
  description:
    'Marks a workspace for deletion: suspended now, erased after the grace period, keys revoked at once. Next: svc_admin_list_workspaces.',
  example: {
    input: { workspaceId: '$newWorkspaceId', confirmName: 'Birch Talks', reason: 'their contract ended' },
    caller: 'admin',
  },
  scope: 'admin:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  workspace: 'platform',
  input,
  output: z.object({ workspaceId: z.string(), status: z.string(), eraseAt: z.string().nullable() }),
  async run(ctx, request) {
    const { workspaceId } = request;
    if (request.cancel) return takeBack(ctx, request);
    // The row stops everything at once, also where the resource cannot be changed: it belongs to another manager, or its API is away.
    const { eraseAt } = await ctx.platformTx(async (tx) => {
      const workspace = confirmed(await lockWorkspace(tx, workspaceId), request);
      const by = actorOf(ctx);
      const mark = { reason: request.reason, by, graceMs: request.graceDays * DAY_MS, now: ctx.clocks.product.now() };
      return markForDeletion(tx, workspace, mark);
    });
    await setMode(ctx, workspaceId, 'Suspended');
    return { workspaceId, status: 'deleting', eraseAt: iso(eraseAt) };
  },
});

async function takeBack(
  ctx: ToolContext,
  request: Request,
): Promise<{ workspaceId: string; status: string; eraseAt: null }> {
  const { workspaceId } = request;
  const before = await ctx.platformTx(async (tx) => {
    const workspace = confirmed(await lockWorkspace(tx, workspaceId), request);
    // Called again, or of a workspace that nobody marked: it runs as it runs.
    if (workspace.erase_at === null) return workspace.operating_mode;
    const mode = await unmarkDeletion(tx, workspace);
    await wakeIfWorking(tx, workspaceId, ctx.clocks.product.now(), 'its deletion was taken back');
    return mode;
  });
  await setMode(ctx, workspaceId, before);
  return { workspaceId, status: before === 'Suspended' ? 'suspended' : 'active', eraseAt: null };
}

function confirmed(workspace: DeletableWorkspace | undefined, request: Request): DeletableWorkspace {
  if (!workspace) throw notFound('adminWorkspace', request.workspaceId);
  if (workspace.name === request.confirmName) return workspace;
  throw new UserError(
    'Invalid input: confirmName: differs from the name of the workspace. Call svc_admin_get_workspace to read it.',
    'InvalidInput',
  );
}

/** Says in the resource what the row has decided. */
async function setMode(ctx: ToolContext, workspaceId: string, mode: 'Running' | 'Suspended'): Promise<void> {
  const write = ctx.resources.update({
    kind: 'Workspace',
    workspaceId,
    id: workspaceId,
    change: (spec) => ({ ...spec, operatingMode: mode }),
    finish: async () => ({}),
  });
  await write.catch((error: unknown) => {
    ctx.log.warn({ err: error, workspaceId, mode }, 'the Workspace does not show what was decided about its deletion');
  });
}

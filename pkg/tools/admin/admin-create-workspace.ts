import { z } from 'zod';
import { workspaceSpec } from '../../api/workspace.ts';
import type { Tx } from '../../postgres/database.ts';
import { moveCredits } from '../../store/credits/credits.ts';
import { nameOwner } from '../../store/tenancy/members.ts';
import { naturalKeyParam } from '../key-params.ts';
import { tool } from '../tool.ts';
import type { ToolContext } from '../tool-context.ts';

const input = z.strictObject({
  name: z.string().min(1).max(120),
  ownerEmail: z.email().max(320),
  ownerName: z.string().max(120).optional(),
  plan: z.string().max(50).optional(),
  agencyId: z
    .string()
    .min(1)
    // The bound of the resource; the interface names none.
    .refine((text) => text.length <= 120, 'is longer than 120 characters')
    .optional()
    .describe('Groups workspaces for shared suppression and contact claims.'),
  initialCredits: z.int().min(0).max(10_000_000).default(0),
  idempotencyKey: naturalKeyParam,
});

export const adminCreateWorkspace = tool({
  name: 'svc_admin_create_workspace',
  domain: 'Admin (platform admins only)',
  title: 'Admin: create workspace',
  description:
    'Creates a workspace with its owner (user made when unknown) and custom resource. Next: svc_admin_adjust_credits.',
  example: {
    input: { name: 'Birch Talks', ownerEmail: 'owner@birch.example', agencyId: 'northwind', initialCredits: 500 },
    keep: { newWorkspaceId: 'workspaceId' },
    caller: 'admin',
    other: { initialCredits: 7 },
  },
  scope: 'admin:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'platform',
  input,
  output: z.object({ workspaceId: z.string(), ownerUserId: z.string() }),
  async run(ctx, request) {
    return ctx.resources.create({
      kind: 'Workspace',
      workspaceId: '',
      prefix: 'ws',
      spec: workspaceSpec.parse({
        displayName: request.name,
        owner: request.ownerEmail,
        ...(request.plan ? { plan: request.plan } : {}),
        ...(request.agencyId ? { agencyId: request.agencyId } : {}),
      }),
      finish: (tx, written) => finish(ctx, tx, written.id, request),
    });
  },
});

async function finish(
  ctx: ToolContext,
  tx: Tx,
  workspaceId: string,
  request: z.output<typeof input>,
): Promise<{ workspaceId: string; ownerUserId: string }> {
  const ownerUserId = await nameOwner(tx, workspaceId, request.ownerName ?? '');
  if (request.initialCredits > 0) {
    await moveCredits(tx, {
      workspaceId,
      kind: 'grant',
      amount: request.initialCredits,
      reason: 'initial credits',
      tool: 'svc_admin_create_workspace',
      keyPrefix: ctx.caller.keyPrefix,
      idempotencyKey: 'initial-credits',
      now: ctx.clocks.product.now(),
    });
  }
  return { workspaceId, ownerUserId: ownerUserId ?? '' };
}

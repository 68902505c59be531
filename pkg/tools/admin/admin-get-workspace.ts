import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { findCertificate } from '../../store/erasure/certificates.ts';
import { notFound } from '../errors.ts';
import { reconcileOf, reconcileStatus } from '../records/reconcile.ts';
import { iso, isoOrNull } from '../times.ts';
import { tool } from '../tool.ts';
import { adminWorkspace, adminWorkspaceOf, readAdminWorkspaces } from './admin-workspace.ts';

const queues = z.object({
  runsLive: z.number(),
  runsDue: z.number(),
  reviewsPending: z.number(),
  sendsOpen: z.number(),
  sendsUnknown: z.number(),
  callsOpen: z.number(),
  jobsOpen: z.number(),
  deadLetters: z.number(),
});
type Queues = z.output<typeof queues>;

interface Stored {
  reconcile: Record<string, never>;
  limits: Record<string, unknown>;
  updated_at: number;
  erase_at: number | null;
  purged_at: number | null;
  deletion: { reason?: string; by?: string } | null;
}

export const adminGetWorkspace = tool({
  name: 'svc_admin_get_workspace',
  domain: 'Admin (platform admins only)',
  title: 'Admin: get workspace',
  description:
    'Reads one workspace with custom-resource status, executor pods, queues, limits and key count. Next: svc_admin_update_workspace.',
  example: { input: { workspaceId: '$newWorkspaceId' }, caller: 'admin' },
  scope: 'admin:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'platform',
  input: z.strictObject({ workspaceId: z.string().min(1) }),
  output: z.object({
    workspace: adminWorkspace,
    reconcile: reconcileStatus,
    queues,
    limits: z.record(z.string(), z.unknown()),
    /** Set while it is to be deleted, and afterwards; the certificate when all is erased. */
    deletion: z.record(z.string(), z.unknown()).nullable(),
  }),
  async run(ctx, { workspaceId }) {
    const now = ctx.clocks.product.now();
    return ctx.platformTx(async (tx) => {
      // A deleted workspace is shown: until its content is purged somebody may ask what became of it.
      const [row] = await readAdminWorkspaces(tx, { id: workspaceId, limit: 1, now });
      const stored = await tx.row<Stored>(STORED, [workspaceId]);
      if (!row || !stored) throw notFound('adminWorkspace', workspaceId);
      return {
        workspace: adminWorkspaceOf(row),
        reconcile: reconcileOf(stored.reconcile, stored.updated_at),
        queues: await readQueues(tx, workspaceId, now),
        limits: stored.limits,
        deletion: await deletionOf(tx, workspaceId, stored),
      };
    });
  },
});

const STORED = `select reconcile, limits, updated_at, erase_at, purged_at, deletion
                from workspace
                where id = $1`;

/** Null for a workspace that no admin deletes. The certificate outlives the workspace's content. */
async function deletionOf(tx: Tx, workspaceId: string, stored: Stored): Promise<Record<string, unknown> | null> {
  if (stored.erase_at === null) return null;
  const { reason = null, by = null } = stored.deletion ?? {};
  const certificate = (await findCertificate(tx, { workspaceId })) ?? null;
  return { eraseAt: iso(stored.erase_at), erasedAt: isoOrNull(stored.purged_at), reason, by, certificate };
}

/** What waits in a workspace: each by an index of its own. */
async function readQueues(tx: Tx, workspaceId: string, now: number): Promise<Queues> {
  const row = await tx.row<Queues>(
    `select
       (select count(*) from run where workspace_id = $1 and ended_at is null)::int as "runsLive",
       (select count(*) from run where workspace_id = $1 and ended_at is null and due_at <= $2)::int as "runsDue",
       (select count(*) from review_item where workspace_id = $1 and state = 'pending')::int as "reviewsPending",
       (select count(*) from open_send where workspace_id = $1)::int as "sendsOpen",
       (
         select count(*) from open_send o join send s on s.id = o.send_id
         where o.workspace_id = $1 and s.state = 'unknown'
       )::int as "sendsUnknown",
       (select count(*) from node_call where workspace_id = $1 and state <> 'settled')::int as "callsOpen",
       (select count(*) from background_job where workspace_id = $1 and finished_at is null)::int as "jobsOpen",
       (
         (select count(*) from send where workspace_id = $1 and dead_letter_state = 'open')
         + (select count(*) from node_call where workspace_id = $1 and dead_letter_state = 'open')
       )::int as "deadLetters"`,
    [workspaceId, now],
  );
  if (!row) throw new Error('counts answer one row');
  return row;
}

import { z } from 'zod';
import { reconcileOf, reconcileStatus } from '../records/reconcile.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

/** Catalog record Workspace. */
const workspaceRecord = z.object({
  workspaceId: z.string(),
  name: z.string(),
  plan: z.string(),
  status: z.enum(['active', 'suspended']),
  timezone: z.string(),
  ownerName: z.string(),
  memberCount: z.number(),
  settings: z.object({
    website: z.string().nullable(),
    contentApprovalRequired: z.boolean(),
    defaultReviewMode: z.string(),
    businessHours: z.record(z.string(), z.unknown()).nullable(),
    retentionDays: z.number().nullable(),
    shareSuppressionWithAgency: z.boolean(),
    senderPostalAddress: z.string().nullable(),
  }),
  reconcile: reconcileStatus,
  createdAt: z.string(),
});

interface Row {
  id: string;
  name: string;
  plan: string;
  operating_mode: string;
  timezone: string;
  owner_name: string | null;
  members: number;
  business_hours: Record<string, unknown> | null;
  settings: Partial<z.input<typeof workspaceRecord>['settings']>;
  reconcile: Record<string, never>;
  created_at: number;
  updated_at: number;
}

export const getWorkspace = tool({
  name: 'svc_get_workspace',
  domain: 'Workspace',
  title: 'Get workspace',
  description: 'Reads workspace details, settings, limits and executor status. Next: svc_list_members.',
  scope: 'workspace:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam }),
  output: z.object({ workspace: workspaceRecord }),
  async run(ctx) {
    const row = await ctx.tx((tx) =>
      tx.row<Row>(
        `select w.*, coalesce(nullif(u.name, ''), u.email) as owner_name,
           (select count(*) from member m where m.workspace_id = w.id)::int as members
         from workspace w left join app_user u on u.id = w.owner_user_id where w.id = $1`,
        [ctx.workspaceId],
      ),
    );
    if (!row) throw new Error('the resolved workspace has no row');
    return { workspace: workspaceOf(row) };
  },
});

function workspaceOf(row: Row): z.input<typeof workspaceRecord> {
  const { settings } = row;
  return {
    workspaceId: row.id,
    name: row.name,
    plan: row.plan,
    status: row.operating_mode === 'Suspended' ? 'suspended' : 'active',
    timezone: row.timezone,
    ownerName: row.owner_name ?? '',
    memberCount: row.members,
    settings: {
      website: settings.website ?? null,
      contentApprovalRequired: settings.contentApprovalRequired ?? false,
      defaultReviewMode: settings.defaultReviewMode ?? 'off',
      businessHours: row.business_hours,
      retentionDays: settings.retentionDays ?? null,
      shareSuppressionWithAgency: settings.shareSuppressionWithAgency ?? false,
      senderPostalAddress: settings.senderPostalAddress ?? null,
    },
    reconcile: reconcileOf(row.reconcile, row.updated_at),
    createdAt: iso(row.created_at),
  };
}

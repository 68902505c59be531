import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { reconcileOf, reconcileStatus } from '../records/reconcile.ts';
import { iso } from '../times.ts';

/** Catalog record WorkspaceSettings. */
export const workspaceSettings = z.object({
  website: z.string().nullable(),
  contentApprovalRequired: z.boolean(),
  defaultReviewMode: z.string(),
  businessHours: z.record(z.string(), z.unknown()).nullable(),
  retentionDays: z.number().nullable(),
  shareSuppressionWithAgency: z.boolean(),
  senderPostalAddress: z.string().nullable(),
});

/** Catalog record Workspace. */
export const workspaceRecord = z.object({
  workspaceId: z.string(),
  name: z.string(),
  plan: z.string(),
  status: z.enum(['active', 'suspended']),
  timezone: z.string(),
  ownerName: z.string(),
  memberCount: z.number(),
  settings: workspaceSettings,
  reconcile: reconcileStatus,
  createdAt: z.string(),
});

/** A row of `workspace` with what the tools show beside it. */
export interface WorkspaceRow {
  id: string;
  name: string;
  plan: string;
  operating_mode: string;
  timezone: string;
  owner_name: string | null;
  members: number;
  business_hours: Record<string, unknown> | null;
  settings: Partial<z.input<typeof workspaceSettings>>;
  reconcile: Record<string, never>;
  created_at: number;
  updated_at: number;
}

/** The row of a resolved workspace. @throws Error when it has none */
export async function readWorkspace(tx: Tx, workspaceId: string): Promise<WorkspaceRow> {
  const row = await tx.row<WorkspaceRow>(
    `select w.*, coalesce(nullif(u.name, ''), u.email) as owner_name,
       (select count(*) from member m where m.workspace_id = w.id)::int as members
     from workspace w left join app_user u on u.id = w.owner_user_id where w.id = $1`,
    [workspaceId],
  );
  if (!row) throw new Error('the resolved workspace has no row');
  return row;
}

/** The settings of a row, with the platform's defaults. */
export function settingsOf({ settings, business_hours }: WorkspaceRow): z.input<typeof workspaceSettings> {
  return {
    website: settings.website ?? null,
    contentApprovalRequired: settings.contentApprovalRequired ?? false,
    defaultReviewMode: settings.defaultReviewMode ?? 'off',
    businessHours: business_hours,
    retentionDays: settings.retentionDays ?? null,
    shareSuppressionWithAgency: settings.shareSuppressionWithAgency ?? false,
    senderPostalAddress: settings.senderPostalAddress ?? null,
  };
}

/** The record of a row. */
export function workspaceOf(row: WorkspaceRow): z.input<typeof workspaceRecord> {
  return {
    workspaceId: row.id,
    name: row.name,
    plan: row.plan,
    status: row.operating_mode === 'Suspended' ? 'suspended' : 'active',
    timezone: row.timezone,
    ownerName: row.owner_name ?? '',
    memberCount: row.members,
    settings: settingsOf(row),
    reconcile: reconcileOf(row.reconcile, row.updated_at),
    createdAt: iso(row.created_at),
  };
}

import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { notFound } from '../errors.ts';
import { iso, isoOrNull } from '../times.ts';

/** Catalog record LeadList. */
export const leadList = z.object({
  leadListId: z.string(),
  workspaceId: z.string(),
  name: z.string(),
  description: z.string(),
  type: z.enum(['static', 'query']),
  campaignId: z.string().nullable(),
  predicate: z.record(z.string(), z.unknown()).nullable(),
  leadCount: z.number(),
  lastMaterializedAt: z.string().nullable(),
  createdAt: z.string(),
});

/** A row of `lead_list`. */
export interface ListRow {
  id: string;
  workspace_id: string;
  campaign_id: string | null;
  name: string;
  description: string;
  type: 'static' | 'query';
  predicate: Record<string, unknown> | null;
  lead_count: number;
  last_materialized_at: number | null;
  created_at: number;
}

/** The record of a row. */
export function listOf(row: ListRow): z.input<typeof leadList> {
  return {
    leadListId: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    description: row.description,
    type: row.type,
    campaignId: row.campaign_id,
    predicate: row.predicate,
    leadCount: row.lead_count,
    lastMaterializedAt: isoOrNull(row.last_materialized_at),
    createdAt: iso(row.created_at),
  };
}

/** Reads a list under the caller's rights. @throws UserError not found */
export async function requireList(tx: Tx, leadListId: string): Promise<ListRow> {
  const row = isUuid(leadListId)
    ? await tx.row<ListRow>('select * from lead_list where id = $1 and deleted_at is null', [leadListId])
    : undefined;
  if (!row) throw notFound('leadList', leadListId);
  return row;
}

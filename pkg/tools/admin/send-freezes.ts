import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { iso, isoOrNull } from '../times.ts';

/** Catalog record SendFreeze. */
export const sendFreeze = z.object({
  scope: z.string(),
  id: z.string().nullable(),
  channel: z.string().nullable(),
  until: z.string().nullable(),
  reason: z.string(),
  by: z.string(),
  since: z.string(),
});

/** Every freeze, the oldest first. For a platform transaction. */
export async function listFreezes(tx: Tx): Promise<z.input<typeof sendFreeze>[]> {
  const rows = await tx.rows<{
    scope: string;
    target: string;
    channel: string;
    until: number | null;
    reason: string;
    frozen_by: string;
    since: number;
  }>('select * from send_freeze order by since, id limit 1000');
  return rows.map((row) => ({
    scope: row.scope,
    id: row.target || null,
    channel: row.channel || null,
    until: isoOrNull(row.until),
    reason: row.reason,
    by: row.frozen_by,
    since: iso(row.since),
  }));
}

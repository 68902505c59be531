import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { notFound } from '../errors.ts';
import { iso } from '../times.ts';

/** Catalog record Signal. */
export const signalRecord = z.object({
  signalId: z.string(),
  type: z.string(),
  leadId: z.string().nullable(),
  companyId: z.string().nullable(),
  title: z.string(),
  occurredAt: z.string(),
  detectedAt: z.string(),
  expiresAt: z.string(),
  expired: z.boolean(),
  evidence: z.array(z.object({ url: z.string(), excerpt: z.string() })),
  confidence: z.number(),
});

/** A row of `signal`. */
export interface SignalRow {
  id: string;
  workspace_id: string | null;
  type: string;
  lead_id: string | null;
  company_id: string | null;
  title: string;
  occurred_at: number;
  detected_at: number;
  expires_at: number;
  evidence: { url?: string; excerpt?: string }[];
  confidence: number;
}

/** The record of a row. @param now epoch ms UTC, product time */
export function signalOf(row: SignalRow, now: number): z.input<typeof signalRecord> {
  return {
    signalId: row.id,
    type: row.type,
    leadId: row.lead_id,
    companyId: row.company_id,
    title: row.title,
    occurredAt: iso(row.occurred_at),
    detectedAt: iso(row.detected_at),
    expiresAt: iso(row.expires_at),
    expired: row.expires_at <= now,
    evidence: row.evidence.map((one) => ({ url: one.url ?? '', excerpt: one.excerpt ?? '' })),
    confidence: Math.round(row.confidence * 1_000) / 1_000,
  };
}

/** Reads a signal of the workspace or of the shared pool. @throws UserError not found, also for a foreign one */
export async function requireSignal(tx: Tx, workspaceId: string, signalId: string): Promise<SignalRow> {
  const row = isUuid(signalId)
    ? await tx.row<SignalRow>('select * from signal where id = $1 and (workspace_id is null or workspace_id = $2)', [
        signalId,
        workspaceId,
      ])
    : undefined;
  if (!row) throw notFound('signal', signalId);
  return row;
}

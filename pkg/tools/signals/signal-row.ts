import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { type CompactForm, cut } from '../compact.ts';
import { notFound } from '../errors.ts';
import { iso } from '../times.ts';

/** Catalog record Signal. */
export const signalRecord = z.object({
  signalId: z.string(),
  type: z.string(),
  leadId: z.string().nullable(),
  companyId: z.string().nullable(),
  subject: z.string().describe('Name of the lead or company.'),
  title: z.string(),
  occurredAt: z.string(),
  detectedAt: z.string(),
  expiresAt: z.string(),
  expired: z.boolean(),
  evidence: z.array(z.object({ url: z.string(), excerpt: z.string() })),
  confidence: z.number(),
});

/** A signal of a list: as much of it as the caller asked for. */
export const listedSignal = signalRecord.partial().required({ signalId: true });

/** What happened to whom; the evidence is in the single signal. */
export const SIGNAL_FORM: CompactForm = {
  id: 'signalId',
  known: Object.keys(signalRecord.shape),
  kept: ['type', 'leadId', 'companyId', 'subject', 'title', 'occurredAt', 'expiresAt', 'confidence'],
  short: { subject: (name: string) => cut(name, 40), title: (title: string) => cut(title, 50) },
};

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
  /** Name of the lead or company, where it was read with it. */
  subject?: string;
}

/** The record of a row. @param now epoch ms UTC, product time */
export function signalOf(row: SignalRow, now: number): z.input<typeof signalRecord> {
  return {
    signalId: row.id,
    type: row.type,
    leadId: row.lead_id,
    companyId: row.company_id,
    subject: row.subject ?? '',
    title: row.title,
    occurredAt: iso(row.occurred_at),
    detectedAt: iso(row.detected_at),
    expiresAt: iso(row.expires_at),
    expired: row.expires_at <= now,
    evidence: row.evidence.map((one) => ({ url: one.url ?? '', excerpt: one.excerpt ?? '' })),
    confidence: Math.round(row.confidence * 1_000) / 1_000,
  };
}

/** Select list and joins of signals `s` with the name of the person or company that each is about. */
export const NAMED_SIGNALS = `s.*, coalesce(nullif(l.full_name, ''), k.name, '') as subject
  from signal s
  left join lead l on l.id = s.lead_id and l.erased_at is null
  left join company k on k.id = s.company_id`;

/** Reads a signal of the workspace or of the shared pool. @throws UserError not found, also for a foreign one */
export async function requireSignal(tx: Tx, workspaceId: string, signalId: string): Promise<SignalRow> {
  const row = isUuid(signalId)
    ? await tx.row<SignalRow>(
        `select ${NAMED_SIGNALS} where s.id = $1 and (s.workspace_id is null or s.workspace_id = $2)`,
        [signalId, workspaceId],
      )
    : undefined;
  if (!row) throw notFound('signal', signalId);
  return row;
}

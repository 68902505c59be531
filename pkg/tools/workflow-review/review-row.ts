import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { NEVER_EXPIRES } from '../../domain/review-expiry.ts';
import type { Tx } from '../../postgres/database.ts';
import { notFound } from '../errors.ts';
import { iso, isoOrNull } from '../times.ts';

/** Catalog record ReviewItem. */
export const reviewItem = z.object({
  reviewItemId: z.string(),
  workflowId: z.string(),
  runId: z.string(),
  leadId: z.string(),
  networkAccountId: z.string().nullable(),
  channel: z.string(),
  subject: z.string().nullable(),
  body: z.string(),
  originalBody: z.string(),
  version: z.number(),
  facts: z.array(z.object({ text: z.string(), source: z.string(), at: z.string().nullable() })),
  riskFlags: z.array(z.string()),
  playbookSource: z.string(),
  state: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable().describe('Null: it waits until a person decides.'),
  decidedBy: z.string().nullable(),
  decidedAt: z.string().nullable(),
  reason: z.string().nullable(),
});

/** A row of `review_item`. */
export interface ReviewRow {
  id: string;
  workspace_id: string;
  workflow_id: string;
  campaign_id: string;
  run_id: string;
  lead_id: string;
  account_id: string | null;
  node_id: string;
  send_node_id: string;
  channel: string;
  subject: string | null;
  body: string;
  original_body: string;
  version: number;
  facts: { text: string; source: string; at?: number | string | null }[];
  risk_flags: string[];
  playbook_source: string;
  state: string;
  created_at: number;
  expires_at: number;
  decided_by: string | null;
  decided_at: number | null;
  reason: string | null;
}

/**
 * The record of a row. A draft whose time is over is expired, also where nobody has closed it yet: nobody looks at the leads of
 * something that is stopped. @param now epoch ms UTC, product time
 */
export function reviewOf(row: ReviewRow, now: number): z.input<typeof reviewItem> {
  const state = row.state === 'pending' && row.expires_at <= now ? 'expired' : row.state;
  return {
    reviewItemId: row.id,
    workflowId: row.workflow_id,
    runId: row.run_id,
    leadId: row.lead_id,
    networkAccountId: row.account_id,
    channel: row.channel,
    subject: row.subject,
    body: row.body,
    originalBody: row.original_body,
    version: row.version,
    facts: row.facts.map((fact) => ({
      text: fact.text,
      source: fact.source,
      at: typeof fact.at === 'number' ? iso(fact.at) : (fact.at ?? null),
    })),
    riskFlags: row.risk_flags,
    playbookSource: row.playbook_source,
    state,
    createdAt: iso(row.created_at),
    expiresAt: row.expires_at >= NEVER_EXPIRES ? null : iso(row.expires_at),
    decidedBy: row.decided_by,
    decidedAt: isoOrNull(row.decided_at),
    reason: row.reason ?? (state === 'expired' ? expiredReason(row) : null),
  };
}

/** What goes on with a lead whose draft nobody decided in time. */
function expiredReason({ run_id: runId }: ReviewRow): string {
  return `Nobody decided in time; svc_control_workflow_runs with action "resume" takes up run ${runId} with a new draft, if that stopped it.`;
}

/** Reads an item under the caller's rights. @throws UserError not found, also for a foreign one */
export async function requireReview(tx: Tx, reviewItemId: string, lock = false): Promise<ReviewRow> {
  const row = isUuid(reviewItemId)
    ? await tx.row<ReviewRow>(`select * from review_item where id = $1${lock ? ' for update' : ''}`, [reviewItemId])
    : undefined;
  if (!row) throw notFound('reviewItem', reviewItemId);
  return row;
}

import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { NEVER_EXPIRES } from '../../domain/review-expiry.ts';
import type { Tx } from '../../postgres/database.ts';
import { type CompactForm, cut } from '../compact.ts';
import { notFound } from '../errors.ts';
import { iso, isoOrNull } from '../times.ts';
import { type ReviewPeople, reviewPeople } from './review-people.ts';

/** Catalog record ReviewItem. */
export const reviewItem = z.object({
  reviewItemId: z.string(),
  workflowId: z.string(),
  runId: z.string(),
  leadId: z.string(),
  leadName: z.string(),
  title: z.string(),
  company: z.string(),
  workflowName: z.string(),
  networkAccountId: z.string().nullable(),
  sender: z.string().nullable().describe('Null: no account is chosen yet.'),
  earliestAt: z.string().nullable().describe('Of a draft that can still be sent; budgets may make it later.'),
  channel: z.string(),
  subject: z.string().nullable(),
  body: z.string(),
  originalBody: z.string().nullable().describe('Null: nobody changed it, it is body.'),
  version: z.number(),
  facts: z.array(
    z.object({
      text: z.string(),
      source: z.string(),
      at: z.string().nullable(),
      hash: z.string().optional().describe('SHA-256 of source and text when it was written.'),
      segments: z.array(z.string()).optional().describe('Sentences that state it.'),
    }),
  ),
  riskFlags: z.array(z.string()),
  playbookSource: z.string(),
  state: z.string(),
  createdAt: z.string(),
  expiresAt: z.string().nullable().describe('Null: it waits until a person decides.'),
  decidedBy: z.string().nullable(),
  decidedAt: z.string().nullable(),
  reason: z.string().nullable(),
});

/** An item of a list: as much of it as the caller asked for. */
export const listedReviewItem = reviewItem.partial().required({ reviewItemId: true });

/** Enough to see what waits and what hurries; the whole text is in the single item. */
export const REVIEW_FORM: CompactForm = {
  id: 'reviewItemId',
  known: Object.keys(reviewItem.shape),
  kept: [...['leadName', 'title', 'company', 'sender', 'earliestAt', 'subject', 'body', 'riskFlags', 'expiresAt']],
  short: { body: (text: string) => cut(text, 45), subject: (text: string) => cut(text, 40) },
};

/** What became of one that is decided or expired, and the run with which it can go on. */
export const DECIDED_FORM: CompactForm = {
  ...REVIEW_FORM,
  kept: ['leadName', 'title', 'company', 'runId', 'body', 'reason', 'decidedBy', 'decidedAt'],
};

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
  facts: { text: string; source: string; at?: number | string | null; hash?: string; segments?: string[] }[];
  risk_flags: string[];
  playbook_source: string;
  state: string;
  created_at: number;
  expires_at: number;
  decided_by: string | null;
  decided_at: number | null;
  reason: string | null;
  /** Of an answer in a conversation, which stands in place of no step of its run: where, and the time of what it answers. */
  conversation_id: string | null;
  answers_at: number | null;
}

/**
 * The record of a row. A draft whose time is over is expired, also where nobody has closed it yet: nobody looks at the leads of
 * something that is stopped. @param now epoch ms UTC, product time
 */
function reviewOf(row: ReviewRow, people: ReviewPeople, now: number): z.input<typeof reviewItem> {
  const state = row.state === 'pending' && row.expires_at <= now ? 'expired' : row.state;
  const open = state === 'pending' || state === 'approved';
  return {
    reviewItemId: row.id,
    workflowId: row.workflow_id,
    runId: row.run_id,
    leadId: row.lead_id,
    leadName: people.leadName,
    title: people.title,
    company: people.company,
    workflowName: people.workflowName,
    networkAccountId: row.account_id,
    sender: people.sender,
    earliestAt: open ? isoOrNull(people.earliestAt) : null,
    channel: row.channel,
    subject: row.subject,
    body: row.body,
    originalBody: row.original_body === row.body ? null : row.original_body,
    version: row.version,
    facts: row.facts.map((fact) => ({
      text: fact.text,
      source: fact.source,
      at: typeof fact.at === 'number' ? iso(fact.at) : (fact.at ?? null),
      ...(fact.hash === undefined ? {} : { hash: fact.hash }),
      ...(fact.segments === undefined ? {} : { segments: fact.segments }),
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
function expiredReason({ run_id: runId, conversation_id: conversationId }: ReviewRow): string {
  if (conversationId !== null)
    return `Nobody decided in time; svc_send_message answers in conversation ${conversationId}.`;
  return `Nobody decided in time; svc_control_workflow_runs with action "resume" takes up run ${runId} with a new draft, if that stopped it.`;
}

/** The records of rows, in their order, each with whom it is for and who sends it. @param now epoch ms UTC, product time */
export async function reviewsOf(
  tx: Tx,
  rows: readonly ReviewRow[],
  now: number,
): Promise<z.input<typeof reviewItem>[]> {
  const ids = rows.map((row) => row.id);
  const people = await reviewPeople(tx, ids, now);
  return rows.map((row) => reviewOf(row, people.get(row.id) ?? NOBODY, now));
}

/** Of a draft that went while it was read. */
const NOBODY: ReviewPeople = {
  leadName: '',
  title: '',
  company: '',
  sender: null,
  workflowName: '',
  earliestAt: null,
};

/** Reads an item under the caller's rights. @throws UserError not found, also for a foreign one */
export async function requireReview(tx: Tx, reviewItemId: string, lock = false): Promise<ReviewRow> {
  const row = isUuid(reviewItemId)
    ? await tx.row<ReviewRow>(`select * from review_item where id = $1${lock ? ' for update' : ''}`, [reviewItemId])
    : undefined;
  if (!row) throw notFound('reviewItem', reviewItemId);
  return row;
}

import { warnsAt } from '../../domain/review-expiry.ts';
import type { Notice } from '../../store/notifications/notifications.ts';
import type { NewReview, ReviewRow } from '../../store/reviews/review-items.ts';
import { wait } from './run-moves.ts';
import type { Advance } from './step.ts';

const DAY_MS = 86_400_000;

type Draft = Pick<ReviewRow | NewReview, 'id' | 'createdAt' | 'expiresAt'>;

/**
 * Waits for a person to decide. It wakes once before the draft expires, to tell of it; a draft that never expires waits for
 * the decision alone.
 * @param reviewers members who were asked to decide about it
 */
export function waitForPerson(walk: Advance, now: number, draft: Draft, reviewers: readonly string[]): void {
  const warnAt = warnsAt(draft);
  if (warnAt !== null && now >= warnAt) tellDeadline(walk, draft, reviewers);
  wait(walk, 'review', warnAt === null || now < warnAt ? warnAt : draft.expiresAt);
}

/** Owners, admins and those who were asked hear once a day and campaign that drafts are about to expire. */
function tellDeadline(walk: Advance, draft: Draft, reviewers: readonly string[]): void {
  const at = new Date(draft.expiresAt).toISOString();
  const text =
    `Drafts of this campaign expire from ${at} on, and their leads stop then. Decide about them (svc_list_review_items), ` +
    'or raise reviewExpiresAfterHours of the campaign for later ones (svc_update_campaign; 0 = never).';
  tell(walk, draft, reviewers, { kind: 'review.pending', title: 'Drafts are about to expire', text });
}

/** The same of drafts that have expired, with the way to go on. */
export function tellExpired(walk: Advance, draft: Draft, reviewers: readonly string[]): void {
  const text =
    'Nobody decided about drafts of this campaign in time. svc_list_review_items with state "expired" names their runs, and ' +
    'svc_control_workflow_runs with action "resume" takes up those that stopped.';
  tell(walk, draft, reviewers, { kind: 'review.expired', title: 'Drafts have expired', text });
}

function tell(
  walk: Advance,
  draft: Draft,
  reviewers: readonly string[],
  { kind, title, text }: Pick<Notice, 'kind' | 'title' | 'text'>,
): void {
  const { campaignId, leadId } = walk.run;
  const day = Math.floor(draft.expiresAt / DAY_MS);
  const data = { campaignId, leadId, reviewItemId: draft.id };
  const notice = { kind, title, text, origin: `${kind}:${campaignId}:${day}`, data };
  // A notice to nobody is one to owners and admins; who is among both hears it once, by its origin.
  const audiences = reviewers.length > 0 ? [[], reviewers] : [[]];
  for (const members of audiences) walk.writes.push({ type: 'notify', notice: { ...notice, members } });
}

import type { JsonObject } from '../../base/json.ts';
import { DEFAULT_BUSINESS_HOURS } from '../../domain/business-hours.ts';
import { startOfPost } from '../../domain/content/late-post.ts';
import type { ActionMove, DueAction } from '../../store/actions/actions.ts';
import type { PostFacts } from '../../store/content/post-facts.ts';
import type { ClaimRequest } from '../../store/ledger/ledger.ts';
import type { AccountRow } from '../../store/runs/batch-facts.ts';
import { actionRequest } from '../actions/action-request.ts';
import { hoursOf } from '../settings.ts';

/** Tries that fail of themselves after which a post is a person's matter. Source: catalog, state machine contentPost. */
const MOST_TRIES = 3;
/** Requests in a row that got lost without a trace, or whose executor ended. */
const MOST_LOST = 5;

/** What decides about a due part of a post. */
export interface PostAsking {
  action: DueAction;
  post: PostFacts | undefined;
  account: AccountRow | undefined;
  lastPostAt: number | null;
  sendId: string;
  now: number;
}

/** Where a part goes that ends here; the outcome is the code of the post's failure. */
function over({ id }: DueAction, at: number, outcome: string, error: string): ActionMove {
  return { id, end: 'failed', outcome, error, at };
}

/** The request for a part of a post, or where it goes instead. */
export function askForPost(asking: PostAsking): ClaimRequest | ActionMove {
  const { action, post, account, now } = asking;
  if (!post || !account)
    return over(action, now, 'account_gone', 'the account is not linked to the workspace any more');
  if (action.expiresAt !== null && action.expiresAt < now)
    return over(action, now, 'missed', missedText(account.usable));
  if (action.tries >= MOST_TRIES) return over(action, now, 'failed', `it failed ${action.tries} times`);
  if (action.endings >= MOST_LOST) return over(action, now, 'failed', `its request was lost ${action.endings} times`);
  if (isPost(action)) {
    if (!post.cleared) return over(action, now, 'not_approved', 'the workspace demands an approval, which it has not');
    if (action.target['version'] !== post.version)
      return over(action, now, 'changed', 'it was changed after it was scheduled');
  }
  const start = startOf(asking, account);
  if (start === null) return over(action, now, 'missed', missedText(account.usable));
  if (start > now) return { id: action.id, dueAt: start, waitReason: 'business_hours' };
  return requestFor(asking, post, account);
}

/** Of two parts the one that stands alone; the other is the first comment. */
function isPost({ target }: DueAction): boolean {
  return target['part'] === 'post';
}

function startOf({ action, lastPostAt, now }: PostAsking, account: AccountRow): number | null {
  if (!isPost(action)) return now;
  return startOfPost({
    plannedFor: plannedFor(action, now),
    now,
    lastPostAt,
    hours: hoursOf(account.businessHours) ?? { ...DEFAULT_BUSINESS_HOURS, timezoneMode: 'account' },
    timezone: account.timezone,
  });
}

function plannedFor({ target }: DueAction, now: number): number {
  return typeof target['plannedFor'] === 'number' ? target['plannedFor'] : now;
}

function requestFor({ action, sendId }: PostAsking, post: PostFacts, account: AccountRow): ClaimRequest {
  const target: JsonObject = {
    ...action.target,
    contentPostId: post.id,
    ...(post.socialId ? { postId: post.socialId } : {}),
    since: post.createdAt,
  };
  return actionRequest(action, sendId, account.id, target);
}

function missedText(usable: boolean): string {
  if (usable)
    return 'its time passed by more than six hours, or outside the hours of its account, before it could go out';
  return 'its account could not act for six hours: it is not logged in, paused or restricted';
}

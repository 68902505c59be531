import { call } from '../../api/call.ts';
import { Failure } from '../../api/http.ts';
import { here } from '../../app/address.ts';
import { decide, type SendOptions, type Step } from '../../app/outbox.ts';
import { me } from '../../app/session.ts';
import type { Edit } from './review-edits.ts';
import { keepEdit } from './review-edits.ts';
import type { QueueRow, ReviewItem } from './review-types.ts';

export type Then = 'skip_step' | 'recraft' | 'stop_lead';

/** What a decision needs to know of a draft. */
export type Decided = Pick<QueueRow, 'reviewItemId' | 'leadName' | 'version' | 'body'>;

/** A text as somebody saw it when they decided. */
export type Seen = Pick<QueueRow, 'version' | 'body'>;

/** What was seen of items whose decision was refused, so that what is new in them can be shown. */
export const seenBefore = new Map<string, Seen>();

/** What comes of a decision on this screen. */
export interface After {
  /** It was taken back: the item is shown again. */
  undone: (reviewItemId: string) => void;
  /** It was refused: somebody was faster, or the text is another one. */
  refused: (reviewItemId: string) => void;
}

/** Names may be missing. */
export const nameOf = ({ leadName }: { leadName: string }): string => leadName || 'Somebody without a name';

/**
 * A decision whose answer was lost may have arrived: made again it is refused then, as the item is decided already. What stands there
 * tells whether that was this one.
 * @throws Failure
 */
async function once(
  reviewItemId: string,
  isThis: (item: ReviewItem) => boolean,
  within: SendOptions,
  send: () => Promise<unknown>,
): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'refused') throw error;
    const { reviewItem } = await call('svc_get_review_item', { reviewItemId }, { ...within, key: undefined });
    const mine = reviewItem.decidedBy !== null && reviewItem.decidedBy === me.value?.user.email;
    if (!mine || !isThis(reviewItem)) throw error;
  }
}

const isApproved = ({ state }: ReviewItem): boolean => state === 'approved' || state === 'sent';

/** Subjects are kept as one line. */
const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Whether what was approved is this text, and not another one that the same member wrote in another page. */
function isTextOf(item: ReviewItem, { body, subject }: Edit): boolean {
  return item.body === body && (subject === null || oneLine(item.subject ?? '') === oneLine(subject));
}

function order(past: string, verb: string, items: readonly Decided[], steps: readonly Step[], after: After): void {
  const [first] = steps;
  if (!first) return;
  decide({
    verb,
    past,
    steps,
    path: here.value('review', steps.length === 1 ? first.recordId : ''),
    onUndo: () => after.undone(first.recordId),
    onRefused: (step) => {
      const item = items.find(({ reviewItemId }) => reviewItemId === step.recordId);
      if (item) seenBefore.set(step.recordId, { version: item.version, body: item.body });
      after.refused(step.recordId);
    },
  });
}

/** Approves texts as they were seen: one that is another by then is refused. */
export function approveAll(items: readonly Decided[], after: After): void {
  const steps = items.map(
    (item): Step => ({
      recordId: item.reviewItemId,
      label: nameOf(item),
      send: (within) => {
        const { reviewItemId, version } = item;
        const input = { reviewItemId, expectedVersion: version };
        const isThis = (now: ReviewItem): boolean => isApproved(now) && now.version === version;
        return once(reviewItemId, isThis, within, () => call('svc_approve_review_item', input, within));
      },
    }),
  );
  order('approved', 'Approve', items, steps, after);
}

/** Rejects them for one reason, as they were seen: a text that is another by then is refused. */
export function rejectAll(items: readonly Decided[], reason: string, next: Then, after: After): void {
  const steps = items.map(
    (item): Step => ({
      recordId: item.reviewItemId,
      label: nameOf(item),
      send: (within) => {
        const { reviewItemId, version } = item;
        // biome-ignore lint/suspicious/noThenProperty: the tool names this parameter
        const input = { reviewItemId, reason, then: next, expectedVersion: version };
        const isThis = (now: ReviewItem): boolean => now.state === 'rejected' && now.reason === reason;
        return once(reviewItemId, isThis, within, () => call('svc_reject_review_item', input, within));
      },
    }),
  );
  order('rejected', 'Reject', items, steps, after);
}

/** Approves another text in place of the draft. What was typed stays until it is through. */
export function approveEdited(item: Decided, edit: Edit, after: After): void {
  const { reviewItemId } = item;
  const step: Step = {
    recordId: reviewItemId,
    label: nameOf(item),
    send: async (within) => {
      const input = editInput(reviewItemId, edit, true);
      const isThis = (now: ReviewItem): boolean => isApproved(now) && isTextOf(now, edit);
      await once(reviewItemId, isThis, within, () => call('svc_edit_review_item', input, within));
      keepEdit(reviewItemId, undefined);
    },
  };
  order('approved', 'Change and approve', [item], [step], after);
}

/** Puts another text in place of the draft and leaves it undecided. @throws Failure */
export async function saveEdit(reviewItemId: string, edit: Edit): Promise<void> {
  await call('svc_edit_review_item', editInput(reviewItemId, edit, false));
  keepEdit(reviewItemId, undefined);
}

function editInput(reviewItemId: string, { body, subject, version }: Edit, approve: boolean) {
  return { reviewItemId, body, approve, expectedVersion: version, ...(subject === null ? {} : { subject }) };
}

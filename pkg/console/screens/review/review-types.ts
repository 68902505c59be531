import type { Output } from '../../api/call.ts';

/** A draft with whom it is for, and what was said before. */
export type ReviewDetail = Output<'svc_get_review_item'>;
/** A draft. */
export type ReviewItem = ReviewDetail['reviewItem'];

/** A draft as the queue knows it. */
export type QueueRow = Pick<
  ReviewItem,
  | 'reviewItemId'
  | 'leadName'
  | 'company'
  | 'title'
  | 'channel'
  | 'subject'
  | 'body'
  | 'version'
  | 'riskFlags'
  | 'expiresAt'
  | 'sender'
  | 'earliestAt'
  | 'state'
>;

/** What the queue asks for. */
export const ROW_FIELDS = [
  'leadName',
  'company',
  'title',
  'channel',
  'subject',
  'body',
  'version',
  'riskFlags',
  'expiresAt',
  'sender',
  'earliestAt',
  'state',
];

import { approveReviewItem } from './approve-review-item.ts';
import { bulkDecideReviewItems } from './bulk-decide-review-items.ts';
import { editReviewItem } from './edit-review-item.ts';
import { getReviewItem } from './get-review-item.ts';
import { listReviewItems } from './list-review-items.ts';
import { rejectReviewItem } from './reject-review-item.ts';

export const workflowReviewTools = [
  listReviewItems,
  getReviewItem,
  approveReviewItem,
  editReviewItem,
  rejectReviewItem,
  bulkDecideReviewItems,
];

import { approveContentPost } from './approve-content-post.ts';
import { createContentPost } from './create-content-post.ts';
import { deleteContentPost } from './delete-content-post.ts';
import { duplicateContentPost } from './duplicate-content-post.ts';
import { getContentAnalytics } from './get-content-analytics.ts';
import { getContentCalendar } from './get-content-calendar.ts';
import { getContentPost } from './get-content-post.ts';
import { getWorkspaceVoice } from './get-workspace-voice.ts';
import { listContentPosts } from './list-content-posts.ts';
import { publishContentPost } from './publish-content-post.ts';
import { rejectContentPost } from './reject-content-post.ts';
import { retryContentPost } from './retry-content-post.ts';
import { scheduleContentPost } from './schedule-content-post.ts';
import { submitContentForApproval } from './submit-content-for-approval.ts';
import { unscheduleContentPost } from './unschedule-content-post.ts';
import { updateBrandIdentity } from './update-brand-identity.ts';
import { updateContentPost } from './update-content-post.ts';

export const contentTools = [
  listContentPosts,
  getContentPost,
  createContentPost,
  updateContentPost,
  deleteContentPost,
  duplicateContentPost,
  scheduleContentPost,
  submitContentForApproval,
  approveContentPost,
  rejectContentPost,
  unscheduleContentPost,
  retryContentPost,
  publishContentPost,
  getContentCalendar,
  getContentAnalytics,
  getWorkspaceVoice,
  updateBrandIdentity,
];

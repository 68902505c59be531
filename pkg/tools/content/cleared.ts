import type { Tx } from '../../postgres/database.ts';
import type { ContentPost } from '../../store/content/content-posts.ts';
import { needsApproval } from './deciders.ts';

/** Whether a post may go out: approved as it stands, or the workspace asks for no approval. */
export async function isCleared(tx: Tx, post: ContentPost): Promise<boolean> {
  if (post.approved && post.approvedVersion === post.version) return true;
  return !(await needsApproval(tx, post.workspaceId));
}

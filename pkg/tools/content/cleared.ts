import { isClearedPost } from '../../domain/content/cleared.ts';
import type { Tx } from '../../postgres/database.ts';
import type { ContentPost } from '../../store/content/content-posts.ts';
import { needsApproval } from './deciders.ts';

/** Whether a post may go out now, as its workspace asks. */
export async function isCleared(tx: Tx, post: ContentPost): Promise<boolean> {
  return isClearedPost({ ...post, required: await needsApproval(tx, post.workspaceId) });
}

/** What decides whether a post may go out. */
export interface Clearance {
  /** The workspace demands approvals now. */
  required: boolean;
  approved: boolean;
  /** The version that was approved; null: none was. */
  approvedVersion: number | null;
  version: number;
  /** The user who counts as having approved it; null: nobody does. */
  decidedByUser: string | null;
  /** Users who wrote what stands there. */
  authors: readonly string[];
}

/**
 * Whether a post may go out: approved as it stands, or the workspace asks for no approval. An approval that was given while nobody asked
 * for one may be that of an author, or of nobody: once approvals are demanded, it does not count. Rule C7.
 */
export function isClearedPost({ required, decidedByUser, authors, ...post }: Clearance): boolean {
  if (!required) return true;
  if (!post.approved || post.approvedVersion !== post.version) return false;
  return decidedByUser !== null && !authors.includes(decidedByUser);
}

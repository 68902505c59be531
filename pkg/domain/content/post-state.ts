/** States of a post. Source: catalog, stateMachines.contentPost. */
export const POST_STATES = ['draft', 'review', 'scheduled', 'published'] as const;
export type PostState = (typeof POST_STATES)[number];

/** How a post stands, as far as it decides what may be done with it. */
export interface PostStanding {
  state: PostState;
  approved: boolean;
  /** A part of it failed. */
  failed: boolean;
  /** It is on its way, or nobody knows yet whether it went out: a lease of the executor, which no edit undoes. */
  publishing: boolean;
}

/** Deeds of people. `ready`: a time is known and lies ahead; `cleared`: approved, or the workspace asks for no approval. */
export type PostDeed =
  | { kind: 'update' /** What others will see changes, not the time alone. */; content: boolean }
  | { kind: 'submit' }
  | { kind: 'approve'; ready: boolean }
  | { kind: 'reject' }
  | { kind: 'schedule'; cleared: boolean }
  | { kind: 'unschedule' }
  | { kind: 'publish'; cleared: boolean }
  | { kind: 'retry' }
  | { kind: 'delete' };

/** Why a deed is not possible. */
export type PostRefusal =
  | 'scheduled'
  | 'in_review'
  | 'published'
  | 'publishing'
  | 'not_draft'
  | 'not_in_review'
  | 'not_scheduled'
  | 'not_approved'
  | 'no_failure';

/** Where a deed leads; null: the post is gone. */
export type PostVerdict = { to: PostStanding | null } | { refusal: PostRefusal };

/**
 * Judges a deed by how the post stands. Claim beats edit: what is on its way is neither changed nor withdrawn. A post that failed stays
 * scheduled with its failure. Source: catalog, stateMachines.contentPost; rules C7 and C8.
 */
export function judgePostDeed(post: PostStanding, deed: PostDeed): PostVerdict {
  switch (deed.kind) {
    case 'update':
      return judgeUpdate(post, deed.content);
    case 'submit':
      return post.state === 'draft' ? to(post, { state: 'review', approved: false }) : { refusal: 'not_draft' };
    case 'approve':
      if (post.state !== 'review') return { refusal: 'not_in_review' };
      return to(post, { state: deed.ready ? 'scheduled' : 'draft', approved: true });
    case 'reject':
      if (post.state !== 'review') return { refusal: 'not_in_review' };
      return to(post, { state: 'draft', approved: false });
    case 'schedule':
      return judgeGoing(post, deed.cleared);
    case 'publish':
      return judgeGoing(post, deed.cleared);
    case 'unschedule':
      if (post.state !== 'scheduled') return { refusal: 'not_scheduled' };
      return post.publishing ? { refusal: 'publishing' } : to(post, { state: 'draft', failed: false });
    case 'retry':
      return judgeRetry(post);
    case 'delete':
      if (post.publishing) return { refusal: 'publishing' };
      return post.state === 'published' ? { refusal: 'published' } : { to: null };
  }
}

function judgeUpdate(post: PostStanding, content: boolean): PostVerdict {
  if (post.publishing) return { refusal: 'publishing' };
  if (post.state === 'scheduled' || post.state === 'published') return { refusal: post.state };
  return to(post, { approved: post.approved && !content });
}

/** Of scheduling and of publishing at once, which differ in the time alone. */
function judgeGoing(post: PostStanding, cleared: boolean): PostVerdict {
  if (post.state === 'published') return { refusal: 'published' };
  if (post.state === 'review') return { refusal: 'in_review' };
  if (post.publishing) return { refusal: 'publishing' };
  return cleared ? to(post, { state: 'scheduled', failed: false }) : { refusal: 'not_approved' };
}

/** Of a post that is online its first comment may have failed. What nobody knows is looked up, and nothing more. */
function judgeRetry(post: PostStanding): PostVerdict {
  if (!post.failed || post.state === 'draft' || post.state === 'review') return { refusal: 'no_failure' };
  return to(post, { failed: post.publishing });
}

function to(post: PostStanding, change: Partial<PostStanding>): PostVerdict {
  return { to: { ...post, ...change } };
}

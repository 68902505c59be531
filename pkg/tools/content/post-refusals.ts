import type { UserError } from '../../base/errors.ts';
import { judgePostDeed, type PostDeed, type PostRefusal, type PostStanding } from '../../domain/content/post-state.ts';
import type { ContentPost } from '../../store/content/content-posts.ts';
import { wrongState } from '../errors.ts';
import { standingOf } from './post-row.ts';

const WORDS: Readonly<Record<PostRefusal, readonly [says: string, nextTool: string]>> = {
  scheduled: ['is scheduled; take it back to draft first', 'svc_unschedule_content_post'],
  in_review: [
    'is in review since svc_submit_content_for_approval; somebody has to approve it first',
    'svc_approve_content_post',
  ],
  published: [
    'is published; published posts are kept as svc_get_content_post shows them',
    'svc_duplicate_content_post',
  ],
  publishing: ['is publishing right now, or nobody knows yet whether it went out', 'svc_get_content_post'],
  not_draft: ['is no draft', 'svc_get_content_post'],
  not_in_review: ['is not in review', 'svc_get_content_post'],
  not_scheduled: ['is not scheduled', 'svc_get_content_post'],
  not_approved: ['has no approval, which the workspace demands', 'svc_submit_content_for_approval'],
  no_failure: ['has no failure', 'svc_get_content_post'],
};

/** Says why a deed is not possible, and what is. */
export function postRefusal(post: Pick<ContentPost, 'id'>, refusal: PostRefusal): UserError {
  const [says, nextTool] = WORDS[refusal];
  return wrongState(`Content post "${post.id}" ${says}`, nextTool);
}

/** Where a deed leads. @throws UserError when the post's state does not allow it */
export function requireDeed(post: ContentPost, deed: PostDeed): PostStanding {
  const verdict = judgePostDeed(standingOf(post), deed);
  if ('refusal' in verdict) throw postRefusal(post, verdict.refusal);
  return verdict.to ?? standingOf(post);
}

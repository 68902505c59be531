import type { ContentPost } from '../../../store/content/content-posts.ts';
import { requirePost } from '../../content/post-row.ts';
import { notFound } from '../../errors.ts';
import { iso } from '../../times.ts';
import { accountChecks } from './account-checks.ts';
import { type Check, type CheckContext, fail, firstOf, pass, waits } from './check.ts';
import { workspaceAtWork } from './workspace-at-work.ts';

/** Why a post is not online, or not whole. */
export async function postChecks(context: CheckContext): Promise<Check[]> {
  const post = await requirePost(context.tx, context.targetId);
  if (post.workspaceId !== context.workspaceId) throw notFound('contentPost', context.targetId);
  const itself = postCheck(post);
  if (post.state !== 'scheduled') return [itself];
  const account = await accountChecks({ ...context, targetId: post.accountId });
  return [
    await workspaceAtWork(context, 'post_workspace'),
    firstOf(
      'post_account',
      account.filter((check) => !check.waits),
      'Its account may act.',
    ),
    itself,
  ];
}

function postCheck(post: ContentPost): Check {
  const { failure, state } = post;
  if (failure && state === 'scheduled')
    return fail('post', `It failed (${failure.code}): ${failure.message}.`, 'svc_retry_content_post', {
      contentPostId: post.id,
    });
  if (failure)
    return fail('post', `It failed (${failure.code}): ${failure.message}.`, 'svc_get_content_post', {
      contentPostId: post.id,
    });
  if (state === 'published')
    return pass(
      'post',
      post.verifiedAt ? `It was seen online ${iso(post.verifiedAt)}.` : 'It went out; it is looked at.',
    );
  if (state === 'review') return waits('post', 'It waits for an approval.');
  if (state === 'draft') return waits('post', 'It is a draft, which nobody scheduled.');
  if (post.sendState === 'unknown') return waits('post', 'It left, and whether it is online is being looked up.');
  if (post.sendState !== null) return waits('post', 'It is being published.');
  const why = post.waitReason === null ? '' : `; it waits for ${post.waitReason}`;
  return waits('post', `It is scheduled for ${iso(post.scheduledAt ?? 0)}${why}.`);
}

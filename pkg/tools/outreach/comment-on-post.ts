import { z } from 'zod';
import { profileAddress } from '../../domain/person-identity.ts';
import { tool } from '../tool.ts';
import { directResult, lookedUp, timingParams } from './direct-action.ts';
import { actingParam, postParam } from './direct-params.ts';
import { planForPerson } from './plan-for-person.ts';
import { postOfAddress } from './post-of-address.ts';

export const commentOnPost = tool({
  name: 'svc_comment_on_post',
  domain: 'Outreach',
  title: 'Comment on post',
  description: 'Comments on a post. Next: svc_list_conversations.',
  example: {
    input: {
      postUrl: 'https://www.linkedin.com/feed/update/urn:li:activity:7000000000000000001',
      text: 'The third point is the one that most people miss.',
    },
    other: { text: 'The second point is the one that most people miss.' },
  },
  scope: 'outreach:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input: z.strictObject({
    ...actingParam,
    postUrl: postParam,
    text: z.string().min(1).max(1_250),
    ...timingParams('paced'),
  }),
  output: z.object(directResult),
  async run(ctx, request) {
    const { result } = await lookedUp(
      ctx,
      request.timing,
      () => postOfAddress(ctx, request, 'comment'),
      (tx, { post, accountId }) => {
        const whom = {
          profileUrl: profileAddress(post.authorPublicId) ?? '',
          networkAccountId: accountId,
          timing: request.timing,
        };
        return planForPerson(ctx, tx, whom, {
          action: 'comment',
          once: `post:${post.postId}`,
          body: request.text,
          target: { postId: post.postId },
          unclaimed: false,
          human: false,
        });
      },
    );
    return result;
  },
});

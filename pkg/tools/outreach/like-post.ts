import { z } from 'zod';
import { profileAddress } from '../../domain/person-identity.ts';
import { REACTIONS } from '../../providers/network/network-provider.ts';
import { tool } from '../tool.ts';
import { directResult, lookedUp, timingParams } from './direct-action.ts';
import { actingParam, postParam } from './direct-params.ts';
import { planForPerson } from './plan-for-person.ts';
import { postOfAddress } from './post-of-address.ts';

export const likePost = tool({
  name: 'svc_like_post',
  domain: 'Outreach',
  title: 'Like post',
  description: 'Reacts to a post. Next: svc_comment_on_post.',
  example: {
    input: { postUrl: 'https://www.linkedin.com/feed/update/urn:li:activity:7000000000000000001' },
    other: { reaction: 'insightful' },
  },
  scope: 'outreach:write',
  category: 'write',
  reaches: true,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
  workspace: 'param',
  input: z.strictObject({
    ...actingParam,
    postUrl: postParam,
    reaction: z.enum(REACTIONS).default('like'),
    ...timingParams('paced'),
  }),
  output: z.object(directResult),
  async run(ctx, request) {
    const { result } = await lookedUp(
      ctx,
      request.timing,
      () => postOfAddress(ctx, request, 'like'),
      (tx, { post, accountId }) => {
        const whom = {
          profileUrl: profileAddress(post.authorPublicId) ?? '',
          networkAccountId: accountId,
          timing: request.timing,
        };
        return planForPerson(ctx, tx, whom, {
          action: 'like',
          once: `post:${post.postId}`,
          body: null,
          target: { postId: post.postId, reaction: request.reaction },
          unclaimed: false,
          human: false,
        });
      },
    );
    return result;
  },
});

import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { changePost, markPost, tellPost } from '../../store/content/content-posts.ts';
import { actorOf } from '../actor-of.ts';
import { invalidInput } from '../errors.ts';
import { tool } from '../tool.ts';
import { requireMember } from '../workspace/member-row.ts';
import { requireDeed } from './post-refusals.ts';
import { requirePost } from './post-row.ts';

export const submitContentForApproval = tool({
  name: 'svc_submit_content_for_approval',
  domain: 'Content',
  title: 'Submit for approval',
  description: 'Moves a draft to review and notifies the approvers. Next: svc_approve_content_post.',
  example: { input: { contentPostId: '$draftPostId', note: 'For Thursday.' } },
  scope: 'content:write',
  category: 'write',
  reaches: false,
  hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    contentPostId: z.string().min(1),
    note: z.string().max(1_000).optional(),
    reviewerIds: z.array(z.string()).max(10).optional(),
  }),
  output: z.object({ contentPostId: z.string(), state: z.string() }),
  async run(ctx, { contentPostId, note = '', reviewerIds = [] }) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const post = await requirePost(tx, contentPostId, true);
      const { state, approved } = requireDeed(post, { kind: 'submit' });
      const reviewers = await membersOf(tx, post.workspaceId, reviewerIds);
      const decision = { decidedAt: null, decidedBy: null, decidedByUser: null, reason: null };
      const change = { state, approved, submittedAt: now, reviewers, approvedVersion: null, approvedMedia: null };
      await changePost(tx, post.id, { ...change, ...decision }, now);
      const actor = actorOf(ctx);
      await markPost(tx, post, { at: now, kind: 'submitted', actor, text: note, data: { version: post.version } });
      await tellPost(tx, post, { kind: 'content.submitted', at: now, actor, text: note, data: { reviewers } });
      return { contentPostId, state };
    });
  },
});

/** Ids of members of the workspace. @throws UserError not found */
async function membersOf(tx: Tx, workspaceId: string, ids: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const id of new Set(ids)) {
    const member = await requireMember(tx, id);
    if (member.workspace_id !== workspaceId) throw invalidInput('reviewerIds', `"${id}" is no member of the workspace`);
    found.push(member.id);
  }
  return found;
}

import { z } from 'zod';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

export const submitFeedback = tool({
  name: 'svc_submit_feedback',
  domain: 'Search & Diagnostics',
  title: 'Submit feedback',
  description: 'Sends a bug report or wish to the service team. Next: svc_diagnose when something is blocked.',
  scope: 'workspace:read',
  category: 'write',
  hints: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
  workspace: 'param',
  input: z.strictObject({
    workspaceId: workspaceParam,
    category: z.enum(['bug', 'feature_request', 'other']),
    message: z.string().min(1).max(5_000),
    toolName: z.string().max(100).optional(),
    severity: z.enum(['low', 'medium', 'high']).default('medium'),
  }),
  output: z.object({ feedbackId: z.string(), received: z.boolean() }),
  async run(ctx, { category, message, toolName, severity }) {
    const { caller, requestId, workspaceId } = ctx;
    const feedbackId = ctx.ids.uuid();
    const kept = await ctx.create(workspaceId, async (tx) => {
      await tx.exec(
        `insert into feedback (
           id, workspace_id, category, severity, tool_name, message, given_by, request_id, created_at
         )
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
        [
          feedbackId,
          workspaceId,
          category,
          severity,
          toolName ?? null,
          message,
          caller.user?.email ?? caller.keyPrefix,
          requestId,
          ctx.clocks.product.now(),
        ],
      );
      return { feedbackId, received: true };
    });
    // The text may hold personal data: the log says only that somebody wrote.
    ctx.log.warn({ feedbackId: kept.feedbackId, workspaceId, category, severity, about: toolName }, 'feedback');
    return kept;
  },
});

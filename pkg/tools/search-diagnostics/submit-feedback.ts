import { z } from 'zod';
import { insertFeedback } from '../../store/feedback/feedback.ts';
import { actorOf } from '../actor-of.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

export const submitFeedback = tool({
  name: 'svc_submit_feedback',
  domain: 'Search & Diagnostics',
  title: 'Submit feedback',
  description: 'Sends a bug report or wish to the service team. Next: svc_diagnose when something is blocked.',
  example: { input: { category: 'feature_request', message: 'A weekly report by mail' } },
  scope: 'workspace:read',
  category: 'write',
  reaches: false,
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
    const given = {
      id: feedbackId,
      workspaceId,
      category,
      severity,
      toolName: toolName ?? null,
      message,
      by: actorOf({ caller }),
      requestId,
      now: ctx.clocks.product.now(),
    };
    const kept = await ctx.create(workspaceId, async (tx) => {
      await insertFeedback(tx, given);
      return { feedbackId, received: true };
    });
    // The text may hold personal data: the log says only that somebody wrote.
    ctx.log.warn({ feedbackId: kept.feedbackId, workspaceId, category, severity, about: toolName }, 'feedback');
    return kept;
  },
});

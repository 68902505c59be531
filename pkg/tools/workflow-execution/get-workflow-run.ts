import { z } from 'zod';
import { conversationIds, conversationsOf } from '../records/conversations.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { requireRun, runOf, workflowRun } from './run-row.ts';

/** Catalog record TimelineEvent. */
const timelineEvent = z.object({
  at: z.string(),
  kind: z.string(),
  nodeId: z.string().nullable(),
  actor: z.string(),
  text: z.string(),
  data: z.record(z.string(), z.unknown()),
});

interface EventRow {
  at: number;
  kind: string;
  node_id: string | null;
  actor: string;
  text: string;
  data: Record<string, unknown>;
}

/** A run passes at most 200 nodes, each with a handful of events; more are cut from the front. */
const MAX_EVENTS = 2_000;

export const getWorkflowRun = tool({
  name: 'svc_get_workflow_run',
  domain: 'Workflow Execution',
  title: 'Get workflow run',
  description:
    "Reads one lead's path: every step, message, branch, retry and the exact reason and time of the next action. Next: svc_control_workflow_runs.",
  example: { input: { runId: '$runId' } },
  scope: 'workflows:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({ runId: z.string().min(1) }),
  output: z.object({ run: workflowRun, timeline: z.array(timelineEvent), conversationIds }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    return ctx.tx(async (tx) => {
      const row = await requireRun(tx, input.runId, now);
      const events = await tx.rows<EventRow>(
        'select at, kind, node_id, actor, text, data from run_event where run_id = $1 order by seq desc limit $2',
        [row.id, MAX_EVENTS],
      );
      const timeline = events.reverse().map((event) => ({
        at: iso(event.at),
        kind: event.kind,
        nodeId: event.node_id,
        actor: event.actor,
        text: event.text,
        data: event.data,
      }));
      return { run: runOf(row, now), timeline, conversationIds: await conversationsOf(ctx, tx, row.person_id) };
    });
  },
});

import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { CONVERSATIONS_WITH, conversationIds, conversationsOf } from '../records/conversations.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';
import { requireRun, runOf, type ShownRun, workflowRun } from './run-row.ts';

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

/** What an event tells, with the text that was crafted there and what it states: sentence, fact, source and hash. */
function withProof(data: EventRow['data'], facts: ShownRun['facts']): EventRow['data'] {
  const { crafted } = data;
  if (typeof crafted !== 'string') return data;
  return { ...data, text: facts.crafted?.[crafted] ?? null, facts: facts.craftedFacts?.[crafted] ?? [] };
}

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
      const said = ctx.caller.scopes.has('inbox:read') ? await repliesOf(tx, row.person_id, events) : NO_REPLIES;
      const timeline = events.reverse().map((event) => ({
        at: iso(event.at),
        kind: event.kind,
        nodeId: event.node_id,
        actor: event.actor,
        text: event.text || (said.get(event) ?? ''),
        data: withProof(event.data, row.facts),
      }));
      return { run: runOf(row, now), timeline, conversationIds: await conversationsOf(ctx, tx, row.person_id) };
    });
  },
});

const NO_REPLIES: ReadonlyMap<EventRow, string> = new Map();

/** What the person wrote at each reply: the inbox keeps the words, so that an erasure reaches them. */
async function repliesOf(
  tx: Tx,
  personId: string | null,
  events: readonly EventRow[],
): Promise<ReadonlyMap<EventRow, string>> {
  const replies = events.filter((event) => event.kind === 'reply.received');
  if (personId === null || replies.length === 0) return NO_REPLIES;
  const rows = await tx.rows<{ place: number; body: string }>(
    `select q.place::int as place, x.body
     from unnest($2::bigint[], $3::text[]) with ordinality as q (at, account_id, place)
     cross join lateral (
       select m.body
       from message m
       where m.conversation_id in (${CONVERSATIONS_WITH})
         and m.direction = 'in'
         and m.account_id = q.account_id
         and m.sent_at between q.at - ${CLOCKS_MS} and q.at + ${CLOCKS_MS}
       order by abs(m.sent_at - q.at), m.id limit 1
     ) x`,
    [personId, replies.map((event) => event.at), replies.map(accountOfReply)],
  );
  return new Map(
    rows.flatMap(({ place, body }) => {
      const event = replies[place - 1];
      return event ? [[event, body] as const] : [];
    }),
  );
}

/** A mail is known by when it came, and its conversation by when it was written. */
const CLOCKS_MS = 600_000;

function accountOfReply({ data }: EventRow): string {
  const account = data['networkAccountId'] ?? data['providerAccountId'];
  return typeof account === 'string' ? account : '';
}

import { z } from 'zod';
import { RUN_STATES, WAIT_REASONS } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';
import { boundedHistory } from '../bounded-search.ts';
import { dateTime } from '../times.ts';
import { tool } from '../tool.ts';
import { requireWorkflow, type WorkflowRow } from '../workflows/workflow-row.ts';
import { nodesWithLeads } from './standing.ts';

/** Catalog record NodeStats. */
const nodeStats = z.object({
  nodeId: z.string(),
  label: z.string(),
  nodeType: z.string(),
  standing: z.number(),
  entered: z.number(),
  outcomes: z.record(z.string(), z.number()),
  waiting: z.record(z.string(), z.number()).describe('Of who stands there, by what they wait for.'),
});

export const getWorkflowStats = tool({
  name: 'svc_get_workflow_stats',
  domain: 'Workflow Execution',
  title: 'Get workflow stats',
  description:
    'Counts per node and outcome, replies, waits and why leads wait (budget, hours, review, account). Next: svc_list_leads_at_node.',
  example: { input: { workflowId: '$workflowId' } },
  scope: 'workflows:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'record',
  input: z.strictObject({
    workflowId: z.string().min(1),
    fromDate: dateTime.optional(),
    toDate: dateTime.optional(),
  }),
  output: z.object({
    workflowId: z.string(),
    totals: z.record(z.string(), z.number()),
    nodes: z.array(nodeStats),
    waiting: z.record(z.string(), z.number()),
  }),
  async run(ctx, input) {
    const from = input.fromDate === undefined ? null : Date.parse(input.fromDate);
    const to = input.toDate === undefined ? null : Date.parse(input.toDate);
    return ctx.tx(async (tx) => {
      const row = await requireWorkflow(tx, input.workflowId);
      return boundedHistory(async () => {
        const totals = await states(tx, row, from, to);
        const waiting = await waits(tx, row, ctx.clocks.product.now(), from, to);
        return {
          workflowId: row.id,
          totals: { ...zeros(RUN_STATES), ...totals },
          nodes: (await nodesOf(tx, row, from, to)).map((node) => ({ ...node, waiting: sumOf(waiting, node.nodeId) })),
          waiting: { ...zeros(WAIT_REASONS), ...sumOf(waiting) },
        };
      });
    });
  },
});

function zeros(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, 0]));
}

async function states(
  tx: Tx,
  row: WorkflowRow,
  from: number | null,
  to: number | null,
): Promise<Record<string, number>> {
  const rows = await tx.rows<{ name: string; count: number }>(
    `select state as name, count(*)::int as count from run
     where workspace_id = $1 and workflow_id = $2
       and ($3::bigint is null or started_at >= $3) and ($4::bigint is null or started_at < $4)
     group by 1`,
    [row.workspace_id, row.id, from, to],
  );
  return Object.fromEntries(rows.map((entry) => [entry.name, entry.count]));
}

/** Runs that wait at a node for one reason. */
interface Waits {
  node_id: string;
  reason: string;
  count: number;
}

/** By reason, of one node or of all. */
function sumOf(waits: readonly Waits[], nodeId?: string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { node_id, reason, count } of waits) {
    if (nodeId === undefined || node_id === nodeId) sums[reason] = (sums[reason] ?? 0) + count;
  }
  return sums;
}

/** As each run shows it: the one who is due in a workflow that is stopped waits for its release. */
async function waits(tx: Tx, row: WorkflowRow, now: number, from: number | null, to: number | null): Promise<Waits[]> {
  return tx.rows<Waits>(
    `select
       r.node_id,
       coalesce(case when s.stopped and r.due_at <= $5 then 'send_freeze' end, r.wait_reason) as reason,
       count(*)::int as count
     from (select app.flow_stop($1, $6, $2) is not null as stopped) s
     cross join run r
     where r.workspace_id = $1
       and r.workflow_id = $2
       and r.ended_at is null
       and (r.wait_reason is not null or s.stopped and r.due_at <= $5)
       and ($3::bigint is null or r.started_at >= $3)
       and ($4::bigint is null or r.started_at < $4)
     group by 1, 2`,
    [row.workspace_id, row.id, from, to, now, row.campaign_id],
  );
}

async function nodesOf(
  tx: Tx,
  row: WorkflowRow,
  from: number | null,
  to: number | null,
): Promise<Omit<z.input<typeof nodeStats>, 'waiting'>[]> {
  const steps = await stepsOf(tx, row, from, to);
  const ended = await endedAt(tx, row, from, to);
  return (await nodesWithLeads(tx, row)).map((node) => {
    const mine = steps.filter((step) => step.outcome !== null && step.node_id === node.nodeId);
    const moved = steps.filter((step) => step.moved_from === node.nodeId);
    // Who left it by none of its outcomes: their run ended there (stopped, replied, suppressed), or was moved away.
    const left = Math.max(0, (ended.get(node.nodeId) ?? 0) - sum(mine, 'ending')) + sum(moved, 'count');
    return {
      ...node,
      entered: node.standing + left + sum(mine, 'count'),
      outcomes: Object.fromEntries(mine.map((step) => [step.outcome ?? '', step.count])),
    };
  });
}

/** Lines of the history that are alike. */
interface Steps {
  node_id: string | null;
  outcome: string | null;
  /** Node from which people moved the run away; null: nobody did. */
  moved_from: string | null;
  count: number;
  /** With which the run ended. */
  ending: number;
}

const sum = (steps: readonly Steps[], of: 'count' | 'ending'): number => steps.reduce((all, step) => all + step[of], 0);

/** All that tells of the nodes, in one reading: a year of history is long. */
async function stepsOf(tx: Tx, row: WorkflowRow, from: number | null, to: number | null): Promise<Steps[]> {
  return tx.rows<Steps>(
    `select
       e.node_id,
       e.data ->> 'outcome' as outcome,
       case when e.data ->> 'action' = 'move' then e.data ->> 'from' end as moved_from,
       count(*)::int as count,
       (count(*) filter (where e.at = r.ended_at and e.node_id = r.node_id))::int as ending
     from run r
     join run_event e on e.run_id = r.id and e.workspace_id = r.workspace_id
     where r.workspace_id = $1
       and r.workflow_id = $2
       and (e.data ? 'outcome' or e.data ->> 'action' = 'move')
       and ($3::bigint is null or e.at >= $3)
       and ($4::bigint is null or e.at < $4)
     group by 1, 2, 3`,
    [row.workspace_id, row.id, from, to],
  );
}

/** Runs that ended, by the node where they stood. */
async function endedAt(tx: Tx, row: WorkflowRow, from: number | null, to: number | null): Promise<Map<string, number>> {
  const rows = await tx.rows<{ node_id: string; count: number }>(
    `select node_id, count(*)::int as count from run
     where workspace_id = $1 and workflow_id = $2 and ended_at is not null
       and ($3::bigint is null or ended_at >= $3) and ($4::bigint is null or ended_at < $4)
     group by 1`,
    [row.workspace_id, row.id, from, to],
  );
  return new Map(rows.map((entry) => [entry.node_id, entry.count]));
}

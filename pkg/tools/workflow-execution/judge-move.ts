import type { CompiledNode, Graph } from '../../domain/graph.ts';
import { compileGraph } from '../../nodes/compile-graph.ts';
import { nodeTypeOf } from '../../nodes/registry.ts';
import type { Tx } from '../../postgres/database.ts';
import { leadFieldsOf } from '../records/lead-fields-of.ts';
import { unknownFields } from '../records/unknown-fields.ts';
import { iso } from '../times.ts';
import { graphOf } from '../workflows/check-graph.ts';
import type { RunRow } from './run-row.ts';

/** What a move leads to, before it is made. */
export interface MoveJudgement {
  /** Why it would end the run with nothing done; null: it does not. */
  refused: string | null;
  /** What happens at the step that its caller may not expect; null: what the step says. */
  note: string | null;
}

/**
 * What becomes of a run that is moved to a node: what was done there for the person is not done again, and a text with a gap is
 * not sent. Where the run would end by that, the move is refused.
 */
export async function judgeMove(tx: Tx, run: RunRow, nodeId: string): Promise<MoveJudgement> {
  const node = await nodeOf(tx, run, nodeId);
  const type = node && nodeTypeOf(node.nodeType);
  if (!node || type?.kind !== 'effect') return { refused: null, note: null };
  const step = `Step "${node.label}"`;
  const before = await doneBefore(
    tx,
    run,
    nodeId,
    type.sendOnce === 'once_per_account' ? type.budgets(node.config as never)[0] : null,
  );
  if (before !== null) {
    const outcome =
      type.sendOnce === 'once_per_account' ? type.refusedOutcome('already_pending') : type.confirmedOutcome;
    const text = `${step} was done for this lead ${iso(before)} and is not done again: the run`;
    return node.next.has(outcome)
      ? { refused: null, note: `${text} goes on by "${outcome}".` }
      : { refused: `${text} would end there. Move it to a step behind it. Call svc_get_workflow.`, note: null };
  }
  const lacking = await unknownFields(
    tx,
    run.lead_id,
    leadFieldsOf(node).map(({ name }) => `lead:${name}`),
  );
  if (!lacking || lacking.length === 0) return { refused: null, note: null };
  const text = `${step} says ${lacking.join(', ')}, which is not known of this lead: nothing is sent, and the run`;
  return node.next.has('missing_data')
    ? { refused: null, note: `${text} goes on by "missing_data".` }
    : { refused: `${text} would stop there. Fill it in first. Call svc_upsert_lead.`, note: null };
}

async function nodeOf(tx: Tx, run: RunRow, nodeId: string): Promise<CompiledNode | undefined> {
  const row = await tx.row<{ graph: Graph }>(
    'select graph from workflow_graph where workflow_id = $1 and version = $2',
    [run.workflow_id, run.graph_version],
  );
  if (!row) return undefined;
  return compileGraph(graphOf(row.graph as never), { inForce: true }).compiled?.byId.get(nodeId);
}

/** When the step's action was done for the person, epoch ms. @param action of an action that is done once for ever; null: once a step */
async function doneBefore(tx: Tx, run: RunRow, nodeId: string, action: string | null): Promise<number | null> {
  const row = await tx.row<{ at: number }>(
    `select coalesce(dispatched_at, claimed_at) as at
     from send
     where workspace_id = $1
       and lead_id = $2
       and state in ('dispatched', 'confirmed', 'unknown')
       and case when $5::text is null then workflow_id = $3 and node_id = $4 else action = $5 end
     order by at desc limit 1`,
    [run.workspace_id, run.lead_id, run.workflow_id, nodeId, action],
  );
  return row?.at ?? null;
}

import { NEVER_EXPIRES } from '../../../domain/review-expiry.ts';
import { iso } from '../../times.ts';
import type { Cause, CheckContext } from './check.ts';
import type { Run } from './run.ts';

/** What becomes of a run that waits for a person to decide about its draft; null: it waits for none. */
export async function draftOf({ tx, workspaceId, now }: CheckContext, run: Run): Promise<Cause | null> {
  if (run.state !== 'in_review') return null;
  const item = await tx.row<{ id: string; expires_at: number }>(
    `select id, expires_at
     from review_item
     where run_id = $1 and state = 'pending'
     order by created_at desc, id limit 1`,
    [run.id],
  );
  if (!item) return null;
  const draft = `; its draft (${item.id}) waits for a person, `;
  const list = { tool: 'svc_list_review_items', input: { workspaceId, workflowId: run.workflow_id } };
  if (item.expires_at >= NEVER_EXPIRES) return { text: `${draft}for as long as nobody decides`, ...list };
  const by = iso(item.expires_at);
  if (item.expires_at > now)
    return { text: `${draft}and the lead ${onExpiry(run)} ${by} if nobody has decided`, ...list };
  return {
    text: `${draft}whose time was over ${by}`,
    tool: 'svc_control_workflow_runs',
    input: { runIds: [run.id], action: 'resume' },
  };
}

/** Its way when nobody decides: where the review node says so and has an edge for it, it goes on; else it stops. */
function onExpiry({ graph, node_id: nodeId }: Run): string {
  const index = graph?.nodes.findIndex((node) => node.nodeId === nodeId) ?? -1;
  const onExpire = graph?.nodes[index]?.config['onExpire'];
  const branch = onExpire === 'skip' ? 'expired' : onExpire === 'reject' ? 'rejected' : null;
  const goesOn = branch !== null && graph?.edges.some((edge) => edge.sourceIndex === index && edge.branch === branch);
  return goesOn ? `goes on by "${branch}"` : 'stops';
}

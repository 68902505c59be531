import { idOf } from '../../api/object.ts';
import type { KubeObject } from '../../kube/types.ts';
import type { CachedObject } from '../cached-object.ts';
import type { OperatorContext } from '../context.ts';
import { isGoing } from '../deletion.ts';
import { tell } from '../show-status.ts';

/**
 * Tells how many leads under way a deletion stops, as the tool does that deletes a workflow, and how they come back: on the workflow
 * and on its campaign, which is still there to be looked at. It says nothing once the rows are marked deleted, so it is told once.
 */
export async function tellEnding(context: OperatorContext, object: CachedObject, id: string): Promise<void> {
  const live = await context.db.tx({ kind: 'platform' }, (tx) =>
    tx.row<{ n: number }>(
      `select count(*)::int as n
       from workflow w
       join run r on r.workflow_id = w.id
       where w.id = $1 and w.uid = $2 and w.deleted_at is null and r.ended_at is null`,
      [id, object.metadata.uid ?? ''],
    ),
  );
  const n = live?.n ?? 0;
  if (n === 0) return;
  const text = `is deleted with ${leads(n)} under way, whose runs are stopped. What was sent stays on record; nobody is contacted twice. ${undo(context, object)}`;
  tell(context, object, 'RunsStopped', `The workflow ${text}`);
  const campaign = context.campaigns.store.get(object.parent);
  if (campaign) tell(context, campaign, 'RunsStopped', `Workflow "${object.metadata.name}" ${text}`);
}

/** Tells on a workflow that was made anew, by GitOps or by hand, of the runs that the deletion before ended. */
export async function tellLeftRuns(context: OperatorContext, object: KubeObject, id: string): Promise<void> {
  const ended = await context.db.tx({ kind: 'platform' }, (tx) =>
    tx.row<{ n: number }>('select count(*)::int as n from app.ended_with($1)', [id]),
  );
  const n = ended?.n ?? 0;
  if (n === 0) return;
  const text = `was made anew. Its deletion stopped the runs of ${leads(n)}, which stay stopped. They go on with: outrider deletions undo workflow ${id}`;
  tell(context, object, 'RunsStopped', `The workflow ${text}`);
}

function leads(n: number): string {
  return n === 1 ? '1 lead' : `${n} leads`;
}

/** The topmost that goes brings back all that goes with it. */
function undo({ campaigns, workspaces, homeNamespace }: OperatorContext, workflow: CachedObject): string {
  const campaign = campaigns.store.get(workflow.parent);
  const workspace = campaign && workspaces.store.get(campaign.parent);
  const above = [workspace, campaign].find(isGoing);
  const { kind } = above ?? { kind: 'Workflow' };
  const id = idOf(above ?? workflow, homeNamespace);
  return `If that was a mistake: outrider deletions undo ${kind.toLowerCase()} ${id}`;
}

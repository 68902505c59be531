import type { CachedObject } from '../cached-object.ts';
import type { OperatorContext } from '../context.ts';
import { tell } from '../show-status.ts';

/**
 * Tells how many leads under way a deletion stops, as the tool does that deletes a workflow: on the workflow and on its
 * campaign, which is still there to be looked at. It says nothing once the rows are marked deleted, so it is told once.
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
  const leads = n === 1 ? '1 lead' : `${n} leads`;
  const text = `is deleted with ${leads} under way, whose runs are stopped. What was sent stays on record; nobody is contacted twice.`;
  tell(context, object, 'RunsStopped', `The workflow ${text}`);
  const campaign = context.campaigns.store.get(object.parent);
  if (campaign) tell(context, campaign, 'RunsStopped', `Workflow "${object.metadata.name}" ${text}`);
}

import type { Tx } from '../../postgres/database.ts';

/** Live runs that one part looks at: well under a second, and no executor waits longer for one of them. */
const RUNS_AT_ONCE = 5_000;

/** A place among live runs, in the order of `run_live`. */
interface RunPlace {
  workflowId: string;
  leadId: string;
}

/** What is over, so that who waits for it looks again. */
interface Over {
  reason: 'send_freeze' | 'credits';
  /** Of this workspace only; null: of all. */
  workspaceId: string | null;
  /** Epoch ms UTC, product time. */
  now: number;
}

/**
 * Lets all runs that wait for something which is over look again at once, and wakes their workspaces: part by part, since it
 * may be everything that is live. It goes on to its end; who is left when it breaks off waits for their time, or for the next call.
 * @param transaction runs a part in a transaction of its own, which sees the workspaces
 */
export async function wakeWaiting(
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  over: Over,
  most = RUNS_AT_ONCE,
): Promise<void> {
  let place: RunPlace | null = null;
  do {
    const after: RunPlace | null = place;
    place = await transaction((tx) => wakePart(tx, over, after, most));
  } while (place !== null);
}

/** Runs of one workspace only, `$6`. */
const OF_WORKSPACE = 'and workflow_id = any (array(select w.id from workflow w where w.workspace_id = $6))';

/** @returns where the part came to; null: to the end */
async function wakePart(tx: Tx, over: Over, after: RunPlace | null, most: number): Promise<RunPlace | null> {
  const { reason, workspaceId, now } = over;
  const row = await tx.row<RunPlace & { looked: number }>(
    `with part as materialized (
       select id, workflow_id, lead_id
       from run
       where ended_at is null
         and (workflow_id, lead_id) > ($2::text, $3::uuid)
         ${workspaceId === null ? '' : OF_WORKSPACE}
       order by workflow_id, lead_id limit $4
     ),
     released as (
       update run r
       set due_at = $1
       from part p
       where r.id = p.id
         and r.ended_at is null
         and r.state <> 'paused'
         and r.wait_reason = $5
         and (r.due_at is null or r.due_at > $1)
       returning r.workspace_id
     ),
     woken as (
       insert into workspace_wake as w (workspace_id, due_at, reason)
       select distinct workspace_id, $1::bigint, 'over: ' || $5
       from released
       on conflict (workspace_id) do update set due_at = least(w.due_at, excluded.due_at)
     )
     select
       workflow_id as "workflowId",
       lead_id as "leadId",
       (select count(*)::int from part) as looked
     from part
     order by workflow_id desc, lead_id desc limit 1`,
    [
      now,
      after?.workflowId ?? '',
      after?.leadId ?? '00000000-0000-0000-0000-000000000000',
      most,
      reason,
      ...(workspaceId === null ? [] : [workspaceId]),
    ],
  );
  return row && row.looked === most ? { workflowId: row.workflowId, leadId: row.leadId } : null;
}

import type { Tx } from '../../postgres/database.ts';

/** Characters of the reasons that are kept. */
const KEPT = 1_000;

/** What of an endpoint ends. */
export interface EndedFollowing {
  integrationId: string;
  workspaceId: string;
  kinds: readonly string[];
  /** For people. */
  reason: string;
  /** Epoch ms, product time. */
  now: number;
}

/**
 * Ends that an endpoint follows these kinds: what waits of them is dropped, and the workspace is told. Once: who comes later finds none
 * of them followed.
 */
export async function endFollowing(
  tx: Tx,
  { integrationId, workspaceId, kinds, reason, now }: EndedFollowing,
): Promise<void> {
  const ended = await tx.exec(
    `update integration
     set
       events = array(select e from unnest(events) with ordinality as x (e, at) where e <> all ($2) order by at),
       ended_reason = left(concat_ws('; ', ended_reason, $3::text), ${KEPT})
     where id = $1 and events && $2 and deleted_at is null`,
    [integrationId, kinds, reason],
  );
  if (ended === 0) return;
  await tx.exec(
    `update delivery
     set state = 'dropped', error = $3, settled_at = $4, holder = null, lease_until = null
     where integration_id = $1 and state = 'waiting' and kind = any ($2)`,
    [integrationId, kinds, reason, now],
  );
  await tx.exec(
    `insert into run_event (workspace_id, at, kind, actor, data)
     select $1, $2, 'integration.error', 'system',
       jsonb_strip_nulls(jsonb_build_object('integrationId', id, 'reason', $4::text, 'member', member_user))
     from integration
     where id = $3`,
    [workspaceId, now, integrationId, reason],
  );
}

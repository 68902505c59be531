import type { Tx } from '../../postgres/database.ts';
import { farLookups, hastenLookups } from '../ledger/ledger.ts';

/** What stands in the evidence of a send that failed because its provider did not answer. */
export const PROVIDER_AWAY = 'provider_away';

/** Longest wait between two tries and what comes before it, ms product time: an older claim has no run that waits for it. */
const LOOK_BACK_MS = 6 * 3_600_000;

/** An outage that is over. All times epoch ms product time. */
export interface Outage {
  provider: string;
  /** The last action that went through before it; 0: nobody knows. */
  since: number;
}

export interface Woken {
  runs: number;
  lookups: number;
}

/**
 * Makes those due whose action failed in the outage and who would wait longer than `soonMs` from now, at most `limit` of
 * them; and as many look-ups at most, of those that failed. Fewer than `least` failures are no outage but a matter of the persons: nobody is woken.
 */
export async function wakeAfterOutage(
  tx: Tx,
  workspaceId: string,
  { provider, since }: Outage,
  { now, soonMs, least, limit }: { now: number; soonMs: number; least: number; limit: number },
): Promise<Woken> {
  const woken = await tx.row<{ runs: number }>(
    `with failed as materialized (
       select s.id, s.run_id
       from send s
       join network_account a on a.id = s.account_id
       where s.workspace_id = $1
         and s.claimed_at >= $4::bigint - $5::bigint
         and s.settled_at > $3
         and a.provider = $2
         and s.state = 'failed'
         and s.outcome is null
         and (s.evidence @> $6::jsonb or s.evidence @> '[{"what": "not_found"}]')
     ),
     waiting as (
       select r.id
       from failed f
       join run r on r.id = f.run_id and r.send_id = f.id
       where r.ended_at is null
         and r.state <> 'paused'
         and r.wait_reason = 'account_unhealthy'
         and r.due_at > $4::bigint + $7::bigint
         and (select count(distinct f.run_id) from failed f) >= $8
       order by r.due_at limit $9 for no key update of r skip locked
     ),
     woken as (update run r set due_at = $4 from waiting w where r.id = w.id returning r.id)
     select count(*)::int as runs
     from woken`,
    [workspaceId, provider, since, now, LOOK_BACK_MS, JSON.stringify([{ what: PROVIDER_AWAY }]), soonMs, least, limit],
  );
  const failed = (await farLookups(tx, workspaceId, { provider, ms: 0, limit })).filter((l) => l.lookups > 0);
  await hastenLookups(
    tx,
    failed.map((l) => l.id),
  );
  return { runs: woken?.runs ?? 0, lookups: failed.length };
}

import type { Tx } from '../../postgres/database.ts';
import { tellTime } from '../events/tell-time.ts';

/** What a freeze stops: the platform (target ''), a workspace or an account; on one channel or ('') on all. */
export interface FreezeKey {
  scope: 'platform' | 'workspace' | 'account';
  target: string;
  channel: string;
}

/**
 * Stops sends; a freeze that stands gets the new end, reason and author.
 * @param freeze `until`, `now`: epoch ms UTC, product time; `until` null: until it is lifted
 * @returns whether one stood already, so that somebody may wait for its old end
 */
export async function freezeSends(
  tx: Tx,
  { scope, target, channel }: FreezeKey,
  freeze: { id: string; until: number | null; reason: string; by: string; now: number },
): Promise<boolean> {
  const stood = await tx.row('select 1 from send_freeze where scope = $1 and target = $2 and channel = $3 for update', [
    scope,
    target,
    channel,
  ]);
  await tx.exec(
    `insert into send_freeze (id, scope, target, channel, until, reason, frozen_by, since)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (scope, target, channel) do update set
       until = excluded.until,
       reason = excluded.reason,
       frozen_by = excluded.frozen_by`,
    [freeze.id, scope, target, channel, freeze.until, freeze.reason, freeze.by, freeze.now],
  );
  return stood !== undefined;
}

/** @param now epoch ms UTC, product time: when it is told that the freeze is released */
export async function liftFreeze(tx: Tx, { scope, target, channel }: FreezeKey, now: number): Promise<void> {
  await tellTime(tx, now);
  await tx.exec('delete from send_freeze where scope = $1 and target = $2 and channel = $3', [scope, target, channel]);
}

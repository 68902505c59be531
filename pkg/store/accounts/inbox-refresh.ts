import type { Tx } from '../../postgres/database.ts';
import { wakeAccount } from '../runs/wake.ts';

/** A round of sync that somebody asked for. */
export interface InboxRefresh {
  id: string;
  /** queued: account sync has not begun it; running: it reads the account now. */
  status: 'queued' | 'running';
  /** When the last round that succeeded began, epoch ms product time; null: none has. */
  lastSyncedAt: number | null;
  /** It was asked for before, and is joined. */
  joined: boolean;
}

/**
 * Asks for a round of sync now, or joins the one that was asked for and has not come.
 * @param id of the round, if it is a new one
 * @param now epoch ms, product time
 */
export async function refreshInbox(tx: Tx, accountId: string, id: string, now: number): Promise<InboxRefresh> {
  await wakeAccount(tx, accountId, now);
  const row = await tx.row<Omit<InboxRefresh, 'joined'>>(
    `update account_wake w
     set
       sync_state = case
         when (w.sync_state -> 'refresh' ->> 'at')::bigint > coalesce(w.last_synced_at, -1) then w.sync_state
         else w.sync_state || jsonb_build_object('refresh', jsonb_build_object('id', $2::text, 'at', $3::bigint))
       end
     where w.account_id = $1
     returning
       w.sync_state -> 'refresh' ->> 'id' as id,
       w.last_synced_at as "lastSyncedAt",
       case
         when exists (
           select 1 from claim c where c.kind = 'account' and c.key = $1 and c.expires_at > clock_timestamp()
         ) then 'running'
         else 'queued'
       end as status`,
    [accountId, id, now],
  );
  if (!row) throw new Error(`account ${accountId} has no row of its sync`);
  return { ...row, joined: row.id !== id };
}

import type { Tx } from '../../postgres/database.ts';

/**
 * Ends a session on every replica, and its subscriptions; forgets ends of two days ago, which no session outlives.
 * @param sessionHash SHA-256 of its token
 * @returns false when it had ended before
 */
export async function endSessionRow(tx: Tx, sessionHash: Buffer): Promise<boolean> {
  const ended = await tx.exec('insert into session_end (session_hash) values ($1) on conflict do nothing', [
    sessionHash,
  ]);
  await tx.exec(`delete from session_end where ended_at < clock_timestamp() - interval '2 days'`);
  if (ended === 0) return false;
  await tx.exec('delete from resource_subscription where session_hash = $1', [sessionHash]);
  return true;
}

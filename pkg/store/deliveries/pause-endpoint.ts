import type { Tx } from '../../postgres/database.ts';
import { tellTime } from '../events/tell-time.ts';

/**
 * Pauses an endpoint that takes nothing: what waits for it stays, and nothing is written for it until it is connected anew. The workspace
 * is told by the event integration.error. @param endpoint `now`: epoch ms, product time
 */
export async function pauseEndpoint(
  tx: Tx,
  { integrationId, reason, now }: { integrationId: string; reason: string; now: number },
): Promise<void> {
  await tellTime(tx, now);
  await tx.exec(
    `update integration
     set status = 'paused', paused_at = $3, last_error = $2
     where id = $1 and status <> 'paused' and deleted_at is null`,
    [integrationId, pausedReason(reason, now), now],
  );
}

function pausedReason(reason: string, now: number): string {
  const since = new Date(now).toISOString();
  return `paused since ${since}: ${reason}; call svc_connect_integration with its integrationId, and with replay from that time for what it misses`;
}

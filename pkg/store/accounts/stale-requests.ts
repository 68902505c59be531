import type { Tx } from '../../postgres/database.ts';

/** A connection request that waits for an answer. */
export interface StaleRequest {
  accountId: string;
  personId: string;
  leadId: string;
  /** Epoch ms, product time. */
  requestedAt: number;
}

/**
 * Requests of a campaign of the executor's workspace that nobody has answered, the oldest first.
 * @param page `before`: asked at that moment or earlier (epoch ms, product time); `after`: the last one that is known
 */
export function staleRequests(
  tx: Tx,
  campaignId: string,
  page: { before: number; after: Pick<StaleRequest, 'requestedAt' | 'personId'> | null; limit: number },
): Promise<StaleRequest[]> {
  return tx.rows<StaleRequest>(
    `select account_id as "accountId", person_id as "personId", lead_id as "leadId", requested_at as "requestedAt"
     from app.stale_requests($1, $2, $3, $4, $5)`,
    [campaignId, page.before, page.after?.requestedAt ?? null, page.after?.personId ?? null, page.limit],
  );
}

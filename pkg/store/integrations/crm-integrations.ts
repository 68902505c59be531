import type { Tx } from '../../postgres/database.ts';
import { tellTime } from '../events/tell-time.ts';
import { SPARE_SECONDS } from './integrations.ts';

/** A connected CRM, as servers work with it. */
export interface CrmIntegration {
  id: string;
  workspaceId: string;
  provider: string;
  status: string;
  /** An address other than the provider's own; '' for none. */
  url: string;
  sealed: Buffer | null;
  twoWay: boolean;
  fieldMapping: unknown;
  /** Its access token is worth nothing any more, or nearly. */
  stale: boolean;
}

/** A live CRM of the workspace. */
export function readCrm(tx: Tx, workspaceId: string, id: string): Promise<CrmIntegration | undefined> {
  return tx.row<CrmIntegration>(
    `select id, workspace_id as "workspaceId", provider, status, url, sealed, two_way as "twoWay",
       field_mapping as "fieldMapping",
       coalesce(token_expires_at < clock_timestamp() + interval '${SPARE_SECONDS} seconds', false) as stale
     from integration
     where id = $1 and workspace_id = $2 and kind = 'crm' and deleted_at is null`,
    [id, workspaceId],
  );
}

/** What a server's work with an integration says of its health. @param failure null: it went well. @param now epoch ms, product time */
export async function noteHealth(
  tx: Tx,
  id: string,
  failure: { error: string; needsAuth: boolean } | null,
  now: number,
): Promise<void> {
  await tellTime(tx, now);
  await tx.exec(
    `update integration
     set
       last_delivery_at = case when $2::text is null then $4 else last_delivery_at end,
       failures_in_row = case when $2::text is null then 0 else failures_in_row + 1 end,
       last_error = $2,
       status = case when $3 then 'needs_auth' else status end
     where id = $1`,
    [id, failure?.error.slice(0, 500) ?? null, failure?.needsAuth ?? false, now],
  );
}

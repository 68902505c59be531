import type { Tx } from '../../postgres/database.ts';

/** What a workspace connected to be used in place of the platform's, with its sealed credentials. */
export interface OwnEndpoint {
  id: string;
  /** Its vendor. */
  provider: string;
  /** An address other than the vendor's own; '' for none. */
  url: string;
  sealed: Buffer | null;
}

const MOST = 20;

/** The workspace's own providers of enrichment, in the order in which they were connected. */
export function readOwnEnrichment(tx: Tx, workspaceId: string): Promise<OwnEndpoint[]> {
  return tx.rows<OwnEndpoint>(
    `select id, provider, url, sealed
     from integration
     where workspace_id = $1 and kind = 'enrichment' and deleted_at is null
     order by created_at, id limit ${MOST}`,
    [workspaceId],
  );
}

/** The workspace's own language model, the newest where two were connected at once; undefined: the platform's writes. */
export function readAiEndpoint(tx: Tx, workspaceId: string): Promise<OwnEndpoint | undefined> {
  return tx.row<OwnEndpoint>(
    `select id, provider, url, sealed
     from integration
     where workspace_id = $1 and kind = 'ai' and deleted_at is null
     order by created_at desc, id desc limit 1`,
    [workspaceId],
  );
}

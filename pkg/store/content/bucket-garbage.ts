import type { Tx } from '../../postgres/database.ts';

/** A medium whose pieces in the bucket are to be removed. */
export interface LeftMedium {
  id: string;
  workspaceId: string;
  pieces: number;
}

/** Those that wait longest; not of the last minutes, when a fetch may still add to them. Platform only. */
export function leftMedia(tx: Tx, limit: number): Promise<LeftMedium[]> {
  return tx.rows<LeftMedium>(
    `select medium_id as id, workspace_id as "workspaceId", pieces
     from bucket_garbage
     where since < clock_timestamp() - interval '5 minutes'
     order by since limit $1`,
    [limit],
  );
}

/** Its pieces are removed. */
export async function forgetLeft(tx: Tx, id: string): Promise<void> {
  await tx.exec('delete from bucket_garbage where medium_id = $1', [id]);
}

/** It is tried again in some minutes, after all others. */
export async function leaveForLater(tx: Tx, id: string): Promise<void> {
  await tx.exec('update bucket_garbage set since = clock_timestamp() where medium_id = $1', [id]);
}

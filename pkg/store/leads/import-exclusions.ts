import type { Tx } from '../../postgres/database.ts';

/** A lead that a file says must not be contacted. */
export interface ImportExclusion {
  leadId: string;
  /** Of `suppressionSource`: `bounce` bars its address for mail, the others bar the person. */
  source: 'import' | 'bounce' | 'unsubscribe';
  reason: string;
}

/**
 * Excludes the leads for which a file says so, and ends what is under way for them.
 * @param now epoch ms UTC, product time
 * @returns how many leads of the workspace are excluded by it, those that were so before among them
 */
export async function excludeImported(
  tx: Tx,
  workspaceId: string,
  exclusions: readonly ImportExclusion[],
  now: number,
): Promise<number> {
  if (exclusions.length === 0) return 0;
  const row = await tx.row<{ count: number }>('select app.exclude_imported($1, $2, $3, $4, $5) as count', [
    now,
    workspaceId,
    exclusions.map(({ leadId }) => leadId),
    exclusions.map(({ source }) => source),
    exclusions.map(({ reason }) => reason),
  ]);
  return row?.count ?? 0;
}

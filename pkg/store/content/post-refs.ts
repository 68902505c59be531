import type { Tx } from '../../postgres/database.ts';

/** The network's ids of posts that went out through the account, of any workspace, the newest 500, without that of a send. */
export async function refsOfPosts(tx: Tx, accountId: string, sendId: string): Promise<string[]> {
  const rows = await tx.rows<{ ref: string }>('select ref from app.refs_of_posts($1, $2) as ref', [accountId, sendId]);
  return rows.map((row) => row.ref);
}

import type { Tx } from '../../postgres/database.ts';

/** Whether an executor works for the workspace now. */
export async function isAwake(tx: Tx, workspaceId: string): Promise<boolean> {
  const row = await tx.row(
    `select 1 from claim where kind = 'workspace' and key = $1 and expires_at > clock_timestamp()`,
    [workspaceId],
  );
  return row !== undefined;
}

import type { Tx } from '../../postgres/database.ts';
import type { ToolContext } from '../tool-context.ts';

/** The user who counts as doing it: a key or a grant counts as its maker; null: nobody does. */
export async function makerOf(ctx: ToolContext, tx: Tx): Promise<string | null> {
  if (ctx.caller.user) return ctx.caller.user.id;
  const row = await tx.row<{ maker: string | null }>(
    'select coalesce(user_id, created_by) as maker from api_key where id::text = $1',
    [ctx.caller.keyId],
  );
  return row?.maker ?? null;
}

/** Whether a user is a member of the workspace now. */
export async function isMemberOf(tx: Tx, workspaceId: string, userId: string | null): Promise<boolean> {
  if (userId === null) return false;
  return (
    (await tx.row('select 1 from member where workspace_id = $1 and user_id = $2', [workspaceId, userId])) !== undefined
  );
}

/** Whether posts of the workspace need an approval before they go out. */
export async function needsApproval(tx: Tx, workspaceId: string): Promise<boolean> {
  const row = await tx.row<{ needed: boolean }>(
    `select coalesce((settings ->> 'contentApprovalRequired')::boolean, false) as needed from workspace where id = $1`,
    [workspaceId],
  );
  return row?.needed ?? false;
}

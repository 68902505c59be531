import type { MemberRole } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';

export async function removeMemberRow(tx: Tx, memberId: string): Promise<void> {
  await tx.exec('delete from member where id = $1', [memberId]);
}

/** Gives a member another role than owner, which the projection of the workspace gives. */
export async function changeRole(tx: Tx, memberId: string, role: Exclude<MemberRole, 'owner'>): Promise<void> {
  await tx.exec('update member set role = $2 where id = $1', [memberId, role]);
}

/** Names the owner of a workspace, unless they have a name. @returns their id */
export async function nameOwner(tx: Tx, workspaceId: string, name: string): Promise<string | undefined> {
  const owner = await tx.row<{ id: string }>(
    `update app_user u
     set name = case when u.name = '' then $2 else u.name end
     from workspace w
     where w.id = $1 and u.id = w.owner_user_id
     returning u.id`,
    [workspaceId, name],
  );
  return owner?.id;
}

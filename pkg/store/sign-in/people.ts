import type { Tx } from '../../postgres/database.ts';

/** Who is asked, and of which workspaces they are a member. */
export interface AskedPerson {
  userId: string;
  name: string;
  email: string;
  workspaces: { workspaceId: string; name: string; role: string }[];
}

/** Workspaces that a person chooses from; the first ones that they joined. */
const MOST_WORKSPACES = 500;

/** Reads them as they are now; undefined: the user is gone. Needs a platform transaction. */
export async function askedPerson(tx: Tx, userId: string): Promise<AskedPerson | undefined> {
  const user = await tx.row<Omit<AskedPerson, 'workspaces'>>(
    'select id as "userId", name, email from app_user where id = $1',
    [userId],
  );
  if (!user) return undefined;
  const workspaces = await tx.rows<AskedPerson['workspaces'][number]>(
    `select m.workspace_id as "workspaceId", w.name, m.role
     from member m
     join workspace w on w.id = m.workspace_id
     where m.user_id = $1 and w.deleted_at is null and w.erase_at is null
     order by m.joined_at, m.workspace_id limit $2`,
    [userId, MOST_WORKSPACES],
  );
  return { ...user, workspaces };
}

import { isUuid } from '../../base/ids.ts';
import type { MemberRole } from '../../domain/vocabulary.ts';
import type { Tx } from '../../postgres/database.ts';
import { notFound } from '../errors.ts';

/** A member as the tools that change one read it. */
export interface MemberRow {
  id: string;
  workspace_id: string;
  user_id: string;
  email: string;
  role: MemberRole;
  /** Nothing proved that they have the address. */
  unproven: boolean;
}

/** Locks a member of a workspace of the caller. @throws UserError not found, also for a foreign one */
export async function requireMember(tx: Tx, memberId: string): Promise<MemberRow> {
  const row = isUuid(memberId)
    ? await tx.row<MemberRow>(
        `select m.id, m.workspace_id, m.user_id, u.email, m.role, u.unproven
         from member m
         join app_user u on u.id = m.user_id
         where m.id = $1 for update of m`,
        [memberId],
      )
    : undefined;
  if (!row) throw notFound('member', memberId);
  return row;
}

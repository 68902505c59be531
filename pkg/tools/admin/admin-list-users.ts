import { z } from 'zod';
import { MEMBER_ROLES, type MemberRole } from '../../domain/vocabulary.ts';
import { pageOf, pageParams } from '../paging.ts';
import { tool } from '../tool.ts';
import { requireAdminWorkspace } from './require-workspace.ts';

/** Catalog record AdminUser. */
const adminUser = z.object({
  userId: z.string(),
  name: z.string(),
  email: z.string(),
  platformAdmin: z.boolean(),
  workspaces: z.array(z.object({ workspaceId: z.string(), role: z.enum(MEMBER_ROLES) })),
});

/** Memberships that one user shows at most. */
const MAX_WORKSPACES = 1_000;

interface Row {
  id: string;
  name: string;
  email: string;
  platform_admin: boolean;
  created_at: number;
  workspaces: { workspaceId: string; role: MemberRole }[];
}

export const adminListUsers = tool({
  name: 'svc_admin_list_users',
  domain: 'Admin (platform admins only)',
  title: 'Admin: list users',
  description: 'Lists users with memberships and admin flag. Next: svc_admin_list_workspaces.',
  example: { input: { query: 'birch' }, caller: 'admin' },
  scope: 'admin:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'platform',
  input: z.strictObject({
    query: z.string().max(200).optional(),
    workspaceId: z.string().min(1).optional(),
    ...pageParams,
  }),
  output: z.object({ users: z.array(adminUser), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const { query, workspaceId } = input;
    const page = await ctx.platformTx(async (tx) => {
      if (workspaceId !== undefined) await requireAdminWorkspace(tx, workspaceId);
      return pageOf(
        ctx,
        'svc_admin_list_users',
        input,
        { query, workspaceId },
        (position, fetch) =>
          tx.rows<Row>(USERS, [
            query === undefined ? null : `%${query.replace(/[\\%_]/g, '\\$&')}%`,
            workspaceId ?? null,
            position?.[0] ?? null,
            position?.[1] ?? null,
            fetch,
            MAX_WORKSPACES,
          ]),
        (row) => [row.created_at, row.id],
      );
    });
    const users = page.rows.map(({ id, name, email, platform_admin, workspaces }) => ({
      userId: id,
      name,
      email,
      platformAdmin: platform_admin,
      workspaces,
    }));
    return { users, nextCursor: page.nextCursor };
  },
});

/** A membership of a deleted workspace opens nothing, and is not shown. */
const USERS = `select u.id, u.name, u.email, u.platform_admin, u.created_at, m.workspaces
               from app_user u
                 cross join lateral (
                   select coalesce(jsonb_agg(x.membership order by x.id), '[]') as workspaces
                   from (
                     select w.id, jsonb_build_object('workspaceId', w.id, 'role', m.role) as membership
                     from member m join workspace w on w.id = m.workspace_id and w.deleted_at is null
                     where m.user_id = u.id
                     order by w.id limit $6
                   ) x
                 ) m
               where ($1::text is null or u.email ilike $1 or u.name ilike $1 or u.id::text ilike $1)
                 and ($2::text is null
                   or exists (select 1 from member m where m.user_id = u.id and m.workspace_id = $2))
                 and ($3::bigint is null or (u.created_at, u.id) < ($3, $4::uuid))
               order by u.created_at desc, u.id desc limit $5`;

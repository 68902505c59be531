import { z } from 'zod';
import { pageOf, pageParams } from '../paging.ts';
import { iso, isoOrNull } from '../times.ts';
import { tool } from '../tool.ts';
import { workspaceParam } from '../workspace-param.ts';

interface Row {
  id: string;
  user_id: string;
  name: string;
  email: string;
  role: string;
  unproven: boolean;
  scope_limit: string[] | null;
  joined_at: number;
  last_seen_at: number | null;
}

export const listMembers = tool({
  name: 'svc_list_members',
  domain: 'Workspace',
  title: 'List members',
  description:
    'Lists members with roles, whether a mailed link proved their address, and what they have at most where none did. Next: svc_create_invitation.',
  example: { input: {} },
  scope: 'workspace:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'param',
  input: z.strictObject({ workspaceId: workspaceParam, ...pageParams }),
  output: z.object({
    members: z.array(
      z.object({
        memberId: z.string(),
        userId: z.string(),
        name: z.string(),
        email: z.string(),
        role: z.string(),
        proven: z.boolean(),
        scopeLimit: z.array(z.string()).nullable(),
        joinedAt: z.string(),
        lastSeenAt: z.string().nullable(),
      }),
    ),
    nextCursor: z.string().nullable(),
  }),
  async run(ctx, input) {
    const page = await ctx.tx((tx) =>
      pageOf(
        ctx,
        'svc_list_members',
        input,
        { workspaceId: ctx.workspaceId },
        (position, fetch) =>
          tx.rows<Row>(
            `select m.id, m.user_id, u.name, u.email, m.role, m.joined_at, m.last_seen_at, u.unproven, m.scope_limit
             from member m join app_user u on u.id = m.user_id
             where m.workspace_id = $1 and ($2::bigint is null or (m.joined_at, m.id) > ($2, $3::uuid))
             order by m.joined_at, m.id limit $4`,
            [ctx.workspaceId, position?.[0] ?? null, position?.[1] ?? null, fetch],
          ),
        (row) => [row.joined_at, row.id],
      ),
    );
    const members = page.rows.map((row) => ({
      memberId: row.id,
      userId: row.user_id,
      name: row.name,
      email: row.email,
      role: row.role,
      proven: !row.unproven,
      scopeLimit: row.scope_limit,
      joinedAt: iso(row.joined_at),
      lastSeenAt: isoOrNull(row.last_seen_at),
    }));
    return { members, nextCursor: page.nextCursor };
  },
});

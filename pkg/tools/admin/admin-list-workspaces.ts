import { z } from 'zod';
import { wakeAge } from '../../store/runs/wake.ts';
import { pageOf, pageParams } from '../paging.ts';
import { iso } from '../times.ts';
import { tool } from '../tool.ts';

/** Catalog record AdminWorkspace. */
const adminWorkspace = z.object({
  workspaceId: z.string(),
  name: z.string(),
  status: z.enum(['active', 'suspended', 'deleting']),
  plan: z.string(),
  agencyId: z.string().nullable(),
  ownerEmail: z.string(),
  members: z.number(),
  keys: z.number(),
  balance: z.number(),
  executor: z.object({ phase: z.string(), pods: z.number(), restarts: z.number(), lag: z.number() }),
  createdAt: z.string(),
});

interface Row {
  id: string;
  name: string;
  status: 'active' | 'suspended' | 'deleting';
  plan: string;
  agency_id: string | null;
  owner_email: string | null;
  members: number;
  keys: number;
  balance: number;
  claimed: boolean;
  epoch: number;
  /** For how long its work has been due, ms; negative: it is not yet, null: it has none. */
  lag: number | null;
  created_at: number;
}

const STATUS = `case when w.deleted_at is not null then 'deleting' when w.operating_mode = 'Suspended' then 'suspended' else 'active' end`;

export const adminListWorkspaces = tool({
  name: 'svc_admin_list_workspaces',
  domain: 'Admin (platform admins only)',
  title: 'Admin: list workspaces',
  description: 'Lists all workspaces with owner, plan, executor phase and balance. Next: svc_admin_adjust_credits.',
  example: { input: { query: 'Birch', status: 'active' }, caller: 'admin' },
  scope: 'admin:read',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'platform',
  input: z.strictObject({
    query: z.string().max(200).optional(),
    status: z.enum(['active', 'suspended', 'deleting']).optional(),
    ...pageParams,
  }),
  output: z.object({ workspaces: z.array(adminWorkspace), nextCursor: z.string().nullable() }),
  async run(ctx, input) {
    const now = ctx.clocks.product.now();
    const page = await ctx.platformTx((tx) =>
      pageOf(
        ctx,
        'svc_admin_list_workspaces',
        input,
        { query: input.query, status: input.status },
        (position, fetch) =>
          tx.rows<Row>(
            `select w.id, w.name, ${STATUS} as status, w.plan, w.agency_id, u.email as owner_email, w.created_at,
               (select count(*) from member m where m.workspace_id = w.id)::int as members,
               (select count(*) from api_key k where k.workspace_id = w.id and k.revoked_at is null)::int as keys,
               coalesce((select b.balance from credit_balance b where b.workspace_id = w.id), 0) as balance,
               coalesce(c.expires_at > clock_timestamp(), false) as claimed, coalesce(c.epoch, 0) as epoch,
               (select ${wakeAge('$6')} from workspace_wake k where k.workspace_id = w.id) as lag
             from workspace w left join app_user u on u.id = w.owner_user_id
               left join claim c on c.kind = 'workspace' and c.key = w.id
             where ($1::text is null or w.name ilike $1 or w.id ilike $1 or u.email ilike $1)
               and ($2::text is null or ${STATUS} = $2)
               and ($3::bigint is null or (w.created_at, w.id) < ($3, $4))
             order by w.created_at desc, w.id desc limit $5`,
            [
              input.query === undefined ? null : `%${input.query.replace(/[\\%_]/g, '\\$&')}%`,
              input.status ?? null,
              position?.[0] ?? null,
              position?.[1] ?? null,
              fetch,
              now,
            ],
          ),
        (row) => [row.created_at, row.id],
      ),
    );
    const workspaces = page.rows.map((row) => ({
      workspaceId: row.id,
      name: row.name,
      status: row.status,
      plan: row.plan,
      agencyId: row.agency_id,
      ownerEmail: row.owner_email ?? '',
      members: row.members,
      keys: row.keys,
      balance: row.balance,
      executor: {
        phase: row.claimed ? 'Running' : 'Idle',
        pods: row.claimed ? 1 : 0,
        restarts: Math.max(0, row.epoch - 1),
        lag: Math.max(0, Math.round(row.lag ?? 0)),
      },
      createdAt: iso(row.created_at),
    }));
    return { workspaces, nextCursor: page.nextCursor };
  },
});

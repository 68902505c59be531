import { z } from 'zod';
import type { Tx } from '../../postgres/database.ts';
import { wakeAge } from '../../store/runs/wake.ts';
import { iso } from '../times.ts';

/** What a platform admin may filter workspaces by. */
export const WORKSPACE_STATUS = ['active', 'suspended', 'deleting'] as const;

/** Catalog record AdminWorkspace. */
export const adminWorkspace = z.object({
  workspaceId: z.string(),
  name: z.string(),
  status: z.enum(WORKSPACE_STATUS),
  plan: z.string(),
  agencyId: z.string().nullable(),
  ownerEmail: z.string(),
  members: z.number(),
  keys: z.number(),
  balance: z.number(),
  executor: z.object({ phase: z.string(), pods: z.number(), restarts: z.number(), lag: z.number() }),
  createdAt: z.string(),
});

/** A row of {@link readAdminWorkspaces}. */
export interface AdminWorkspaceRow {
  id: string;
  name: string;
  status: (typeof WORKSPACE_STATUS)[number];
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

/** Which workspaces; what is null does not narrow. */
export interface WorkspaceFilter {
  id?: string | undefined;
  /** A part of name, id or owner's address. */
  query?: string | undefined;
  status?: string | undefined;
  /** The row that the page before ended with: [created_at, id]. */
  after?: readonly (string | number | null)[] | null;
  limit: number;
  /** Epoch ms UTC, product time. */
  now: number;
}

const STATUS = `case
                  when w.deleted_at is not null or w.erase_at is not null then 'deleting'
                  when w.operating_mode = 'Suspended' then 'suspended'
                  else 'active'
                end`;

/** Workspaces as platform admins see them, the newest first. For a platform transaction. */
export function readAdminWorkspaces(tx: Tx, filter: WorkspaceFilter): Promise<AdminWorkspaceRow[]> {
  const { id, query, status, after, limit, now } = filter;
  return tx.rows<AdminWorkspaceRow>(
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
       and ($7::text is null or w.id = $7)
     order by w.created_at desc, w.id desc limit $5`,
    [
      query === undefined ? null : `%${query.replace(/[\\%_]/g, '\\$&')}%`,
      status ?? null,
      after?.[0] ?? null,
      after?.[1] ?? null,
      limit,
      now,
      id ?? null,
    ],
  );
}

/** The record of a row. */
export function adminWorkspaceOf(row: AdminWorkspaceRow): z.input<typeof adminWorkspace> {
  return {
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
  };
}

import { refused } from '../../api/condition-words.ts';
import { type ApiObject, idOf, parseSpec } from '../../api/object.ts';
import type { WorkspaceSpec } from '../../api/specs.ts';
import { workspaceSpec } from '../../api/workspace.ts';
import { mailAddress } from '../../domain/identity/mail.ts';
import type { Tx } from '../../postgres/database.ts';
import { tombstoneWhole } from '../erasure/tombstones.ts';
import { requireOwnRows, standingOf, tookPlace } from '../restore/adoption.ts';
import { wakeIfWorking, wakeWorkspace } from '../runs/wake.ts';
import {
  createdAt,
  hoursProblem,
  lockProjection,
  type ProjectContext,
  type Projected,
  pendingReconcile,
  type RowIdentity,
} from './projection.ts';
import { withReadHours } from './read-hours.ts';

type Row = RowIdentity & {
  owner_user_id: string | null;
  agency_id: string | null;
  operating_mode: string;
  timezone: string;
  business_hours: WorkspaceSpec['businessHours'] | null;
};

/**
 * Shows a Workspace object in its row; makes the owner's user when the address is unknown, and the owner a member.
 * @throws UserError when the spec is not valid, NameTaken for rows of another owner or agency (see `requireOwnRows`), InvalidHours when
 * a new object's can't be in force (a known one keeps
 * those it had, see `hoursProblem`)
 */
export async function projectWorkspace(tx: Tx, object: ApiObject, context: ProjectContext): Promise<Projected> {
  const { now, homeNamespace } = context;
  const id = idOf(object, homeNamespace);
  await lockProjection(tx, 'workspace', id);
  const row = await tx.row<Row>(
    `select uid, generation, object_created_at, deleted_at, owner_user_id, agency_id, operating_mode, timezone,
       business_hours
     from workspace where id = $1 for update`,
    [id],
  );
  const how = await standingOf(tx, { kind: 'Workspace', id, row, object, live: context.live });
  if (how === 'stale') return 'stale';
  if (how === 'same') return 'unchanged';
  const spec = await readSpec(tx, object);
  const problem = hoursProblem(spec);
  if (problem && (!row || how === 'first')) throw problem;
  // Before anything of the former is touched: a stranger neither inherits it nor ends it.
  if (row && row.uid !== object.metadata.uid) {
    await requireOwnRows(tx, { id, object, row, owner: spec.owner, agency: spec.agencyId ?? null, how, now });
  }
  if (how === 'replaces') await tombstoneWorkspace(tx, id, now);
  const owner = await ensureUser(tx, spec.owner, context);
  await write(tx, id, object, { spec: problem && row ? withHoursOf(row, spec) : spec, owner, now });
  await ensureOwner(tx, id, owner, row?.owner_user_id ?? null, context);
  await tookPlace(tx, 'Workspace', id, how);
  const resumed = row && row.operating_mode === 'Suspended' && spec.operatingMode === 'Running';
  if (how !== 'newer' || resumed) await wakeIfWork(tx, id, now);
  // Other hours or limits may let go sooner who waits for a moment that was promised.
  else if (spec.operatingMode === 'Running') await wakeIfWorking(tx, id, now, 'workspace changed');
  return 'projected';
}

/**
 * The spec with its identities as an import reads them. A user is made for an address alone: under anything else nobody ever signs in.
 * @throws UserError InvalidSpec
 */
async function readSpec(tx: Tx, object: ApiObject): Promise<WorkspaceSpec> {
  const spec = withReadHours(parseSpec<WorkspaceSpec>(workspaceSpec, object));
  const agencyId = spec.agencyId?.trim() || undefined;
  const address = mailAddress(spec.owner);
  // As it was typed, where that is the address.
  const owner = address === null || address === spec.owner.toLowerCase() ? spec.owner : address;
  const known = address ?? (await tx.row('select 1 from app_user where lower(email) = lower($1)', [owner]));
  if (!known) throw refused('InvalidSpec', `spec.owner: "${owner}" is no mail address`);
  return { ...spec, owner, agencyId };
}

function withHoursOf({ timezone, business_hours }: Row, spec: WorkspaceSpec): WorkspaceSpec {
  return { ...spec, timezone, businessHours: business_hours ?? undefined };
}

/** Marks the row deleted and stops everything below it; sends, keys and budgets used stay as proof. */
export function tombstoneWorkspace(tx: Tx, id: string, now: number): Promise<void> {
  return tombstoneWhole(tx, 'Workspace', id, now);
}

async function write(
  tx: Tx,
  id: string,
  object: ApiObject,
  { spec, owner, now }: { spec: WorkspaceSpec; owner: string; now: number },
): Promise<void> {
  const { uid, generation, resourceVersion } = object.metadata;
  await tx.exec(
    `insert into workspace as w (
       id, uid, generation, resource_version, name, owner_user_id, agency_id, plan, timezone, operating_mode,
       business_hours, executor, limits, settings, reconcile, object_created_at, created_at, updated_at
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $17)
     on conflict (id) do update set
       uid = excluded.uid,
       generation = excluded.generation,
       resource_version = excluded.resource_version,
       name = excluded.name,
       owner_user_id = excluded.owner_user_id,
       agency_id = excluded.agency_id,
       plan = excluded.plan,
       timezone = excluded.timezone,
       operating_mode = excluded.operating_mode,
       business_hours = excluded.business_hours,
       executor = excluded.executor,
       limits = excluded.limits,
       settings = excluded.settings,
       reconcile = excluded.reconcile,
       object_created_at = excluded.object_created_at,
       updated_at = excluded.updated_at,
       deleted_at = null,
       purged_at = null,
       -- An admin's deletion ends with the content: to take it back before is a tool's call.
       erase_at = case when w.purged_at is null then w.erase_at end,
       deletion = case when w.purged_at is null then w.deletion end`,
    [
      id,
      uid,
      generation ?? 0,
      resourceVersion ?? null,
      spec.displayName,
      owner,
      spec.agencyId ?? null,
      spec.plan,
      spec.timezone,
      spec.operatingMode,
      spec.businessHours ? JSON.stringify(spec.businessHours) : null,
      JSON.stringify(spec.executor),
      JSON.stringify(spec.limits),
      JSON.stringify(spec.settings),
      pendingReconcile(object, now),
      createdAt(object),
      now,
    ],
  );
}

async function ensureUser(tx: Tx, email: string, context: ProjectContext): Promise<string> {
  await tx.exec(`insert into app_user (id, email, created_at) values ($1, $2, $3) on conflict do nothing`, [
    context.ids.uuid(),
    email,
    context.now,
  ]);
  const user = await tx.row<{ id: string }>(`select id from app_user where lower(email) = lower($1) and not unproven`, [
    email,
  ]);
  if (!user) throw new Error('a user was made and is not there');
  return user.id;
}

/** The owner is a member with role owner; a former owner stays a member. Generations rise so that caches notice. */
async function ensureOwner(
  tx: Tx,
  id: string,
  owner: string,
  former: string | null,
  context: ProjectContext,
): Promise<void> {
  const changed = await tx.exec(
    `insert into member as m (id, workspace_id, user_id, role, joined_at) values ($1, $2, $3, 'owner', $4)
     on conflict (workspace_id, user_id) do update set role = 'owner', scope_limit = null where m.role <> 'owner'`,
    [context.ids.uuid(), id, owner, context.now],
  );
  if (changed > 0) await bumpUser(tx, owner);
  if (!former || former === owner) return;
  await tx.exec(`update member set role = 'member' where workspace_id = $1 and user_id = $2`, [id, former]);
  await bumpUser(tx, former);
}

async function bumpUser(tx: Tx, userId: string): Promise<void> {
  await tx.exec(`update app_user set generation = generation + 1 where id = $1`, [userId]);
}

/** A workspace that comes back, or runs again, goes on with what waits for it. */
async function wakeIfWork(tx: Tx, id: string, now: number): Promise<void> {
  const work = await tx.row<{ due: number | null }>(
    `select min(due_at) as due from run where workspace_id = $1 and due_at is not null`,
    [id],
  );
  if (work?.due != null) await wakeWorkspace(tx, id, Math.max(now, work.due), 'resumed');
}

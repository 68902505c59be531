import { refused } from '../../api/condition-words.ts';
import type { ApiObject } from '../../api/object.ts';
import type { KindName } from '../../api/specs.ts';
import { UserError } from '../../base/errors.ts';
import type { Tx } from '../../postgres/database.ts';
import { type LiveObject, type RowIdentity, type Standing, standing } from '../resources/projection.ts';
import { DELETED_BY, LET_GO_BY, RECONCILED_BY } from './held-deletions.ts';

/**
 * How an object stands to its row, with what the database remembers of deletions: one that was held was not meant, one that
 * went by force was.
 */
export async function standingOf(
  tx: Tx,
  of: { kind: KindName; id: string; row: RowIdentity | undefined; object: ApiObject; live: LiveObject | undefined },
): Promise<Standing> {
  const { kind, id, row, object, live } = of;
  const how = standing(row, object, live);
  if (how !== 'replaces' && how !== 'adopts') return how;
  const held = await tx.row('select 1 from held_deletion where kind = $1 and id = $2 and uid = $3', [
    kind,
    id,
    row?.uid,
  ]);
  if (held) return 'adopts';
  const letGo = await tx.row('select 1 from hold where kind = $1 and id = $2 and held_by = $3', [
    kind.toLowerCase(),
    id,
    LET_GO_BY,
  ]);
  return letGo ? 'replaces' : how;
}

/** A Workspace object that asks for the rows of its name. */
interface Asking {
  /** Of the workspace. */
  id: string;
  object: ApiObject;
  row: { owner_user_id: string | null; agency_id: string | null; deleted_at: number | null };
  /** The address of its owner, and its agency. */
  owner: string;
  agency: string | null;
  how: Standing;
  /** Epoch ms UTC, product time. */
  now: number;
}

/** The object of a name was refused; kept apart from the transaction that was refused, which is rolled back. */
export class RowsOfAnother extends UserError {
  readonly asking: Asking;

  constructor(message: string, asking: Asking) {
    super(message, refused('NameTaken', message).reason);
    this.asking = asking;
  }
}

/**
 * A workspace that comes back finds its people, keys, leads and credits: under its name nobody else's may begin, since members
 * and keys of the former would open it, and its owner would read their leads. To hand it over it comes back first, or a platform
 * admin confirms this very object.
 * @throws RowsOfAnother (NameTaken) unless the owner is the row's, of a live row the agency too
 */
export async function requireOwnRows(tx: Tx, asking: Asking): Promise<void> {
  const { id, object, row, owner, agency } = asking;
  const former = row.owner_user_id;
  const own = await tx.row('select 1 from app_user where id = $1 and lower(email) = lower($2)', [former, owner]);
  const otherOwner = former !== null && !own;
  const otherAgency = row.deleted_at === null && row.agency_id !== agency;
  if (!otherOwner && !otherAgency) return;
  const confirmed = await tx.row(
    'select 1 from adoption where workspace_id = $1 and uid = $2 and confirmed_at is not null',
    [id, object.metadata.uid],
  );
  if (confirmed) return;
  const whose = otherOwner ? 'owner' : 'agency';
  throw new RowsOfAnother(
    `Workspace name is taken: its history belongs to another ${whose}. Choose another metadata.name, or let a platform admin hand the history over: outrider adopt ${id}`,
    asking,
  );
}

/** Notes a Workspace object that was refused, for `outrider adopt`; an earlier one of the name that was refused is gone. */
export async function noteRefused(tx: Tx, { id, object, owner, agency, now }: Asking): Promise<void> {
  await tx.exec(
    `insert into adoption as a (workspace_id, uid, owner, agency_id, refused_at)
     values ($1, $2, $3, $4, $5)
     on conflict (workspace_id) do update set
       uid = excluded.uid,
       owner = excluded.owner,
       agency_id = excluded.agency_id,
       refused_at = excluded.refused_at,
       confirmed_at = null
       where a.uid <> excluded.uid or a.owner <> excluded.owner or a.agency_id is distinct from excluded.agency_id`,
    [id, object.metadata.uid, owner, agency, now],
  );
}

/** Versions before this one put their holds over that of a tool. */
const OVER_A_TOOL = ' \\(held by .* before: ';

/** Where an object is in the place of one that was lost or deleted, what rested for want of it goes on. */
export async function tookPlace(tx: Tx, kind: KindName, id: string, how: Standing): Promise<void> {
  if (how !== 'adopts' && how !== 'first') return;
  await tx.exec('delete from held_deletion where kind = $1 and id = $2', [kind, id]);
  const ours = [kind.toLowerCase(), id, [DELETED_BY, RECONCILED_BY]];
  await tx.exec('delete from hold where kind = $1 and id = $2 and held_by = any ($3) and reason !~ $4', [
    ...ours,
    OVER_A_TOOL,
  ]);
  if (kind === 'Workspace') await tx.exec('delete from adoption where workspace_id = $1', [id]);
}

/** A Workspace object that was refused the rows of its name. */
export interface RefusedAdoption {
  workspaceId: string;
  uid: string;
  owner: string;
  agencyId: string | null;
  /** Epoch ms, product time; so is the next, null while nobody confirmed. */
  refusedAt: number;
  confirmedAt: number | null;
  /** Whose the rows are. */
  formerOwner: string | null;
  formerAgencyId: string | null;
}

/** Objects that wait for a platform admin, newest first. */
export function refusedAdoptions(tx: Tx): Promise<RefusedAdoption[]> {
  return tx.rows<RefusedAdoption>(
    `select
       a.workspace_id as "workspaceId",
       a.uid,
       a.owner,
       a.agency_id as "agencyId",
       a.refused_at as "refusedAt",
       a.confirmed_at as "confirmedAt",
       u.email as "formerOwner",
       w.agency_id as "formerAgencyId"
     from adoption a
     join workspace w on w.id = a.workspace_id
     left join app_user u on u.id = w.owner_user_id
     order by a.refused_at desc limit 1000`,
  );
}

/** Lets the refused object have the rows. @returns whether one waits under this id */
export async function confirmAdoption(tx: Tx, workspaceId: string, now: number): Promise<boolean> {
  const confirmed = await tx.exec('update adoption set confirmed_at = $2 where workspace_id = $1', [workspaceId, now]);
  return confirmed > 0;
}

import { refused } from '../../api/condition-words.ts';
import type { ApiObject } from '../../api/object.ts';
import type { KindName } from '../../api/specs.ts';
import type { UserError } from '../../base/errors.ts';
import type { Ids } from '../../base/ids.ts';
import { hoursConflict, type SetHours } from '../../domain/hours-conflict.ts';
import type { Tx } from '../../postgres/database.ts';
import { withReadHours } from './read-hours.ts';

/** What every projection is given besides the object. */
export interface ProjectContext {
  /** Product time, epoch ms UTC. */
  now: number;
  /** The namespace whose objects have their bare name as id. */
  homeNamespace: string;
  ids: Ids;
  /**
   * Uid of the object that it refers to, where the caller knows it: a row of an earlier object of that name does not
   * count, for what is below it is marked deleted when the later one takes its place.
   */
  parentUid?: string | undefined;
  /**
   * The controllers' alone: they project what the API server holds at this moment, so that an object may take over the row of
   * another of its name. Tools have no right to: whose the object is, is not theirs to judge.
   */
  live?: LiveObject | undefined;
}

/** What a controller knows of the name of an object beside the object itself. */
export interface LiveObject {
  /** Uids of objects of this name whose deletion a watch told. */
  deletedUids: readonly string[];
}

/**
 * `projected`: the row changed; `unchanged`: it shows this generation already; `stale`: it shows something newer
 * (a later generation, a later incarnation of the name, or the tombstone of this very object).
 */
export type Projected = 'projected' | 'unchanged' | 'stale';

/** What a row says of the object that it shows. */
export interface RowIdentity {
  uid: string;
  generation: number;
  object_created_at: number;
  deleted_at: number | null;
}

/**
 * `first`: no row, or the row of an object that was deleted; `replaces`: of one whose deletion was told and that is not
 * marked deleted yet; `adopts`: of one that is gone without a deletion, so that this object is the same one made anew.
 */
export type Standing = 'first' | 'replaces' | 'adopts' | 'newer' | 'same' | 'stale';

/**
 * How an object stands to its row; projection is guarded by uid and generation.
 * @throws UserError NameTaken where a tool meets an object that was made anew and that no controller has taken up
 */
export function standing(row: RowIdentity | undefined, object: ApiObject, live?: LiveObject): Standing {
  if (!row) return 'first';
  const generation = object.metadata.generation ?? 0;
  if (row.uid === object.metadata.uid) {
    if (row.deleted_at !== null || generation < row.generation) return 'stale';
    return generation === row.generation ? 'same' : 'newer';
  }
  if (row.deleted_at !== null) return live || createdAt(object) >= row.object_created_at ? 'first' : 'stale';
  if (live) return live.deletedUids.includes(row.uid) ? 'replaces' : 'adopts';
  if (createdAt(object) < row.object_created_at) return 'stale';
  throw refused('NameTaken', NOT_TAKEN_UP);
}

const NOT_TAKEN_UP =
  'It was made anew in the cluster and the operator has not taken it up yet. Try again in some seconds; if that goes on, its condition Stalled says why (kubectl describe).';

const SHOWN = {
  Workspace: 'select 1 from workspace where id = $1 and uid = $2 and generation = $3 and deleted_at is null',
  Campaign: 'select 1 from campaign where id = $1 and uid = $2 and generation = $3 and deleted_at is null',
  Workflow: `select 1 from workflow
    where id = $1 and uid = $2 and generation = $3 and deleted_at is null and graph_problem is null`,
} as const satisfies Record<KindName, string>;

/** Whether the row shows this very object at this generation: projecting it would answer `unchanged`. */
export async function isShown(tx: Tx, kind: KindName, id: string, { metadata }: ApiObject): Promise<boolean> {
  return (await tx.row(SHOWN[kind], [id, metadata.uid ?? '', metadata.generation ?? 0])) !== undefined;
}

/** As SQL, the row of an id where a condition holds; the table is named as the kind. */
function rowOf(kind: KindName, where: string): string {
  return `select 1 from ${kind.toLowerCase()} where id = $1 and ${where}`;
}

/** Whether the row is that of one of these very objects, deleted or not. */
export async function hasRow(tx: Tx, kind: KindName, id: string, uids: readonly string[]): Promise<boolean> {
  return (await tx.row(rowOf(kind, 'uid = any ($2)'), [id, uids])) !== undefined;
}

/** Whether the row is that of another object of this name. */
export async function showsAnother(tx: Tx, kind: KindName, id: string, { metadata }: ApiObject): Promise<boolean> {
  return (await tx.row(rowOf(kind, 'uid <> $2 and deleted_at is null'), [id, metadata.uid ?? ''])) !== undefined;
}

/**
 * A tool touches no object whose rows another object of the name has: it was made anew, or it is a stranger's.
 * @throws UserError NameTaken
 */
export async function requireTakenUp(tx: Tx, kind: KindName, id: string, object: ApiObject): Promise<void> {
  if (await showsAnother(tx, kind, id, object)) throw refused('NameTaken', NOT_TAKEN_UP);
}

/** Creation of the object on the API server's clock (real time), epoch ms. */
export function createdAt(object: ApiObject): number {
  return Date.parse(object.metadata.creationTimestamp ?? '') || 0;
}

/** One projection of a row at a time, whether the row exists or not; held until the transaction ends. */
export async function lockProjection(tx: Tx, kind: string, id: string): Promise<void> {
  await tx.exec(`select pg_advisory_xact_lock(hashtextextended($1, 17))`, [`${kind}:${id}`]);
}

/** ReconcileStatus of a generation that the controller has not judged yet. Source: catalog record. */
export function pendingReconcile(object: ApiObject, now: number): string {
  const generation = object.metadata.generation ?? 0;
  return JSON.stringify({ phase: 'pending', generation, observedGeneration: 0, message: null, lastTransitionAt: now });
}

/** The id of an object keeps its history, which belongs to a workspace for good; its live runs belong to a campaign. */
export function nameTaken(kind: string, whose: 'workspace' | 'campaign' = 'workspace'): UserError {
  const message = `${kind} name is taken: its history belongs to another ${whose}. Choose another metadata.name.`;
  return refused('NameTaken', message);
}

/**
 * Why the hours of a spec can't be in force, or null: they name a timezone or a country that nobody knows. The rest of
 * the object counts all the same, a stop above all, and the hours that its row shows stay.
 */
export function hoursProblem(spec: SetHours): UserError | null {
  const trouble = hoursConflict(withReadHours(spec));
  return trouble && refused('InvalidHours', `spec.${trouble.path}: ${trouble.cause}`);
}

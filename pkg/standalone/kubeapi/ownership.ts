import { isDeepStrictEqual } from 'node:util';
import {
  type FieldSet,
  fieldsOf,
  fromFieldsV1,
  isAtomicMap,
  pathText,
  removeAt,
  sameManager,
  setAt,
  toFieldsV1,
  valueAt,
} from './field-set.ts';
import { reorder } from './list-order.ts';
import { applyDefaults, isObject } from './schema.ts';
import { ApiError } from './status.ts';
import type { Fields, Kind, ManagedFields, Stored } from './types.ts';

/** Who writes, and how. */
export interface Writer {
  manager: string;
  subresource: string | undefined;
  /** RFC 3339, now. */
  time: string;
}

/** Key order is no difference: the database keeps none. */
const equal = (a: unknown, b: unknown): boolean => isDeepStrictEqual(a, b);

/**
 * Records an update: the writer owns what it changed, everybody else loses it.
 * @param entries who owned what: as stored, or as the writer hands it over (kubectl, from client-side to server-side apply)
 */
export function recordUpdate(
  before: Stored | undefined,
  after: Stored,
  kind: Kind,
  writer: Writer,
  entries: readonly ManagedFields[] = before?.metadata.managedFields ?? [],
): void {
  const now = fieldsOf(after, kind.schema);
  const changed: FieldSet = new Set();
  for (const path of now) if (!before || !equal(valueAt(before, path), valueAt(after, path))) changed.add(path);
  const own = { manager: writer.manager, operation: 'Update' as const, subresource: writer.subresource };
  const next = entries.flatMap((entry) => {
    const kept = new Set(
      [...fromFieldsV1(entry.fieldsV1)].filter(
        (path) => now.has(path) && (!changed.has(path) || sameManager(entry, own)),
      ),
    );
    return kept.size === 0 ? [] : [{ ...entry, fieldsV1: toFieldsV1(kept) }];
  });
  if (changed.size > 0) addEntry(next, own, changed, after.apiVersion, writer.time);
  after.metadata.managedFields = next;
}

function addEntry(
  entries: ManagedFields[],
  own: Pick<ManagedFields, 'manager' | 'operation' | 'subresource'>,
  fields: FieldSet,
  apiVersion: string,
  time: string,
): void {
  const mine = entries.find((entry) => sameManager(entry, own));
  if (mine) {
    mine.fieldsV1 = toFieldsV1(new Set([...fromFieldsV1(mine.fieldsV1), ...fields]));
    mine.time = time;
    return;
  }
  const { manager, operation, subresource } = own;
  entries.push({
    manager,
    operation,
    apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(fields),
    ...(subresource ? { subresource } : {}),
  });
}

/**
 * Server-side apply: merges what the manager applies into the live object.
 * @returns the merged object with new ownership (not yet defaulted or validated)
 * @throws ApiError 409 naming managers and fields
 */
export function applyOnto(live: Stored, applied: Fields, kind: Kind, writer: Writer, force: boolean): Stored {
  const wanted = fieldsOf(applied, kind.schema);
  // Stored with its defaults, as the live object has them: an apply that changes nothing is no write.
  const filled = structuredClone(applied);
  if (kind.schema) applyDefaults(filled, kind.schema);
  const own = { manager: writer.manager, operation: 'Apply' as const, subresource: writer.subresource };
  const entries = structuredClone(live.metadata.managedFields ?? []);
  const others = entries
    .filter((entry) => !sameManager(entry, own))
    .map((entry) => ({ entry, set: fromFieldsV1(entry.fieldsV1) }));
  // An empty object that merges says "there is an object", nothing about its fields.
  const merges = (path: string): boolean =>
    equal(valueAt(applied, path), {}) && isObject(valueAt(live, path)) && !isAtomicMap(kind.schema, path);
  const stillWanted = (path: string): boolean =>
    wanted.has(path) || [...wanted].some((other) => covers(other, path) && !merges(other));
  // As it was applied: defaults come after, so that an atomic list without them is another than the live one.
  const changed = [...wanted].filter((path) => !merges(path) && !equal(valueAt(live, path), valueAt(applied, path)));
  const conflicts = changed.flatMap((path) =>
    others.filter((other) => contests(other.set, path)).map((other) => ({ path, entry: other.entry, set: other.set })),
  );
  if (conflicts.length > 0 && !force) throw applyConflict(conflicts);
  for (const { path, set } of conflicts) for (const owned of [...set]) if (covers(owned, path)) set.delete(owned);
  const merged = structuredClone(live);
  const mine = entries.find((entry) => sameManager(entry, own));
  const before: FieldSet = mine ? fromFieldsV1(mine.fieldsV1) : new Set();
  const left = [...before].filter((path) => !stillWanted(path) && !others.some((other) => contests(other.set, path)));
  for (const path of left) removeAt(merged, itemOf(path, others) ?? path);
  for (const path of wanted) if (!merges(path)) setAt(merged, path, valueAt(filled, path));
  reorder(merged, live, applied, kind.schema);
  merged.metadata.managedFields = others
    .filter((other) => other.set.size > 0)
    .map((other) => ({ ...other.entry, fieldsV1: toFieldsV1(other.set) }));
  const time = mine && equal(before, wanted) ? mine.time : writer.time;
  addEntry(merged.metadata.managedFields, own, wanted, live.apiVersion, time);
  return merged;
}

/** Whether a path is owned itself or below; who owns the empty object above it owns none of its fields. */
function contests(set: FieldSet, path: string): boolean {
  if (set.has(path)) return true;
  for (const owned of set) if (owned.startsWith(`${path}\u0000`)) return true;
  return false;
}

/** The item of a list whose key a path is, when nobody else owns anything in it: then it goes whole, defaults too. */
function itemOf(path: string, others: readonly { set: FieldSet }[]): string | undefined {
  const end = path.lastIndexOf('\u0000');
  const item = path.slice(0, end);
  const keys = item.slice(item.lastIndexOf('\u0000') + 1);
  if (!keys.startsWith('k:') || !Object.hasOwn(JSON.parse(keys.slice(2)) as object, path.slice(end + 3)))
    return undefined;
  const within = (set: FieldSet): boolean => [...set].some((owned) => owned.startsWith(`${item}\u0000`));
  return others.some(({ set }) => within(set)) ? undefined : item;
}

function covers(owned: string, path: string): boolean {
  return owned === path || owned.startsWith(`${path}\u0000`) || path.startsWith(`${owned}\u0000`);
}

function applyConflict(conflicts: { path: string; entry: ManagedFields }[]): ApiError {
  const causes = conflicts.map(({ path, entry }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${managerText(entry)}`,
    field: pathText(path),
  }));
  const byManager = new Map<string, string[]>();
  for (const { path, entry } of conflicts) {
    const manager = managerText(entry);
    byManager.set(manager, [...(byManager.get(manager) ?? []), `- ${pathText(path)}`]);
  }
  const told = [...byManager].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = told.flatMap(([manager, fields]) => [`conflicts with ${manager}:`, ...fields]);
  const [only] = causes;
  const text =
    only && causes.length === 1
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`;
  return new ApiError(409, 'Conflict', text, { causes });
}

function managerText({ manager, subresource, operation, apiVersion }: ManagedFields): string {
  const how = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `"${manager}"${subresource ? ` with subresource "${subresource}"` : ''}${how}`;
}

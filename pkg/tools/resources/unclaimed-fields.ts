import { isDefaultAt } from '../../api/defaults.ts';
import type { KindName } from '../../api/specs.ts';
import {
  lastApplied,
  type ManagedEntry,
  managedEntries,
  ownsPath,
  partsOf,
  valueAtPath,
} from '../../kube/managed-fields.ts';
import type { OutriderObject } from './kinds.ts';
import { OPERATOR_MANAGER } from './write-context.ts';

/**
 * Whether nobody asked for the value of a field, though an API server names a manager: who writes a whole object
 * (`kubectl apply`, `kubectl create`, Helm 3) becomes the owner of all defaults that the server filled in. The manifest decides where the
 * manager keeps it with the object; else a value that is still the default was not asked for. What was applied on the server's side
 * was asked for, always.
 * @param field as a conflict names it, for example `.spec.contactPolicy.stopOnReply`
 */
export function isUnclaimed(kind: KindName, live: OutriderObject, field: string, own: string): boolean {
  const path = partsOf(field);
  const owned = path[0] === 'spec' && managedEntries(live).some((entry) => ownsPath(entry, path));
  // A path that is found with nobody is not read right, and nothing is taken by it.
  return owned && claimants(kind, live, field, own).length === 0;
}

/** Managers that asked for the value of a field below `spec`, besides `own`. */
export function claimants(kind: KindName, live: OutriderObject, field: string, own: string): string[] {
  const path = partsOf(field);
  return managedEntries(live)
    .filter((entry) => entry.manager !== own && ownsPath(entry, path) && asksFor(kind, live, entry, path))
    .map(({ manager = '' }) => manager);
}

function asksFor(kind: KindName, live: OutriderObject, entry: ManagedEntry, path: readonly string[]): boolean {
  if (entry.operation !== 'Update') return true;
  // What it writes of a spec follows from what others asked for.
  if (entry.manager === OPERATOR_MANAGER) return false;
  const manifest = lastApplied(live, entry);
  if (manifest !== undefined) return valueAtPath(manifest, path) !== undefined;
  return !isDefaultAt(kind, path.slice(1), valueAtPath(live, path));
}

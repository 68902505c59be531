import { refused } from '../../api/condition-words.ts';
import type { KindName } from '../../api/specs.ts';
import { UserError } from '../../base/errors.ts';
import type { KubeClient } from '../../kube/client.ts';
import { findCondition } from '../../kube/conditions.ts';
import {
  LAST_APPLIED,
  type ManagedEntry,
  managedEntries,
  ownsPath,
  partsOf,
  valueAtPath,
  withoutPath,
} from '../../kube/managed-fields.ts';
import type { Condition, ObjectRef } from '../../kube/types.ts';
import { type OutriderObject, RESOURCES } from './kinds.ts';
import { WRITE_TIMEOUT_MS } from './write-context.ts';

/** What a field was given up by; none: nobody had it. */
export interface Released {
  field: string;
  managers: string[];
}

/**
 * Takes fields from their managers; the values stay, and the next one who writes them owns them. The last manifest of
 * `kubectl apply`, which the object carries, no longer names them either: else the next apply would remove the values.
 * @param fields below spec, for example `spec.title`
 * @param check refuses an object that is not the caller's to change (`requireTakenUp`)
 * @throws UserError when there is no such object, it is refused the rows of its name, or a path is not below spec; KubeError 422 when
 * it changed meanwhile
 */
export async function releaseFields(
  client: KubeClient,
  kind: KindName,
  ref: ObjectRef,
  fields: readonly string[],
  check?: (object: OutriderObject) => Promise<void>,
): Promise<Released[]> {
  const paths = fields.map(specPath);
  const live = await client.find<OutriderObject>(RESOURCES[kind], ref, { timeoutMs: WRITE_TIMEOUT_MS });
  if (!live) throw new UserError(`There is no ${kind} "${ref.name}" in namespace "${ref.namespace ?? ''}".`);
  requireOwnName(live);
  await check?.(live);
  const before = managedEntries(live);
  const released = paths.map((path) => ({
    field: path.join('.'),
    managers: [...new Set(before.flatMap((entry) => (ownsPath(entry, path) ? [entry.manager ?? ''] : [])))],
  }));
  if (released.every(({ managers }) => managers.length === 0)) return released;
  const left = paths.reduce<ManagedEntry[]>((entries, path) => entries.flatMap((one) => without(one, path)), before);
  const annotation = annotationWithout(live, paths);
  await client.jsonPatch(
    RESOURCES[kind],
    ref,
    [
      { op: 'test', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion },
      // An empty list would be taken for none given; one empty entry says that nobody owns anything.
      { op: 'replace', path: '/metadata/managedFields', value: left.length > 0 ? left : [{}] },
      ...(annotation === undefined
        ? []
        : [{ op: 'replace' as const, path: `/metadata/annotations/${pointer(LAST_APPLIED)}`, value: annotation }]),
    ],
    { fieldManager: 'outrider-release-field', timeoutMs: WRITE_TIMEOUT_MS },
  );
  return released;
}

/** What its status says is enough where no database is at hand. @throws UserError NameTaken */
function requireOwnName({ kind, metadata, status }: OutriderObject): void {
  const { conditions = [] } = (status ?? {}) as { conditions?: Condition[] };
  const stalled = findCondition(conditions, 'Stalled');
  if (stalled?.status === 'True' && stalled.reason === 'NameTaken')
    throw refused('NameTaken', `${kind} "${metadata.name}" may not be changed: ${stalled.message}`);
}

function specPath(field: string): string[] {
  const path = partsOf(field);
  if (path[0] === 'spec' && path.length > 1 && path.every((part) => part !== '')) return path;
  throw new UserError(`"${field}" is no field below spec; give one such as spec.title.`);
}

function without(entry: ManagedEntry, path: readonly string[]): ManagedEntry[] {
  if (!entry.fieldsV1 || !ownsPath(entry, path)) return [entry];
  const fieldsV1 = withoutPath(entry.fieldsV1, path);
  return fieldsV1 ? [{ ...entry, fieldsV1 }] : [];
}

/** The annotation without the fields; undefined: there is none, or it names none of them. */
function annotationWithout(live: OutriderObject, paths: readonly string[][]): string | undefined {
  const text = live.metadata.annotations?.[LAST_APPLIED];
  const manifest = text === undefined ? undefined : parsed(text);
  const named = paths.filter((path) => valueAtPath(manifest, path) !== undefined);
  for (const path of named) {
    const holder = valueAtPath(manifest, path.slice(0, -1)) as Record<string, unknown>;
    delete holder[path.at(-1) ?? ''];
  }
  // As kubectl writes it: one line that ends.
  return named.length === 0 ? undefined : `${JSON.stringify(manifest)}\n`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A key as a part of a JSON pointer. */
function pointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

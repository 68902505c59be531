import { applyPatch, type Operation } from 'rfc6902';
import { ownField, setOwnField } from './own-field.ts';
import { isObject } from './schema.ts';
import { ApiError, badRequest } from './status.ts';
import type { Fields } from './types.ts';

/** JSON merge patch (RFC 7386); nulls of objects in lists are no values either, as a real server takes them. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (Array.isArray(patch)) return patch.map((item) => (item === null ? null : mergePatch(undefined, item)));
  if (!isObject(patch)) return structuredClone(patch);
  const result: Fields = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else setOwnField(result, key, mergePatch(ownField(result, key), value));
  }
  return result;
}

/** JSON patch (RFC 6902). @throws ApiError 422 when a test fails or a path does not exist */
export function jsonPatch(target: Fields, patch: unknown): Fields {
  if (!Array.isArray(patch)) throw badRequest('a JSON patch is a list of operations');
  const result = structuredClone(target);
  const failed = outcomes(result, patch as Operation[]).find((error) => error !== null);
  if (failed)
    throw new ApiError(
      422,
      'Invalid',
      `the server rejected our request due to an error in our request: ${failed.message}`,
    );
  return result;
}

/** What became of each operation; one without a path or pointer that can be read is a failed one. */
function outcomes(target: Fields, patch: Operation[]): (Error | null)[] {
  try {
    return applyPatch(target, patch);
  } catch (error) {
    return [error as Error];
  }
}

/** Merge keys of the lists of built-in kinds that kubectl patches strategically. */
const MERGE_KEYS: Record<string, string> = {
  containers: 'name',
  env: 'name',
  conditions: 'type',
  ownerReferences: 'uid',
  ports: 'containerPort',
};

/** Strategic merge patch for built-in kinds: objects merge, keyed lists merge by key, finalizers as a set. */
export function strategicPatch(target: unknown, patch: unknown, field = ''): unknown {
  if (Array.isArray(patch)) return mergeLists(Array.isArray(target) ? target : [], patch, field);
  if (!isObject(patch)) return structuredClone(patch);
  const result: Fields = isObject(target) && patch['$patch'] !== 'replace' ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$setElementOrder') || key === '$patch' || key === '$retainKeys') continue;
    if (key.startsWith('$deleteFromPrimitiveList/')) removeItems(result, key.slice(25), value);
    else if (value === null) delete result[key];
    else setOwnField(result, key, strategicPatch(ownField(result, key), value, key));
  }
  return result;
}

function removeItems(holder: Fields, name: string, gone: unknown): void {
  const list = holder[name];
  if (Array.isArray(list) && Array.isArray(gone)) holder[name] = list.filter((item) => !gone.includes(item));
}

function mergeLists(target: unknown[], patch: unknown[], field: string): unknown[] {
  if (field === 'finalizers') return [...new Set([...target, ...patch])];
  const key = MERGE_KEYS[field];
  if (key === undefined) return structuredClone(patch);
  const result = [...target];
  for (const item of patch) {
    if (!isObject(item)) continue;
    const at = result.findIndex((entry) => isObject(entry) && entry[key] === item[key]);
    if (item['$patch'] === 'delete') {
      if (at >= 0) result.splice(at, 1);
    } else if (at >= 0) result[at] = strategicPatch(result[at], item);
    else result.push(structuredClone(item));
  }
  return result;
}

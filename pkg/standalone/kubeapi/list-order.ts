import { BUILTIN_LISTS } from './field-set.ts';
import { fieldSchema, ownField } from './own-field.ts';
import { isObject, listKey } from './schema.ts';
import type { Schema } from './types.ts';

/**
 * Puts the items of keyed lists and sets into the order of what was applied; what others have in them stays where it was
 * beside its neighbours (structured-merge-diff's order). In place.
 */
export function reorder(merged: unknown, live: unknown, applied: unknown, schema: Schema | null, name = ''): void {
  if (Array.isArray(merged) && Array.isArray(applied)) {
    const listed = schema ?? BUILTIN_LISTS[name];
    if (!listed) return;
    const keys = (list: unknown): string[] =>
      Array.isArray(list) ? list.flatMap((item) => listKey(item, listed) ?? []) : [];
    const places = new Map(inOrder(keys(live), keys(applied)).map((key, place) => [key, place]));
    if (places.size === 0) return;
    const placeOf = (item: unknown): number => places.get(listKey(item, listed) ?? '') ?? places.size;
    merged.sort((a, b) => placeOf(a) - placeOf(b));
    const byKey = (list: unknown, key: string | undefined): unknown =>
      Array.isArray(list) ? list.find((item) => listKey(item, listed) === key) : undefined;
    for (const item of merged) {
      const key = listKey(item, listed);
      reorder(item, byKey(live, key), byKey(applied, key), listed.items ?? null);
    }
    return;
  }
  if (!isObject(merged) || !isObject(applied)) return;
  const extra = isObject(schema?.additionalProperties) ? (schema.additionalProperties as Schema) : null;
  for (const [key, inner] of Object.entries(merged))
    reorder(
      inner,
      isObject(live) ? ownField(live, key) : undefined,
      ownField(applied, key),
      fieldSchema(schema ?? undefined, key) ?? extra,
      key,
    );
}

/** Keys of both lists, once each: in the order of `applied`, with those of `live` alone between them as they stood. */
function inOrder(live: readonly string[], applied: readonly string[]): string[] {
  const [there, wanted, done] = [new Set(live), new Set(applied), new Set<string>()];
  const shared = applied.filter((key) => there.has(key));
  const result: string[] = [];
  const put = (key: string): void => {
    result.push(key);
    done.add(key);
    if (shared[0] === key) shared.shift();
  };
  let [left, right] = [0, 0];
  while (left < live.length || right < applied.length) {
    const [theirs, ours] = [live[left], applied[right]];
    if (theirs !== undefined && !wanted.has(theirs)) {
      put(theirs);
      left++;
    } else if (theirs !== undefined && (done.has(theirs) || (theirs !== ours && shared[0] !== theirs))) left++;
    else {
      if (theirs === ours) left++;
      if (ours !== undefined) put(ours);
      right++;
    }
  }
  return result;
}

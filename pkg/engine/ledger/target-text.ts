import type { JsonObject } from '../../base/json.ts';

/** A text of a send's target, or null. */
export function targetText(target: JsonObject, key: string): string | null {
  const value = target[key];
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : null;
}

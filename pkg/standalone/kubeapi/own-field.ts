import type { Fields, Schema } from './types.ts';

/**
 * Fields by names that clients choose: `constructor` or `__proto__` is a field as any other, never what every JavaScript
 * object has by that name.
 */
export function ownField(holder: Fields, name: string): unknown {
  return Object.hasOwn(holder, name) ? holder[name] : undefined;
}

/** Sets a field of the object itself. */
export function setOwnField(holder: Fields, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true });
}

/** The schema of a field; undefined for one that the schema does not name. */
export function fieldSchema(schema: Schema | undefined, name: string): Schema | undefined {
  return schema?.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
}

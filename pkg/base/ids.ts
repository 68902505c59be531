import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';

/** Source of ids, injected so that tests are repeatable. */
export interface Ids {
  /** Id of a Postgres record: UUIDv7, so that rows of one moment lie together. */
  uuid(): string;
  /** Name of a custom resource: a DNS label such as `camp-8f3k2m9q1x`. */
  name(prefix: string): string;
}

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Ids from the machine's randomness. */
export const systemIds: Ids = {
  uuid: () => v7(),
  name: (prefix) => `${prefix}-${Array.from(randomBytes(12), (byte) => ALPHABET[byte % 32]).join('')}`,
};

/** Whether a string from outside can be a record id; anything else is "not found", not an SQL error. */
export function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value);
}

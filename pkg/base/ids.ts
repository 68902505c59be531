import { randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/** Source of ids, injected so that tests are repeatable. */
export interface Ids {
  /** Id of a Postgres record: UUIDv7, so that rows of one moment lie together. */
  uuid(): string;
  /** Name of a custom resource: a DNS label such as `camp-8f3k2m9q1x`. */
  name(prefix: string): string;
}

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** Randomness for a few hundred ids: asked for one by one, it costs more than all else of an id. */
const POOL = new Uint8Array(4_096);
const ID_BYTES = 16;
let used = POOL.length;
/** The millisecond and the place in it of the last id, so that ids of this process rise. */
const last = { msecs: 0, seq: 0 };

function nextUuid(): string {
  if (used === POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  const random = POOL.subarray(used, used + ID_BYTES);
  used += ID_BYTES;
  const now = Date.now();
  if (now > last.msecs) {
    last.msecs = now;
    last.seq = new DataView(random.buffer, random.byteOffset).getUint32(6) >>> 1;
  } else last.seq++;
  return v7({ random, msecs: last.msecs, seq: last.seq });
}

/** Ids from the machine's randomness. */
export const systemIds: Ids = {
  uuid: nextUuid,
  name: (prefix) => `${prefix}-${Array.from(randomBytes(12), (byte) => ALPHABET[byte % 32]).join('')}`,
};

/** Whether a string from outside can be a record id; anything else is "not found", not an SQL error. */
export function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(value);
}

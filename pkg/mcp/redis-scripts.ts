import { createHash } from 'node:crypto';
import { type RateLimits, WINDOW_MS } from './limits.ts';

/**
 * A key's window in Redis is one bit field of 32-bit numbers: calls of read, write, llm, all calls, and the stamp. It
 * lives as long as the window. The stamp tells replicas whether what they know of the key still holds; it is made of
 * Redis' clock and never comes again, also not when a window turns.
 */
const FIELDS = { read: 0, write: 1, llm: 2, overall: 3 } as const;

export interface Script {
  lua: string;
  sha: string;
}

const NEW_STAMP = `local t = redis.call('TIME')
  local stamp = (t[1] * 1000000 + t[2]) % 4294967296
  redis.call('BITFIELD', KEYS[1], 'SET', 'u32', '#4', stamp)`;

/**
 * Counts a call in the window of the key, and in that of its owner where there is one, or takes it back when a limit
 * refuses. Answers the stamp, or [refused: 1 category 2 overall 3 and 4 the same of the owner, ms until that window
 * turns, stamp]. The limits are part of the text because each argument costs time.
 */
function countScript(category: Exclude<keyof RateLimits, 'overall'>, limits: CountedLimits): Script {
  const { limit, overall, times } = limits;
  const field = FIELDS[category];
  const add = (by: 1 | -1, window: 1 | 2): string =>
    `redis.call('BITFIELD', KEYS[${window}], 'INCRBY', 'u32', '#${field}', ${by}, 'INCRBY', 'u32', '#3', ${by}, 'GET', 'u32', '#4')`;
  const ofOwner = `
local o = ${add(1, 2)}
if o[2] == 1 then redis.call('PEXPIRE', KEYS[2], ${WINDOW_MS}) end
if o[1] > ${limit} * ${times} or o[2] > ${overall} * ${times} then
  ${add(-1, 1)}
  ${add(-1, 2)}
  return { o[2] > ${overall} * ${times} and 4 or 3, redis.call('PTTL', KEYS[2]), n[3] }
end`;
  return scriptOf(`
local n = ${add(1, 1)}
if n[2] == 1 then
  ${NEW_STAMP}
  redis.call('PEXPIRE', KEYS[1], ${WINDOW_MS})
  n[3] = stamp
end
if n[1] > ${limit} or n[2] > ${overall} then
  ${add(-1, 1)}
  return { n[2] > ${overall} and 2 or 1, redis.call('PTTL', KEYS[1]), n[3] }
end
${times === NO_OWNER ? '' : ofOwner}
return n[3]`);
}

/** Limits as a script's text has them: numbers, or the argument that holds them. */
interface CountedLimits {
  limit: string;
  overall: string;
  times: string;
}

/** What stands for the multiple where only the key's own window counts. */
const NO_OWNER = '';

/** Scripts whose limits are part of their text, at most; workspaces with limits of their own share the general one. */
const MAX_SPECIAL = 60;
const GENERAL = { limit: 'tonumber(ARGV[1])', overall: 'tonumber(ARGV[2])' };
const OWNED = { ...GENERAL, times: 'tonumber(ARGV[3])' };
const ALONE = { ...GENERAL, times: NO_OWNER };

/** Scripts that count, by category and limits. */
export class CountScripts {
  readonly #special = new Map<string, Script>();
  readonly #general = {
    owned: { read: countScript('read', OWNED), write: countScript('write', OWNED), llm: countScript('llm', OWNED) },
    alone: { read: countScript('read', ALONE), write: countScript('write', ALONE), llm: countScript('llm', ALONE) },
  };

  /** @param times of the owner; undefined: there is none. @returns a script with the arguments it needs */
  for(
    category: 'read' | 'write' | 'llm',
    limits: RateLimits,
    times: number | undefined,
  ): { script: Script; args: readonly number[] } {
    const [limit, overall] = [limits[category], limits.overall];
    const name = `${category} ${limit} ${overall} ${times ?? NO_OWNER}`;
    const known = this.#special.get(name);
    if (known) return { script: known, args: [] };
    if (this.#special.size >= MAX_SPECIAL) {
      if (times === undefined) return { script: this.#general.alone[category], args: [limit, overall] };
      return { script: this.#general.owned[category], args: [limit, overall, times] };
    }
    const texts = { limit: String(limit), overall: String(overall), times: String(times ?? NO_OWNER) };
    const script = countScript(category, texts);
    this.#special.set(name, script);
    return { script, args: [] };
  }
}

/** Answers the stamp; a key without one gets one. */
export const STANDING = scriptOf(`
local n = redis.call('BITFIELD', KEYS[1], 'GET', 'u32', '#4')
if n[1] ~= 0 then return n[1] end
  ${NEW_STAMP}
redis.call('PEXPIRE', KEYS[1], ${WINDOW_MS})
return stamp`);

/** Gives the key another stamp. */
export const STAMP = scriptOf(`
  ${NEW_STAMP}
if redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ${WINDOW_MS}) end
return stamp`);

function scriptOf(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') };
}

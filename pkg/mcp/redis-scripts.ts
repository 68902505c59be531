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
 * Counts a call, or takes it back when a limit refuses. Answers the stamp, or [refused: 1 category 2 overall, ms until
 * the window turns, stamp]. The limits are part of the text because each argument costs time.
 */
function countScript(category: Exclude<keyof RateLimits, 'overall'>, limit: string, overall: string): Script {
  const field = FIELDS[category];
  return scriptOf(`
local n = redis.call('BITFIELD', KEYS[1], 'INCRBY', 'u32', '#${field}', 1, 'INCRBY', 'u32', '#3', 1, 'GET', 'u32', '#4')
if n[2] == 1 then
  ${NEW_STAMP}
  redis.call('PEXPIRE', KEYS[1], ${WINDOW_MS})
  n[3] = stamp
end
if n[1] > ${limit} or n[2] > ${overall} then
  redis.call('BITFIELD', KEYS[1], 'INCRBY', 'u32', '#${field}', -1, 'INCRBY', 'u32', '#3', -1)
  return { n[2] > ${overall} and 2 or 1, redis.call('PTTL', KEYS[1]), n[3] }
end
return n[3]`);
}

/** Scripts whose limits are part of their text, at most; workspaces with limits of their own share the general one. */
const MAX_SPECIAL = 60;

/** Scripts that count, by category and limits. */
export class CountScripts {
  readonly #special = new Map<string, Script>();
  readonly #general = {
    read: countScript('read', 'tonumber(ARGV[1])', 'tonumber(ARGV[2])'),
    write: countScript('write', 'tonumber(ARGV[1])', 'tonumber(ARGV[2])'),
    llm: countScript('llm', 'tonumber(ARGV[1])', 'tonumber(ARGV[2])'),
  };

  /** @returns a script with the arguments it needs */
  for(category: 'read' | 'write' | 'llm', limits: RateLimits): { script: Script; args: readonly number[] } {
    const name = `${category} ${limits[category]} ${limits.overall}`;
    const known = this.#special.get(name);
    if (known) return { script: known, args: [] };
    if (this.#special.size >= MAX_SPECIAL)
      return { script: this.#general[category], args: [limits[category], limits.overall] };
    const script = countScript(category, String(limits[category]), String(limits.overall));
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

import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { monotonicMs } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import {
  type Admission,
  type AdmissionRequest,
  type Limiter,
  type Standing,
  type Subject,
  WINDOW_MS,
} from './limits.ts';

/** Milliseconds Redis has for an answer; then Postgres counts this call, and those of the next second. */
const ANSWER_MS = 500;
const AWAY_MS = 1_000;
/** A stamp outlives what any replica remembers. */
const STAMP_MS = 60_000;
/** Milliseconds for which a session that was found open is not looked up again, unless its key was stamped. */
const SESSION_MS = 5_000;
const MAX_SESSIONS = 100_000;

/**
 * Counts in both windows or in none. A window is its counter's own time to live, so Redis' clock alone tells when it
 * ends. KEYS: counter of the category, overall counter, stamps of key and user; ARGV: limits, window in ms.
 * Answers [index of the counter that refused or 0, ms until it ends, stamp of the key, stamp of the user].
 */
const COUNT = `
local v = redis.call('MGET', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
local one, all = v[1], v[2]
local over1, over2 = one and one + 0 >= ARGV[1] + 0, all and all + 0 >= ARGV[2] + 0
if over1 or over2 then
  local t1 = over1 and redis.call('PTTL', KEYS[1]) or -1
  local t2 = over2 and redis.call('PTTL', KEYS[2]) or -1
  if t1 > t2 then return { 1, t1, v[3], v[4] } end
  return { 2, t2, v[3], v[4] }
end
if one then redis.call('INCR', KEYS[1]) else redis.call('SET', KEYS[1], 1, 'PX', ARGV[3]) end
if all then redis.call('INCR', KEYS[2]) else redis.call('SET', KEYS[2], 1, 'PX', ARGV[3]) end
return { 0, 0, v[3], v[4] }`;

type CountAnswer = [index: number, leftMs: number, keyStamp: string | null, userStamp: string | null];

/** How the limiter counts; one atomic round trip. */
interface CountingRedis extends Redis {
  outriderCount(...args: (string | number)[]): Promise<CountAnswer>;
}

export interface RedisLimiterOptions {
  /** For example `redis://127.0.0.1:6379`; may carry a password, so it is never logged. */
  url: string;
  /** Knows which sessions were closed, and counts alone while Redis does not answer. */
  postgres: Limiter;
  log: Logger;
  /** Called when stamps may have been missed: what is remembered of keys must be read again. */
  onGap: () => void;
}

/**
 * Limits in Redis, exact over replicas. Whoever changes a key or a user stamps it here after the commit, and every
 * answer carries the stamps, so that a change holds at the next call on every replica. Without Redis, windows begin
 * anew in Postgres and no call fails; stamps that were missed meanwhile count as changed.
 */
export class RedisLimiter implements Limiter {
  readonly #redis: CountingRedis;
  readonly #options: RedisLimiterOptions;
  readonly #openSessions = new Map<string, { version: string; until: number }>();
  #answering = true;
  #awayUntil = 0;

  constructor(options: RedisLimiterOptions) {
    this.#options = options;
    const redis = new Redis(options.url, {
      commandTimeout: ANSWER_MS,
      connectTimeout: 2_000,
      // A call never waits in a queue for Redis to come back.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => Math.min(1_000, attempt * 100),
    });
    redis.defineCommand('outriderCount', { lua: COUNT, numberOfKeys: 4 });
    redis.on('error', () => this.#heard(false));
    redis.on('ready', () => this.#forget());
    redis.on('close', () => this.#forget());
    this.#redis = redis as CountingRedis;
  }

  /** Resolves once Redis answers. @throws when its first connection fails */
  async ready(): Promise<void> {
    if (this.#redis.status === 'ready') return;
    await new Promise<void>((resolve, reject) => {
      this.#redis.once('ready', resolve);
      this.#redis.once('error', reject);
    });
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    const { keyId, userId, category, limits } = request;
    const names = namesOf(keyId, userId);
    const answer = await this.#ask(() =>
      this.#redis.outriderCount(
        `${names.prefix}:${category}`,
        `${names.prefix}:overall`,
        names.keyStamp,
        names.userStamp,
        limits[category],
        limits.overall,
        WINDOW_MS,
      ),
    );
    if (!answer) return this.#options.postgres.admit(request);
    const [index, leftMs, keyStamp, userStamp] = answer;
    const version = versionOf(keyStamp, userStamp);
    const refused = index === 0 ? null : index === 1 ? category : 'overall';
    const sessionEnded = await this.#sessionEnded(request, version);
    return { refused, retryMs: leftMs, version, sessionEnded };
  }

  async standing(subject: Subject): Promise<Standing> {
    const names = namesOf(subject.keyId, subject.userId);
    const stamps = await this.#ask(() => this.#redis.mget(names.keyStamp, names.userStamp));
    if (!stamps) return this.#options.postgres.standing(subject);
    const version = versionOf(stamps[0] ?? null, stamps[1] ?? null);
    return { version, sessionEnded: await this.#sessionEnded(subject, version) };
  }

  /** Unique, so that a stamp that ran out and came again is another one. */
  async stamp(changed: { keyId: string; userId: string | null } | { userId: string }): Promise<void> {
    const name = 'keyId' in changed ? namesOf(changed.keyId, changed.userId).keyStamp : userStampOf(changed.userId);
    await this.#redis.set(name, randomUUID(), 'PX', STAMP_MS).catch(() => undefined);
  }

  /** Ends the connection. */
  close(): void {
    this.#redis.disconnect();
  }

  /** Postgres knows; what it said holds until the key is stamped, for five seconds at most. */
  async #sessionEnded(subject: Subject, version: string): Promise<boolean> {
    if (subject.sessionHash === null) return false;
    const name = subject.sessionHash.toString('base64');
    const known = this.#openSessions.get(name);
    const now = monotonicMs();
    if (known && known.version === version && known.until > now) return false;
    const { sessionEnded } = await this.#options.postgres.standing(subject);
    if (this.#openSessions.size >= MAX_SESSIONS) this.#openSessions.clear();
    if (sessionEnded) this.#openSessions.delete(name);
    else this.#openSessions.set(name, { version, until: now + SESSION_MS });
    return sessionEnded;
  }

  async #ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    if (this.#redis.status !== 'ready' || monotonicMs() < this.#awayUntil) return undefined;
    try {
      const answer = await question();
      this.#heard(true);
      return answer;
    } catch {
      this.#awayUntil = monotonicMs() + AWAY_MS;
      this.#heard(false);
      return undefined;
    }
  }

  /** A connection that broke may have missed stamps. */
  #forget(): void {
    this.#openSessions.clear();
    this.#options.onGap();
  }

  /** Says once that Redis went or came back. */
  #heard(answering: boolean): void {
    if (answering === this.#answering) return;
    this.#answering = answering;
    this.#forget();
    if (answering) this.#options.log.info('Redis answers again and counts calls');
    else this.#options.log.warn('Redis does not answer; calls are counted in Postgres');
  }
}

/** The braces keep what one call touches on one node of a Redis cluster. */
function namesOf(keyId: string, userId: string | null): { prefix: string; keyStamp: string; userStamp: string } {
  const prefix = `outrider:{${userId ?? keyId}}:${keyId}`;
  return { prefix, keyStamp: `${prefix}:changed`, userStamp: userId === null ? `${prefix}:-` : userStampOf(userId) };
}

function userStampOf(userId: string): string {
  return `outrider:{${userId}}:changed`;
}

function versionOf(keyStamp: string | null, userStamp: string | null): string {
  return `r${keyStamp ?? ''}.${userStamp ?? ''}`;
}

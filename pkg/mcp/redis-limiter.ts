import { Redis } from 'ioredis';
import { every, monotonicMs } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Admission, AdmissionRequest, Limiter, Standing, Subject } from './limits.ts';
import { CountScripts, type Script, STAMP, STANDING } from './redis-scripts.ts';

/** Milliseconds Redis has for an answer; then Postgres counts this call, and those of the next second. */
const ANSWER_MS = 500;
const AWAY_MS = 1_000;
/** Milliseconds for which a session that was found open is not looked up again, unless its key was stamped. */
const SESSION_MS = 5_000;
const MAX_SESSIONS = 100_000;

/** The stamp, or why a call was refused. */
type CountAnswer = number | [index: number, leftMs: number, stamp: number];

export interface RedisLimiterOptions {
  /** For example `redis://127.0.0.1:6379`; may carry a password, so it is never logged. */
  url: string;
  /** Knows which sessions were closed, and counts alone while Redis does not answer. */
  postgres: Limiter;
  log: Logger;
  /** Called when stamps may have been missed: what is remembered of keys must be read again. */
  onGap: () => void;
  /** Called at first and whenever Redis ceases or begins again to answer. */
  onState?: (answering: boolean) => void;
}

/**
 * Limits in Redis, exact over replicas. The one who changes a key or its user stamps it here after the commit, and every
 * answer carries the stamp, so that a change holds at the next call on every replica. Without Redis, windows begin
 * anew in Postgres and no call fails; stamps that were missed meanwhile count as changed.
 */
export class RedisLimiter implements Limiter {
  readonly #redis: Redis;
  readonly #options: RedisLimiterOptions;
  readonly #scripts = new CountScripts();
  readonly #openSessions = new Map<string, { version: string; until: number }>();
  #answering = true;
  #awayUntil = 0;
  #gathering = false;
  /** Stamps that are asked for in the packet that is gathered, by key. */
  readonly #asked = new Map<string, Promise<unknown>>();
  #inFlight = 0;
  readonly #stopAsking: () => void;

  constructor(options: RedisLimiterOptions) {
    this.#options = options;
    this.#redis = new Redis(options.url, {
      commandTimeout: ANSWER_MS,
      connectTimeout: 2_000,
      // A call never waits in a queue for Redis to come back.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => Math.min(1_000, attempt * 100),
    });
    options.onState?.(true);
    this.#redis.on('error', () => this.#heard(false));
    this.#redis.on('ready', () => this.#forget());
    this.#redis.on('close', () => this.#forget());
    this.#stopAsking = every(AWAY_MS, () => this.#askAgain());
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
    if (this.#away()) return this.#options.postgres.admit(request);
    const { owner } = request;
    const { script, args } = this.#scripts.for(request.category, request.limits, owner?.times);
    let answer: CountAnswer;
    try {
      answer = (await this.#run(script, windowsOf(request), args)) as CountAnswer;
      this.#heard(true);
    } catch {
      this.#lost();
      return this.#options.postgres.admit(request);
    }
    const [index, retryMs, stamp] = typeof answer === 'number' ? [0, 0, answer] : answer;
    const version = `r${stamp}`;
    const refused = index === 0 ? null : index % 2 === 1 ? request.category : 'overall';
    const sessionEnded = request.sessionHash !== null && (await this.#sessionEnded(request, version));
    return { refused, byOwner: index > 2, retryMs, version, sessionEnded };
  }

  async standing(subject: Subject): Promise<Standing> {
    if (this.#away()) return this.#options.postgres.standing(subject);
    try {
      const version = `r${await this.#stampOf(subject.keyId)}`;
      this.#heard(true);
      return { version, sessionEnded: await this.#sessionEnded(subject, version) };
    } catch {
      this.#lost();
      return this.#options.postgres.standing(subject);
    }
  }

  async stamp(keyId: string): Promise<void> {
    await this.#run(STAMP, [keyId], []).catch(() => this.#lost());
  }

  /** Ends the connection. */
  close(): void {
    this.#stopAsking();
    this.#redis.disconnect();
  }

  /** Requests of one turn share the question, until it leaves: those who share it were there before. */
  #stampOf(keyId: string): Promise<unknown> {
    const asked = this.#asked.get(keyId);
    if (asked) return asked;
    this.#gather();
    const asking = this.#run(STANDING, [keyId], []);
    this.#asked.set(keyId, asking);
    return asking;
  }

  /** Redis forgets scripts when it starts anew; then it is told the text once more. */
  async #run(script: Script, windows: readonly string[], args: readonly number[]): Promise<unknown> {
    const names = windows.map((window) => `outrider:window:${window}`);
    // A call alone leaves at once.
    if (this.#inFlight++ > 0) this.#gather();
    try {
      return await this.#redis.evalsha(script.sha, names.length, ...names, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return await this.#redis.eval(script.lua, names.length, ...names, ...args);
    } finally {
      this.#inFlight--;
    }
  }

  /** Commands of one turn of the event loop leave in one packet: under load a write costs more than the command. */
  #gather(): void {
    if (this.#gathering) return;
    // Set while connected; ioredis' types leave it out.
    const { stream } = this.#redis as unknown as { stream: { cork(): void; uncork(): void } };
    this.#gathering = true;
    stream.cork();
    setImmediate(() => {
      this.#gathering = false;
      this.#asked.clear();
      stream.uncork();
    });
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

  /** While Redis does not answer, one call at a time tries whether it does again. */
  #away(): boolean {
    if (!this.#answering && this.#inFlight > 0) return true;
    return this.#redis.status !== 'ready' || (this.#awayUntil > 0 && monotonicMs() < this.#awayUntil);
  }

  #lost(): void {
    this.#awayUntil = monotonicMs() + AWAY_MS;
    this.#heard(false);
  }

  /** At night no call comes that would find out that Redis is back. */
  async #askAgain(): Promise<void> {
    if (this.#answering || this.#redis.status !== 'ready') return;
    await this.#redis.ping();
    this.#heard(true);
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
    this.#options.onState?.(answering);
    this.#forget();
    if (answering) this.#awayUntil = 0;
    if (answering) this.#options.log.info('Redis answers again and counts calls');
    else this.#options.log.warn('Redis does not answer; calls are counted in Postgres');
  }
}

/** The names of the windows in which a call counts. */
function windowsOf({ keyId, owner }: AdmissionRequest): readonly string[] {
  return owner ? [keyId, owner.id] : [keyId];
}

import { sleepReal } from '../../base/clock.ts';
import { FencedError, messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { LeaseGrant } from '../lease/lease-source.ts';
import { Breaker } from './breaker.ts';

/** Real ms between questions for a claim that another holds: from the first to the longest, doubling. */
const REFUSED_MS = 250;
const LONGEST_REFUSED_MS = 4_000;
/** Real ms before a workspace that the operator wanted back is asked for again, should it still be seated here. */
const DRAINED_MS = 1_000;

/** The engine of a workspace under one claim. */
export interface ServedEngine {
  /** Works until drained. @throws FencedError when the claim is lost, or the fault after which only a new epoch helps */
  run(): Promise<void>;
  drain(): void;
  poke(): void;
  /** Waits for what is under way outside, which outlives a claim that was lost. */
  settle(): Promise<unknown>;
  /** Gives the claim back. */
  release(): Promise<void>;
  /** Nothing renews its claim any more. */
  stop(): void;
}

export interface PoolTenantOptions {
  workspaceId: string;
  log: Logger;
  /** Asks once; null: another holds it, or nobody answers. */
  claim: () => Promise<LeaseGrant | null>;
  /** Makes the engine under a claim; `onDrain` is called when the operator wants the claim back. */
  serve: (grant: LeaseGrant) => ServedEngine;
  /** Hears that the claim was lost, and how often in a row the engine failed. */
  onFenced: () => void;
  onFailure: (failures: number) => void;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  breaker?: Breaker;
}

/**
 * One workspace of a pool: claims it, works for it, and begins anew after a fault, until it is told to leave. Nothing that happens
 * to it reaches the others of its process.
 */
export class PoolTenant {
  readonly workspaceId: string;
  readonly #options: PoolTenantOptions;
  readonly #breaker: Breaker;
  readonly #sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly #leaving = new AbortController();
  #engine: ServedEngine | undefined;
  #done: Promise<void> | undefined;

  constructor(options: PoolTenantOptions) {
    this.workspaceId = options.workspaceId;
    this.#options = options;
    this.#breaker = options.breaker ?? new Breaker();
    this.#sleep = options.sleep ?? sleepReal;
  }

  /** Whether it holds the claim and works. */
  get working(): boolean {
    return this.#engine !== undefined;
  }

  start(): void {
    this.#done ??= this.#run();
  }

  /** Work was brought forward. */
  poke(): void {
    this.#engine?.poke();
  }

  /** Finishes what is under way, gives the claim back and ends; resolves when it has. */
  leave(): Promise<void> {
    if (!this.#leaving.signal.aborted) this.#leaving.abort(new Error('not served here any more'));
    this.#engine?.drain();
    return this.#done ?? Promise.resolve();
  }

  async #run(): Promise<void> {
    let refused = 0;
    while (!this.#leaving.signal.aborted) {
      const grant = await this.#options.claim().catch(() => null);
      if (!grant) {
        await this.#rest(Math.min(LONGEST_REFUSED_MS, REFUSED_MS * 2 ** Math.min(refused++, 10)));
        continue;
      }
      refused = 0;
      await this.#rest(await this.#serve(grant));
    }
  }

  /** @returns real ms to wait before the claim is asked for again */
  async #serve(grant: LeaseGrant): Promise<number> {
    this.#breaker.began();
    const engine = this.#options.serve(grant);
    this.#engine = engine;
    // It may have been told to leave while the claim was asked for.
    if (this.#leaving.signal.aborted) engine.drain();
    try {
      await engine.run();
      await engine.release();
      return DRAINED_MS;
    } catch (error) {
      this.#tell(error);
      // What was under way ends first: two engines of one workspace never share a process.
      await engine.settle().catch(() => undefined);
      return error instanceof FencedError ? REFUSED_MS : this.#breaker.failed();
    } finally {
      engine.stop();
      this.#engine = undefined;
    }
  }

  #tell(error: unknown): void {
    const { log, onFenced, onFailure } = this.#options;
    if (error instanceof FencedError) {
      onFenced();
      log.warn({ reason: messageOf(error) }, 'the claim of a workspace is lost; the others go on');
      return;
    }
    onFailure(this.#breaker.failures + 1);
    log.error(
      { err: error, failures: this.#breaker.failures + 1 },
      'the engine of a workspace failed; the others go on',
    );
  }

  #rest(ms: number): Promise<void> {
    if (this.#leaving.signal.aborted) return Promise.resolve();
    return this.#sleep(ms, this.#leaving.signal).catch(() => undefined);
  }
}

import { sleepReal } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { ClockAuthority } from './clock-authority.ts';

/** Real ms between looks; those who jumped ahead take their holds meanwhile. */
const BREATH_MS = 3;

export interface IdleSkipperOptions {
  clock: ClockAuthority;
  /** Next moment at which the engine or the sandbox has something to do; epoch ms product time, null: nothing. */
  nextDue: () => Promise<number | null>;
  /** Never jump past this moment (the demo meets real time there); null: no bound. */
  limit: () => number | null;
  log: Logger;
}

/**
 * Jumps over idle time while the clock's skip-idle setting is on: to the next due moment, never while work is due
 * or somebody holds the clock. A discrete-event simulation with the real processes.
 */
export class IdleSkipper {
  readonly #options: IdleSkipperOptions;
  #stopped = false;
  #loop: Promise<void> | undefined;

  constructor(options: IdleSkipperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const { clock, log } = this.#options;
      if (!clock.state().skipIdle) {
        await sleepReal(200);
        continue;
      }
      try {
        await this.#step();
      } catch (error) {
        log.debug({ err: error }, 'skip-idle could not look ahead; trying again');
        await sleepReal(200);
      }
      await sleepReal(BREATH_MS);
    }
  }

  async #step(): Promise<void> {
    const { clock, nextDue, limit } = this.#options;
    if (clock.held) return clock.free();
    const due = await nextDue();
    const bound = limit();
    const now = clock.now();
    const target = Math.min(due ?? bound ?? now, bound ?? Number.POSITIVE_INFINITY);
    if (target > now && !clock.held) clock.jumpTo(target);
  }
}

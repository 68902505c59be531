import { SystemClock } from '../../pkg/base/clock.ts';

/** A port on this machine that leads to a Service or Pod. */
export interface Forward {
  port: number;
  stop: () => void;
}

/** Nothing was done: the other side could not be reached. */
export class Unreached extends Error {}

/** How often a forward is made anew for one call: a rollout replaces the pod behind it, a crash the server that carries it. */
const TRIES = 8;
const PAUSE_MS = 500;

/** One forward for many calls, made at the first one and anew when it leads nowhere. */
export class Reach {
  readonly #make: () => Promise<Forward>;
  #open: Promise<Forward> | undefined;

  constructor(make: () => Promise<Forward>) {
    this.#make = make;
  }

  /**
   * Runs a call.
   * @param call gets the port; throws `Unreached` where it may be made again
   * @throws what `call` throws; the last `Unreached` when all tries failed
   */
  async use<T>(call: (port: number) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      this.#open ??= this.#make();
      const opened = this.#open;
      const forward = await opened.catch(() => undefined);
      try {
        return await call((forward ?? (await opened)).port);
      } catch (error) {
        const broken = error instanceof Unreached;
        if ((broken || !forward) && this.#open === opened) await this.close();
        if (!broken || tries >= TRIES) throw error;
        await new SystemClock().sleep(PAUSE_MS);
      }
    }
  }

  async close(): Promise<void> {
    const opened = this.#open;
    this.#open = undefined;
    (await opened?.catch(() => undefined))?.stop();
  }
}

/** What `work` throws means that nothing was done. */
export async function reached<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new Unreached(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

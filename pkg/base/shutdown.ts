import { monotonicMs } from './clock.ts';
import type { Logger } from './log.ts';

/** Ms in which a signal counts once: a supervisor signals the whole group, and `make` passes its own on. */
const SAME_SIGNAL_MS = 1_000;

/** What signals come from, and what ends: the process. */
export interface SignalHost {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  exit(code: number): void;
}

type Step = { name: string; run: () => unknown; timeoutMs: number };

/**
 * Ordered shutdown: steps run in the reverse order of their registration, each bounded by `stepTimeoutMs` or its own.
 * A second signal, more than a second after the first, ends the process at once.
 */
export class Shutdown {
  #steps: Step[] = [];
  #running: Promise<void> | undefined;
  readonly #controller = new AbortController();
  readonly #log: Logger;
  readonly #stepTimeoutMs: number;

  constructor(log: Logger, stepTimeoutMs = 8_000) {
    this.#log = log;
    this.#stepTimeoutMs = stepTimeoutMs;
  }

  /** Aborted when the shutdown begins. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Registers a step; the last registered runs first. @param timeoutMs milliseconds it may take */
  add(name: string, run: Step['run'], timeoutMs = this.#stepTimeoutMs): void {
    this.#steps.push({ name, run, timeoutMs });
  }

  /** Listens for SIGTERM and SIGINT and exits the process with `0` when all steps are done, with `1` when somebody insists. */
  onSignals(host: SignalHost = process, now: () => number = monotonicMs): void {
    let firstAt: number | undefined;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      host.on(signal, () => {
        firstAt ??= now();
        if (now() - firstAt > SAME_SIGNAL_MS) return host.exit(1);
        if (this.#running) return;
        this.#log.info({ signal }, 'stopping');
        void this.run().finally(() => host.exit(0));
      });
    }
  }

  /** Runs all steps once; later calls get the same promise. */
  run(): Promise<void> {
    this.#running ??= this.#runSteps();
    return this.#running;
  }

  async #runSteps(): Promise<void> {
    this.#controller.abort(new Error('shutting down'));
    for (const step of this.#steps.reverse()) {
      try {
        await withTimeout(Promise.resolve(step.run()), step.timeoutMs);
      } catch (error) {
        this.#log.warn({ step: step.name, err: error }, 'shutdown step failed');
      }
    }
  }
}

async function withTimeout(promise: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${ms} ms`)), ms);
  });
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

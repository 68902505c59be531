import type { Logger } from './log.ts';

type Step = { name: string; run: () => Promise<void> | void; timeoutMs: number };

/**
 * Ordered shutdown: steps run in the reverse order of their registration, each bounded by `stepTimeoutMs` or its own.
 * A second signal ends the process at once.
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

  /** Listens for SIGTERM and SIGINT and exits the process with `0` when all steps are done. */
  onSignals(): void {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (this.#running) process.exit(1);
        this.#log.info({ signal }, 'stopping');
        void this.run().finally(() => process.exit(0));
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

async function withTimeout(promise: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${ms} ms`)), ms);
  });
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

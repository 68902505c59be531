/**
 * Time is a parameter everywhere: nothing outside `pkg/base` reads the machine's clock or sets a bare timer.
 * Two clocks exist (docs/architecture.md has the table): *product* time drives campaigns (due times, budgets,
 * contact cool-down, reviews, retention); *real* time drives the machinery (leases, claims, limits, timeouts).
 */
export interface Clock {
  /** Epoch milliseconds, UTC. Never runs backwards. */
  now(): number;
  /** Resolves after `ms` of this clock; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Both clocks, handed to whatever needs to tell them apart. */
export interface Clocks {
  product: Clock;
  real: Clock;
}

/** The machine's clock. The monotonic source makes a host clock that is set back invisible. */
export class SystemClock implements Clock {
  now(): number {
    return Math.floor(performance.timeOrigin + performance.now());
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return sleepReal(ms, signal);
  }
}

/** Milliseconds of a monotonic clock that all processes of this machine share; for durations and deadlines. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** The same in microseconds. */
export function monotonicUs(): number {
  return Math.round(performance.now() * 1_000);
}

/** A bare timer with an abort; the only `setTimeout` the rest of the code needs. */
export function sleepReal(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      },
      Math.min(Math.max(0, ms), 2 ** 31 - 1),
    );
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/**
 * Runs `work` under a signal that aborts with `parent`, or after `ms` of real time. Both are given up as soon as the work has
 * ended; signals of AbortSignal.timeout stay until their time, which adds up where there are thousands a second.
 */
export async function withDeadline<T>(
  ms: number,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const letGo = endWith(parent, controller);
  const timer = setTimeout(() => controller.abort(new DOMException(`no answer within ${ms} ms`, 'TimeoutError')), ms);
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    letGo();
  }
}

/** For work that nothing ends before its deadline. */
export const NEVER: AbortSignal = new AbortController().signal;

/** What ends with a signal. */
const followers = new WeakMap<AbortSignal, Set<AbortController>>();

/**
 * Aborts `controller` when `parent` is aborted, until the returned function is called. One listener serves all followers of a
 * signal: Node keeps listeners in a list, in which one that was taken off still points to the next, so that under load each
 * keeps all later ones from an early collection.
 */
export function endWith(parent: AbortSignal, controller: AbortController): () => void {
  if (parent.aborted) controller.abort(parent.reason);
  const all = followers.get(parent) ?? new Set();
  if (!followers.has(parent)) {
    followers.set(parent, all);
    const end = (): void => {
      for (const one of all) one.abort(parent.reason);
    };
    parent.addEventListener('abort', end, { once: true });
  }
  all.add(controller);
  return () => all.delete(controller);
}

/**
 * Calls `tick` every `ms` of real time until the returned function is called; a slow tick is never overlapped. A tick deals with its
 * own errors: the next one comes whatever it throws. Work whose failures somebody must hear of is for `runPeriodically`.
 */
export function every(ms: number, tick: () => void | Promise<void>): () => void {
  let stopped = false;
  let running = false;
  const timer = setInterval(() => {
    if (stopped || running) return;
    running = true;
    Promise.resolve()
      .then(tick)
      .catch(() => undefined)
      .finally(() => {
        running = false;
      });
  }, ms);
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}

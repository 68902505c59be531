import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { type Clock, monotonicMs, SystemClock, sleepReal } from './clock.ts';

/**
 * One reading of the shared product clock. Readers extrapolate:
 * `product + (monotonic now - mono) * speed`; `speed` 0 means that time is held.
 */
export interface ClockRecord {
  /** Epoch ms UTC, product time, at `mono`. */
  product: number;
  /** Monotonic ms of this machine. */
  mono: number;
  speed: number;
}

/** The product's clock as a process reads it. In a cluster it is the system clock and holding does nothing. */
export interface ProductClock extends Clock {
  /**
   * Keeps accelerated time from passing while an effect or a wake is under way (at most 2 s of real time each).
   * Resolves when the hold is in force; call the result to release it.
   */
  hold(): Promise<() => void>;
  /** Time passes at the pace of the machine: what is due in a moment can be made ready before. Absent: it can be held or jump. */
  readonly steady?: true;
  close(): void;
}

/**
 * Opens the clock that this process follows.
 * @param address `host:port` of the clock authority (standalone), or undefined for the system clock
 * @param signal ends the wait for an authority that may be gone; what it is aborted with is thrown
 */
export async function openProductClock(address: string | undefined, signal?: AbortSignal): Promise<ProductClock> {
  if (!address) return new SystemProductClock();
  const clock = new FollowedClock(address);
  try {
    await Promise.race([clock.ready, rejectOn(signal)]);
  } catch (error) {
    clock.close();
    throw error;
  }
  return clock;
}

class SystemProductClock extends SystemClock implements ProductClock {
  readonly steady = true;

  hold(): Promise<() => void> {
    return Promise.resolve(() => undefined);
  }

  close(): void {}
}

/** Follows the authority over a loopback connection; keeps extrapolating while it reconnects. */
class FollowedClock implements ProductClock {
  readonly ready: Promise<void>;
  readonly #address: string;
  #record: ClockRecord | undefined;
  #last = 0;
  #socket: Socket | undefined;
  #closed = false;
  #changed = Promise.withResolvers<void>();
  #nextHold = 1;
  readonly #acks = new Map<number, () => void>();

  constructor(address: string) {
    this.#address = address;
    const first = Promise.withResolvers<void>();
    this.ready = first.promise;
    void this.#follow(first.resolve);
  }

  now(): number {
    const record = this.#record;
    if (!record) return this.#last;
    const value = Math.floor(record.product + (monotonicMs() - record.mono) * record.speed);
    this.#last = Math.max(this.#last, value);
    return this.#last;
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const target = this.now() + ms;
    while (this.now() < target) {
      if (this.#closed) throw new Error('clock closed');
      const speed = this.#record?.speed ?? 0;
      const changed = this.#changed.promise;
      const waits = [changed];
      const local = new AbortController();
      const relay = (): void => local.abort(signal?.reason);
      signal?.addEventListener('abort', relay, { once: true });
      if (speed > 0) waits.push(sleepReal(Math.max(1, (target - this.now()) / speed), local.signal));
      try {
        await Promise.race([...waits, rejectOn(signal)]);
      } finally {
        signal?.removeEventListener('abort', relay);
        local.abort(new Error('done'));
        for (const wait of waits) wait.catch(() => undefined);
      }
    }
  }

  async hold(): Promise<() => void> {
    const id = this.#nextHold++;
    const socket = this.#socket;
    if (!socket || socket.destroyed) return () => undefined;
    const acked = Promise.withResolvers<void>();
    this.#acks.set(id, acked.resolve);
    socket.write(`hold ${id}\n`);
    await Promise.race([acked.promise, sleepReal(200)]);
    this.#acks.delete(id);
    return () => {
      if (!socket.destroyed) socket.write(`release ${id}\n`);
    };
  }

  close(): void {
    this.#closed = true;
    this.#socket?.destroy();
    this.#changed.resolve();
  }

  async #follow(onFirst: () => void): Promise<void> {
    while (!this.#closed) {
      await this.#session(onFirst).catch(() => undefined);
      if (!this.#closed) await sleepReal(100);
    }
  }

  async #session(onFirst: () => void): Promise<void> {
    const colon = this.#address.lastIndexOf(':');
    const socket = connect(Number(this.#address.slice(colon + 1)), this.#address.slice(0, colon));
    this.#socket = socket;
    socket.setNoDelay(true);
    const lines = createInterface({ input: socket });
    socket.on('error', () => lines.close());
    for await (const line of lines) {
      this.#receive(line, onFirst);
      // Following the clock does not keep a process alive; waiting for its first reading does.
      socket.unref();
    }
  }

  #receive(line: string, onFirst: () => void): void {
    if (line.startsWith('ack ')) {
      this.#acks.get(Number(line.slice(4)))?.();
      return;
    }
    this.#record = JSON.parse(line) as ClockRecord;
    onFirst();
    const changed = this.#changed;
    this.#changed = Promise.withResolvers<void>();
    changed.resolve();
  }
}

function rejectOn(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

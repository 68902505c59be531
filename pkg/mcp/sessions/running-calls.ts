/** Why a call ended that its client does not wait for any more. Its transaction is rolled back. */
export class CancelledCall extends Error {
  override readonly name = 'CancelledCall';

  constructor() {
    super('the client cancelled this call');
  }
}

/** A call that can be cancelled while it runs. */
export interface RunningCall {
  signal: AbortSignal;
  /** The call is over, whatever came of it. */
  end: () => void;
}

/** The calls that run in this process, by session and request id, so that `notifications/cancelled` finds them. */
export class RunningCalls {
  readonly #byName = new Map<string, Set<AbortController>>();

  /** What names a call on every replica. */
  static nameOf(sessionHash: Buffer, id: string | number): string {
    return `${sessionHash.toString('base64')} ${JSON.stringify(id)}`;
  }

  start(name: string): RunningCall {
    const controller = new AbortController();
    const calls = this.#byName.get(name) ?? new Set<AbortController>();
    calls.add(controller);
    this.#byName.set(name, calls);
    const end = (): void => {
      calls.delete(controller);
      if (calls.size === 0) this.#byName.delete(name);
    };
    return { signal: controller.signal, end };
  }

  /** Number of names under which something runs. */
  get size(): number {
    return this.#byName.size;
  }

  /** Cancels what runs under a name. @returns false when nothing does here: it is over, or runs elsewhere */
  cancel(name: string): boolean {
    const calls = this.#byName.get(name);
    for (const controller of calls ?? []) controller.abort(new CancelledCall());
    return calls !== undefined;
  }
}

interface Waiting {
  bytes: number;
  enter: () => void;
}

/** Bytes of media that lie on disk at once; what has no room waits in order. */
export class MediaRoom {
  readonly #most: number;
  #taken = 0;
  readonly #waiting: Waiting[] = [];

  /** @param most bytes; what is larger waits until nothing else lies there */
  constructor(most: number) {
    this.#most = most;
  }

  /** Waits for room. @returns gives it back; call it once or more @throws the reason of the signal, with which the waiting ends */
  async enter(bytes: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#waiting.length > 0 || !this.#fits(bytes)) await this.#wait(bytes, signal);
    else this.#taken += bytes;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#taken -= bytes;
      this.#letIn();
    };
  }

  #wait(bytes: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry: Waiting = { bytes, enter: () => undefined };
      const stop = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        this.#letIn();
        reject(signal.reason as Error);
      };
      entry.enter = () => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      this.#waiting.push(entry);
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  #letIn(): void {
    for (let next = this.#waiting[0]; next && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#taken += next.bytes;
      next.enter();
    }
  }

  #fits(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#most;
  }
}

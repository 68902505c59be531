import { monotonicMs } from '../clock.ts';
import type { Logger } from '../log.ts';

/** Lines a second; what comes beyond is counted in one line, so that a flood fills no disk and costs no time. */
const MAX_LINES = 50;

/** One request that was answered. It has no headers, no query and no body: secrets are in them. */
export interface AccessLine {
  requestId: string;
  method: string;
  /** As `shownPath` shows it. */
  path: string;
  status: number;
  ms: number;
  /** The client was gone before it had the whole answer. */
  aborted?: true;
}

/** Writes a line for each request of one HTTP face. */
export class AccessLog {
  readonly #log: Logger;
  readonly #face: string;
  readonly #now: () => number;
  #second = 0;
  #written = 0;
  #leftOut = 0;

  /** @param now monotonic ms */
  constructor(log: Logger, face: string, now: () => number = monotonicMs) {
    this.#log = log;
    this.#face = face;
    this.#now = now;
  }

  /**
   * @param level `debug` for requests that a machine repeats every few seconds
   * @param line made only where it is written
   */
  write(level: 'info' | 'debug', line: () => AccessLine): void {
    if (!this.#log.isLevelEnabled(level) || !this.#hasRoom()) return;
    this.#log[level]({ face: this.#face, ...line() }, 'request');
  }

  #hasRoom(): boolean {
    const second = Math.floor(this.#now() / 1_000);
    if (second !== this.#second) {
      if (this.#leftOut > 0) this.#log.info({ face: this.#face, requests: this.#leftOut }, 'requests without a line');
      this.#second = second;
      this.#written = 0;
      this.#leftOut = 0;
    }
    if (this.#written < MAX_LINES) {
      this.#written++;
      return true;
    }
    this.#leftOut++;
    return false;
  }
}

/**
 * A path as a log may show it: one that the face knows, whole; below a known `/name/*` only that, since what follows is a
 * secret; anything else as `*`, since it may be a secret that was sent to the wrong place.
 */
export function shownPath(known: readonly string[], path: string): string {
  if (known.includes(path)) return path;
  return known.find((one) => one.endsWith('/*') && path.startsWith(one.slice(0, -1))) ?? '*';
}

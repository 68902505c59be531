import type { ServerResponse } from 'node:http';

/** The answer to a refused call, through HTTP or as the very bytes that HTTP would write. */
export class RefusalBytes {
  readonly #keepAlive: string;
  readonly #now: () => number;
  /** The second for which `#end` was made. */
  #second = 0;
  #retrySeconds = 0;
  #end = '';

  /** @param now seconds since the epoch, real time */
  constructor(keepAliveMs: number, now: () => number) {
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}\r\n\r\n`;
    this.#now = now;
  }

  send(response: ServerResponse, text: string, retrySeconds: number): void {
    // Node puts a text behind its headers into one write.
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        'retry-after': String(retrySeconds),
      })
      .end(text);
  }

  of(text: string, retrySeconds: number): string {
    const second = Math.floor(this.#now());
    if (second !== this.#second || retrySeconds !== this.#retrySeconds) {
      this.#second = second;
      this.#retrySeconds = retrySeconds;
      const date = new Date(second * 1_000).toUTCString();
      this.#end = `\r\nretry-after: ${retrySeconds}\r\nDate: ${date}\r\n${this.#keepAlive}`;
    }
    const length = Buffer.byteLength(text);
    return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}${this.#end}${text}`;
  }
}

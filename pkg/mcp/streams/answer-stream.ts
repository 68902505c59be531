import type { ServerResponse } from 'node:http';
import { monotonicMs } from '../../base/clock.ts';
import { openStream, sendEvent } from '../http-io.ts';

/** Between two progress notifications of one call, so that a fast loop does not flood its client. */
const PROGRESS_MS = 200;

/** Keeps what must be sent again to a client that lost its connection. */
export interface Resumption {
  /** Name of this stream among those of its session. */
  stream: string;
  /** Whether the version knows events without data, which tell an id as soon as the stream is open. */
  primes: boolean;
  /** @returns the event's number; undefined when it could not be kept */
  keep: (data: string, last: boolean) => Promise<number | undefined>;
}

/**
 * A request whose client wants progress, which only a stream can carry. Opened by the first progress; a call that is
 * over before is answered as JSON, which costs neither a stream nor a row.
 */
export class AnswerStream {
  readonly #response: ServerResponse;
  readonly #resumption: Resumption | undefined;
  #open = false;
  #last = { done: Number.NEGATIVE_INFINITY, at: Number.NEGATIVE_INFINITY };

  /** @param resumption absent where the version has none */
  constructor(response: ServerResponse, resumption?: Resumption) {
    this.#response = response;
    this.#resumption = resumption;
  }

  /** Progress only ever rises (MCP, utilities/progress); what comes too fast is dropped, the end is not. */
  progress(progressToken: string | number, done: number, total: number, message: string): void {
    const at = monotonicMs();
    if (done <= this.#last.done || (done < total && at - this.#last.at < PROGRESS_MS)) return;
    this.#last = { done, at };
    const params = { progressToken, progress: done, total, message };
    this.#begin();
    // Progress is not sent again: its event has the id after which the answer follows.
    sendEvent(
      this.#response,
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }),
      this.#id(0),
    );
  }

  /** Whether the answer has to come on the stream. */
  get open(): boolean {
    return this.#open;
  }

  /** Sends the answers and ends the stream. They are kept first: the client may be gone and come back for them. */
  async end(answers: readonly string[]): Promise<void> {
    this.#begin();
    for (const [index, answer] of answers.entries()) {
      const seq = await this.#resumption?.keep(answer, index === answers.length - 1);
      sendEvent(this.#response, answer, this.#id(seq));
    }
    this.#response.end();
  }

  #begin(): void {
    if (this.#open) return;
    this.#open = true;
    openStream(this.#response);
    if (this.#resumption?.primes) sendEvent(this.#response, '', this.#id(0));
  }

  #id(seq: number | undefined): string | undefined {
    return this.#resumption && seq !== undefined ? `${this.#resumption.stream}.${seq}` : undefined;
  }
}

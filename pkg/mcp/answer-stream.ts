import type { ServerResponse } from 'node:http';
import { monotonicMs } from '../base/clock.ts';
import { openStream, sendEvent } from './http-io.ts';

/** Between two progress notifications of one call, so that a fast loop does not flood its client. */
const PROGRESS_MS = 200;

/** A request that is answered as an event stream, since a JSON answer drops notifications. Opened by its first event. */
export class AnswerStream {
  readonly #response: ServerResponse;
  #open = false;
  #last = { done: Number.NEGATIVE_INFINITY, at: Number.NEGATIVE_INFINITY };

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Progress only ever rises (MCP, utilities/progress); what comes too fast is dropped, the end is not. */
  progress(progressToken: string | number, done: number, total: number, message: string): void {
    const at = monotonicMs();
    if (done <= this.#last.done || (done < total && at - this.#last.at < PROGRESS_MS)) return;
    this.#last = { done, at };
    const params = { progressToken, progress: done, total, message };
    this.#event(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }));
  }

  /** Sends the answers and ends the stream. */
  end(answers: readonly string[]): void {
    for (const answer of answers) this.#event(answer);
    if (!this.#open) openStream(this.#response);
    this.#response.end();
  }

  #event(data: string): void {
    if (!this.#open) openStream(this.#response);
    this.#open = true;
    sendEvent(this.#response, data);
  }
}

import { Agent, request } from 'node:http';
import { SystemClock } from '../../pkg/base/clock.ts';

/** One POST that a load sends. */
export interface Shot {
  /** Says what it was in a report. */
  what: string;
  headers: Record<string, string>;
  body: string;
}

/** What came back. */
export interface Hit {
  what: string;
  /** 0 where the connection failed. */
  status: number;
  retryAfter: string | undefined;
  text: string;
  /** Milliseconds from the planned time of sending. */
  ms: number;
}

const clock = new SystemClock();
/** Milliseconds after which a call counts as hanging. */
const HANG_MS = 30_000;

/** Sends at a steady rate whatever comes back (open loop): a server that is slow is not asked less. */
export class OpenLoad {
  readonly #url: string;
  readonly #agent: Agent;
  readonly #kept: (text: string) => string;
  readonly #stop = new AbortController();
  readonly #pending: Promise<Hit>[] = [];
  readonly #running: Promise<void>;
  readonly #startedAt = performance.now();
  #endedAt = 0;

  /**
   * @param next the next shot, by its number
   * @param connections at most; what finds none waits, and that counts
   * @param kept what is kept of an answer's text
   */
  constructor(
    url: string,
    perSecond: number,
    next: (index: number) => Shot,
    connections = 512,
    kept: (text: string) => string = (text) => text,
  ) {
    this.#kept = kept;
    this.#url = url;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#running = this.#run(perSecond, next);
  }

  /** Ends the load. @returns what came back for everything that was sent, in order, and what was really sent */
  async end(): Promise<{ hits: Hit[]; perSecond: number }> {
    this.#stop.abort();
    await this.#running;
    const hits = await Promise.all(this.#pending);
    this.#agent.destroy();
    return { hits, perSecond: hits.length / ((this.#endedAt - this.#startedAt) / 1_000) };
  }

  async #run(perSecond: number, next: (index: number) => Shot): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const due = Math.floor(((performance.now() - this.#startedAt) / 1_000) * perSecond);
      while (this.#pending.length < due) {
        const planned = this.#startedAt + (this.#pending.length / perSecond) * 1_000;
        this.#pending.push(this.#send(next(this.#pending.length), planned));
      }
      await clock.sleep(1);
    }
    this.#endedAt = performance.now();
  }

  #send({ what, headers, body }: Shot, planned: number): Promise<Hit> {
    return new Promise((resolve) => {
      const done = (status: number, text: string, retryAfter?: string): void =>
        resolve({ what, status, text: this.#kept(text), retryAfter, ms: performance.now() - planned });
      const sent = request(this.#url, { method: 'POST', agent: this.#agent, headers, timeout: HANG_MS }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          done(answer.statusCode ?? 0, Buffer.concat(chunks).toString(), answer.headers['retry-after']),
        );
        answer.on('error', (error) => done(0, String(error)));
      });
      sent.on('timeout', () => sent.destroy(new Error(`no answer within ${HANG_MS} ms`)));
      sent.on('error', (error) => done(0, String(error)));
      sent.end(body);
    });
  }
}

/** How long calls took, in one line: rate, median, 99th percentile, longest. */
export function loadLine({ hits, perSecond }: { hits: readonly Hit[]; perSecond: number }): string {
  const sorted = hits.map((hit) => hit.ms).sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0);
  const worst = (sorted.at(-1) ?? 0).toFixed(0);
  return `${hits.length} calls at ${perSecond.toFixed(0)}/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${worst} ms`;
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { sleepReal } from '../../../pkg/base/clock.ts';

/** Peers with the number of chained leads that gives a round of some seconds, and of waiting jobs that they can hold. */
export const PEERS = {
  pgboss: { leads: 30_000, holds: 1_000_000 },
  bullmq: { leads: 4_000, holds: 1_000_000 },
  graphile: { leads: 400, holds: 1_000_000 },
  // Each waiting workflow costs it memory of its process.
  dbos: { leads: 300, holds: 5_000 },
} as const;
export type Peer = keyof typeof PEERS;

const LIMIT_MS = 600_000;

/** A peer in a process of its own, on a store that holds its waiting jobs. */
export class PeerProgram {
  readonly #peer: Peer;
  readonly #child: ChildProcess;
  #output = '';

  private constructor(peer: Peer, child: ChildProcess) {
    this.#peer = peer;
    this.#child = child;
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#output = (this.#output + chunk.toString()).slice(-2_000);
    });
  }

  /** Resolves when all `waiting` jobs wait (or as many as the peer can hold). @throws as `round` does */
  static async start(peer: Peer, store: { url: string; redisPort: number }, waiting: number): Promise<PeerProgram> {
    const { leads, holds } = PEERS[peer];
    const order = { ...store, leads, steps: 5, waiting: Math.min(holds, waiting) };
    const file = new URL(`peers/${peer}.mjs`, import.meta.url).pathname;
    const child = fork(file, [JSON.stringify(order)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    const program = new PeerProgram(peer, child);
    await program.#message();
    return program;
  }

  /** Steps per second of one round. @throws with its output when it fails or takes ten minutes */
  async round(): Promise<number> {
    const answer = this.#message();
    this.#child.send('round');
    return ((await answer) as { rate: number }).rate;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  async #message(): Promise<unknown> {
    const late = new AbortController();
    const message = once(this.#child, 'message', late).then(([one]) => one as unknown);
    const ended = once(this.#child, 'exit', late).then(() => this.#fail('ended'));
    const tooLong = sleepReal(LIMIT_MS, late.signal).then(() => this.#fail('took too long'));
    for (const promise of [message, ended, tooLong]) promise.catch(() => undefined);
    try {
      return await Promise.race([message, ended, tooLong]);
    } finally {
      late.abort(new Error('done'));
    }
  }

  #fail(what: string): never {
    this.#child.kill('SIGKILL');
    throw new Error(`${this.#peer} ${what}: ${this.#output}`);
  }
}

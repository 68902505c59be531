import { fork } from 'node:child_process';
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

/** Steps per second of a peer on a fresh store. @throws with its output when it fails or takes ten minutes */
export async function peerRound(
  peer: Peer,
  store: { url: string; redisPort: number },
  waiting: number,
): Promise<number> {
  const { leads, holds } = PEERS[peer];
  const order = { ...store, leads, steps: 5, waiting: Math.min(holds, waiting) };
  const program = new URL(`peers/${peer}.mjs`, import.meta.url).pathname;
  const child = fork(program, [JSON.stringify(order)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-2_000);
  });
  const late = new AbortController();
  try {
    const answer = once(child, 'message') as Promise<[{ rate: number }]>;
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`${peer} ended: ${output}`)));
    const tooLong = sleepReal(LIMIT_MS, late.signal).then(() => Promise.reject(new Error(`${peer} took too long`)));
    for (const promise of [ended, tooLong]) promise.catch(() => undefined);
    const [{ rate }] = await Promise.race([answer, ended, tooLong]);
    return rate;
  } finally {
    late.abort(new Error('done'));
    child.kill('SIGKILL');
  }
}

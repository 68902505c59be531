import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '../../../cmd/sandbox/sandbox.ts';
import { SystemClock, sleepReal } from '../../../pkg/base/clock.ts';
import type { TestDatabase } from '../../tools/postgres.ts';
import { fill } from './fill.ts';
import { ProductExecutor } from './product.ts';

const PER_SECOND = 500;
const SECONDS = 10;
/** Real ms before those that count: a process that has just begun compiles what it needs, and works off what came due meanwhile. */
const WARM_MS = 8_000;
/** Real ms until the first is due: the rows have to be made first. */
const LEAD_MS = 20_000;
const API_KEY = 'bench-key';

interface Latency {
  p50: number;
  p99: number;
  /** Of the earliest: never below 0. */
  earliest: number;
  /** Effects that were seen. */
  effects: number;
  /** Effects that there were to do. */
  expected: number;
}

/**
 * Ms from due to the first action at the network at 500 effects per second, on real time.
 * @param over the sandbox's own server over HTTP, or a network that answers in process
 */
export async function latencyRound(urls: TestDatabase, over: 'http' | 'process'): Promise<Latency> {
  const clock = new SystemClock();
  const home = await mkdtemp(join(tmpdir(), 'outrider-bench-'));
  const sandbox = over === 'http' ? await startSandbox({ clock, home, seed: 'bench', apiKey: API_KEY }) : undefined;
  try {
    const expected = PER_SECOND * SECONDS;
    const runs = expected + (PER_SECOND * WARM_MS) / 1_000;
    const spacingMs = 1_000 / PER_SECOND;
    const from = clock.now() + LEAD_MS;
    const plan = { from, spacingMs, workspaceId: `bench-latency-${over}` };
    const filled = await fill(urls.superuserUrl, 'effects', runs, plan);
    const network = sandbox && { url: sandbox.url, apiKey: API_KEY };
    const real = { dueFrom: from, warmMs: WARM_MS, sandbox: network };
    const executor = await ProductExecutor.start(urls, filled, real);
    await sleepReal(Math.max(0, from - clock.now()) + WARM_MS + SECONDS * 1_000 + 3_000);
    const own = await executor.stop();
    const late = sandbox ? await lateAt(sandbox.url, from, spacingMs) : own.late;
    const at = (share: number): number =>
      late[Math.min(late.length - 1, Math.floor(share * late.length))] ?? Number.NaN;
    return { p50: at(0.5), p99: at(0.99), earliest: at(0), effects: late.length, expected };
  } finally {
    await sandbox?.stop();
    await rm(home, { recursive: true, force: true });
  }
}

/** Sorted, of the first action that each person saw, by the clock of the sandbox. */
async function lateAt(url: string, from: number, spacingMs: number): Promise<number[]> {
  const answer = await fetch(`${url}/_sandbox/received`, { headers: { 'x-api-key': API_KEY } });
  const received = (await answer.json()) as { at: string; target: string }[];
  const first = new Map<number, number>();
  for (const { at, target } of received) {
    const person = Number(/p-(\d+)/.exec(target)?.[1]);
    if (person * spacingMs <= WARM_MS) continue;
    first.set(person, Math.min(first.get(person) ?? Number.POSITIVE_INFINITY, Date.parse(at)));
  }
  return [...first].map(([person, at]) => at - from - person * spacingMs).sort((a, b) => a - b);
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Sandbox, startSandbox } from '../../../cmd/sandbox/sandbox.ts';
import { sleepReal } from '../../../pkg/base/clock.ts';
import { UnipileAdapter } from '../../../pkg/providers/network/unipile-adapter.ts';
import { FakeClock } from '../../tools/fake-clock.ts';
import { sandboxControl } from '../../tools/sandbox-control.ts';

export const API_KEY = 'sandbox-test-key';
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

export interface Received {
  seq: number;
  at: string;
  accountId: string;
  kind: string;
  target: string;
  idempotencyKey: string | null;
  text: string | null;
}

/** A running sandbox with a clock that stands still, in a folder of its own. */
export interface Bench {
  sandbox: Sandbox;
  clock: FakeClock;
  /** By which the lists lag; stands still too. */
  real: FakeClock;
  home: string;
  adapter: UnipileAdapter;
  /** A handle under `/_sandbox`; a body makes it a POST. @throws Error with the answer when it is refused */
  control<T>(path: string, body?: object): Promise<T>;
  received(): Promise<Received[]>;
  /** Stops and starts it again on the same folder. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startBench(seed = 'test', timeoutMs = 1_000): Promise<Bench> {
  const home = await mkdtemp(join(tmpdir(), 'outrider-sandbox-'));
  const clock = new FakeClock();
  const real = new FakeClock();
  const open = async (): Promise<Pick<Bench, 'sandbox' | 'adapter'>> => {
    const sandbox = await startSandbox({ clock, real, home, seed, apiKey: API_KEY, webhookHosts: ['ingress.test'] });
    return {
      sandbox,
      adapter: new UnipileAdapter({ url: sandbox.url, apiKey: API_KEY, timeoutMs, settleAfterMs: 2_000 }),
    };
  };
  const close = async (): Promise<void> => {
    await bench.adapter.close();
    await bench.sandbox.stop();
  };
  const bench: Bench = {
    ...(await open()),
    clock,
    real,
    home,
    control: (path, body) => sandboxControl(bench.sandbox.url, path, body),
    received: () => bench.control<Received[]>('received'),
    restart: async () => {
      await close();
      Object.assign(bench, await open());
    },
    stop: async () => {
      await close();
      await rm(home, { recursive: true, force: true });
    },
  };
  return bench;
}

/** Asks until the answer is truthy; bounded by the test's own time limit. */
export async function until<T>(ask: () => Promise<T | null | undefined | false>): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    await sleepReal(10);
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { z } from 'zod';
import { monotonicMs, sleepReal } from '../../base/clock.ts';
import type { PodIdentity } from '../../store/leases/lease-desk.ts';
import type { ExecutorUser } from './executor-user.ts';
import type { LeaseBroker } from './lease-broker.ts';
import type { PodLog } from './pod-log.ts';

/** Restart back-off: 1 s doubling to 5 min, reset after 10 s of life (design, section 9). */
const FIRST_BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 300_000;
const HEALTHY_AFTER_MS = 10_000;

/** State of the one container, as the Pod's status reports it. */
export type ContainerState =
  | { kind: 'running'; restarts: number; startedAt: number }
  | { kind: 'backoff'; restarts: number; exitCode: number; signal: string | null }
  | { kind: 'terminated'; restarts: number; exitCode: number; signal: string | null };

export interface PodProcessOptions {
  entry: string;
  env: Record<string, string>;
  identity: PodIdentity;
  /** Whom the process runs as; undefined: as ourselves, who are not root. */
  executorUser: ExecutorUser | undefined;
  broker: LeaseBroker;
  log: PodLog;
  now: () => number;
  onChange: (state: ContainerState) => void;
  /** Told where the process serves its metrics. */
  onMetrics: (url: string) => void;
}

/** What an executor says of itself over its pipe, besides asking for claims. */
const announcement = z.object({ type: z.literal('metrics'), url: z.url() });

/** Runs one executor process for one Pod and restarts it (restartPolicy Always). */
export class PodProcess {
  readonly #options: PodProcessOptions;
  #child: ChildProcess | undefined;
  #restarts = 0;
  #backoff = FIRST_BACKOFF_MS;
  readonly #ending = new AbortController();
  #done: Promise<void> | undefined;

  constructor(options: PodProcessOptions) {
    this.#options = options;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Tells the executor that work was brought forward, and of which workspace where it serves many. */
  hint(workspaceId?: string): void {
    if (this.#child?.connected) this.#child.send({ type: 'wake', workspaceId }, () => undefined);
  }

  start(): void {
    this.#done ??= this.#run();
  }

  /** SIGTERM, SIGKILL after the grace period; resolves when the process is gone. */
  async stop(graceSeconds: number): Promise<void> {
    this.#ending.abort(new Error('pod deleted'));
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      const late = await Promise.race([
        this.#done?.then(() => false),
        sleepReal(graceSeconds * 1_000).then(() => true),
      ]);
      if (late) child.kill('SIGKILL');
    }
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      const started = monotonicMs();
      const { code, signal } = await this.#once();
      const exitCode = code ?? 137;
      if (this.#ending.signal.aborted) {
        this.#options.onChange({ kind: 'terminated', restarts: this.#restarts, exitCode, signal });
        return;
      }
      if (monotonicMs() - started > HEALTHY_AFTER_MS) this.#backoff = FIRST_BACKOFF_MS;
      this.#options.onChange({ kind: 'backoff', restarts: this.#restarts, exitCode, signal });
      await sleepReal(this.#backoff, this.#ending.signal).catch(() => undefined);
      this.#backoff = Math.min(LONGEST_BACKOFF_MS, this.#backoff * 2);
      this.#restarts++;
    }
  }

  #once(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const { entry, env, executorUser, broker, identity, log } = this.#options;
    const child = spawn(process.execPath, [entry], {
      // Last, so that no Pod chooses its own user.
      env: { ...env, ...executorUser?.env },
      ...executorUser?.spawnAs,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true,
    });
    this.#child = child;
    child.stdout?.on('data', (chunk: Buffer) => log.write(chunk));
    child.stderr?.on('data', (chunk: Buffer) => log.write(chunk));
    broker.attach(child, identity);
    child.on('message', (message) => {
      const announced = announcement.safeParse(message);
      if (announced.success) this.#options.onMetrics(announced.data.url);
    });
    return new Promise((resolve) => {
      child.once('spawn', () => {
        this.#options.onChange({ kind: 'running', restarts: this.#restarts, startedAt: this.#options.now() });
      });
      child.once('error', (error) => {
        log.write(Buffer.from(`could not start: ${error.message}\n`));
        resolve({ code: 127, signal: null });
      });
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { monotonicMs, sleepReal } from '../base/clock.ts';
import { messageOf, UserError } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';

/** After so long a life a crash is the first one again (ms). */
const HEALTHY_AFTER_MS = 60_000;

export interface ComponentOptions {
  name: string;
  /** Path of the entry point. */
  entry: string;
  env: Record<string, string>;
  /** File that gets its output. */
  logFile: string;
  log: Logger;
  /** Longest start in ms; later starts are failures. */
  startTimeoutMs?: number;
}

/** The one line of JSON that a component prints on stdout when it serves. */
export type ReadyLine = Record<string, unknown>;

/**
 * A long-lived child process (MCP server, operator, sandbox). It dies with us: it watches its stdin, which closes
 * when this process ends, however it ends. A crash restarts it with back-off (1 s doubling to 30 s).
 */
export class Component {
  readonly #options: ComponentOptions;
  readonly #output: WriteStream;
  #child: ChildProcess | undefined;
  #stopping = false;
  #failures = 0;
  #startedAt = 0;
  #tail: string[] = [];

  constructor(options: ComponentOptions) {
    this.#options = options;
    this.#output = createWriteStream(options.logFile, { flags: 'a', mode: 0o600 });
    this.#output.on('error', () => undefined);
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts it and waits for its ready line. @throws UserError with the component's own last words */
  async start(): Promise<ReadyLine> {
    const { name } = this.#options;
    const child = this.#spawn();
    const ready = new Promise<ReadyLine>((resolve, reject) => {
      this.#onLine(child, resolve);
      child.once('error', reject);
      child.once('exit', (code, signal) => {
        reject(
          new UserError(
            `${name} did not start (${signal ?? `exit code ${code}`}). ${this.#lastWords()}`,
            'ComponentFailed',
          ),
        );
      });
    });
    const line = await Promise.race([ready, sleepReal(this.#options.startTimeoutMs ?? 30_000).then(() => undefined)]);
    if (line === undefined) {
      // Left alone it would be in the way of the one that is started next, on its port and with its name.
      await killed(child);
      throw new UserError(`${name} did not become ready in time. Its log: ${this.#options.logFile}`, 'ComponentFailed');
    }
    child.once('exit', (code, signal) => void this.#restart(code, signal));
    return line;
  }

  /** SIGTERM, then SIGKILL after `graceMs`. */
  async stop(graceMs = 5_000): Promise<void> {
    this.#stopping = true;
    const child = this.#child;
    if (child && child.exitCode === null && child.signalCode === null) {
      const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
      child.kill('SIGTERM');
      const late = await Promise.race([exited.then(() => false), sleepReal(graceMs).then(() => true)]);
      if (late) child.kill('SIGKILL');
      await exited;
    }
    this.#output.end();
  }

  #spawn(): ChildProcess {
    const child = spawn(process.execPath, [...process.execArgv, this.#options.entry], {
      env: { ...this.#options.env, OUTRIDER_PARENT_PIPE: '1' },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Its own process group: Ctrl-C reaches only us, and we stop the parts in order.
      detached: true,
    });
    this.#child = child;
    this.#startedAt = monotonicMs();
    child.stdin?.on('error', () => undefined);
    child.stderr?.on('data', (chunk: Buffer) => this.#keep(chunk.toString()));
    return child;
  }

  #onLine(child: ChildProcess, resolve: (line: ReadyLine) => void): void {
    let first = true;
    if (!child.stdout) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      const ready = first ? parseReady(line) : undefined;
      if (ready) {
        first = false;
        resolve(ready);
        return;
      }
      this.#keep(`${line}\n`);
    });
  }

  #keep(text: string): void {
    this.#output.write(text);
    this.#tail.push(text);
    if (this.#tail.length > 20) this.#tail.shift();
  }

  #lastWords(): string {
    return this.#tail.join('').trim().split('\n').slice(-5).join('\n');
  }

  async #restart(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    if (this.#stopping) return;
    const { name, log } = this.#options;
    if (monotonicMs() - this.#startedAt > HEALTHY_AFTER_MS) this.#failures = 0;
    const wait = Math.min(30_000, 1_000 * 2 ** this.#failures);
    this.#failures++;
    log.warn({ component: name, code, signal, restartInMs: wait }, 'component ended; it will be restarted');
    await sleepReal(wait);
    if (this.#stopping) return;
    try {
      await this.start();
      log.info({ component: name }, 'component is back');
    } catch (error) {
      log.error({ component: name, reason: messageOf(error) }, 'component could not be restarted');
      void this.#restart(null, null);
    }
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGKILL');
  await exited;
}

function parseReady(line: string): ReadyLine | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value = JSON.parse(line) as ReadyLine;
    return value['ready'] === true || typeof value['url'] === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleepReal } from '../../pkg/base/clock.ts';
import { type Connection, readConnection } from '../../pkg/standalone/connection.ts';
import { DemoClient } from '../../pkg/standalone/demo/demo-client.ts';
import { freePort } from '../../pkg/standalone/free-port.ts';

const MAIN = new URL('../../cmd/standalone/main.ts', import.meta.url).pathname;
const CLI = new URL('../../cmd/outrider/main.ts', import.meta.url).pathname;
const { PATH: path = '' } = process.env;

/** A home of its own with the program that a user starts, run as a user runs it. */
export class RunningHome {
  readonly folder: string;
  readonly port: number;
  #output: () => string = () => '';
  readonly #program: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(folder: string, port: number, program: readonly string[]) {
    this.folder = folder;
    this.port = port;
    this.#program = program;
  }

  /** @param program what starts the program, by default as `make run` does; ends in the process itself (exec) */
  static async make(program: readonly string[] = [process.execPath, MAIN]): Promise<RunningHome> {
    const parent = await mkdtemp(join(tmpdir(), 'outrider-home-'));
    await chmod(parent, 0o755);
    return new RunningHome(join(parent, 'home'), await freePort(), program);
  }

  /** The started process and what it has printed. */
  running(): { child: ChildProcess; output: () => string } {
    if (!this.#child) throw new Error('not started');
    return { child: this.#child, output: this.#output };
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Starts and waits for the banner. @throws Error with what it printed instead */
  async start(): Promise<Connection> {
    const { child, output } = this.spawn({ PORT: String(this.port) });
    this.#child = child;
    this.#output = output;
    for (let waited = 0; waited < 60_000; waited += 50) {
      if (output().includes('Outrider is up')) return this.connection();
      if (child.exitCode !== null) break;
      await sleepReal(50);
    }
    throw new Error(`did not come up: ${output()}`);
  }

  /** Starts the program on this home with other settings. */
  spawn(env: Record<string, string>): { child: ChildProcess; output: () => string } {
    let text = '';
    const [command = '', ...args] = this.#program;
    const child = spawn(command, args, {
      env: { PATH: path, OUTRIDER_HOME: this.folder, DEMO: 'off', LOG_LEVEL: 'info', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
    }
    return { child, output: () => text };
  }

  connection(): Promise<Connection> {
    return readConnection(join(this.folder, 'connection.json'));
  }

  /** Sends a signal and waits for the end. @returns the exit code */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    child.kill(signal);
    return ended;
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(join(this.folder, '..'), { recursive: true, force: true });
  }

  /** An MCP client with all rights in the demo workspace. */
  async client(): Promise<DemoClient> {
    return DemoClient.connect(await this.connection());
  }

  /** Runs the command line on this home. */
  cli(...args: string[]): Promise<{ code: number; text: string }> {
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [CLI, ...args],
        { env: { PATH: path, OUTRIDER_HOME: this.folder } },
        (error, stdout, stderr) => resolve({ code: error ? 1 : 0, text: stdout + stderr }),
      );
    });
  }

  /** Processes that were started for this home and live. */
  async processes(): Promise<string[]> {
    const found: string[] = [];
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      if (command.includes(this.folder) || environment.includes(this.folder)) found.push(`${pid} ${command}`);
    }
    return found;
  }
}

/** Waits for a condition. */
export async function until<T>(what: string, probe: () => Promise<T | undefined | false>, ms = 60_000): Promise<T> {
  for (let waited = 0; waited < ms; waited += 100) {
    const found = await probe().catch(() => undefined);
    if (found !== undefined && found !== false) return found;
    await sleepReal(100);
  }
  throw new Error(`never happened: ${what}`);
}

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleepReal } from '../../pkg/base/clock.ts';
import { type Connection, readConnection } from '../../pkg/standalone/connection.ts';
import { DemoClient } from '../../pkg/standalone/demo/demo-client.ts';
import { freePort } from '../../pkg/standalone/free-port.ts';
import { patience } from '../tools/patience.ts';

const MAIN = new URL('../../cmd/standalone/main.ts', import.meta.url).pathname;
const CLI = new URL('../../cmd/outrider/main.ts', import.meta.url).pathname;
const { PATH: path = '', NODE_COMPILE_CACHE: compiled } = process.env;
/** What every program gets, besides its home. */
const PLAIN = { PATH: path, ...(compiled ? { NODE_COMPILE_CACHE: compiled } : {}) };

/** A home of its own with the program that a user starts, run as a user runs it. */
export class RunningHome {
  readonly folder: string;
  readonly port: number;
  #output: () => string = () => '';
  readonly #program: readonly string[];
  readonly #settings: Readonly<Record<string, string>>;
  /** Processes of this home that were seen once, with when they started. */
  readonly #seen = new Map<number, string>();
  #child: ChildProcess | undefined;

  private constructor(
    folder: string,
    port: number,
    program: readonly string[],
    settings: Readonly<Record<string, string>>,
  ) {
    this.#settings = settings;
    this.folder = folder;
    this.port = port;
    this.#program = program;
  }

  /**
   * @param program what starts the program, by default as `make run` does; ends in the process itself (exec)
   * @param settings environment besides the home's own
   */
  static async make(
    program: readonly string[] = [process.execPath, MAIN],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<RunningHome> {
    const parent = await mkdtemp(join(tmpdir(), 'outrider-home-'));
    await chmod(parent, 0o755);
    return new RunningHome(join(parent, 'home'), await freePort(), program, settings);
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
      env: { ...PLAIN, OUTRIDER_HOME: this.folder, DEMO: 'off', LOG_LEVEL: 'info', ...this.#settings, ...env },
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
    await this.processes();
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
        { env: { ...PLAIN, OUTRIDER_HOME: this.folder } },
        (error, stdout, stderr) => resolve({ code: error ? 1 : 0, text: stdout + stderr }),
      );
    });
  }

  /** Processes that were started for this home and live, executors too, whose environment does not know the home. */
  async processes(): Promise<string[]> {
    const all = await processTable();
    const ours = new Set<number>();
    if (this.#child?.exitCode === null && this.pid > 0) ours.add(this.pid);
    for (const { pid, start, named } of all) {
      if (named.includes(this.folder) || this.#seen.get(pid) === start) ours.add(pid);
    }
    for (let size = -1; size !== ours.size; ) {
      size = ours.size;
      for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid);
    }
    const found = all.filter(({ pid }) => ours.has(pid));
    for (const { pid, start } of found) this.#seen.set(pid, start);
    return found.map(({ pid, command }) => `${pid} ${command}`);
  }
}

interface ProcessEntry {
  pid: number;
  parent: number;
  /** In ticks since the machine started: a number that comes again is another process. */
  start: string;
  command: string;
  /** Command line and environment. */
  named: string;
}

async function processTable(): Promise<ProcessEntry[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const read = (pid: string, file: string): Promise<string> => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '');
  const entries = await Promise.all(
    pids.map(async (pid) => {
      const [stat, command, environment] = [
        await read(pid, 'stat'),
        await read(pid, 'cmdline'),
        await read(pid, 'environ'),
      ];
      const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return {
        pid: Number(pid),
        parent: Number(parent),
        state,
        start: rest[17] ?? '',
        command,
        named: command + environment,
      };
    }),
  );
  return entries.filter(({ state }) => state !== undefined && state !== '' && state !== 'Z');
}

/** Waits for a condition. */
export async function until<T>(what: string, probe: () => Promise<T | undefined | false>, ms = 60_000): Promise<T> {
  for (let waited = 0; waited < ms * patience(); waited += 100) {
    const found = await probe().catch(() => undefined);
    if (found !== undefined && found !== false) return found;
    await sleepReal(100);
  }
  throw new Error(`never happened: ${what}`);
}

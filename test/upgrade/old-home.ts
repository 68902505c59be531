import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { SystemClock, sleepReal } from '../../pkg/base/clock.ts';
import { DemoClient } from '../../pkg/standalone/demo/demo-client.ts';
import { RunningHome } from '../fixtures/standalone/running-home.ts';
import { playUntil, productClock } from './product-time.ts';

const run = promisify(execFile);
const HOUR = 3_600_000;

/** What of `connection.json` is used; the file is the old program's. */
interface OldConnection {
  mcpUrl: string;
  runnerSecret: string;
  userId: string;
  workspaceId: string;
  databaseUrl: string;
  sandboxUrl: string;
  kubeconfig: string;
}

/** A home that the program of another commit runs, driven from outside as its users drive it. */
export class OldHome {
  readonly #program: string;
  readonly #home: RunningHome;
  #connection: OldConnection | undefined;
  /** By the workspace that they are bound to. */
  readonly #clients = new Map<string, DemoClient>();
  #owner: pg.Client | undefined;

  private constructor(program: string, home: RunningHome) {
    this.#program = program;
    this.#home = home;
  }

  /**
   * Makes a home and starts the program on it.
   * @param program folder of its checkout
   * @param product epoch ms at which the product's clock begins
   * @param settings of its environment
   */
  static async start(program: string, product: number, settings: Readonly<Record<string, string>>): Promise<OldHome> {
    const home = await RunningHome.make([process.execPath, join(program, 'cmd/standalone/main.ts')], settings);
    const made = new OldHome(program, home);
    const real = new SystemClock().now();
    await run('mkdir', ['-p', home.folder]);
    // A rehearsal: its clock is not the real one, so months are opened around product time.
    const clock = { product, real, speed: 1, skipIdle: false, rehearsal: true };
    await writeFile(join(home.folder, 'clock.json'), JSON.stringify(clock));
    const { output } = home.spawn({ PORT: String(home.port), LOG_LEVEL: 'info' });
    await made.until('it is up', async () => output().includes('Outrider is up'));
    await made.#connect();
    return made;
  }

  async #connect(): Promise<void> {
    this.#connection = JSON.parse(await readFile(join(this.folder, 'connection.json'), 'utf8')) as OldConnection;
    this.#owner = new pg.Client({ connectionString: await this.databaseUrl('outrider') });
    this.#owner.on('error', () => undefined);
    await this.#owner.connect();
    await this.#owner.query('set search_path = outrider, app, public');
  }

  get folder(): string {
    return this.#home.folder;
  }

  get connection(): OldConnection {
    if (!this.#connection) throw new Error('the old home is not up');
    return this.#connection;
  }

  async secrets(): Promise<{ sandboxApiKey: string; sealingKey: string }> {
    return JSON.parse(await readFile(join(this.folder, 'secrets.json'), 'utf8'));
  }

  /** A connection string of the superuser. */
  async databaseUrl(database: string): Promise<string> {
    const password = (await readFile(join(this.folder, 'postgres.password'), 'utf8')).trim();
    return `postgres://postgres:${password}@127.0.0.1:${new URL(this.connection.databaseUrl).port}/${database}`;
  }

  /** Calls a tool as somebody of a workspace; default: the demo's. */
  async call<T = Record<string, unknown>>(
    tool: string,
    input: Record<string, unknown> = {},
    workspaceId = this.connection.workspaceId,
  ): Promise<T> {
    const known = this.#clients.get(workspaceId) ?? (await DemoClient.connect({ ...this.connection, workspaceId }));
    this.#clients.set(workspaceId, known);
    return known.call<T>(tool, input);
  }

  async cli(...args: string[]): Promise<string> {
    const env = { PATH: process.env['PATH'] ?? '', OUTRIDER_HOME: this.folder };
    const { stdout } = await run(process.execPath, [join(this.#program, 'cmd/outrider/main.ts'), ...args], { env });
    return stdout;
  }

  async sandbox(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`${this.connection.sandboxUrl}/_sandbox/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(10_000),
    });
    if (!answer.ok) throw new Error(`sandbox ${path}: ${await answer.text()}`);
    return answer.json();
  }

  /** As the superuser, on one connection. */
  async sql<T extends object>(statement: string, values: unknown[] = []): Promise<T[]> {
    if (!this.#owner) throw new Error('the old home is not up');
    return (await this.#owner.query(statement, values)).rows as T[];
  }

  clock(change?: { advanceMs: number }): Promise<number> {
    return productClock(this.folder, change);
  }

  /** Lets product time pass and what is due in between happen. */
  playUntil(moment: number): Promise<void> {
    const { folder } = this;
    const { sandboxUrl } = this.connection;
    return playUntil({ folder, sandboxUrl, sql: (statement) => this.sql(statement) }, moment, HOUR);
  }

  async until<T>(what: string, probe: () => Promise<T | undefined | false>, ms = 90_000): Promise<T> {
    for (let waited = 0; waited < ms; waited += 50) {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
      await sleepReal(50);
    }
    throw new Error(`never happened: ${what}`);
  }

  /** As when the machine loses power, but for Postgres, which is still read. */
  async kill(): Promise<void> {
    for (const line of await this.#home.processes()) {
      const [pid = '', ...command] = line.split(' ');
      if (command.join(' ').includes('postgres')) continue;
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It ended meanwhile.
      }
    }
  }

  async remove(): Promise<void> {
    await this.#owner?.end().catch(() => undefined);
    for (const line of await this.#home.processes()) {
      try {
        process.kill(Number(line.split(' ')[0]), 'SIGKILL');
      } catch {
        // It ended meanwhile.
      }
    }
    await this.#home.remove();
  }
}

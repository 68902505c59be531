import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { bootstrapRoles, newRolePasswords, type RolePasswords } from '../../pkg/postgres/roles.ts';
import { freePort } from '../../pkg/standalone/free-port.ts';
import { EmbeddedPostgres } from '../../pkg/standalone/postgres/embedded-postgres.ts';
import { migrateSchema } from '../../pkg/store/migrations.ts';
import { type FakeTime, fakeTime } from '../tools/fake-time.ts';

/** Connection strings of the product's roles; they stay the same over restarts and restores. */
export interface ProductUrls {
  ownerUrl: string;
  appUrl: string;
  executorUrl: string;
}

/** A server of its own that a test stops, kills, backs up and restores; always on the same port. */
export class OwnPostgres {
  readonly urls: ProductUrls;
  readonly #folder: string;
  readonly #port: number;
  /** Sets the server's clock; undefined unless asked for, or where there is no libfaketime. */
  readonly clock: FakeTime | undefined;
  #server: EmbeddedPostgres;

  private constructor(
    folder: string,
    port: number,
    server: EmbeddedPostgres,
    urls: ProductUrls,
    clock: FakeTime | undefined,
  ) {
    this.#folder = folder;
    this.#port = port;
    this.#server = server;
    this.urls = urls;
    this.clock = clock;
  }

  /** @param ownClock the server's clock can be set */
  static async make(ownClock = false): Promise<OwnPostgres> {
    const { folder: whole, passwords } = await template();
    const folder = await ownFolder('outrider-own-postgres-');
    for (const name of ['postgres', 'postgres.password']) await copy(join(whole, name), join(folder, name));
    const port = await freePort();
    const clock = ownClock ? await fakeTime(folder) : undefined;
    const server = await launch(folder, port, clock);
    const url = (role: string, password: string): string => `postgres://${role}:${password}@127.0.0.1:${port}/outrider`;
    const urls = {
      ownerUrl: url('outrider_owner', passwords.owner),
      appUrl: url('outrider_app', passwords.app),
      executorUrl: url('outrider_executor', passwords.executor),
    };
    return new OwnPostgres(folder, port, server, urls, clock);
  }

  /** A plain restart. */
  async restart(): Promise<void> {
    await this.#server.stop();
    this.#server = await launch(this.#folder, this.#port, this.clock);
  }

  /** SIGKILL of the postmaster, as by the kernel, and a start over what it left. */
  async crash(): Promise<void> {
    this.kill();
    await this.start();
  }

  /** SIGKILL of the postmaster, and of all that it started by its own doing. */
  kill(): void {
    const { pid } = this.#server;
    if (pid) process.kill(pid, 'SIGKILL');
  }

  /** SIGSTOP of the postmaster and its backends: connections stay open and nothing answers. */
  async freeze(): Promise<void> {
    await this.#signal('SIGSTOP');
  }

  /** Goes on where {@link freeze} stopped. */
  async thaw(): Promise<void> {
    await this.#signal('SIGCONT');
  }

  async #signal(signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const { pid } = this.#server;
    if (!pid) return;
    // The postmaster stops first and goes on last: meanwhile it starts no backend, and none that ended is gone.
    if (signal === 'SIGSTOP') process.kill(pid, signal);
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
    for (const child of children.split(' ').filter(Boolean)) process.kill(Number(child), signal);
    if (signal === 'SIGCONT') process.kill(pid, signal);
  }

  /** A start over what a kill left. */
  async start(): Promise<void> {
    this.#server = await launch(this.#folder, this.#port, this.clock);
  }

  /** Ends every connection of the executors, as a network that drops them. */
  async cutConnections(role = 'outrider_executor'): Promise<number> {
    const client = new pg.Client({ connectionString: this.#server.superuserUrl() });
    await client.connect();
    try {
      const cut = await client.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [
        role,
      ]);
      return cut.rowCount ?? 0;
    } finally {
      await client.end();
    }
  }

  /** Copies the data folder of the stopped server and starts it again. */
  async backup(): Promise<void> {
    await this.#server.stop();
    await rm(this.#backup, { recursive: true, force: true });
    await copy(this.#data, this.#backup);
    this.#server = await launch(this.#folder, this.#port, this.clock);
  }

  /** Puts the backup in place of the data. */
  async restore(): Promise<void> {
    await this.#server.stop();
    await rm(this.#data, { recursive: true, force: true });
    await copy(this.#backup, this.#data);
    this.#server = await launch(this.#folder, this.#port, this.clock);
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #data(): string {
    return join(this.#folder, 'postgres');
  }

  get #backup(): string {
    return join(this.#folder, 'backup');
  }
}

interface Template {
  folder: string;
  passwords: RolePasswords;
}

let made: Promise<Template> | undefined;

/** The stopped server that all of this process are copied from: initialized and migrated once, gone when the process ends. */
function template(): Promise<Template> {
  made ??= makeTemplate();
  return made;
}

async function makeTemplate(): Promise<Template> {
  const folder = await ownFolder('outrider-own-template-');
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const server = await launch(folder, await freePort(), undefined);
  const passwords = newRolePasswords();
  await bootstrapRoles(server.superuserUrl(), 'outrider', passwords);
  await migrateSchema(`postgres://outrider_owner:${passwords.owner}@127.0.0.1:${server.port}/outrider`);
  await server.stop();
  return { folder, passwords };
}

/** One that the server's user may enter. */
async function ownFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  await chmod(folder, 0o755);
  return folder;
}

/** With owner and mode: the server insists on both. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to]);
}

function launch(folder: string, port: number, clock: FakeTime | undefined): Promise<EmbeddedPostgres> {
  const env = clock?.env ?? {};
  return EmbeddedPostgres.start({ folder: join(folder, 'postgres'), port, settings: { fsync: 'off' }, env });
}

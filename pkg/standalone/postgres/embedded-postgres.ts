import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { access, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { sleepReal } from '../../base/clock.ts';
import { messageOf, UserError } from '../../base/errors.ts';
import { freePort } from '../free-port.ts';
import { findBinaries, isReachable, type PostgresBinaries, reachableBinaries } from './binaries.ts';
import { type RunAs, unprivilegedUser } from './unprivileged-user.ts';

const run = promisify(execFile);

export interface EmbeddedPostgresOptions {
  /** Folder of the data; created when missing. Moved under `shared` where only root may enter it. */
  folder: string;
  /** Folder for what every user must reach, used only as root. */
  shared?: string;
  port?: number;
  /** Further `-c name=value` settings. */
  settings?: Record<string, string>;
  /** Further environment of the server. */
  env?: Record<string, string>;
}

interface Launch {
  binaries: PostgresBinaries;
  folder: string;
  port: number;
  password: string;
  user: RunAs | undefined;
  settings: Record<string, string>;
  env: Record<string, string>;
}

/**
 * A real PostgreSQL server from npm as a child process, listening on loopback only, with scram passwords.
 * As root it runs under an unprivileged user, since PostgreSQL refuses root.
 */
export class EmbeddedPostgres {
  readonly port: number;
  /** Where the data lies. */
  readonly folder: string;
  readonly #password: string;
  readonly #child: ChildProcess;
  readonly #output: string[] = [];
  #stopping = false;

  private constructor(child: ChildProcess, launch: Launch) {
    this.#child = child;
    this.port = launch.port;
    this.folder = launch.folder;
    this.#password = launch.password;
    child.stderr?.on('data', (chunk: Buffer) => {
      this.#output.push(chunk.toString());
      if (this.#output.length > 50) this.#output.shift();
    });
  }

  /** Calls `listener` with the server's last words when it ends though nobody stopped it. */
  onLost(listener: (lastWords: string) => void): void {
    this.#child.once('exit', () => {
      if (!this.#stopping) listener(this.#output.join('').trim().split('\n').slice(-3).join('\n'));
    });
  }

  /** Connection string of the superuser; for bootstrap only. */
  superuserUrl(database = 'postgres'): string {
    return `postgres://postgres:${this.#password}@127.0.0.1:${this.port}/${database}`;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Starts the server; a server that an earlier, killed run left on the folder is stopped first. */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const user = await unprivilegedUser();
    const shared = options.shared ?? '/var/lib/outrider';
    const found = await findBinaries();
    const binaries = user ? await reachableBinaries(found, join(shared, 'postgres-server')) : found;
    const folder = await dataFolder(options.folder, user, shared);
    await stopLeftover(folder);
    const password = await ensureCluster(folder, binaries, user);
    const port = options.port ?? (await freePort());
    for (let attempt = 1; ; attempt++) {
      try {
        return await EmbeddedPostgres.#launch({
          binaries,
          folder,
          port,
          password,
          user,
          settings: options.settings ?? {},
          env: options.env ?? {},
        });
      } catch (error) {
        // Backends of a killed server hold its shared memory for a moment.
        if (attempt >= 20 || !messageOf(error).includes('shared memory')) throw error;
        await sleepReal(250);
      }
    }
  }

  static async #launch(launch: Launch): Promise<EmbeddedPostgres> {
    const { binaries, folder, port, user, settings, env } = launch;
    const child = spawn(binaries.postgres, serverArguments(folder, port, settings), {
      ...user,
      cwd: folder,
      env: { ...env, LC_MESSAGES: 'C', PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
    });
    const server = new EmbeddedPostgres(child, launch);
    await server.#ready();
    return server;
  }

  /** Fast shutdown: open transactions are rolled back. */
  async stop(): Promise<void> {
    this.#stopping = true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.kill('SIGINT');
    const late = await Promise.race([exited.then(() => false), sleepReal(6_000).then(() => true)]);
    if (late) this.#child.kill('SIGKILL');
    await exited;
  }

  async #ready(): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt++) {
      if (this.#child.exitCode !== null) {
        throw new UserError(`PostgreSQL did not start: ${this.#output.join('').trim()}`, 'PostgresFailed');
      }
      if (await canConnect(this.superuserUrl())) return;
      await sleepReal(25);
    }
    this.#child.kill('SIGKILL');
    throw new Error(`PostgreSQL was not ready within 15 s: ${this.#output.join('').trim()}`);
  }
}

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}

function serverArguments(folder: string, port: number, extra: Record<string, string>): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: '128MB',
    autovacuum_naptime: '10s',
    password_encryption: 'scram-sha-256',
    timezone: 'UTC',
    ...extra,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', folder, '-p', String(port), ...flags];
}

/** The data folder, or (as root, below a folder that only root may enter) one beside the shared binaries. */
async function dataFolder(folder: string, user: RunAs | undefined, shared: string): Promise<string> {
  if (!user || (await isReachable(dirname(folder)))) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (user) await chown(folder, user.uid, user.gid);
    return folder;
  }
  const pointer = `${folder}.location`;
  const known = await readFile(pointer, 'utf8').catch(() => '');
  const target = known || join(shared, `data-${randomBytes(8).toString('hex')}`);
  await mkdir(target, { recursive: true, mode: 0o755 });
  await chown(target, user.uid, user.gid);
  await mkdir(dirname(pointer), { recursive: true });
  if (!known) await writeFile(pointer, target);
  return target;
}

/** Runs initdb once. The superuser's password lies beside the data, readable by its owner only. */
async function ensureCluster(folder: string, binaries: PostgresBinaries, user: RunAs | undefined): Promise<string> {
  const passwordFile = join(folder, '..', `${folder.split('/').at(-1)}.password`);
  const exists = await access(join(folder, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
  if (exists) return (await readFile(passwordFile, 'utf8')).trim();
  const password = randomBytes(24).toString('hex');
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user) await chown(passwordFile, user.uid, user.gid);
  // Beside the folder until it is whole: initdb writes PG_VERSION first, and what a kill leaves of it is no database.
  const made = `${folder}.new`;
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { mode: 0o700 });
  if (user) await chown(made, user.uid, user.gid);
  const flags = ['-D', made, '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwordFile, '-E', 'UTF8'];
  await run(binaries.initdb, [...flags, '--locale=C.UTF-8', '--no-instructions', '--no-sync'], {
    ...user,
    env: { LC_ALL: 'C.UTF-8', PATH: process.env['PATH'] ?? '' },
    timeout: 60_000,
  });
  await rm(folder, { recursive: true, force: true });
  await rename(made, folder);
  return password;
}

/** Heals after a kill of the whole tree: ends a server that still owns the folder. */
async function stopLeftover(folder: string): Promise<void> {
  const file = join(folder, 'postmaster.pid');
  const lock = await readFile(file, 'utf8').catch(() => '');
  const pid = Number(lock.split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 1) return;
  if (await isServerOf(folder, pid)) await endServer(folder, pid);
  // A killed server leaves its lock; while it is a zombie, or its id is another program's by now, a new one would take it for alive.
  await rm(file, { force: true });
}

async function endServer(folder: string, pid: number): Promise<void> {
  tell(pid, 'SIGINT');
  for (let attempt = 0; attempt < 100; attempt++) {
    if (!(await isServerOf(folder, pid))) return;
    await sleepReal(50);
  }
  tell(pid, 'SIGKILL');
  await sleepReal(100);
}

/** A process that is gone meanwhile needs no signal. */
function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether the process is the server that was started on this folder: after a restart of the machine its id may be anybody's. */
async function isServerOf(folder: string, pid: number): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').then(
    (text) => text.split('\0').join(' '),
    () => commandByPs(pid),
  );
  return `${command} `.includes(`postgres -D ${folder} `);
}

/** Where there is no /proc. */
async function commandByPs(pid: number): Promise<string> {
  const { stdout } = await run('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  return stdout.trim();
}

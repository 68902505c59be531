import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../pkg/standalone/free-port.ts';
import { debianProgram } from './debian-packages.ts';

/** A PgBouncer before one login of a Postgres. */
export interface TestBouncer {
  /** The login's connection string, through it. */
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer in transaction mode with one server connection that all clients share; undefined where there is none to be had.
 * @param target connection string of the login
 * @param otherwise lines of its configuration that differ
 */
export async function startBouncer(
  target: string,
  otherwise: Record<string, string | number> = {},
): Promise<TestBouncer | undefined> {
  const program = await debianProgram('pgbouncer');
  if (!program) return undefined;
  const { username, password, port: server, pathname } = new URL(target);
  const folder = await mkdtemp(join(tmpdir(), 'outrider-pgbouncer-'));
  const port = await freePort();
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: join(folder, 'users.txt'),
    pool_mode: 'transaction',
    default_pool_size: 1,
    max_client_conn: 50,
    // It refuses to run as root.
    ...(process.getuid?.() === 0 ? { user: 'nobody' } : {}),
    ...otherwise,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  const databases = `[databases]\n* = host=127.0.0.1 port=${server}\n`;
  await writeFile(join(folder, 'users.txt'), `"${username}" "${password}"\n`);
  await writeFile(join(folder, 'pgbouncer.ini'), `${databases}[pgbouncer]\n${lines.join('\n')}\n`);
  await chmod(folder, 0o755);
  const env = { ...process.env, LD_LIBRARY_PATH: program.libraries };
  const child = spawn(program.path, [join(folder, 'pgbouncer.ini')], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (text: Buffer) => {
      said += text.toString('utf8');
      if (said.includes('process up')) resolve();
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`pgbouncer ended with ${code}: ${said}`)));
  });
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`,
    async stop() {
      if (child.exitCode === null) child.kill('SIGKILL');
      await exit;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

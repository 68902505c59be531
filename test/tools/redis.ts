import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../pkg/standalone/free-port.ts';
import { debianProgram, type Program } from './debian-packages.ts';

/** A Redis of one test. */
export interface TestRedis {
  url: string;
  port: number;
  /** Ends the server at once; what it held is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same port, empty. */
  restart(): Promise<void>;
  /** Stops answering without closing a connection, and goes on. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** Starts Redis on a free port; undefined where there is none to be had. */
export async function startRedis(): Promise<TestRedis | undefined> {
  const program = await debianProgram('redis');
  if (!program) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'outrider-redis-'));
  const port = await freePort();
  let server = await start(program, port, folder);
  const kill = (): Promise<void> => ended(server);
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kill,
    async restart() {
      server = await start(program, port, folder);
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    async stop() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function start({ path, libraries }: Program, port: number, folder: string): Promise<ChildProcess> {
  const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no'];
  const env = { ...process.env, LD_LIBRARY_PATH: libraries };
  const server = spawn(path, settings, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise<void>((resolve, reject) => {
    server.stdout?.on('data', (text: Buffer) => text.includes('Ready to accept connections') && resolve());
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
  });
  return server;
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exit = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGKILL');
  await exit;
}

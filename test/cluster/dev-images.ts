import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ImageOptions, writeArchive } from '../../cmd/image/archive.ts';
import { layerOf } from '../../cmd/image/layer.ts';
import { copyLibraries, copyNode } from '../../cmd/image/rootfs.ts';
import { findBinaries } from '../../pkg/standalone/postgres/binaries.ts';
import type { Program } from '../tools/debian-packages.ts';

/** Names under which the suite loads what values-dev.yaml would pull from a registry. */
export const POSTGRES_IMAGE = 'localhost/postgres:1';
export const REDIS_IMAGE = 'localhost/redis:1';

/** What the entry point of the official image does as far as the chart needs it. */
const POSTGRES_ENTRY = `
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
const { PGDATA, POSTGRES_PASSWORD } = process.env;
if (!existsSync(PGDATA + '/PG_VERSION')) {
  writeFileSync('/tmp/password', POSTGRES_PASSWORD, { mode: 0o600 });
  execFileSync('/postgres/bin/initdb', ['-D', PGDATA, '-U', 'postgres', '--pwfile=/tmp/password', '-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C'], { stdio: 'inherit' });
  appendFileSync(PGDATA + '/pg_hba.conf', 'host all all all scram-sha-256\\n');
}
const settings = ['listen_addresses=*', 'unix_socket_directories=/tmp', 'max_connections=300', 'shared_buffers=64MB'];
const server = spawn('/postgres/bin/postgres', ['-D', PGDATA, ...settings.flatMap((one) => ['-c', one])], { stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => server.kill('SIGINT'));
server.on('exit', (code) => process.exit(code ?? 1));
`;

/**
 * Writes an image of the PostgreSQL server that npm ships.
 * @param busybox a static busybox: initdb runs its parts by a shell
 */
export function writePostgresImage(file: string, busybox: string): Promise<void> {
  const run = { user: '999:999', entrypoint: ['/usr/local/bin/node', '/entry.mjs'], command: [] };
  return writeImage({ name: POSTGRES_IMAGE, version: '1', file, run }, async (folder) => {
    const native = dirname(dirname((await findBinaries()).postgres));
    await copyNode(folder);
    await copyLibraries(join(native, 'bin/postgres'), folder);
    await cp(native, join(folder, 'postgres'), { recursive: true, dereference: true });
    await mkdir(join(folder, 'bin'), { recursive: true });
    await cp(busybox, join(folder, 'bin/sh'));
    await mkdir(join(folder, 'etc'));
    await writeFile(join(folder, 'etc/passwd'), 'root:x:0:0::/:\npostgres:x:999:999::/tmp:\n');
    await writeFile(join(folder, 'entry.mjs'), POSTGRES_ENTRY);
  });
}

/** Writes an image of Debian's Redis. */
export function writeRedisImage(file: string, { path, libraries }: Program): Promise<void> {
  const run = {
    user: '999:999',
    entrypoint: ['/usr/local/bin/redis-server', '--protected-mode', 'no', '--bind', '0.0.0.0'],
    command: [],
  };
  return writeImage({ name: REDIS_IMAGE, version: '1', file, run }, async (folder) => {
    await mkdir(join(folder, 'usr/local/bin'), { recursive: true });
    await cp(path, join(folder, 'usr/local/bin/redis-server'), { dereference: true });
    await copyLibraries(path, folder, libraries);
  });
}

async function writeImage(options: ImageOptions, layOut: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-dev-image-'));
  try {
    await layOut(folder);
    await mkdir(join(folder, 'tmp'));
    await writeArchive(await layerOf(folder), options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

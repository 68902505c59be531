import { access, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
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
export const OLD_POSTGRES_IMAGE = 'localhost/old-postgres:1';
const OLDEST_POSTGRES = 15;

/** A PostgreSQL server to put into an image: its programs, and folders by the place that they have there. */
interface Server {
  name: string;
  programs: string;
  /** Programs on this machine whose libraries come along. */
  linked: string[];
  folders: Record<string, string>;
}

/** What the entry point of the official image does as far as the chart needs it. */
const entryOf = ({ programs }: Server): string => `
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
const { PGDATA, POSTGRES_PASSWORD } = process.env;
if (!existsSync(PGDATA + '/PG_VERSION')) {
  writeFileSync('/tmp/password', POSTGRES_PASSWORD, { mode: 0o600 });
  execFileSync('${programs}/initdb', ['-D', PGDATA, '-U', 'postgres', '--pwfile=/tmp/password', '-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C'], { stdio: 'inherit' });
  appendFileSync(PGDATA + '/pg_hba.conf', 'host all all all scram-sha-256\\n');
}
const settings = ['listen_addresses=*', 'unix_socket_directories=/tmp', 'max_connections=300', 'shared_buffers=64MB'];
const server = spawn('${programs}/postgres', ['-D', PGDATA, ...settings.flatMap((one) => ['-c', one])], { stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => server.kill('SIGINT'));
server.on('exit', (code) => process.exit(code ?? 1));
`;

/**
 * Writes an image of the PostgreSQL server that npm ships.
 * @param busybox a static busybox: initdb runs its parts by a shell
 */
export async function writePostgresImage(file: string, busybox: string): Promise<void> {
  const native = dirname(dirname((await findBinaries()).postgres));
  const server = {
    name: POSTGRES_IMAGE,
    programs: '/postgres/bin',
    linked: [join(native, 'bin/postgres')],
    folders: { postgres: native },
  };
  await writeServerImage(server, file, busybox);
}

/**
 * Writes an image of the oldest server that the product promises to work with, as Debian has it installed here.
 * @returns whether there is one
 */
export async function writeOldPostgresImage(file: string, busybox: string): Promise<boolean> {
  const folders = [
    `usr/lib/postgresql/${OLDEST_POSTGRES}`,
    `usr/share/postgresql/${OLDEST_POSTGRES}`,
    'usr/share/zoneinfo',
  ];
  const programs = `/${folders[0]}/bin`;
  const postgres = `${programs}/postgres`;
  const there = await access(postgres).then(
    () => true,
    () => false,
  );
  if (!there) return false;
  const places = Object.fromEntries(folders.map((folder) => [folder, `/${folder}`]));
  await writeServerImage(
    { name: OLD_POSTGRES_IMAGE, programs, linked: [postgres, `${programs}/initdb`], folders: places },
    file,
    busybox,
  );
  return true;
}

async function writeServerImage(server: Server, file: string, busybox: string): Promise<void> {
  const run = { user: '999:999', entrypoint: ['/usr/local/bin/node', '/entry.mjs'], command: [] };
  await writeImage({ name: server.name, version: '1', file, run }, async (folder) => {
    await copyNode(folder);
    for (const program of server.linked) await copyLibraries(program, folder);
    for (const [place, from] of Object.entries(server.folders)) {
      await cp(from, join(folder, place), { recursive: true, dereference: true });
    }
    await mkdir(join(folder, 'bin'), { recursive: true });
    await cp(busybox, join(folder, 'bin/sh'));
    await mkdir(join(folder, 'etc'));
    await writeFile(join(folder, 'etc/passwd'), 'root:x:0:0::/:\npostgres:x:999:999::/tmp:\n');
    await writeFile(join(folder, 'entry.mjs'), entryOf(server));
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

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { debianProgram } from '../tools/debian-packages.ts';
import type { Program } from '../tools/released-program.ts';
import { type Cluster, cacheFolder, exists } from './cluster.ts';
import {
  POSTGRES_IMAGE,
  REDIS_IMAGE,
  writeOldPostgresImage,
  writePostgresImage,
  writeRedisImage,
} from './dev-images.ts';
import { shell } from './shell.ts';

const ROOT = new URL('../../', import.meta.url).pathname;
const FOLDER = join(ROOT, '.cache/images');

/**
 * Builds the image and makes it, the database's and Redis' known to the cluster; with `E2E_IMAGE` (registry/name:tag or
 * name@digest) the cluster pulls that one itself, and the other two under the names of values-dev.yaml.
 */
export async function loadImages(cluster: Cluster): Promise<void> {
  if (process.env['E2E_IMAGE']) return;
  await mkdir(FOLDER, { recursive: true });
  const own = join(FOLDER, 'outrider.tar');
  await shell(process.execPath, [join(ROOT, 'cmd/image/main.ts'), own]);
  await cluster.loadImage(own);
  const made = async (name: string, write: (file: string) => Promise<void>): Promise<void> => {
    const file = join(FOLDER, name);
    if (!(await exists(file))) await write(file);
    await cluster.loadImage(file);
  };
  await made('postgres.tar', async (file) => writePostgresImage(file, await busybox()));
  const redis = await debianProgram('redis');
  if (redis) await made('redis.tar', (file) => writeRedisImage(file, redis));
  else console.log('    Redis is not to be had here: the installation counts in Postgres.');
}

/** Builds the image of another version by that version's own means and makes it known to the cluster by this name. */
export async function loadImageOf(cluster: Cluster, { folder }: Program, name: string): Promise<void> {
  const file = join(FOLDER, 'last-outrider.tar');
  await shell(process.execPath, [join(folder, 'cmd/image/main.ts'), file, name], { cwd: folder });
  await cluster.loadImage(file);
}

/** Chart values for the images that `loadImages` made known, or that the cluster pulls. @throws when `E2E_IMAGE` is none */
export async function imageValues(named = process.env['E2E_IMAGE']): Promise<string> {
  if (!named) {
    const redis = (await debianProgram('redis')) ? `dev.redis.image=${REDIS_IMAGE}` : 'dev.redis.enabled=false';
    return `dev.postgres.image=${POSTGRES_IMAGE},${redis}`;
  }
  const found = /^(?<repository>[^@]+?)(?:@(?<digest>sha256:[0-9a-f]{64})|:(?<tag>[\w.-]+))$/.exec(named)?.groups;
  if (!found) throw new Error(`E2E_IMAGE is "${named}": name the image with its tag or digest, registry/name:tag.`);
  const version = found['digest'] ? `image.digest=${found['digest']}` : `image.tag=${found['tag']}`;
  return `image.repository=${found['repository']},${version}`;
}

/** Makes the oldest PostgreSQL that the product works with known to the cluster. @returns whether there is one here */
export async function loadOldPostgres(cluster: Cluster): Promise<boolean> {
  const file = join(FOLDER, 'old-postgres.tar');
  if (!(await exists(file)) && !(await writeOldPostgresImage(file, await busybox()))) return false;
  await cluster.loadImage(file);
  return true;
}

/** A static busybox of Debian, which the own cluster's build unpacked; on other machines the installed one. */
async function busybox(): Promise<string> {
  const unpacked = join(cacheFolder(), 'packages/bin/busybox');
  return (await exists(unpacked)) ? unpacked : '/bin/busybox';
}

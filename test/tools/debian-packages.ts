import { execFile } from 'node:child_process';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Outside the checkout, so that a fresh clone finds what was fetched once. */
const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'outrider/packages');

/** Folder of Debian's libraries for this machine. */
const LIBRARIES = `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;

/** Real parts of the tests, by name: the program that is wanted and the packages that hold it with what it links to. */
const PARTS = {
  redis: { program: 'usr/bin/redis-server', packages: ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1'] },
  prometheus: { program: 'usr/bin/prometheus', packages: ['prometheus'] },
  faketime: { program: `${LIBRARIES}/faketime/libfaketime.so.1`, packages: ['libfaketime'] },
  pgbouncer: { program: 'usr/sbin/pgbouncer', packages: ['pgbouncer', 'libc-ares2', 'libevent-2.1-7'] },
} as const;

/** A program of a Debian package that is unpacked into the cache, never installed. */
export interface Program {
  path: string;
  /** For LD_LIBRARY_PATH. */
  libraries: string;
}

/**
 * Finds a program on the machine or in the cache, or fetches it once.
 * @returns undefined where neither the machine nor its package mirror has one: the test skips and says so
 * @throws Error under `CI=true`, where a missing part is a failure
 */
export async function debianProgram(name: keyof typeof PARTS): Promise<Program | undefined> {
  const { program, packages } = PARTS[name];
  const installed = `/${program}`;
  if (await exists(installed)) return { path: installed, libraries: '' };
  const folder = join(CACHE, name);
  const path = join(folder, program);
  if (!(await exists(path))) {
    const failed = await fetchInto(folder, packages).then(
      () => undefined,
      (error: Error) => error,
    );
    if (failed && process.env['CI'] === 'true') throw new Error(`CI needs ${name}: ${failed.message}`);
    if (failed) return undefined;
  }
  const libraries = join(folder, 'usr/lib');
  const folders = (await exists(libraries)) ? (await readdir(libraries)).map((inner) => join(libraries, inner)) : [];
  return { path, libraries: folders.join(':') };
}

/** Unpacked aside and renamed, so that two test runs never see half a program. */
async function fetchInto(folder: string, packages: readonly string[]): Promise<void> {
  const partial = `${folder}.${process.pid}`;
  await mkdir(partial, { recursive: true });
  try {
    await run('apt-get', ['download', ...packages], { cwd: partial, timeout: 60_000 });
    for (const file of (await readdir(partial)).filter((entry) => entry.endsWith('.deb'))) {
      await run('dpkg-deb', ['-x', join(partial, file), partial], { timeout: 30_000 });
    }
    await mkdir(dirname(folder), { recursive: true });
    await rename(partial, folder).catch((error: Error) => exists(folder).then((made) => made || Promise.reject(error)));
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

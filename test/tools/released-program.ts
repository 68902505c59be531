import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = new URL('../../', import.meta.url).pathname;
const LONG = { maxBuffer: 64 * 1_024 * 1_024, timeout: 600_000 };

/** A checkout has a gigabyte of packages, and tests keep their temporary files in memory. */
const ON_DISK = '/var/tmp';

/** Version 0.1.0 was set by the first commit of all; what it stands for is the last one before there were versions. */
const FIRST = { version: '0.1.0', commit: 'f5a07fec' };

/** A released version and the commit that stands for it. */
export interface Released {
  version: string;
  commit: string;
}

/** A checked-out program of another commit, able to run. */
export interface Program {
  folder: string;
  remove(): Promise<void>;
}

const git = async (...args: string[]): Promise<string> => (await run('git', ['-C', ROOT, ...args], LONG)).stdout.trim();

/**
 * The version before this one, with the commit that set it.
 * @throws a sentence that says what is missing when the history does not reach back so far
 */
export async function lastReleased(): Promise<Released> {
  const present = await versionAt('HEAD');
  const commits = (await git('log', '--format=%H', '-G"version":', '--', 'package.json')).split('\n').filter(Boolean);
  for (const commit of commits) {
    const version = await versionAt(commit);
    if (version === present) continue;
    return reachable(version === FIRST.version ? FIRST : { version, commit });
  }
  const shallow = (await git('rev-parse', '--is-shallow-repository')) === 'true';
  throw new Error(
    shallow
      ? `This clone is shallow: the commit that set the version before ${present} is not in it. Run: git fetch --unshallow`
      : `The history of package.json names no version before ${present}.`,
  );
}

async function reachable(released: Released): Promise<Released> {
  await git('cat-file', '-e', `${released.commit}^{commit}`).catch(() => {
    throw new Error(
      `Commit ${released.commit} of version ${released.version} is not in this clone. Run: git fetch --unshallow`,
    );
  });
  return released;
}

async function versionAt(commit: string): Promise<string> {
  return (JSON.parse(await git('show', `${commit}:package.json`)) as { version: string }).version;
}

/** Checks a commit out beside this one and installs what it needs; the same packages as here are not installed again. */
export async function checkOut(commit: string): Promise<Program> {
  const parent = await mkdtemp(join(ON_DISK, 'outrider-released-'));
  // Executors run it as a user without rights.
  await chmod(parent, 0o755);
  const folder = join(parent, 'program');
  const remove = async (): Promise<void> => {
    await git('worktree', 'remove', '--force', folder).catch(() => undefined);
    await rm(parent, { recursive: true, force: true });
  };
  try {
    await git('worktree', 'add', '--detach', folder, commit);
    const locks = [join(ROOT, 'package-lock.json'), join(folder, 'package-lock.json')].map((file) => readFile(file));
    const [here, there] = await Promise.all(locks);
    if (here && there?.equals(here)) await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    else await run('make', ['-C', folder, 'node_modules/.outrider-installed'], LONG);
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

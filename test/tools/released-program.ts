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

const RELEASED = 'pkg/store/migrations/released.json';
/** Folders of what a release ships. */
const SHIPPED = ['pkg', 'cmd', 'charts'];

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
 * The version that this code upgrades from: the newest release, or the one before it where this code is that release. A release
 * notes its migrations, so the commits that changed their file are the releases.
 * @throws a sentence that says what is missing when the history does not reach back so far
 */
export async function lastReleased(): Promise<Released> {
  const commits = (await git('log', '--format=%H', '--', RELEASED)).split('\n').filter(Boolean);
  const newest = commits[0];
  const present = newest && !(await changedSince(newest)) ? await versionAt(newest) : undefined;
  for (const commit of commits) {
    const version = await versionAt(commit);
    if (version === present) continue;
    return reachable(version === FIRST.version ? FIRST : { version, commit });
  }
  const shallow = (await git('rev-parse', '--is-shallow-repository')) === 'true';
  const missing = present ? `a version before ${present}` : 'a released version';
  throw new Error(
    shallow
      ? `This clone is shallow: the commit that set ${missing} is not in it. Run: git fetch --unshallow`
      : `The history of ${RELEASED} does not name ${missing}.`,
  );
}

/** Whether what ships differs from that commit, in commits or in the checkout. */
async function changedSince(commit: string): Promise<boolean> {
  return (await git('diff', '--name-only', commit, '--', ...SHIPPED)) !== '';
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

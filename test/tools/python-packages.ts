import { execFile } from 'node:child_process';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Outside the checkout, so that a fresh clone finds what was fetched once. */
const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'outrider/python');
const FETCH_MS = 180_000;

/** Real programs of the Python package index that judge ours, with what they need, each pinned. */
const SETS = {
  calendars: [
    ...['recurring-ical-events==3.8.2', 'xandikos==0.4.10', 'icalendar==7.3.2', 'python-dateutil==2.9.0.post0'],
    ...['tzdata==2026.6', 'x-wr-timezone==2.0.1', 'click==8.5.1', 'six==1.17.0', 'typing-extensions==4.16.0'],
    'defusedxml==0.7.1',
  ],
} as const;

/**
 * A folder for PYTHONPATH with a set of packages, fetched once.
 * @returns undefined where there is no Python, or no index that has them: the test skips and says so
 */
export async function pythonPackages(name: keyof typeof SETS): Promise<string | undefined> {
  const packages = SETS[name];
  const folder = join(CACHE, `${name}-${packages[0].replace('==', '-')}`);
  if (await exists(folder)) return folder;
  // Made aside and renamed, so that two test runs never see half of it.
  const partial = `${folder}.${process.pid}`;
  try {
    await mkdir(dirname(folder), { recursive: true });
    const how = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--no-deps',
      '--only-binary',
      ':all:',
    ];
    await run('python3', [...how, '--target', partial, ...packages], { timeout: FETCH_MS });
    await rename(partial, folder).catch((error: Error) => exists(folder).then((made) => made || Promise.reject(error)));
    return folder;
  } catch {
    return undefined;
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

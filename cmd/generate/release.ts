import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSchema } from '../../pkg/store/migrations.ts';
import { keepFile } from './keep-file.ts';
import { migrationProblems, type ReleasedMigrations, withRelease } from './released-migrations.ts';

/**
 * The version stands in package.json; the lock file, the chart and the image's name follow it, and CHANGELOG.md says what it brings.
 * `make release VERSION=1.2.3` sets it and notes the migrations that it releases; `--check` fails when something disagrees.
 */
const RELEASED = 'pkg/store/migrations/released.json';
const SEMVER = /^\d+\.\d+\.\d+$/;

const given = process.argv.slice(2).find((one) => !one.startsWith('--'));
if (given !== undefined) await release(given);
const { version } = JSON.parse(read('package.json')) as { version: string };
keepFile(
  'package-lock.json',
  read('package-lock.json').replace(/"version": "[^"]*"/g, firstTwo(`"version": "${version}"`)),
);
keepFile('charts/outrider/Chart.yaml', chartOf(version));
const released = JSON.parse(read(RELEASED)) as ReleasedMigrations;
const { migrations } = await readSchema();
const problems = [...migrationProblems(migrations, released), ...changelogProblems(version, Object.keys(released))];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** Sets the version and notes its migrations. @throws when it is none, or lacks its part of the change log */
async function release(next: string): Promise<void> {
  if (!SEMVER.test(next)) throw new Error(`"${next}" is no version: write VERSION=1.2.3`);
  const known = JSON.parse(read(RELEASED)) as ReleasedMigrations;
  const schema = await readSchema();
  const [wrong] = migrationProblems(schema.migrations, withoutVersion(known, next));
  if (wrong !== undefined) throw new Error(wrong);
  write(RELEASED, `${JSON.stringify(withRelease(known, next, schema.migrations), null, 2)}\n`);
  write('package.json', read('package.json').replace(/"version": "[^"]*"/, `"version": "${next}"`));
}

/** The newest part of the change log is this version's, and each release has one. */
function changelogProblems(present: string, releases: readonly string[]): string[] {
  const named = [...read('CHANGELOG.md').matchAll(/^## \[?(\d+\.\d+\.\d+)\]?/gm)].map((match) => match[1] ?? '');
  const lacking = [...releases, present].filter((one) => !named.includes(one));
  const order =
    named[0] === present ? [] : [`CHANGELOG.md begins with ${named[0] ?? 'nothing'}, package.json says ${present}.`];
  return [...new Set(lacking)].map((one) => `CHANGELOG.md has no part "## [${one}]".`).concat(order);
}

function chartOf(present: string): string {
  return read('charts/outrider/Chart.yaml')
    .replace(/^version: .*$/m, `version: ${present}`)
    .replace(/^appVersion: .*$/m, `appVersion: ${present}`)
    .replace(/(image: outrider\.dev\/outrider:).*$/m, `$1${present}`);
}

/** The lock file names the version twice before it names packages. */
function firstTwo(text: string): (found: string) => string {
  let left = 2;
  return (found) => (left-- > 0 ? text : found);
}

function withoutVersion(all: ReleasedMigrations, version: string): ReleasedMigrations {
  return Object.fromEntries(Object.entries(all).filter(([name]) => name !== version));
}

function read(path: string): string {
  return readFileSync(file(path), 'utf8');
}

function write(path: string, text: string): void {
  writeFileSync(file(path), text);
}

function file(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

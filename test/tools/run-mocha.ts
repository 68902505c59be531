import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { sleepReal } from '../../pkg/base/clock.ts';

interface Report {
  stats: { passes: number; failures: number; pending: number };
  failures: { file?: string; title: string; message: string }[];
  skipped: { file?: string; title: string }[];
  /** Files of which a test passed or failed, with their whole path. */
  ran: string[];
  /** Seconds of each file, its hooks included. */
  took: Record<string, number>;
  /** Seconds of the hooks of each file. */
  fixtures: Record<string, number>;
}

/** How a mocha process is run, besides its files. */
export interface MochaSettings {
  /** Settings for the process. */
  env?: Record<string, string>;
  /** More arguments of mocha. */
  mocha?: readonly string[];
  /** Its time, in real seconds: afterwards it is ended, and what it had not come to was not run. Default: no limit. */
  limitSeconds?: number;
}

/** A file with a test that failed, what was said, and how it was run. */
export interface FailedFile {
  file: string;
  settings: MochaSettings;
  said: string[];
}

/** How one mocha process ended. */
export interface Outcome {
  passes: number;
  failures: number;
  pending: number;
  seconds: number;
  /** Those that it was to run. */
  files: readonly string[];
  failed: FailedFile[];
  /** Titles of the tests that were skipped. */
  skipped: string[];
  /** Files of which no test came to an end. */
  notRun: string[];
  /** Seconds of each file that came to its end, as it was given, and of its hooks among them. */
  took: { file: string; seconds: number; fixtures: number }[];
  /** Its time was over before it was through. */
  unfinished: boolean;
}

const NOTHING: Report = {
  stats: { passes: 0, failures: 1, pending: 0 },
  failures: [],
  skipped: [],
  ran: [],
  took: {},
  fixtures: {},
};

/** One that was ended before a test failed. */
const UNKNOWN: Report = { ...NOTHING, stats: { passes: 0, failures: 0, pending: 0 } };
/** Time for a process that was told to end to remove what it started. */
const GRACE_MS = 60_000;

/** Runs test files in one mocha process; a process that ends badly counts as a failure of its own. */
export async function runMocha(
  files: readonly string[],
  report: string,
  settings: MochaSettings = {},
): Promise<Outcome> {
  await rm(report, { force: true });
  const started = process.hrtime.bigint();
  const arguments_ = [
    'node_modules/mocha/bin/mocha.js',
    // A failed test may leave a server behind; the verdict must not wait for it.
    '--exit',
    '--reporter',
    'test/tools/reporter.cjs',
    '--reporter-option',
    `output=${report}`,
    ...(settings.mocha ?? []),
  ];
  const { code, unfinished } = await run([...arguments_, ...files], settings);
  const seconds = Number((process.hrtime.bigint() - started) / 1_000_000n) / 1_000;
  const text = await readFile(report, 'utf8').catch(() => undefined);
  const told = text === undefined ? (unfinished ? UNKNOWN : NOTHING) : (JSON.parse(text) as Report);
  const { stats, ran } = told;
  const count = code !== 0 && !unfinished ? Math.max(1, stats.failures) : stats.failures;
  return {
    ...stats,
    failures: count,
    seconds,
    files,
    failed: failedFiles(told, settings),
    skipped: told.skipped.map(({ title }) => title),
    notRun: files.filter((file) => !ran.includes(resolve(file))),
    took: files.flatMap((file) => {
      const of = told.took[resolve(file)];
      return of === undefined ? [] : [{ file, seconds: of, fixtures: told.fixtures[resolve(file)] ?? 0 }];
    }),
    unfinished,
  };
}

function failedFiles({ failures }: Report, settings: MochaSettings): FailedFile[] {
  const failed = new Map<string, FailedFile>();
  for (const { file, title, message } of failures) {
    if (!file) continue;
    const known = failed.get(file) ?? { file, settings, said: [] };
    known.said.push(`${title}: ${message}`);
    failed.set(file, known);
  }
  return [...failed.values()];
}

/** @returns the exit code, and whether the process was ended because its time was over */
function run(
  arguments_: readonly string[],
  { env, limitSeconds }: MochaSettings,
): Promise<{ code: number; unfinished: boolean }> {
  return new Promise((done) => {
    const child = spawn(process.execPath, arguments_, {
      stdio: 'inherit',
      env: { ...process.env, ...env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent' },
    });
    const ended = new AbortController();
    let unfinished = false;
    const bound = async (seconds: number): Promise<void> => {
      await sleepReal(seconds * 1_000, ended.signal);
      unfinished = true;
      console.log(`ended: not finished within ${Math.round(seconds)} s`);
      child.kill('SIGTERM');
      await sleepReal(GRACE_MS, ended.signal);
      child.kill('SIGKILL');
    };
    if (limitSeconds !== undefined) bound(limitSeconds).catch(() => undefined);
    child.on('exit', (status) => {
      ended.abort();
      done({ code: status ?? 1, unfinished });
    });
  });
}

import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';

interface Report {
  stats: { passes: number; failures: number; pending: number };
  failures: { file?: string; title: string; message: string }[];
}

/** A file with a test that failed, what was said, and the settings that it ran with. */
export interface FailedFile {
  file: string;
  env: Record<string, string>;
  said: string[];
}

/** How one mocha process ended. */
export interface Outcome {
  passes: number;
  failures: number;
  pending: number;
  seconds: number;
  failed: FailedFile[];
}

const NOTHING: Report = { stats: { passes: 0, failures: 1, pending: 0 }, failures: [] };

/** Runs test files in one mocha process; a process that ends badly counts as a failure of its own. */
export async function runMocha(
  files: readonly string[],
  report: string,
  env: Record<string, string> = {},
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
  ];
  const code = await new Promise<number>((resolve) => {
    const child = spawn(process.execPath, [...arguments_, ...files], {
      stdio: 'inherit',
      env: { ...process.env, ...env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent' },
    });
    child.on('exit', (status) => resolve(status ?? 1));
  });
  const seconds = Number((process.hrtime.bigint() - started) / 1_000_000n) / 1_000;
  const text = await readFile(report, 'utf8').catch(() => undefined);
  const { stats, failures } = text === undefined ? NOTHING : (JSON.parse(text) as Report);
  const failed = new Map<string, FailedFile>();
  for (const { file, title, message } of failures) {
    if (!file) continue;
    const known = failed.get(file) ?? { file, env, said: [] };
    known.said.push(`${title}: ${message}`);
    failed.set(file, known);
  }
  const count = code !== 0 ? Math.max(1, stats.failures) : stats.failures;
  return { ...stats, failures: count, seconds, failed: [...failed.values()] };
}

import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Report {
  stats: { passes: number; failures: number; pending: number };
}

/** Test files that run in one mocha process. */
export interface Suite {
  name: string;
  glob: string;
  /** What it may take; half as much again fails. */
  seconds: number;
  /** Settings for its processes. */
  env?: Record<string, string>;
  /** Why it does not run here; said in one sentence. */
  leftOut?: () => Promise<string | undefined>;
}

/** Runs one suite; returns its counts and whether it kept within its line by half. */
async function runSuite(suite: Suite, folder: string): Promise<Report['stats'] & { late: boolean }> {
  const files = globSync(suite.glob).sort();
  if (files.length === 0) return { passes: 0, failures: 0, pending: 0, late: false };
  const report = join(folder, `${suite.name}.json`);
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
      env: { ...process.env, ...suite.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent' },
    });
    child.on('exit', (status) => resolve(status ?? 1));
  });
  const seconds = Number((process.hrtime.bigint() - started) / 1_000_000n) / 1_000;
  const text = await readFile(report, 'utf8').catch(() => undefined);
  const stats = text === undefined ? { passes: 0, failures: 1, pending: 0 } : (JSON.parse(text) as Report).stats;
  const late = seconds > suite.seconds * 1.5;
  console.log(
    `suite ${suite.name}: ${seconds.toFixed(1)} s (line: ${suite.seconds} s), ${stats.passes} passed, ${stats.failures} failed, ${stats.pending} skipped${late ? ' — TOO SLOW' : ''}`,
  );
  if (code !== 0 && stats.failures === 0) return { ...stats, failures: 1, late };
  return { ...stats, late };
}

/** Runs suites one after the other, all or those named on the command line, and ends the process with the verdict. */
export async function runSuites(suites: readonly Suite[]): Promise<never> {
  const only = process.argv.slice(2);
  const folder = await mkdtemp(join(tmpdir(), 'outrider-report-'));
  const total = { passes: 0, failures: 0, pending: 0, late: 0 };
  for (const suite of suites.filter((entry) => only.length === 0 || only.includes(entry.name))) {
    const why = await suite.leftOut?.();
    if (why !== undefined) {
      console.log(`suite ${suite.name}: not run. ${why}`);
      continue;
    }
    const stats = await runSuite(suite, folder);
    total.passes += stats.passes;
    total.failures += stats.failures;
    total.pending += stats.pending;
    if (stats.late) total.late += 1;
  }
  await rm(folder, { recursive: true, force: true });
  console.log(`${total.passes} passed, ${total.failures} failed, ${total.pending} skipped`);
  process.exit(total.failures > 0 || total.late > 0 || total.passes === 0 ? 1 : 0);
}

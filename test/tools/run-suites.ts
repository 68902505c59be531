import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Suites in order, with the seconds each may take; the sum stays under 540 (`make test` is under 10 minutes). */
const SUITES = [
  { name: 'unit', glob: 'test/unit/**/*.test.ts', seconds: 40 },
  { name: 'contract', glob: 'test/contract/**/*.test.ts', seconds: 20 },
  { name: 'integration', glob: 'test/integration/**/*.test.ts', seconds: 200 },
  { name: 'standalone', glob: 'test/standalone/**/*.test.ts', seconds: 100 },
  { name: 'chaos', glob: 'test/chaos/*.test.ts', seconds: 180 },
];

interface Report {
  stats: { passes: number; failures: number; pending: number };
}

/** Runs one suite; returns its counts and whether it kept within its line by half. */
async function runSuite(suite: (typeof SUITES)[number], folder: string): Promise<Report['stats'] & { late: boolean }> {
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
      env: { ...process.env, LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent' },
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

const only = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'outrider-report-'));
const total = { passes: 0, failures: 0, pending: 0, late: 0 };
for (const suite of SUITES.filter((entry) => only.length === 0 || only.includes(entry.name))) {
  const stats = await runSuite(suite, folder);
  total.passes += stats.passes;
  total.failures += stats.failures;
  total.pending += stats.pending;
  if (stats.late) total.late += 1;
}
await rm(folder, { recursive: true, force: true });
console.log(`${total.passes} passed, ${total.failures} failed, ${total.pending} skipped`);
if (total.failures > 0 || total.late > 0 || total.passes === 0) process.exit(1);

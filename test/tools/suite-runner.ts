import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type FailedFile, type MochaSettings, type Outcome, runMocha } from './run-mocha.ts';

/** Test files that run in one mocha process. */
export interface Suite extends MochaSettings {
  name: string;
  glob: string;
  /** What it takes on a quiet machine of two cores; more is told, not failed: a slow machine is no broken product. */
  seconds: number;
  /** Why it does not run here; said in one sentence. */
  leftOut?: () => Promise<string | undefined>;
}

/** More failed files than this are no coincidence: they are not tried again. */
const MAX_RERUN = 4;
/** Longest second try of a file whose suite has a limit, and no such try begins later than this (real seconds). */
const RERUN_SECONDS = 900;
const LAST_RERUN_SECONDS = 2_700;

/**
 * Runs suites in lanes side by side, each lane one suite after the other (all suites, or those named on the command line),
 * and ends the process with the verdict. `LANES=1` runs everything in a row. `RERUN=1` gives files that failed one more
 * try, alone and in a row; what passes then is told as unsteady, for somebody to look at.
 */
export async function runSuites(lanes: readonly (readonly Suite[])[]): Promise<never> {
  const { LANES: wanted, RERUN: rerun } = process.env;
  const only = process.argv.slice(2);
  const folder = await mkdtemp(join(tmpdir(), 'outrider-report-'));
  // Some hundred processes load the same modules: each compiles what none did before.
  process.env['NODE_COMPILE_CACHE'] ??= join(folder, 'compiled');
  const chosen = lanes.map((lane) => lane.filter((suite) => only.length === 0 || only.includes(suite.name)));
  const started = process.hrtime.bigint();
  const rows = wanted === '1' ? [chosen.flat()] : chosen;
  const outcomes = (await Promise.all(rows.map((row) => runLane(row, folder)))).flat();
  const total = sum(outcomes);
  tell('FAILED', total.failed);
  if (rerun === '1') await again(total, folder, () => Number((process.hrtime.bigint() - started) / 1_000_000_000n));
  await rm(folder, { recursive: true, force: true });
  const minutes = Number((process.hrtime.bigint() - started) / 1_000_000n) / 60_000;
  console.log(
    `${total.passes} passed, ${total.failures} failed, ${total.pending} skipped, ${minutes.toFixed(1)} minutes`,
  );
  process.exit(total.failures > 0 || total.passes === 0 ? 1 : 0);
}

async function runLane(suites: readonly Suite[], folder: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const suite of suites) {
    const files = globSync(suite.glob).sort();
    if (files.length === 0) continue;
    const why = await suite.leftOut?.();
    if (why !== undefined) {
      console.log(`suite ${suite.name}: not run. ${why}`);
      continue;
    }
    const outcome = await runMocha(files, join(folder, `${suite.name}.json`), suite);
    const { seconds, passes, failures, pending } = outcome;
    const slow = seconds > suite.seconds * 1.5 ? ' (slower than it should be)' : '';
    const line = `${seconds.toFixed(1)} s of ${suite.seconds} s${slow}`;
    console.log(`suite ${suite.name}: ${line}, ${passes} passed, ${failures} failed, ${pending} skipped`);
    outcomes.push(outcome);
  }
  return outcomes;
}

function sum(outcomes: readonly Outcome[]): Outcome {
  const total: Outcome = { passes: 0, failures: 0, pending: 0, seconds: 0, failed: [], unfinished: false };
  for (const one of outcomes) {
    total.passes += one.passes;
    total.failures += one.failures;
    total.pending += one.pending;
    total.failed.push(...one.failed);
  }
  return total;
}

/** What failed, once more and together: the end of a long output is what people see first. */
function tell(what: string, failed: readonly FailedFile[]): void {
  for (const { file, said } of failed) for (const one of said) console.log(`${what} ${relative('.', file)}: ${one}`);
}

/** One more try of the files that failed, each with the settings of its suite; corrects `total` by what fails again. */
async function again(total: Outcome, folder: string, elapsed: () => number): Promise<void> {
  const first = total.failed;
  if (total.failures === 0 || first.length === 0 || first.length > MAX_RERUN) return;
  console.log(`trying once more, alone: ${first.map(({ file }) => relative('.', file)).join(', ')}`);
  // What failed outside a file, a process that crashed for example, stays failed.
  let failures = total.failures - first.reduce((known, one) => known + one.said.length, 0);
  for (const one of first) {
    const limited = one.settings.limitSeconds !== undefined;
    if (limited && elapsed() > LAST_RERUN_SECONDS) {
      tell('NOT TRIED AGAIN, it is too late', [one]);
      failures += one.said.length;
      continue;
    }
    const settings = limited ? { ...one.settings, limitSeconds: RERUN_SECONDS } : one.settings;
    const outcome = await runMocha([one.file], join(folder, 'again.json'), settings);
    // One that was not through has shown nothing.
    const failed = outcome.unfinished ? Math.max(1, outcome.failures) : outcome.failures;
    failures += failed;
    tell('FAILED AGAIN', outcome.failed);
    if (failed === 0) tell('UNSTEADY', [one]);
  }
  total.failures = failures;
}

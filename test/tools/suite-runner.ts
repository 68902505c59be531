import { globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { LONGEST_FILE_SECONDS, secondsLeft } from './deadline.ts';
import { leftOutOf, sum } from './left-out.ts';
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

/** Files of a suite that the report names with their seconds. */
const SLOWEST = 10;
/** More failed files than this are no coincidence: they are not tried again. */
const MAX_RERUN = 4;

/** What a run of suites came to; `OUTRIDER_REPORT` names a file that gets it as JSON. */
export interface RunReport {
  passes: number;
  failures: number;
  pending: number;
  /** Seconds of each suite, beside what it may take on a quiet machine, and of its slowest files. */
  suites: { name: string; seconds: number; of: number; slowest: Outcome['took'] }[];
  /** What was left out, a sentence each: suites, files, tests. */
  leftOut: string[];
  /** What failed, failed again or was unsteady, a line each. */
  told: string[];
}

/**
 * Runs suites in lanes side by side, each lane one suite after the other (all suites, or those named on the command line),
 * and ends the process with the verdict. `LANES=1` runs everything in a row, `LANES=2` two suites at a time. `RERUN=1` gives
 * files that failed one more try, alone and in a row; what passes then is told as unsteady, for somebody to look at. What
 * was not run is named, and fails a run of CI (`CI=true`).
 */
export async function runSuites(lanes: readonly (readonly Suite[])[]): Promise<never> {
  const { LANES: wanted, RERUN: rerun } = process.env;
  const only = process.argv.slice(2);
  const folder = await mkdtemp(join(tmpdir(), 'outrider-report-'));
  // Some hundred processes load the same modules: each compiles what none did before.
  process.env['NODE_COMPILE_CACHE'] ??= join(folder, 'compiled');
  const chosen = lanes.map((lane) => lane.filter((suite) => only.length === 0 || only.includes(suite.name)));
  const started = process.hrtime.bigint();
  const run = newRun();
  await Promise.all(rowsOf(chosen, Number(wanted)).map((row) => runLane(row, folder, run)));
  const total = sum(run.outcomes);
  const told = tell('FAILED', total.failed);
  if (rerun === '1') told.push(...(await again(total, folder)));
  await rm(folder, { recursive: true, force: true });
  const leftOut = leftOutOf(total, run.absent);
  for (const one of leftOut.lines) console.log(one);
  // Where nobody looks on, nobody would read it.
  if (process.env['CI'] === 'true') total.failures += leftOut.failures;
  const minutes = Number((process.hrtime.bigint() - started) / 1_000_000n) / 60_000;
  const { passes, failures, pending } = total;
  const report = process.env['OUTRIDER_REPORT'];
  if (report)
    await writeFile(
      report,
      JSON.stringify({
        passes,
        failures,
        pending,
        suites: run.suites,
        leftOut: leftOut.lines,
        told,
      } satisfies RunReport),
    );
  console.log(`${passes} passed, ${failures} failed, ${pending} skipped, ${minutes.toFixed(1)} minutes`);
  process.exit(failures > 0 || passes === 0 ? 1 : 0);
}

/** Lanes as they are, or so many workers that take the longest suite that is left. */
function rowsOf(lanes: readonly (readonly Suite[])[], workers: number): Iterable<Suite>[] {
  if (!(workers > 0)) return lanes.map((lane) => lane.values());
  const all = lanes.flat();
  const queue = (workers === 1 ? all : all.toSorted((a, b) => b.seconds - a.seconds)).values();
  return Array.from({ length: workers }, () => queue);
}

interface Run {
  outcomes: Outcome[];
  suites: RunReport['suites'];
  /** Suites that have no place here, with the reason. */
  absent: string[];
}

function newRun(): Run {
  return { outcomes: [], suites: [], absent: [] };
}

async function runLane(suites: Iterable<Suite>, folder: string, run: Run): Promise<void> {
  for (const suite of suites) {
    const files = globSync(suite.glob).sort();
    if (files.length === 0) continue;
    const why = await suite.leftOut?.();
    if (why !== undefined) {
      console.log(`suite ${suite.name}: not run. ${why}`);
      run.absent.push(`suite ${suite.name}: ${why}`);
      continue;
    }
    const outcome = await runMocha(files, join(folder, `${suite.name}.json`), suite);
    const { seconds, passes, failures, pending } = outcome;
    const slow = seconds > suite.seconds * 1.5 ? ' (slower than it should be)' : '';
    const line = `${seconds.toFixed(1)} s of ${suite.seconds} s${slow}`;
    console.log(`suite ${suite.name}: ${line}, ${passes} passed, ${failures} failed, ${pending} skipped`);
    if (outcome.took.length > 0) console.log(`suite ${suite.name}: ${costOf(outcome)}`);
    const slowest = outcome.took.toSorted((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
    run.suites.push({ name: suite.name, seconds, of: suite.seconds, slowest });
    run.outcomes.push(outcome);
  }
}

/** What one more file costs here: its fixtures (servers, databases, workspaces) and its tests, at the median. */
function costOf({ took, passes, failures }: Outcome): string {
  const median = (values: number[]): string => (values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0).toFixed(2);
  const fixtures = median(took.map((one) => one.fixtures));
  const whole = median(took.map((one) => one.seconds));
  const tests = took.reduce((all, one) => all + one.seconds - one.fixtures, 0) / Math.max(1, passes + failures);
  return `a file takes ${whole} s at the median, its fixtures ${fixtures} s of that; a test ${tests.toFixed(2)} s on average`;
}

/** What failed, once more and together: the end of a long output is what people see first. */
function tell(what: string, failed: readonly FailedFile[]): string[] {
  const lines = failed.flatMap(({ file, said }) => said.map((one) => `${what} ${relative('.', file)}: ${one}`));
  for (const line of lines) console.log(line);
  return lines;
}

/**
 * One more try of the files that failed, each with the settings of its suite; corrects `total` by what fails again. Of a suite whose
 * time has an end (`limitSeconds`) nothing is begun once it is near. @returns what it told
 */
async function again(total: Outcome, folder: string): Promise<string[]> {
  const first = total.failed;
  const told: string[] = [];
  if (total.failures === 0 || first.length === 0 || first.length > MAX_RERUN) return told;
  console.log(`trying once more, alone: ${first.map(({ file }) => relative('.', file)).join(', ')}`);
  // What failed outside a file, a process that crashed for example, stays failed.
  let failures = total.failures - first.reduce((known, one) => known + one.said.length, 0);
  for (const one of first) {
    const left = secondsLeft();
    if (one.settings.limitSeconds !== undefined && left < LONGEST_FILE_SECONDS) {
      told.push(...tell('NOT TRIED AGAIN, it is too late', [one]));
      failures += one.said.length;
      continue;
    }
    const limited = Number.isFinite(left) && one.settings.limitSeconds !== undefined;
    const settings = limited ? { ...one.settings, limitSeconds: left } : one.settings;
    const outcome = await runMocha([one.file], join(folder, 'again.json'), settings);
    // One that was not through has shown nothing.
    const failed = outcome.unfinished ? Math.max(1, outcome.failures) : outcome.failures;
    failures += failed;
    told.push(...tell(failed === 0 ? 'UNSTEADY' : 'FAILED AGAIN', failed === 0 ? [one] : outcome.failed));
  }
  total.failures = failures;
  return told;
}

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleepReal } from '../../pkg/base/clock.ts';
import { cacheFolder } from '../cluster/cluster.ts';
import { CI_MINUTES, CI_PARTS, type CiPart, settingsOf } from './ci-parts.ts';
import type { RunReport } from './suite-runner.ts';

/** What became of a part. */
interface PartResult {
  part: CiPart;
  minutes: number;
  code: number;
  report: RunReport | undefined;
}

/** Files that take longer are named in the table. */
const SLOW_SECONDS = 45;
/** Lines about failures of a part that the end repeats, and their length. */
const MOST_TOLD = 12;
const LONGEST_TOLD = 300;
/** Time for a part that is over its line to end what it started (ms). */
const GRACE_MS = 60_000;

/**
 * What `.ci/run` does once there is a Node.js: all parts in order, then the table, what was not run, and the counts of all. A part
 * has its minutes and those that the parts before it left over: a slow one fails only when the whole would come too late.
 */
const folder = await mkdtemp(join(tmpdir(), 'outrider-ci-'));
const results: PartResult[] = [];
let missing: readonly CiPart[] = [];
let leftOver = 0;
for (const [index, part] of CI_PARTS.entries()) {
  const given = part.minutes + leftOver;
  const result = await runPart(part, given);
  results.push(result);
  leftOver = Math.max(0, given - result.minutes);
  if (result.code === 0 || !part.needed) continue;
  missing = CI_PARTS.slice(index + 1);
  break;
}
await rm(folder, { recursive: true, force: true });
conclude();

async function runPart(part: CiPart, given: number): Promise<PartResult> {
  const report = join(folder, `${part.name}.json`);
  const started = process.hrtime.bigint();
  const code = await runCommand(part, given, {
    ...settingsOf(part, given),
    OUTRIDER_REPORT: report,
    CLUSTER_CACHE: cacheFolder(),
  });
  const minutes = Number((process.hrtime.bigint() - started) / 1_000_000n) / 60_000;
  const text = await readFile(report, 'utf8').catch(() => undefined);
  return { part, minutes, code, report: text === undefined ? undefined : (JSON.parse(text) as RunReport) };
}

/** @returns its exit code; 124 when its time was over */
function runCommand({ name, command }: CiPart, minutes: number, env: Record<string, string>): Promise<number> {
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    // A group of its own: whatever it started ends with it.
    const child = spawn(program, args, { stdio: 'inherit', detached: true, env: { ...process.env, ...env } });
    const ended = new AbortController();
    let late = false;
    const strike = (signal: NodeJS.Signals): void => {
      try {
        if (child.pid) process.kill(-child.pid, signal);
      } catch {
        // It ended meanwhile.
      }
    };
    const bound = async (): Promise<void> => {
      await sleepReal(minutes * 60_000, ended.signal);
      late = true;
      console.log(`ended: ${name} is over its ${minutes.toFixed(1)} minutes`);
      strike('SIGTERM');
      await sleepReal(GRACE_MS, ended.signal);
      strike('SIGKILL');
    };
    bound().catch(() => undefined);
    const done = (code: number): void => {
      ended.abort();
      resolve(late ? 124 : code);
    };
    child.once('error', () => done(127));
    child.once('exit', (code) => done(code ?? 1));
  });
}

/** The last lines of CI's output: minutes against their line, what was not run, the counts. */
function conclude(): never {
  const row = (name: string, used: number, of: number, note = ''): string =>
    `${name.padEnd(16)}${used.toFixed(1).padStart(7)} of ${of.toFixed(1).padStart(5)}${note}`;
  console.log(`\n${'minutes'.padEnd(16)}${'used'.padStart(7)} of  line`);
  for (const { part, minutes, code, report } of results) {
    console.log(row(part.name, minutes, part.minutes, code === 0 ? '' : '  FAILED'));
    for (const { name, seconds, of, slowest } of report?.suites ?? []) {
      console.log(row(`  ${name}`, seconds / 60, of / 60));
      for (const one of slowest.filter(({ seconds: own }) => own >= SLOW_SECONDS))
        console.log(`    ${(one.seconds / 60).toFixed(1).padStart(19)}  ${one.file}`);
    }
  }
  console.log(
    row(
      'in all',
      results.reduce((sum, { minutes }) => sum + minutes, 0),
      CI_MINUTES,
    ),
  );
  for (const { report } of results) for (const one of report?.leftOut ?? []) console.log(one);
  // The end is what is kept of a long output: what failed stands there too.
  for (const { report } of results)
    for (const one of report?.told.slice(0, MOST_TOLD) ?? []) console.log(one.slice(0, LONGEST_TOLD));
  for (const { name } of missing) console.log(`NOT RUN ${name}: what it needs has failed`);
  const [passes, failures, pending] = [total('passes'), total('failures') + silent(), total('pending')];
  console.log(`${passes} passed, ${failures} failed, ${pending} skipped`);
  process.exit(failures > 0 || passes === 0 ? 1 : 0);
}

function total(count: 'passes' | 'failures' | 'pending'): number {
  return results.reduce((sum, { report }) => sum + (report?.[count] ?? 0), 0);
}

/** Parts that failed without a test that says so. */
function silent(): number {
  return results.filter(({ code, report }) => code !== 0 && !report?.failures).length + missing.length;
}

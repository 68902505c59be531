import type { Outcome } from './run-mocha.ts';

/** What was not run: a line for each suite, file and test, and how many of them fail CI. */
export interface LeftOut {
  lines: string[];
  failures: number;
}

/** All outcomes as one. A file that one suite passes over may be run by another one. */
export function sum(outcomes: readonly Outcome[]): Outcome {
  const count = (of: 'passes' | 'failures' | 'pending' | 'seconds'): number =>
    outcomes.reduce((all, outcome) => all + outcome[of], 0);
  const everywhere = (file: string): boolean =>
    outcomes.every(({ files, notRun }) => !files.includes(file) || notRun.includes(file));
  return {
    passes: count('passes'),
    failures: count('failures'),
    pending: count('pending'),
    seconds: count('seconds'),
    files: outcomes.flatMap(({ files }) => files),
    failed: outcomes.flatMap(({ failed }) => failed),
    skipped: outcomes.flatMap(({ skipped }) => skipped),
    notRun: [...new Set(outcomes.flatMap(({ notRun }) => notRun))].filter(everywhere),
    took: outcomes.flatMap(({ took }) => took),
    unfinished: outcomes.some(({ unfinished }) => unfinished),
  };
}

/**
 * A test that is skipped is named. A file of which no test came to an end, or a suite that has no place here, says nothing about
 * the product: each of them fails CI.
 * @param absent suites that had no place here, with the reason
 */
export function leftOutOf(
  { notRun, skipped }: Pick<Outcome, 'notRun' | 'skipped'>,
  absent: readonly string[],
): LeftOut {
  const whole = [...absent, ...notRun.map((file) => `${file}: none of its tests came to an end`)];
  return {
    lines: [...whole.map((one) => `NOT RUN ${one}`), ...skipped.map((title) => `SKIPPED ${title}`)],
    failures: whole.length,
  };
}

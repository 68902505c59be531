import { expect } from 'chai';
import { leftOutOf, sum } from '../../tools/left-out.ts';
import type { Outcome } from '../../tools/run-mocha.ts';

const outcome = (change: Partial<Outcome>): Outcome => ({
  passes: 0,
  failures: 0,
  pending: 0,
  seconds: 0,
  files: [],
  failed: [],
  skipped: [],
  notRun: [],
  took: [],
  unfinished: false,
  ...change,
});

describe('what a run of suites left out', () => {
  it('a file that was not run, and a suite that has no place here, fail CI and are named; a skipped test is named', () => {
    const total = sum([
      outcome({ passes: 3, files: ['a.ts', 'b.ts'], notRun: ['b.ts'], skipped: ['b does'], pending: 1 }),
    ]);
    expect(total).to.include({ passes: 3, failures: 0, pending: 1 });
    expect(leftOutOf(total, ['suite real: there is none here'])).to.deep.equal({
      lines: [
        'NOT RUN suite real: there is none here',
        'NOT RUN b.ts: none of its tests came to an end',
        'SKIPPED b does',
      ],
      failures: 2,
    });
  });

  it('a file that one suite passes over and another one runs was run', () => {
    const passesOver = outcome({ files: ['a.ts', 'b.ts'], notRun: ['b.ts'] });
    expect(leftOutOf(sum([passesOver, outcome({ files: ['b.ts'] })]), []).failures).to.equal(0);
    expect(leftOutOf(sum([passesOver, outcome({ files: ['b.ts'], notRun: ['b.ts'] })]), []).failures).to.equal(1);
  });
});

import { expect } from 'chai';
import { CI_MINUTES, CI_PARTS } from '../../tools/ci-parts.ts';
import { LONGEST_FILE_SECONDS } from '../../tools/deadline.ts';

describe('parts of CI', () => {
  it('stay within the minutes of CI together, a cold build of the cluster’s programs included', () => {
    expect(CI_PARTS.map(({ name }) => name)).to.deep.equal(['verify', 'programs', 'test', 'long', 'cluster']);
    expect(CI_PARTS.reduce((sum, { minutes }) => sum + minutes, 0)).to.be.at.most(CI_MINUTES);
  });

  it('a suite that has an end of its own comes to it before its part does, and has time to begin a file', () => {
    for (const { name, minutes, env } of CI_PARTS) {
      if (env?.['MINUTES'] === undefined) continue;
      expect(Number(env['MINUTES']), name).to.be.below(minutes);
      expect(Number(env['MINUTES']) * 60, name).to.be.above(2 * LONGEST_FILE_SECONDS);
    }
  });
});

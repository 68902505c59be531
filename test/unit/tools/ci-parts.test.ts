import { expect } from 'chai';
import { CI_MINUTES, CI_PARTS, settingsOf } from '../../tools/ci-parts.ts';
import { LONGEST_FILE_SECONDS } from '../../tools/deadline.ts';

describe('parts of CI', () => {
  it('stay within the minutes of CI together, a cold build of the cluster’s programs included', () => {
    expect(CI_PARTS.map(({ name }) => name)).to.deep.equal(['verify', 'programs', 'test', 'long', 'cluster']);
    expect(CI_PARTS.reduce((sum, { minutes }) => sum + minutes, 0)).to.be.at.most(CI_MINUTES);
  });

  it('a suite that has an end of its own comes to it before its part does, and has time to begin a file', () => {
    const some = CI_PARTS.filter(({ endsItself }) => endsItself);
    expect(some.map(({ name }) => name)).to.deep.equal(['cluster']);
    for (const part of some) {
      const told = Number(settingsOf(part, part.minutes)['MINUTES']);
      expect(told, part.name).to.be.below(part.minutes);
      expect(told * 60, part.name).to.be.above(2 * LONGEST_FILE_SECONDS);
    }
  });

  it('its end is later by the minutes that the parts before it left over', () => {
    const part = { name: 'any', command: ['true'], minutes: 30, endsItself: true } as const;
    expect(settingsOf(part, 42.5)['MINUTES']).to.equal('41.5');
    expect(settingsOf({ ...part, endsItself: undefined }, 42.5)).to.not.have.property('MINUTES');
  });
});

import { expect } from 'chai';
import { authAfter, CONFIRM_AFTER_MS } from '../../../pkg/domain/mail-auth.ts';

const HOUR = CONFIRM_AFTER_MS;

describe('proofs of a sending domain', () => {
  it('fail only when two looks an hour apart failed', () => {
    const first = authAfter(undefined, 'fail', HOUR);
    expect(first).to.deep.equal({ state: 'unconfirmed', failedAt: HOUR });
    expect(authAfter(first, 'fail', HOUR + HOUR - 1).state).to.equal('unconfirmed');
    expect(authAfter(first, 'fail', HOUR + HOUR).state).to.equal('failing');
  });

  it('a server that does not answer proves nothing: it neither confirms nor clears', () => {
    const first = authAfter(undefined, 'fail', 0);
    const silent = authAfter(first, 'unknown', HOUR);
    expect(silent).to.deep.equal({ state: 'unknown', failedAt: 0 });
    expect(authAfter(silent, 'fail', HOUR).state).to.equal('failing');
    expect(authAfter(undefined, 'unknown', 0)).to.deep.equal({ state: 'unknown', failedAt: null });
  });

  it('one good look clears what was seen before', () => {
    const failing = authAfter({ state: 'failing', failedAt: 0 }, 'pass', 9 * HOUR);
    expect(failing).to.deep.equal({ state: 'pass', failedAt: null });
    expect(authAfter(failing, 'fail', 10 * HOUR).state).to.equal('unconfirmed');
  });
});

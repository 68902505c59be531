import { expect } from 'chai';
import type { Pod } from '../../../pkg/controllers/workspace/pod.ts';
import { Restarts } from '../../../pkg/controllers/workspace/restarts.ts';

const pod = (uid: string, restartCount: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'ex-a', uid },
  status: {
    containerStatuses: [{ restartCount, lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } } }],
  },
});

describe('restarts of an executor', () => {
  it('each is told once, with how the container ended', () => {
    const restarts = new Restarts();
    expect(restarts.news('a', pod('one', 0))).to.equal(null);
    expect(restarts.news('a', pod('one', 1))).to.equal(
      'The container of the executor ended with OOMKilled (exit code 137) and was started again.',
    );
    expect(restarts.news('a', pod('one', 1))).to.equal(null);
    expect(restarts.news('a', pod('one', 3))).to.not.equal(null);
  });

  it('of a pod seen for the first time the past is not told: by a new leader, or after another pod', () => {
    const restarts = new Restarts();
    expect(restarts.news('a', pod('one', 4))).to.equal(null);
    expect(restarts.news('a', pod('two', 5))).to.equal(null);
    expect(restarts.news('a', undefined)).to.equal(null);
    expect(restarts.news('a', pod('two', 6))).to.equal(null);
  });
});

import { expect } from 'chai';
import type { Pod } from '../../../pkg/controllers/workspace/pod.ts';
import { podProblem } from '../../../pkg/controllers/workspace/pod-problem.ts';

const podWith = (status: Pod['status']): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'ex-a' },
  ...(status ? { status } : {}),
});
const waiting = (reason: string, message?: string) => ({
  state: { waiting: { reason, ...(message ? { message } : {}) } },
});

describe('trouble of a pod', () => {
  it('is what the scheduler says', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes fit.' }];
    expect(podProblem(podWith({ conditions }))).to.deep.equal({
      reason: 'Unschedulable',
      message: 'The pod can not be scheduled: 0/3 nodes fit.',
    });
  });

  it('is an image that can not be pulled', () => {
    const status = { containerStatuses: [waiting('ImagePullBackOff', 'Back-off pulling image "x:1"')] };
    expect(podProblem(podWith(status))?.reason).to.equal('ImagePullBackOff');
  });

  it('is a container that ends again and again, with how it ended last', () => {
    const last = { lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } } };
    const found = podProblem(
      podWith({ containerStatuses: [{ ...waiting('CrashLoopBackOff', 'back-off 10s'), ...last }] }),
    );
    expect(found?.message).to.equal('The pod does not start: back-off 10s. It ended with OOMKilled (exit code 137).');
  });

  it('is not a pod that only needs a moment', () => {
    expect(podProblem(podWith(undefined))).to.equal(null);
    expect(podProblem(podWith({ containerStatuses: [waiting('ContainerCreating')] }))).to.equal(null);
    expect(podProblem(podWith({ phase: 'Running', containerStatuses: [{ state: {} }] }))).to.equal(null);
  });
});

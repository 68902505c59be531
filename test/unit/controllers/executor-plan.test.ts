import { expect } from 'chai';
import {
  type ExecutorFacts,
  type LeaseFact,
  type PodFact,
  planExecutor,
} from '../../../pkg/controllers/workspace/executor-plan.ts';

const POD: PodFact = {
  name: 'ex-a',
  uid: 'u1',
  phase: 'Running',
  reason: '',
  ageMs: 10_000,
  deleting: null,
  outdated: false,
  problem: null,
};
const CLAIM: LeaseFact = { epoch: 4, live: true, holder: 'u1', idleMs: null, lapsedMs: -20_000 };
const FACTS: ExecutorFacts = {
  stopped: null,
  due: false,
  idleTimeoutMs: 300_000,
  pod: null,
  lease: null,
  mayReplace: true,
  refused: null,
};

interface Row {
  reason: string;
  facts: Partial<ExecutorFacts>;
  action: object;
  state: string;
  available: string;
}

const QUOTA = { reason: 'QuotaExceeded', message: 'no room', retryMs: 5_000 } as const;
const TABLE: Row[] = [
  {
    reason: 'its container ended and waits to be started again while its claim still lives: what the pod says is told',
    facts: {
      due: true,
      pod: { ...POD, problem: { reason: 'CrashLoopBackOff', message: 'It ended with OOMKilled.' } },
      lease: CLAIM,
    },
    action: { do: 'nothing' },
    state: 'Starting',
    available: 'CrashLoopBackOff',
  },
  {
    reason: 'nothing due, no pod: sleeps on',
    facts: {},
    action: { do: 'nothing' },
    state: 'Idle',
    available: 'Asleep',
  },
  {
    reason: 'work due: a pod is made',
    facts: { due: true },
    action: { do: 'create' },
    state: 'Starting',
    available: 'Starting',
  },
  {
    reason: 'a stop beats due work',
    facts: { due: true, stopped: 'held' },
    action: { do: 'nothing' },
    state: 'Idle',
    available: 'Asleep',
  },
  {
    reason: 'a pod that no node takes says so',
    facts: {
      due: true,
      pod: { ...POD, phase: 'Pending', problem: { reason: 'Unschedulable', message: 'no node matches' } },
    },
    action: { do: 'nothing' },
    state: 'Starting',
    available: 'Unschedulable',
  },
  {
    reason: 'a quota error means wait, not fail',
    facts: { due: true, refused: QUOTA },
    action: { do: 'nothing' },
    state: 'Idle',
    available: 'QuotaExceeded',
  },
  {
    reason: 'the pod has not claimed yet',
    facts: { due: true, pod: POD },
    action: { do: 'nothing' },
    state: 'Starting',
    available: 'Starting',
  },
  {
    reason: 'another pod still holds the claim',
    facts: { due: true, pod: POD, lease: { ...CLAIM, holder: 'u0' } },
    action: { do: 'nothing' },
    state: 'Starting',
    available: 'Starting',
  },
  {
    reason: 'at work',
    facts: { due: true, pod: POD, lease: CLAIM },
    action: { do: 'nothing' },
    state: 'Running',
    available: 'Running',
  },
  {
    reason: 'idle, but not for long enough',
    facts: { pod: POD, lease: { ...CLAIM, idleMs: 299_000 } },
    action: { do: 'nothing' },
    state: 'Running',
    available: 'Running',
  },
  {
    reason: 'idle for long enough: sleeps under the epoch that reported it',
    facts: { pod: POD, lease: { ...CLAIM, idleMs: 300_000 } },
    action: { do: 'sleep', epoch: 4 },
    state: 'Running',
    available: 'Running',
  },
  {
    reason: 'new work beats idleness',
    facts: { due: true, pod: POD, lease: { ...CLAIM, idleMs: 900_000 } },
    action: { do: 'nothing' },
    state: 'Running',
    available: 'Running',
  },
  {
    reason: 'suspended: drained under its epoch',
    facts: { stopped: 'suspended', due: true, pod: POD, lease: CLAIM },
    action: { do: 'drain', epoch: 4, why: 'suspended' },
    state: 'Draining',
    available: 'Draining',
  },
  {
    reason: 'a pod of an older template is drained',
    facts: { due: true, pod: { ...POD, outdated: true }, lease: CLAIM },
    action: { do: 'drain', epoch: 4, why: 'The pod is replaced by one of the current template.' },
    state: 'Draining',
    available: 'Draining',
  },
  {
    reason: 'a pod of an older template works on until it is its turn',
    facts: { due: true, pod: { ...POD, outdated: true }, lease: CLAIM, mayReplace: false },
    action: { do: 'nothing' },
    state: 'Running',
    available: 'Running',
  },
  {
    reason: 'a pod of an older template that holds no claim is replaced at once',
    facts: { due: true, pod: { ...POD, outdated: true }, mayReplace: false },
    action: { do: 'drain', epoch: null, why: 'The pod is replaced by one of the current template.' },
    state: 'Draining',
    available: 'Draining',
  },
  {
    reason: 'an evicted pod is removed, so that the next look makes another',
    facts: { due: true, pod: { ...POD, phase: 'Failed', reason: 'Evicted' }, lease: CLAIM },
    action: { do: 'remove', force: false, why: 'Evicted' },
    state: 'Starting',
    available: 'PodLost',
  },
  {
    reason: 'a pod that ends is left to end',
    facts: { due: true, pod: { ...POD, deleting: { overdueMs: -30_000 } }, lease: CLAIM },
    action: { do: 'nothing' },
    state: 'Draining',
    available: 'Draining',
  },
  {
    reason: 'a pod lost with its node is removed by force and never says Running',
    facts: { due: true, pod: { ...POD, deleting: { overdueMs: 31_000 } }, lease: CLAIM },
    action: { do: 'remove', force: true, why: 'its node does not answer' },
    state: 'Draining',
    available: 'Draining',
  },
  {
    reason: 'a process that hangs loses its claim and its pod',
    facts: { due: true, pod: POD, lease: { ...CLAIM, live: false, lapsedMs: 91_000 } },
    action: { do: 'remove', force: false, why: 'its claim ran out' },
    state: 'Starting',
    available: 'ClaimLost',
  },
  {
    reason: 'a pod that never claims and that nobody needs is removed',
    facts: { pod: { ...POD, ageMs: 301_000 } },
    action: { do: 'remove', force: false, why: 'no work is due' },
    state: 'Draining',
    available: 'Draining',
  },
  {
    reason: 'a pod that never claims though work is due is shown',
    facts: { due: true, pod: { ...POD, ageMs: 301_000 } },
    action: { do: 'nothing' },
    state: 'Starting',
    available: 'NotClaiming',
  },
];

describe('plan of the executor pod', () => {
  for (const { reason, facts, action, state, available } of TABLE) {
    it(reason, () => {
      const plan = planExecutor({ ...FACTS, ...facts });
      expect(plan.action).to.deep.equal(action);
      expect(plan.state).to.equal(state);
      expect(plan.condition).to.include({ type: 'ExecutorAvailable', reason: available });
    });
  }

  it('an idle executor is looked at again when its time has come', () => {
    const plan = planExecutor({ ...FACTS, idleTimeoutMs: 10_000, pod: POD, lease: { ...CLAIM, idleMs: 4_000 } });
    expect(plan.requeueAfterMs).to.equal(6_100);
  });

  it('is deterministic: ages never reach the condition', () => {
    const early = planExecutor({ ...FACTS, due: true, pod: POD });
    const later = planExecutor({ ...FACTS, due: true, pod: { ...POD, ageMs: 20_000 } });
    expect(later.condition).to.deep.equal(early.condition);
  });
});

import { expect } from 'chai';
import { type PoolPodFact, planPool } from '../../../pkg/controllers/pool/pool-plan.ts';
import type { LeaseFact } from '../../../pkg/controllers/workspace/executor-plan.ts';
import { type PooledFacts, planPooled, type SeatFact } from '../../../pkg/controllers/workspace/seat-plan.ts';

const SEAT: SeatFact = { member: 'ex-pool-0', ageMs: 1_000, podUid: 'u1' };
const LEASE: LeaseFact = { epoch: 4, live: true, holder: 'u1', idleMs: null, lapsedMs: -20_000 };
const FACTS: PooledFacts = { stopped: null, due: false, idleTimeoutMs: 300_000, seat: null, lease: null, serving: 2 };

const SEATS: [reason: string, facts: Partial<PooledFacts>, action: object, state: string, available: string][] = [
  ['nothing due, no seat: sleeps on', {}, { do: 'nothing' }, 'Idle', 'Asleep'],
  ['work due: a seat is taken', { due: true }, { do: 'seat' }, 'Starting', 'Starting'],
  [
    'work due and nobody serves: waits for the pool',
    { due: true, serving: 0 },
    { do: 'nothing' },
    'Starting',
    'Starting',
  ],
  [
    'work due, the pod of its own still finishes: seated all the same, the claim decides',
    { due: true, lease: { ...LEASE, holder: 'own' } },
    { do: 'seat' },
    'Starting',
    'Starting',
  ],
  ['let go and not finished yet', { lease: LEASE }, { do: 'nothing' }, 'Draining', 'Draining'],
  [
    'stopped with a seat: told to finish',
    { stopped: 'Suspended.', seat: SEAT, lease: LEASE },
    { do: 'unseat', epoch: 4, why: 'Suspended.' },
    'Draining',
    'Draining',
  ],
  [
    'stopped before the claim was taken',
    { stopped: 'Suspended.', seat: SEAT },
    { do: 'unseat', epoch: null, why: 'Suspended.' },
    'Draining',
    'Draining',
  ],
  ['works', { due: true, seat: SEAT, lease: LEASE }, { do: 'nothing' }, 'Running', 'Running'],
  [
    'idle, not long enough',
    { seat: SEAT, lease: { ...LEASE, idleMs: 1_000 } },
    { do: 'nothing' },
    'Running',
    'Running',
  ],
  [
    'idle for its time: rests by compare-and-set',
    { seat: SEAT, lease: { ...LEASE, idleMs: 300_000 } },
    { do: 'rest', epoch: 4 },
    'Running',
    'Running',
  ],
  [
    'idle for its time, but something became due',
    { due: true, seat: SEAT, lease: { ...LEASE, idleMs: 300_000 } },
    { do: 'nothing' },
    'Running',
    'Running',
  ],
  [
    'seated, the claim is still another’s',
    { due: true, seat: SEAT, lease: { ...LEASE, holder: 'u0' } },
    { do: 'nothing' },
    'Starting',
    'Starting',
  ],
  [
    'seated at a member without a pod; a free claim is nobody’s',
    { due: true, seat: { ...SEAT, podUid: null }, lease: { ...LEASE, holder: null } },
    { do: 'nothing' },
    'Starting',
    'Starting',
  ],
  [
    'seated for minutes and not taken up: says so',
    { due: true, seat: { ...SEAT, ageMs: 400_000 } },
    { do: 'nothing' },
    'Starting',
    'NotClaiming',
  ],
  [
    'seated, never taken up and nothing due any more',
    { seat: { ...SEAT, ageMs: 400_000 } },
    { do: 'unseat', epoch: null, why: 'No work is due.' },
    'Draining',
    'Draining',
  ],
];

const POD: PoolPodFact = {
  name: 'ex-pool-0',
  surplus: false,
  serves: true,
  ended: false,
  outdated: false,
  ready: true,
  deletingOverdueMs: null,
};
const TWO = ['ex-pool-0', 'ex-pool-1'];
const SECOND: PoolPodFact = { ...POD, name: 'ex-pool-1' };
const gone = (name: string, why: string, force = false): object => ({ do: 'delete', name, force, why });

const PODS: [reason: string, wanted: string[], pods: PoolPodFact[], actions: object[]][] = [
  ['none there: all are made', TWO, [], TWO.map((name) => ({ do: 'create', name }))],
  ['all is well: nothing', TWO, [POD, SECOND], []],
  [
    'one ended: it goes, and is made anew when it is gone',
    TWO,
    [{ ...POD, ended: true }, SECOND],
    [gone('ex-pool-0', 'it ended')],
  ],
  ['one is ending: waits for its node', TWO, [{ ...POD, ready: false, deletingOverdueMs: -1 }, SECOND], []],
  [
    'its node does not answer: by force',
    TWO,
    [{ ...POD, ready: false, deletingOverdueMs: 31_000 }, SECOND],
    [gone('ex-pool-0', 'its node does not answer', true)],
  ],
  ['surplus and somebody is served: stays until they moved', ['ex-pool-0'], [POD, { ...SECOND, surplus: true }], []],
  [
    'surplus and empty: goes',
    ['ex-pool-0'],
    [POD, { ...SECOND, surplus: true, serves: false }],
    [gone('ex-pool-1', 'the platform asks for fewer')],
  ],
  [
    'two of an older template: one after another',
    TWO,
    [
      { ...POD, outdated: true },
      { ...SECOND, outdated: true },
    ],
    [gone('ex-pool-0', 'its template changed')],
  ],
  [
    'while the first of them starts, the second waits',
    TWO,
    [
      { ...POD, ready: false },
      { ...SECOND, outdated: true },
    ],
    [],
  ],
  [
    'one of an older template that does not even run is replaced',
    TWO,
    [{ ...POD, outdated: true, ready: false }, SECOND],
    [gone('ex-pool-0', 'its template changed')],
  ],
];

describe('the place of a workspace in the pool', () => {
  for (const [reason, facts, action, state, available] of SEATS) {
    it(reason, () => {
      const planned = planPooled({ ...FACTS, ...facts });
      expect(planned.action).to.deep.equal(action);
      expect([planned.state, planned.condition.reason]).to.deep.equal([state, available]);
    });
  }
});

describe('the pods of the pool', () => {
  for (const [reason, wanted, pods, actions] of PODS) {
    it(reason, () => expect(planPool(wanted, pods)).to.deep.equal(actions));
  }
});

import { expect } from 'chai';
import { UserError, Waiting } from '../../../pkg/base/errors.ts';
import { planAccounts } from '../../../pkg/controllers/accounts/accounts-controller.ts';
import { durationMs } from '../../../pkg/controllers/duration.ts';
import { conditionsOf, readinessUnder } from '../../../pkg/controllers/readiness.ts';
import type { OutriderObject } from '../../../pkg/tools/resources/kinds.ts';

const READY = { ready: true, reason: 'Succeeded', message: 'In force.' } as const;
const BAD = { ready: false, reason: 'InvalidGraph', message: 'bad node' } as const;
const facts = { generation: 2, hold: null, others: [], now: Date.UTC(2026, 0, 5) };

describe('conditions of an object', () => {
  it('Stalled is there only while a person must act', () => {
    const stalled = conditionsOf([], { ...facts, readiness: BAD });
    expect(stalled.map((one) => `${one.type}=${one.status}`)).to.deep.equal(['Ready=False', 'Stalled=True']);
    const healed = conditionsOf(stalled, { ...facts, readiness: READY });
    expect(healed.map((one) => `${one.type}=${one.status}`)).to.deep.equal(['Ready=True']);
  });

  it('the same verdict at a later time changes nothing', () => {
    const first = conditionsOf([], { ...facts, readiness: READY });
    expect(conditionsOf(first, { ...facts, readiness: READY, now: facts.now + 60_000 })).to.deep.equal(first);
  });

  it('Ready is stamped with the generation in the same write', () => {
    expect(conditionsOf([], { ...facts, readiness: READY })[0]).to.include({ type: 'Ready', observedGeneration: 2 });
  });

  it('a hold shows who stopped it', () => {
    const held = conditionsOf([], { ...facts, readiness: READY, hold: { reason: 'a complaint', heldBy: 'ann' } });
    expect(held.find((one) => one.type === 'Paused')).to.include({
      reason: 'StoppedByTool',
      message: 'Stopped by ann: a complaint',
    });
  });

  it('a missing row of a parent that is being reconciled is waited for, a stalled parent is shown', () => {
    const parent = { apiVersion: 'v1', kind: 'Workspace', metadata: { name: 'acme' } } as OutriderObject;
    const missing = new UserError('not found', 'RefNotFound');
    expect(() => readinessUnder(missing, parent)).to.throw(Waiting);
    const stalled = { ...parent, status: { conditions: [{ type: 'Stalled', status: 'True' }] } };
    expect(readinessUnder(missing, stalled)).to.include({ ready: false, reason: 'RefNotFound' });
    expect(readinessUnder(missing, undefined)).to.include({ ready: false, reason: 'RefNotFound' });
    expect(() => readinessUnder(new Error('down'), undefined), 'an outage is no verdict').to.throw('down');
  });

  it('reads durations as the schema admits them', () => {
    expect([durationMs('30s'), durationMs('5m'), durationMs('1h30m')]).to.deep.equal([30_000, 300_000, 5_400_000]);
  });
});

describe('plan of the account sync pod', () => {
  const pod = { ended: false, outdated: false, deletingOverdueMs: null };
  const table = [
    { reason: 'wanted, none there', facts: { wanted: true, unwantedMs: 0, pod: null }, plan: 'create' },
    { reason: 'wanted and there', facts: { wanted: true, unwantedMs: 0, pod }, plan: 'nothing' },
    { reason: 'not wanted for a moment', facts: { wanted: false, unwantedMs: 10_000, pod }, plan: 'nothing' },
    { reason: 'not wanted for long', facts: { wanted: false, unwantedMs: 61_000, pod }, plan: 'delete' },
    { reason: 'failed', facts: { wanted: true, unwantedMs: 0, pod: { ...pod, ended: true } }, plan: 'delete' },
    {
      reason: 'of an older template',
      facts: { wanted: true, unwantedMs: 0, pod: { ...pod, outdated: true } },
      plan: 'delete',
    },
    {
      reason: 'lost with its node',
      facts: { wanted: true, unwantedMs: 0, pod: { ...pod, deletingOverdueMs: 31_000 } },
      plan: 'force-delete',
    },
  ];
  for (const row of table) it(row.reason, () => expect(planAccounts(row.facts)).to.equal(row.plan));
});

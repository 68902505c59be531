import { expect } from 'chai';
import { EVENT_DEFINITIONS } from '../../../pkg/events/event-definitions.ts';
import { sampleEnvelope } from '../../../pkg/events/event-envelope.ts';
import { RUN_SAMPLE } from '../../../pkg/events/ids.ts';
import { tellEvent } from '../../../pkg/events/tell-event.ts';

const ROW = {
  workspaceId: 'acme',
  number: 42,
  seq: 4711,
  at: Date.parse('2026-11-30T08:15:00.000Z'),
  runId: null,
  nodeId: null,
  leadId: null,
  workflowId: null,
  campaignId: null,
};

describe('what readers get of an event', () => {
  it('is what the schema of its kind names, and nothing else that the row holds', () => {
    const { sample } = EVENT_DEFINITIONS['key.created'];
    const told = tellEvent({ ...ROW, kind: 'key.created', data: { ...sample, hash: 'a secret of the house' } });
    expect(told).deep.equal(sampleEnvelope('key.created'));
  });

  it('names the lead, workflow and campaign of its run', () => {
    const told = tellEvent({ ...ROW, ...RUN_SAMPLE, kind: 'run.blocked', data: { reason: 'account_unhealthy' } });
    expect(told.data).deep.equal(EVENT_DEFINITIONS['run.blocked'].sample);
  });
});

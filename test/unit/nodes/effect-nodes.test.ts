import { expect } from 'chai';
import { isHarmless } from '../../../pkg/domain/actions.ts';
import type { StepInput } from '../../../pkg/nodes/node-type.ts';
import { ownTextNode } from '../../../pkg/nodes/own-text.ts';
import { nodeTypeOf } from '../../../pkg/nodes/registry.ts';
import { DAY, effect, inputFor, lead, NOW } from '../../fixtures/nodes/step-input.ts';

const precheck = (nodeType: string, facts: StepInput['facts'], config = {}) => {
  const input = inputFor(nodeType, config, { facts });
  return effect(nodeType).precheck(input, input.node.config as never);
};
const draft = (nodeType: string, config: Record<string, unknown>, over: Partial<StepInput> = {}) => {
  const input = inputFor(nodeType, config, over);
  return effect(nodeType).draft(input, input.node.config as never);
};

describe('effect nodes', () => {
  it('connection_request: nobody is asked twice, and a noted request spends both budgets', () => {
    expect(precheck('network:connection_request', { connected: true })).to.equal('already_connected');
    expect(precheck('network:connection_request', { requestedAt: 1 })).to.equal('already_pending');
    expect(precheck('network:connection_request', {})).to.equal(null);
    const type = effect('network:connection_request');
    const noted = inputFor('network:connection_request', { noteMode: 'static', noteTemplate: 'Hi' }).node.config;
    expect(type.budgets(noted as never)).to.deep.equal(['connection_request', 'connection_request_with_note']);
    expect(type.budgets(inputFor('network:connection_request').node.config as never)).to.deep.equal([
      'connection_request',
    ]);
    expect([type.sendOnce, isHarmless('connection_request')]).to.deep.equal(['once_per_account', false]);
    expect(type.refusedOutcome('already_pending')).to.equal('already_pending');
    expect(type.refusedOutcome('limit')).to.equal('failed');
  });

  it('message: known not to be a connection is not_connected, unknown lets the provider decide', () => {
    const config = { text: 'Hi' };
    expect(precheck('network:message', { connected: false }, config)).to.equal('not_connected');
    expect(precheck('network:message', { requestedAt: 1 }, config)).to.equal('not_connected');
    expect(precheck('network:message', { requestedAt: 1, connected: true }, config)).to.equal(null);
    expect(precheck('network:message', {}, config)).to.equal(null);
    expect(effect('network:message').refusedOutcome('not_connected')).to.equal('not_connected');
    expect(effect('network:message').refusedOutcome('rejected')).to.equal('failed');
  });

  it('times that have passed meanwhile are proposed to nobody: a message that waited names those to come', () => {
    const propose = nodeTypeOf('calendar:propose_slots');
    if (propose.kind !== 'call') throw new Error('a call');
    const starts = [NOW + DAY, NOW + 2 * DAY];
    const data = { slots: 'Tue 3 Mar 11:00, Wed 4 Mar 11:00 (Europe/Berlin)', starts, timezone: 'Europe/Berlin' };
    const taken = propose.take?.('done', data, inputFor('calendar:propose_slots'), {} as never);
    const said = (now: number, text = '{{slots}}') =>
      draft('network:message', { text }, { now, facts: { ...taken?.facts } });
    expect(said(NOW)).to.deep.equal({ text: data.slots });
    expect(said(NOW + DAY)).to.deep.equal({ text: 'Wed 4 Mar 11:00 (Europe/Berlin)' });
    expect(said(NOW + 2 * DAY)).to.deep.equal({ missing: ['slots'] });
    expect(said(NOW + 2 * DAY, 'Some time {{slots|next week}}?')).to.deep.equal({ text: 'Some time next week?' });
    expect(propose.take?.('done', { slots: 'x' }, inputFor('calendar:propose_slots'), {} as never)).to.deep.equal({
      facts: { slots: 'x' },
    });
    const older = { slots: 'Tue 3 Mar 11:00 (UTC)' };
    expect(draft('network:message', { text: '{{slots}}' }, { facts: older }), 'kept by an older version').to.deep.equal(
      {
        text: older.slots,
      },
    );
  });

  it('a missing field without fallback is missing data, never a gap', () => {
    expect(draft('network:message', { text: 'Hi {{lead:email}}' })).to.deep.equal({ missing: ['lead:email'] });
    expect(draft('network:message', { text: 'Hi {{lead:firstName}} from {{sender:firstName}}' })).to.deep.equal({
      text: 'Hi Ada from Grace',
    });
    expect(draft('network:connection_request', {})).to.equal(null);
  });

  it('text mode ai sends what was written for the node by the way of ai:craft, within its limit, and nothing else', () => {
    const asked = { instructions: 'Short' };
    for (const [nodeType, config, channel] of [
      ['network:connection_request', { noteMode: 'ai', ...asked }, 'note'],
      ['network:message', { textMode: 'ai', ...asked }, 'message'],
      ['network:comment_post', { textMode: 'ai', ...asked }, 'comment'],
      ['network:inmail', { textMode: 'ai', subject: 'Hi', ...asked }, 'inmail'],
      ['mail:send', { textMode: 'ai', subject: 'Hi', ...asked }, 'mail'],
    ] as const) {
      const input = inputFor(nodeType, config);
      const craft = ownTextNode(input.node);
      expect(craft, nodeType).to.deep.include({ nodeType: 'ai:craft', nodeId: input.node.nodeId });
      expect(craft?.config, nodeType).to.deep.equal({ channel, ...asked, requireFacts: 1 });
      expect(draft(nodeType, config), nodeType).to.have.property('missing');
      const facts = { crafted: { [craft?.label ?? '']: 'Written.' } };
      expect(draft(nodeType, config, { facts }), nodeType).to.include({ text: 'Written.' });
      const other = { ...config, textMode: 'static', noteMode: 'static', text: 'x', noteTemplate: 'x' };
      expect(ownTextNode({ ...input.node, config: other }), nodeType).to.equal(null);
    }
  });

  it('an address that takes all mail, or may not exist, is nobody met at first, unless the node says so', () => {
    const at = (emailStatus: string, uncertainAddress: string | undefined, touches = 0) => {
      const config = { subject: 'x', text: 'x', ...(uncertainAddress ? { uncertainAddress } : {}) };
      const whom = { ...lead, email: 'ada@acme.example', emailStatus };
      const input = inputFor('mail:send', config, { lead: whom, facts: { touches } });
      const done = effect('mail:send').precheck(input, input.node.config as never);
      return done === null || typeof done === 'string' ? done : done.outcome;
    };
    for (const status of ['catch_all', 'risky']) {
      expect([at(status, undefined), at(status, undefined, 1)], status).to.deep.equal(['no_email', null]);
      expect([at(status, 'always'), at(status, 'never', 1)], status).to.deep.equal([null, 'no_email']);
    }
    for (const status of ['valid', 'unknown']) expect(at(status, undefined), status).to.equal(null);
  });

  it('withdraw_request: only a pending request, and not before it is old enough', () => {
    expect(precheck('network:withdraw_request', {})).to.equal('not_pending');
    expect(precheck('network:withdraw_request', { requestedAt: 1, connected: true })).to.equal('not_pending');
    const type = effect('network:withdraw_request');
    const due = (requestedAt: number) => {
      const input = inputFor('network:withdraw_request', { olderThanDays: 14 }, { facts: { requestedAt } });
      return type.notBefore?.(input, input.node.config as never);
    };
    expect(due(NOW - 14 * DAY)).to.equal(null);
    expect(due(NOW - DAY)).to.equal(NOW + 13 * DAY);
  });

  it('a follow that the provider does not document fails, views and follows are harmless', () => {
    expect(effect('network:follow').refusedOutcome('unsupported')).to.equal('failed');
    expect(['profile_view', 'follow'].map(isHarmless)).to.deep.equal([true, true]);
  });
});

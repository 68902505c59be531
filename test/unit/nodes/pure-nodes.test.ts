import { expect } from 'chai';
import { DAY, lead, NOW, step } from '../../fixtures/nodes/step-input.ts';

const until = (result: ReturnType<typeof step>) => (result.kind === 'wait' ? result.until : null);

describe('flow and lead nodes', () => {
  it('flow:wait duration counts from the arrival; jitter is fixed by run and node', () => {
    expect(step('flow:wait', { waitType: 'duration', durationMs: DAY })).to.deep.equal({
      kind: 'wait',
      reason: 'duration',
      until: NOW + DAY,
    });
    expect(step('flow:wait', { waitType: 'duration', durationMs: DAY }, { now: NOW + DAY })).to.deep.equal({
      kind: 'advance',
      outcome: 'next',
    });
    const config = { waitType: 'duration', durationMs: 0, jitterMs: DAY };
    const first = until(step('flow:wait', config));
    expect(first).to.be.within(NOW, NOW + DAY);
    expect(until(step('flow:wait', config, { now: NOW + 1 }))).to.equal(first);
    expect(until(step('flow:wait', config, { runId: 'run-2' }))).to.not.equal(first);
  });

  it('flow:wait until takes an offset and lets those who come late pass', () => {
    const config = { waitType: 'until', untilTime: '2026-03-03T10:00:00+02:00' };
    expect(step('flow:wait', config)).to.deep.equal({
      kind: 'wait',
      reason: 'until_time',
      until: Date.parse('2026-03-03T08:00:00Z'),
    });
    expect(step('flow:wait', config, { enteredAt: NOW + 9 * DAY, now: NOW + 9 * DAY }).kind).to.equal('advance');
  });

  it('flow:wait business_hours waits in the lead zone, else the account zone, and again when it comes late', () => {
    const config = { waitType: 'business_hours', startHour: 9, endHour: 17 };
    const newYork = { lead: { ...lead, timezone: 'America/New_York' } };
    expect(step('flow:wait', config).kind).to.equal('advance');
    expect(until(step('flow:wait', config, newYork))).to.equal(Date.parse('2026-03-02T14:00:00Z'));
    const late = { now: Date.parse('2026-03-02T20:00:00Z') };
    expect(until(step('flow:wait', config, late))).to.equal(Date.parse('2026-03-03T08:00:00Z'));
    const fixed = { ...config, timezoneMode: 'fixed', timezone: 'Asia/Tokyo' };
    expect(until(step('flow:wait', fixed))).to.equal(Date.parse('2026-03-03T00:00:00Z'));
    expect(() => step('flow:wait', { ...config, timezoneMode: 'fixed' })).to.throw('timezone');
  });

  it('flow:condition reads lead, score, run, signal, company and account', () => {
    const outcome = (field: string, op: string, value?: unknown) => {
      const over = {
        facts: { connected: true, lastTouchAt: NOW - 3 * DAY },
        signals: [{ type: 'job_change', title: 't', occurredAt: NOW - 5 * DAY }],
      };
      const result = step('flow:condition', { rules: [{ field, op, value }] }, over);
      return result.kind === 'advance' ? result.outcome : result.kind;
    };
    expect(outcome('lead.title', 'eq', 'cto')).to.equal('true');
    expect(outcome('lead.customFields.plan', 'in', ['silver', 'gold'])).to.equal('true');
    expect(outcome('lead.customFields.toString', 'exists')).to.equal('false');
    expect(outcome('lead.tags', 'eq', 'warm')).to.equal('true');
    expect(outcome('lead.email', 'not_exists')).to.equal('true');
    expect(outcome('lead.email', 'eq', 'x')).to.equal('false');
    expect(outcome('lead.email', 'neq', 'x')).to.equal('true');
    expect(outcome('lead.company', 'contains', 'acm')).to.equal('true');
    expect(outcome('score.total', 'gte', 60)).to.equal('true');
    expect(outcome('score.total', 'gt', 60)).to.equal('false');
    expect(outcome('run.connected', 'eq', true)).to.equal('true');
    expect(outcome('run.replied', 'eq', false)).to.equal('true');
    expect(outcome('run.daysSinceLastTouch', 'lte', 3)).to.equal('true');
    expect(outcome('signal.job_change', 'within_days', 7)).to.equal('true');
    expect(outcome('signal.job_change', 'within_days', 3)).to.equal('false');
    expect(outcome('signal.new_post', 'exists')).to.equal('false');
    expect(outcome('company.industry', 'not_in', ['Banking'])).to.equal('true');
    expect(outcome('account.tier', 'eq', 'sales')).to.equal('true');
  });

  it('flow:condition: a notice of absence is no reply, as it is none for the nodes that wait for one', () => {
    const replied = (facts: object) => {
      const result = step('flow:condition', { rules: [{ field: 'run.replied', op: 'eq', value: true }] }, { facts });
      return result.kind === 'advance' ? result.outcome : result.kind;
    };
    expect(replied({ replied: true, replyClass: 'out_of_office' })).to.equal('false');
    expect(replied({ replied: true, replyClass: 'negative' })).to.equal('true');
    expect(replied({ replied: true })).to.equal('true');
    expect(replied({})).to.equal('false');
  });

  it('flow:split: the arm is fixed per lead, follows the weights, and a remembered arm stays', () => {
    const config = {
      branches: [
        { name: 'a', weight: 3 },
        { name: 'b', weight: 1 },
        { name: 'never', weight: 0 },
      ],
    };
    const armOf = (leadId: string, arms = {}) => {
      const result = step('flow:split', config, { lead: { ...lead, leadId }, arms });
      return result.kind === 'advance' ? result.arm : undefined;
    };
    const arms = Array.from({ length: 4000 }, (_unused, at) => armOf(`lead-${at}`));
    expect(arms.filter((arm) => arm === 'a').length / 4000).to.be.within(0.72, 0.78);
    expect(arms).to.not.include('never');
    expect(Array.from({ length: 50 }, (_unused, at) => armOf(`lead-${at}`))).to.deep.equal(arms.slice(0, 50));
    expect(armOf('lead-1', { n: 'never' })).to.equal('never');
    expect(['a', 'b']).to.include(armOf('lead-1', { n: 'removed' }));
  });

  it('network:wait_connection: accepted when connected, times out counted from the arrival', () => {
    const config = { timeoutMs: 2 * DAY };
    expect(step('network:wait_connection', config, { facts: { connected: true } })).to.deep.equal({
      kind: 'advance',
      outcome: 'accepted',
    });
    expect(until(step('network:wait_connection', config, { now: NOW + DAY }))).to.equal(NOW + 2 * DAY);
    expect(step('network:wait_connection', config, { now: NOW + 2 * DAY })).to.deep.equal({
      kind: 'advance',
      outcome: 'timed_out',
    });
  });

  it('network:wait_reply: an absence note is no reply unless the node says so', () => {
    const taken = { kind: 'advance', outcome: 'replied', facts: { heardAt: NOW } };
    const away = { facts: { replied: true, replyClass: 'out_of_office' as const } };
    expect(step('network:wait_reply', {}, away).kind).to.equal('wait');
    expect(step('network:wait_reply', { continueOn: [] }, away)).to.deep.equal(taken);
    expect(step('network:wait_reply', {}, { facts: { replied: true } })).to.deep.equal(taken);
    expect(step('network:wait_reply', {}, { now: NOW + 4 * DAY })).to.deep.equal({
      kind: 'advance',
      outcome: 'timed_out',
    });
  });

  it('a reply counts for the wait that heard it: the next one waits for the next reply', () => {
    const first = { replied: true, replyClass: 'neutral' as const, lastReplyAt: NOW };
    for (const [nodeType, channel] of [
      ['network:wait_reply', 'network'],
      ['mail:wait_reply', 'mail'],
    ] as const) {
      const replied = { ...first, replyChannel: channel };
      const heard = step(nodeType, {}, { facts: replied });
      expect(heard).to.deep.include({ kind: 'advance', outcome: 'replied' });
      const facts = { ...replied, ...(heard.kind === 'advance' ? heard.facts : {}) };
      expect(step(nodeType, {}, { facts }).kind, nodeType).to.equal('wait');
      const noticed = { ...facts, lastReplyAt: NOW + 1, awayUntil: NOW + DAY };
      expect(step(nodeType, {}, { facts: noticed }).kind, 'a notice of absence is no reply').to.equal('wait');
      const again = step(nodeType, {}, { facts: { ...facts, lastReplyAt: NOW + 1 } });
      expect(again).to.deep.include({ kind: 'advance', outcome: 'replied' });
    }
  });

  it('lead nodes ask for their writes', () => {
    expect(step('lead:tag', { add: ['hot'] })).to.deep.include({ writes: [{ type: 'tag', add: ['hot'], remove: [] }] });
    expect(step('lead:score', {})).to.deep.include({
      outcome: 'above',
      writes: [{ type: 'score', total: 70, icp: 60, signals: 10, scores: [] }],
    });
    expect(step('lead:score', {}, { campaignScoreMin: 80 })).to.deep.include({ outcome: 'below' });
    expect(step('lead:score', { scoreMin: 70 }, { campaignScoreMin: 80 })).to.deep.include({ outcome: 'above' });
    expect(step('lead:add_to_list', { leadListId: 'l' })).to.deep.include({
      writes: [{ type: 'add_to_list', leadListId: 'l' }],
    });
    expect(step('lead:exclude', { reason: 'no fit' })).to.deep.include({
      kind: 'end',
      state: 'suppressed',
      reason: 'no fit',
    });
    expect(step('flow:end', { reason: 'done' })).to.deep.equal({ kind: 'end', state: 'completed', reason: 'done' });
    expect(step('flow:join')).to.deep.equal({ kind: 'advance', outcome: 'next' });
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { DEFAULT_BUSINESS_HOURS } from '../../../pkg/domain/business-hours.ts';
import type { ForecastAccount } from '../../../pkg/domain/forecast-account.ts';
import type { CompiledGraph } from '../../../pkg/domain/graph.ts';
import { compileGraph } from '../../../pkg/nodes/compile-graph.ts';
import { EXAMPLE_GRAPH } from '../../../pkg/nodes/example-graph.ts';
import { type ForecastRequest, forecastGraph } from '../../../pkg/nodes/forecast-graph.ts';

const account: ForecastAccount = {
  networkAccountId: 'acc',
  channel: 'network',
  tier: 'sales',
  timezone: 'Europe/Berlin',
  hours: DEFAULT_BUSINESS_HOURS,
  limits: {},
  ramp: null,
  daysSinceFirstSend: 100,
  health: 1,
};

function compiled(input: Parameters<typeof compileGraph>[0]): CompiledGraph {
  const { compiled: graph } = compileGraph(input);
  if (!graph) throw new Error('refused');
  return graph;
}

/** Starts on Monday, 2 March 2026, 8:00 in Berlin. */
const run = (over: Partial<ForecastRequest> = {}) =>
  forecastGraph({
    graph: compiled(EXAMPLE_GRAPH),
    accounts: [account],
    campaignHours: null,
    reviewMode: 'off',
    leads: 60,
    startAt: Date.parse('2026-03-02T07:00:00Z'),
    horizonDays: 90,
    acceptanceRate: 0.5,
    replyRate: 0.1,
    writerIsFree: true,
    touchDays: 0,
    ...over,
  });
const total = (result: ReturnType<typeof run>, kind: string) =>
  result.perDay.reduce((sum, day) => sum + (day.actionsByKind[kind] ?? 0), 0);

describe('forecast', () => {
  it('crafted texts cost credits, those of the built-in writer none', () => {
    expect(run().credits).to.deep.equal({ expected: 0, worst: 0 });
    expect(run({ writerIsFree: false }).credits).to.deep.equal({ expected: 30, worst: 60 });
  });

  it('a sequence of mails takes the days that it waits for answers, and who answers gets no more', () => {
    const mail = { nodeType: 'mail:send', config: { subject: 'Hello', text: 'Hello' } };
    const wait = { nodeType: 'mail:wait_reply', config: { timeoutMs: 4 * 86_400_000 } };
    const graph = compiled({
      nodes: [mail, wait, mail],
      edges: [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2, branch: 'timed_out' },
      ],
    });
    const result = run({ graph, accounts: [{ ...account, channel: 'mail' }], leads: 20 });
    expect(total(result, 'mail')).to.equal(38);
    expect(result.perDay.findIndex((day, index) => index > 0 && (day.actionsByKind['mail'] ?? 0) > 0)).to.equal(4);
  });

  it('every lead is viewed and asked once, half are messaged and half withdrawn', () => {
    const result = run();
    expect(
      ['profile_view', 'connection_request', 'message', 'withdraw_request'].map((kind) => total(result, kind)),
    ).to.deep.equal([60, 60, 30, 30]);
    expect(result.perDay.map((day) => day.enrolled).slice(0, 4)).to.deep.equal([25, 25, 10, 0]);
    expect(result.finishesOn).to.equal(result.perDay.at(-1)?.date);
    expect(result.reviewItems).to.equal(30);
  });

  it('mails go out by mailboxes, within their day and gap, and by no network account', () => {
    const graph = compiled({
      nodes: [{ nodeType: 'source:manual' }, { nodeType: 'mail:send', config: { subject: 'S', text: 'T' } }],
      edges: [{ sourceIndex: 0, targetIndex: 1 }],
    });
    const box: ForecastAccount = {
      ...account,
      networkAccountId: 'box',
      channel: 'mail',
      limits: { mail: { day: 30 } },
    };
    const mails = (accounts: readonly ForecastAccount[]): number[] =>
      run({ graph, accounts, leads: 100, horizonDays: 5 }).perDay.map((day) => day.actionsByKind['mail'] ?? 0);
    expect(mails([account]), 'nobody there who can mail').to.deep.equal([0, 0, 0, 0, 0]);
    expect(mails([account, box])).to.deep.equal([30, 30, 30, 10]);
    // Three mails in each hour of the day that is session and not pause.
    const slow = { ...box, minGapMs: 20 * 60_000 };
    expect(Math.max(...mails([slow]))).to.be.within(15, 24);
    const waiting = run({ graph, accounts: [box], leads: 100, horizonDays: 5 });
    expect(waiting.bottleneck).to.deep.equal({ networkAccountId: 'box', action: 'mail' });
  });

  it('keeps to limits, ramp-up and closed days, and names what binds', () => {
    const ramping = { ...account, ramp: { startShare: 0.2, days: 14 }, daysSinceFirstSend: null };
    const result = run({ leads: 200, accounts: [ramping] });
    const requests = result.perDay.map((day) => day.actionsByKind.connection_request ?? 0);
    expect(Math.max(...requests)).to.be.at.most(25);
    expect(requests[1]).to.equal(6);
    for (const day of result.perDay) {
      const closed = [0, 6].includes(new Date(`${day.date}T12:00:00Z`).getUTCDay());
      if (closed) expect(day.actionsByKind).to.deep.equal({});
    }
    for (let day = 0; day + 7 <= requests.length; day++) {
      expect(requests.slice(day, day + 7).reduce((sum, count) => sum + count, 0)).to.be.at.most(150);
    }
    expect(result.bottleneck).to.deep.equal({ networkAccountId: 'acc', action: 'connection_request' });
  });

  it('a basic account is bound by its one noted request a week', () => {
    const result = run({ accounts: [{ ...account, tier: 'basic' }] });
    expect(result.bottleneck?.action).to.equal('connection_request_with_note');
    expect(result.finishesOn).to.equal(null);
  });

  it('pacing may bind before the budget does, and is named', () => {
    const short = { ...account, hours: { ...DEFAULT_BUSINESS_HOURS, startHour: 9, endHour: 10 } };
    expect(run({ accounts: [short], leads: 200 }).bottleneck?.action).to.equal('pacing');
  });

  it('review modes count their items; a send behind a review is not counted twice', () => {
    expect(run({ reviewMode: 'all' }).reviewItems).to.equal(60 + 30);
    expect(run({ reviewMode: 'first_touch' }).reviewItems).to.equal(60 + 30);
    expect(run({ reviewMode: 'ai_only' }).reviewItems).to.equal(30);
  });

  const two = (waitMs: number): CompiledGraph =>
    compiled({
      nodes: [
        { nodeType: 'source:manual' },
        { nodeType: 'network:message', config: { textMode: 'static', text: 'One' } },
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: waitMs } },
        { nodeType: 'network:profile_view' },
        { nodeType: 'network:message', config: { textMode: 'static', text: 'Two' } },
      ],
      edges: [0, 1, 2, 3].map((index) => ({ sourceIndex: index, targetIndex: index + 1 })),
    });
  const perDay = (result: ReturnType<typeof run>, kind: string): number[] =>
    result.perDay.map((day) => day.actionsByKind[kind] ?? 0);

  it('leaves the days between two touches of a person, and lets a visit pass meanwhile', () => {
    const of = (waitMs: number, touchDays: number): ReturnType<typeof run> =>
      run({ graph: two(waitMs), leads: 10, touchDays });
    expect(perDay(of(60_000, 0), 'message')).to.deep.equal([20]);
    expect(perDay(of(60_000, 2), 'message')).to.deep.equal([10, 0, 10]);
    expect(perDay(of(60_000, 2), 'profile_view')).to.deep.equal([10, 0, 0]);
    // A wait of the graph counts.
    expect(perDay(of(3 * 86_400_000, 2), 'message')).to.deep.equal([10, 0, 0, 10]);
  });

  it('names no bottleneck where another account takes over at once', () => {
    const graph = compiled({
      nodes: [{ nodeType: 'source:manual' }, { nodeType: 'network:follow' }],
      edges: [{ sourceIndex: 0, targetIndex: 1 }],
    });
    const pair = [account, { ...account, networkAccountId: 'other' }];
    expect(run({ graph, accounts: pair, leads: 40 })).to.include({ bottleneck: null, finishesOn: '2026-03-02' });
    expect(run({ graph, accounts: pair, leads: 60 }).bottleneck?.action).to.equal('follow');
  });

  it('leaves to other workspaces of an account what is kept for them', () => {
    const graph = compiled({
      nodes: [{ nodeType: 'source:manual' }, { nodeType: 'network:follow' }],
      edges: [{ sourceIndex: 0, targetIndex: 1 }],
    });
    const shared = { ...account, othersShare: 0.6, usedByOthers: { follow: 10 } };
    const used = { follow: { headDate: '2026-03-02', used: [10, 0, 0, 0, 0, 0, 0] } };
    // 25 a day, of which 15 are the others'; of today's they have used 10.
    expect(perDay(run({ graph, accounts: [{ ...shared, used }], leads: 24 }), 'follow')).to.deep.equal([10, 10, 4]);
  });

  it('hours of account and campaign that never meet: the account alone decides, as it does when it sends', () => {
    const weekend = { ...DEFAULT_BUSINESS_HOURS, days: [6, 7] };
    expect(run({ campaignHours: weekend, leads: 10 }).finishesOn).to.not.equal(null);
  });

  it('without accounts nothing is sent and nothing ends', () => {
    const result = run({ accounts: [] });
    expect([total(result, 'profile_view'), result.finishesOn, result.bottleneck]).to.deep.equal([0, null, null]);
  });

  it('property: no lead is lost or doubled, whatever the rates', () => {
    const rate = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.nat(120), rate, (leads, acceptanceRate) => {
        const result = run({ leads, acceptanceRate });
        expect(total(result, 'connection_request')).to.equal(leads);
        expect(total(result, 'message') + total(result, 'withdraw_request')).to.equal(leads);
      }),
      { numRuns: 40 },
    );
  });
});

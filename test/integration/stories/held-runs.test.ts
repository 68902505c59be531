import { expect } from 'chai';
import { DAY, type EngineFixture, HOUR, startEngineFixture } from '../../fixtures/stories/engine-fixture.ts';
import { platformAdmin } from '../../fixtures/stories/people.ts';
import type { ToolUser } from '../../tools/mcp-tools.ts';

const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };

interface Run {
  state: string;
  currentNodeId: string | null;
  waitReason: string | null;
  nextActionAt: string | null;
  endReason: string | null;
}

// Who is paused stays so until a person or their time lets them go on, whatever else is lifted, paid or well again meanwhile.
describe('story: leads on hold', function () {
  this.timeout(120_000);
  let fixture: EngineFixture;
  let admin: ToolUser;
  let workflowId: string;
  let people = 0;
  before(async () => {
    fixture = await startEngineFixture();
    admin = await platformAdmin(fixture.tools);
    const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Held' });
    const contactPolicy = { minDaysBetweenTouches: 0 };
    await fixture.acme.call('svc_update_campaign', { campaignId, businessHours: ALWAYS, contactPolicy });
    const graph = {
      nodes: [
        { nodeType: 'source:manual' },
        { nodeType: 'network:message', config: { textMode: 'static', text: 'Hello' } },
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } },
        { nodeType: 'network:message', config: { textMode: 'static', text: 'Again' } },
      ],
      edges: [0, 1, 2].map((index) => ({ sourceIndex: index, targetIndex: index + 1 })),
    };
    const made = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', {
      campaignId,
      name: 'H',
      graph,
    });
    workflowId = made.workflowId;
    await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: true });
  });
  after(() => fixture.stop());

  /** Somebody new who was written to, a day before the second message. @returns their run, and how many second messages reached them */
  const enrol = async (): Promise<{ runId: string; received: () => number }> => {
    const name = `Held${++people}`;
    const leadIds = await fixture.people([name]);
    const { runIds } = await fixture.acme.call<{ runIds: string[] }>('svc_trigger_workflow', { workflowId, leadIds });
    const [runId = ''] = runIds;
    for (let tries = 0; tries < 12 && (await read(runId)).currentNodeId !== 'flow-wait'; tries++)
      await fixture.pass(HOUR);
    const received = (): number =>
      fixture.network.received.filter((one) => one.publicId === `p-${name.toLowerCase()}` && one.text === 'Again')
        .length;
    return { runId, received };
  };
  const read = async (runId: string): Promise<Run> =>
    (await fixture.acme.call<{ run: Run }>('svc_get_workflow_run', { runId })).run;
  const pause = (runId: string, resumeAt?: string): Promise<unknown> =>
    fixture.acme.call('svc_control_workflow_runs', {
      runIds: [runId],
      action: 'pause',
      ...(resumeAt ? { resumeAt } : {}),
    });
  const inDays = (days: number): string => new Date(fixture.tools.cluster.clock.now() + days * DAY).toISOString();
  const hours = async (count: number): Promise<void> => {
    for (let hour = 0; hour < count; hour++) await fixture.pass(HOUR);
  };
  const freeze = (frozen: boolean): Promise<unknown> =>
    admin.call('svc_admin_set_send_freeze', { frozen, reason: 'an incident' });
  const cases: [what: string, waitsFor: string, until: () => Promise<unknown>, over: () => Promise<unknown>][] = [
    ['the end of a freeze', 'send_freeze', () => freeze(true), () => freeze(false)],
    [
      'an account that is well again',
      'account_unhealthy',
      async () => {
        fixture.network.status = 'checkpoint';
        await fixture.sync();
      },
      async () => {
        fixture.network.status = 'ok';
        await fixture.sync();
      },
    ],
  ];
  it('credits that are granted let nobody go on who is paused', async () => {
    const { runId, received } = await enrol();
    await fixture.tools.rows(`update run set state = 'blocked', wait_reason = 'credits' where id = $1`, [runId]);
    const resumeAt = inDays(30);
    await pause(runId, resumeAt);
    const { workspace } = await fixture.acme.call<{ workspace: { workspaceId: string } }>('svc_get_workspace', {});
    await admin.call('svc_admin_adjust_credits', {
      workspaceId: workspace.workspaceId,
      amount: 10,
      reason: 'a gift',
      idempotencyKey: 'held',
    });
    await hours(48);
    expect(received()).to.equal(0);
    expect(await read(runId)).to.deep.include({ state: 'paused', waitReason: null, nextActionAt: resumeAt });
  });

  /** Who was enrolled last writes. */
  const reply = async (text: string): Promise<void> => {
    await fixture.pass(HOUR);
    const sentAt = fixture.tools.cluster.clock.now();
    const chatId = `chat-p-held${people}`;
    fixture.network.inbox.push({ messageId: `reply-${people}`, chatId, direction: 'in', text, sentAt });
    await fixture.sync();
  };

  it('a reply does not take the time at which a hold ends', async () => {
    const { runId, received } = await enrol();
    const resumeAt = inDays(4);
    await pause(runId, resumeAt);
    await reply('Who are you?');
    expect(await read(runId)).to.deep.include({ state: 'paused', waitReason: null, nextActionAt: resumeAt });
    await hours(24 * 6);
    expect(received()).to.equal(0);
    expect(await read(runId)).to.deep.include({ state: 'completed', endReason: 'replied' });
  });

  for (const [how, first] of [
    ['held before the notice came', 'hold'],
    ['held after it', 'notice'],
  ] as const) {
    it(`who is away is not written to before they are back, though a person lets them go on (${how})`, async () => {
      const { runId, received } = await enrol();
      const away = (): Promise<void> => reply('Automatic reply: I am out of office.');
      if (first === 'notice') await away();
      await pause(runId);
      if (first === 'hold') await away();
      await fixture.acme.call('svc_control_workflow_runs', { runIds: [runId], action: 'resume' });
      await hours(24 * 5);
      expect(received()).to.equal(0);
      expect(await read(runId)).to.deep.include({ state: 'replied', waitReason: 'until_time' });
      await hours(24 * 5);
      expect(received()).to.equal(1);
    });
  }

  it('who asks to be left alone meanwhile is over, and cannot be resumed', async () => {
    const { runId, received } = await enrol();
    await pause(runId);
    await reply('Please stop messaging me.');
    expect(await read(runId)).to.deep.include({ state: 'suppressed', endReason: 'unsubscribed' });
    const answer = await fixture.acme.call<{ unchanged: { message: string }[] }>('svc_control_workflow_runs', {
      runIds: [runId],
      action: 'resume',
    });
    expect(answer.unchanged.map((one) => one.message)).to.deep.equal([
      'The run is suppressed, not paused. Call svc_get_workflow_run.',
    ]);
    await hours(48);
    expect(received()).to.equal(0);
  });

  it('whose message left while they were held is not moved before that stands in their history', async () => {
    const name = `Held${++people}`;
    const leadIds = await fixture.people([name]);
    const { runIds } = await fixture.acme.call<{ runIds: string[] }>('svc_trigger_workflow', { workflowId, leadIds });
    const [runId = ''] = runIds;
    fixture.network.onPerform = async (_action, perform) => {
      await pause(runId);
      return perform();
    };
    for (let tries = 0; tries < 12 && (await read(runId)).state !== 'paused'; tries++) await fixture.pass(HOUR);
    fixture.network.onPerform = undefined;
    const move = async (): Promise<string[]> => {
      const request = { runIds: [runId], action: 'move', nodeId: 'flow-wait' };
      const { unchanged } = await fixture.acme.call<{ unchanged: { message: string }[] }>(
        'svc_control_workflow_runs',
        request,
      );
      return unchanged.map((one) => one.message);
    };
    expect(await move()).to.deep.equal([
      'Its last action is done and not in its history yet. Resume the run first, then move it.',
    ]);
    await fixture.acme.call('svc_control_workflow_runs', { runIds: [runId], action: 'resume' });
    await fixture.pass(HOUR);
    expect(await move()).to.deep.equal([]);
    const { timeline } = await fixture.acme.call<{ timeline: { kind: string }[] }>('svc_get_workflow_run', { runId });
    expect(timeline.map((event) => event.kind)).to.include('message.sent');
  });

  for (const [what, waitsFor, begin, over] of cases) {
    it(`${what} lets nobody go on who is paused`, async () => {
      const held = await enrol();
      const dated = await enrol();
      const free = await enrol();
      await begin();
      await hours(26);
      for (const { runId } of [held, dated, free]) expect((await read(runId)).waitReason).to.equal(waitsFor);
      const resumeAt = inDays(30);
      await pause(held.runId);
      await pause(dated.runId, resumeAt);
      await over();
      await hours(48);
      expect([held.received(), dated.received(), free.received()]).to.deep.equal([0, 0, 1]);
      expect(await read(held.runId)).to.deep.include({ state: 'paused', waitReason: null, nextActionAt: null });
      expect(await read(dated.runId)).to.deep.include({ state: 'paused', waitReason: null, nextActionAt: resumeAt });
    });
  }
});

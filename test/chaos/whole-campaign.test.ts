import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { enrolLeads } from '../../pkg/store/runs/enrol.ts';
import { doubles, Fixture, kill } from '../fixtures/chaos/chaos-fixture.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace } from '../fixtures/engine/rows.ts';
import { startBouncer, type TestBouncer } from '../tools/pgbouncer.ts';
import { tellSeed } from './seed.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };

describe('a whole campaign at the sandbox, executors behind PgBouncer', function () {
  this.timeout(240_000);
  let fixture: Fixture;
  let bouncer: TestBouncer | undefined;
  beforeEach(async () => {
    fixture = await Fixture.open();
    bouncer = await startBouncer(fixture.executorUrl);
    if (!bouncer)
      return console.log('      without PgBouncer: not on this machine, and its package can not be fetched');
    fixture.executorUrl = bouncer.url;
    fixture.executorEnv = { DATABASE_POOLED: 'true' };
  });
  afterEach(async function () {
    tellSeed.call(this);
    await fixture.close();
    await bouncer?.stop();
  });

  it('requests, acceptances, messages and replies, found by account sync; ledger and sandbox agree', async () => {
    const ws = await addWorkspace(fixture.app);
    const camp = await addCampaign(fixture.app, ws, {
      businessHours: ALWAYS,
      contactPolicy: { minDaysBetweenTouches: 0 },
    });
    await addAccount(fixture.app, [ws]);
    const flow = await addWorkflow(fixture.app, ws, camp, {
      nodes: [
        {
          nodeType: 'network:connection_request',
          config: { noteMode: 'static', noteTemplate: 'Hi {{lead:firstName}}' },
        },
        { nodeType: 'network:wait_connection', config: { timeoutMs: 5 * DAY } },
        { nodeType: 'network:message', config: { textMode: 'static', text: 'Thanks {{lead:firstName}}' } },
        { nodeType: 'network:wait_reply', config: { timeoutMs: 3 * DAY } },
        { nodeType: 'network:message', config: { textMode: 'static', text: 'Just checking' } },
        { nodeType: 'network:withdraw_request', config: { olderThanDays: 4 } },
      ],
      edges: [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2, branch: 'accepted' },
        { sourceIndex: 2, targetIndex: 3 },
        { sourceIndex: 3, targetIndex: 4, branch: 'timed_out' },
        { sourceIndex: 1, targetIndex: 5, branch: 'timed_out' },
      ],
    });
    const quick = {
      accepts: true,
      acceptAfterMs: 2 * HOUR,
      noticeAfterMs: HOUR,
      replyAfterMs: 3 * HOUR,
      replyToMessage: 1,
    };
    const behaviours = [
      { ...quick, reply: 'none' },
      { accepts: false, reply: 'none' },
      { ...quick, reply: 'positive' },
      { ...quick, reply: 'stop' },
      { accepts: false, reply: 'none' },
      { ...quick, reply: 'none' },
    ];
    const leads: string[] = [];
    for (const [index, behaviour] of behaviours.entries()) {
      const publicId = `w-${index}-${randomUUID().slice(0, 6)}`;
      const known = await fixture.steer('POST', 'people', {
        publicId,
        behaviour,
      });
      expect(known).to.deep.equal({ people: 1 });
      leads.push(await addLead(fixture.app, ws, { profileId: publicId, firstName: `W${index}` }));
    }
    await fixture.app.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
      enrolLeads(tx, {
        workspaceId: ws,
        workflowId: flow,
        now: fixture.clock.now(),
        leads: leads.map((leadId) => ({ leadId, runId: randomUUID() })),
        source: 'trigger',
      }),
    );
    const engine = fixture.executor({ workspace: ws }, 'pod-1');
    const accounts = fixture.executor({ accounts: true }, 'pod-accounts');
    const skipper = await fixture.skipIdle();
    await fixture.until(
      'all runs end',
      async () => (await fixture.query('select 1 from run where ended_at is null')).length === 0,
      150_000,
    );
    await skipper.stop();
    await kill(engine, 'SIGTERM');
    await kill(accounts, 'SIGTERM');
    expect([engine.exitCode, accounts.exitCode]).to.deep.equal([0, 0]);
    const received = await fixture.received();
    expect(doubles(received)).to.deep.equal([]);
    const count = (kind: string, text?: string): number =>
      received.filter((one) => one.kind === kind && (!text || one.text?.startsWith(text))).length;
    expect(count('connection_request')).to.equal(6);
    expect(count('withdraw_request')).to.equal(2);
    expect(count('message', 'Thanks')).to.equal(4);
    expect(count('message', 'Just')).to.equal(2);
    const sends = await fixture.query<{ state: string }>(`select state from send where state <> 'failed'`);
    expect(sends).to.have.length(received.length);
    const ends = await fixture.query<{ state: string; end_reason: string }>(
      'select state, end_reason from run order by state',
    );
    expect(ends.map((run) => run.state)).to.deep.equal([
      'completed',
      'completed',
      'completed',
      'completed',
      'completed',
      'suppressed',
    ]);
    const messages = await fixture.query<{ via: string; direction: string }>('select via, direction from message');
    expect(messages.filter((one) => one.direction === 'in').length).to.be.at.least(2);
    expect(messages.filter((one) => one.via === 'workflow').length).to.be.at.least(4);
  });
});

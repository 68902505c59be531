import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { enrolLeads } from '../../pkg/store/enrol.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace } from '../integration/engine/fixtures.ts';
import { FULL } from './seed.ts';
import { doubles, kill, Stage } from './stage.ts';

const HOUR = 3_600_000;
const { CHAOS_KILLS: kills = '100' } = process.env;
const KILLS = Number(kills);
const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };

describe('chaos: never twice', function () {
  this.timeout(FULL ? 3_600_000 : 300_000);
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
  });
  afterEach(() => stage.close());

  async function campaign(leads: number, accounts: number): Promise<{ ws: string; leads: string[] }> {
    const ws = await addWorkspace(stage.app);
    const camp = await addCampaign(stage.app, ws, {
      businessHours: ALWAYS,
      contactPolicy: { minDaysBetweenTouches: 0 },
    });
    for (let index = 0; index < accounts; index++) await addAccount(stage.app, [ws]);
    const message = (text: string) => ({ nodeType: 'network:message', config: { textMode: 'static', text } });
    const flow = await addWorkflow(stage.app, ws, camp, {
      nodes: [
        { nodeType: 'network:profile_view' },
        message('first {{lead:firstName}}'),
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
        message('second'),
      ],
      edges: [
        { sourceIndex: 0, targetIndex: 1 },
        { sourceIndex: 1, targetIndex: 2 },
        { sourceIndex: 2, targetIndex: 3 },
      ],
    });
    const ids: string[] = [];
    for (let index = 0; index < leads; index++) {
      const publicId = `c-${randomUUID().slice(0, 8)}`;
      await stage.steer('POST', 'people', { publicId, behaviour: 'connected' });
      ids.push(await addLead(stage.app, ws, { profileId: publicId, firstName: `L${index}` }));
    }
    await stage.app.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
      enrolLeads(tx, {
        workspaceId: ws,
        workflowId: flow,
        now: stage.clock.now(),
        leads: ids.map((leadId) => ({ leadId, runId: randomUUID() })),
        source: 'trigger',
      }),
    );
    return { ws, leads: ids };
  }

  const inFlight = async (ws: string): Promise<boolean> => {
    const [row] = await stage.query<{ n: number }>(
      `select count(*)::int as n from send where workspace_id = $1 and state in ('claimed', 'dispatched')`,
      [ws],
    );
    return (row?.n ?? 0) > 0;
  };
  const live = async (ws: string): Promise<number> => {
    const [row] = await stage.query<{ n: number }>(
      `select count(*)::int as n from run r where workspace_id = $1 and ended_at is null and not exists (select 1 from send s where s.id = r.send_id and s.dead_letter_state = 'open')`,
      [ws],
    );
    return row?.n ?? 0;
  };

  it(`an executor killed ${KILLS} times while effects are in flight sends nothing twice and loses nothing`, async () => {
    const people = Math.max(60, Math.ceil(KILLS * 0.6));
    const { ws } = await campaign(people, Math.ceil(people / 10));
    await stage.steer('POST', 'faults', [
      { action: 'message', kind: 'lost_answer', rate: 0.15 },
      { action: 'message', kind: 'late', rate: 0.1, ms: 800 },
      { action: 'message', kind: 'error', rate: 0.05 },
      { action: 'message', kind: 'rate_limit', rate: 0.02 },
      { action: 'list', kind: 'error', rate: 0.05 },
      { action: 'message', kind: 'slow', rate: 0.5, ms: 60 },
      { action: 'profile_view', kind: 'slow', rate: 0.5, ms: 60 },
    ]);
    await stage.clock.setSpeed(1_500);
    let child = stage.executor({ workspace: ws }, 'pod-1');
    let killed = 0;
    while (killed < KILLS && (await live(ws)) > 0) {
      await stage.until('an effect in flight', async () => (await inFlight(ws)) || (await live(ws)) === 0);
      await kill(child);
      killed++;
      child = stage.executor({ workspace: ws }, 'pod-1');
    }
    await stage.until('all runs end', async () => (await live(ws)) === 0, FULL ? 1_800_000 : 200_000);
    await kill(child, 'SIGTERM');
    const received = await stage.received();
    expect(killed).to.equal(KILLS);
    expect(doubles(received)).to.deep.equal([]);
    const sends = await stage.query<{
      action: string;
      state: string;
      maybe: boolean;
      dead_letter_state: string | null;
      id: string;
      evidence: { text: string }[];
    }>('select * from send where workspace_id = $1', [ws]);
    const open = sends.filter(
      (send) =>
        send.state !== 'confirmed' && send.state !== 'failed' && !send.maybe && send.dead_letter_state !== 'open',
    );
    expect(open, 'every send is confirmed, failed, a maybe or a dead letter').to.deep.equal([]);
    const messages = received.filter((one) => one.kind === 'message').length;
    const dead = sends.filter((send) => send.dead_letter_state === 'open');
    expect(messages).to.be.at.least(2 * people - dead.length);
    for (const letter of dead) expect(letter.evidence[0]?.text).to.match(/killed|lost|timeout|reset|hang up/);
    const [budgets] = await stage.query<{ over: number }>(
      `select count(*)::int as over from account_budget where used[1] > limit_day`,
    );
    expect(budgets?.over).to.equal(0);
  });

  for (const point of ['claimed', 'dispatched', 'before_settle']) {
    it(`killed at "${point}": one send, or none and then one`, async () => {
      const { ws } = await campaign(1, 1);
      await stage.clock.setSpeed(1_000);
      const first = stage.executor({ workspace: ws }, 'pod-1', `${point}:SIGKILL`);
      await stage.until('it is killed', async () => first.signalCode === 'SIGKILL');
      const second = stage.executor({ workspace: ws }, 'pod-1');
      await stage.until('the run ends', async () => (await live(ws)) === 0);
      await kill(second, 'SIGTERM');
      const received = await stage.received();
      expect(doubles(received)).to.deep.equal([]);
      expect(received.filter((one) => one.kind === 'message')).to.have.length(2);
    });
  }

  it('stopped between the commit of dispatched and the write, past its lease: the request is abandoned, one send', async () => {
    const { ws } = await campaign(1, 1);
    await stage.clock.setSpeed(1_000);
    const first = stage.executor({ workspace: ws }, 'pod-1', 'dispatched:SIGSTOP');
    await stage.until(
      'a send is dispatched',
      async () => (await stage.query(`select 1 from send where state = 'dispatched'`)).length > 0,
    );
    const second = stage.executor({ workspace: ws }, 'pod-2');
    await stage.until(
      'the second executor holds the claim',
      async () => (await stage.query(`select 1 from claim where key = $1 and holder = 'pod-2'`, [ws])).length > 0,
    );
    first.kill('SIGCONT');
    await stage.until('the stale executor ends by itself', async () => first.exitCode !== null);
    await stage.until('the run ends', async () => (await live(ws)) === 0);
    await kill(second, 'SIGTERM');
    const received = await stage.received();
    expect(doubles(received)).to.deep.equal([]);
    expect(received.filter((one) => one.kind === 'message')).to.have.length(2);
    expect(received.filter((one) => one.kind === 'profile_view').length).to.be.at.most(1);
  });

  it('an executor stopped past its lease after the commit of dispatched: a second one takes over, one send', async () => {
    const { ws } = await campaign(1, 1);
    await stage.steer('POST', 'faults', [{ action: 'message', kind: 'slow', rate: 1, ms: 3_000 }]);
    await stage.clock.setSpeed(1_000);
    const first = stage.executor({ workspace: ws }, 'pod-1');
    await stage.until(
      'a message is dispatched',
      async () =>
        (await stage.query(`select 1 from send where action = 'message' and state = 'dispatched'`)).length > 0,
    );
    first.kill('SIGSTOP');
    const second = stage.executor({ workspace: ws }, 'pod-2');
    await stage.until(
      'the second executor holds the claim',
      async () => (await stage.query(`select 1 from claim where key = $1 and holder = 'pod-2'`, [ws])).length > 0,
    );
    await stage.steer('POST', 'faults', []);
    first.kill('SIGCONT');
    await stage.until('the run ends', async () => (await live(ws)) === 0);
    await stage.until(
      'the stale executor ends by itself',
      async () => first.exitCode !== null || first.signalCode !== null,
    );
    expect(doubles(await stage.received())).to.deep.equal([]);
    expect((await stage.received()).filter((one) => one.kind === 'message')).to.have.length(2);
    await kill(second, 'SIGTERM');
    expect(second.exitCode).to.equal(0);
  });
});

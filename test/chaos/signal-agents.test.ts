import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sleepReal } from '../../pkg/base/clock.ts';
import { NO_CRITERIA } from '../../pkg/domain/signals/agent-rules.ts';
import { insertSchedule } from '../../pkg/store/schedules/schedules.ts';
import { insertAgent } from '../../pkg/store/signals/signal-agents.ts';
import { setSources } from '../../pkg/store/signals/signal-sources.ts';
import { Fixture, kill } from '../fixtures/chaos/chaos-fixture.ts';
import { addAccount, addCampaign, addLead, addWorkflow, addWorkspace } from '../fixtures/engine/rows.ts';
import { rss } from '../fixtures/signals/hostile-source.ts';
import { dice, FULL, tellSeed, times } from './seed.ts';

const CREDITS = 1_000;
const DAY = 86_400_000;
/** People who reacted to a post, and leads that an agent may enqueue on its day: fewer, so that its limit is met. */
const FANS = times(8, 60);
const LIMIT = times(6, 40);
const KILLS = 60;

/** Where processes are killed, by what the run is at; the second time counts where a step asks and the next one keeps the answer. */
const KILLED_AT: Readonly<Record<string, readonly string[]>> = {
  begin: ['scheduling', 'scheduled'],
  judge: ['stepping', 'stepped', 'stepped:2'],
};

interface AgentRun {
  state: string;
  error: string | null;
  cursor: Record<string, unknown>;
  result: Record<string, number>;
}

// The database and the ledger of credits are the judges: whatever process dies in whichever phase, each person is enrolled once.
describe('chaos: signal agents', function () {
  this.timeout(FULL ? 1_800_000 : 300_000);
  let fixture: Fixture;
  before(async () => {
    fixture = await Fixture.open();
  });
  afterEach(tellSeed);
  after(() => fixture.close());

  /** A workspace whose agent has something to do in each phase: profiles, posts, who engaged, feeds, pages of companies, a judge. */
  async function huntingAgent(): Promise<{ ws: string; agentId: string }> {
    const now = fixture.clock.now();
    const ws = await addWorkspace(fixture.app);
    const campaignId = await addCampaign(fixture.app, ws);
    const wait = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 30 * DAY } };
    const workflowId = await addWorkflow(fixture.app, ws, campaignId, { nodes: [wait], edges: [] });
    await addAccount(fixture.app, [ws]);
    const companyId = randomUUID();
    await fixture.app.tx({ kind: 'platform' }, async (tx) => {
      await tx.rows(`select app.move_credits($1, 'grant', $2, 'first', 1, 'test', null, 'test')`, [ws, CREDITS]);
      await tx.exec(
        `insert into company (id, workspace_id, name, company_key, profile_url, created_at, updated_at)
         values ($1, $2, 'Oak Robotics', 'oak robotics', 'https://www.linkedin.com/company/oak-robotics', 1, 1)`,
        [companyId, ws],
      );
      await tx.exec(
        `insert into signal_company_watch (workspace_id, company_id, looked_at, headcount) values ($1, $2, 0, 50)`,
        [ws, companyId],
      );
    });
    const leads = [1, 2, 3].map(() => addLead(fixture.app, ws, { company: 'Oak Robotics' }));
    for (const leadId of await Promise.all(leads))
      await fixture.query('update lead set company_id = $2 where id = $1', [leadId, companyId]);
    const word = `kubernetes ${ws}`;
    const script = (kind: string, name: string, told: object): Promise<unknown> =>
      fixture.steer('POST', 'scripts', { kind, name, script: told });
    await script('company', 'oak-robotics', { name: 'Oak Robotics', headcount: 90 });
    await script('search', `"${word}" or oak`, {
      people: [],
      posts: [
        {
          id: `urn:li:activity:${ws}`,
          text: `All about ${word}`,
          at: now - 1_000,
          author: `author-${ws}`,
          reactions: Array.from({ length: FANS }, (_, n) => `fan-${n}-${ws}`),
          comments: [`fan-0-${ws}`],
        },
      ],
    });
    const funded = [{ id: 'a', title: 'Oak Robotics raises $12M Series A', at: now - DAY }];
    await script('site', `${ws}.example`, {
      '/feed': { text: rss(funded) },
      '/': { text: '<main><p>Nothing new here.</p></main>' },
    });
    const agentId = randomUUID();
    await fixture.app.tx({ kind: 'workspaces', ids: [ws] }, async (tx) => {
      await insertSchedule(tx, {
        id: agentId,
        workspaceId: ws,
        kind: 'signal_agent',
        campaignId: null,
        name: 'Hunts',
        settings: {},
        timing: { kind: 'cron', cron: '0 6 1 1 *', timezone: 'UTC' },
        enabled: true,
        nextFor: now,
        nextAt: now,
        createdAt: now,
      });
      await insertAgent(tx, {
        id: agentId,
        workspaceId: ws,
        signalTypes: ['job_change', 'new_post', 'funding_round', 'headcount_growth'],
        criteria: { ...NO_CRITERIA, keywords: [word, 'Oak'] },
        workflowId,
        networkAccountId: null,
        minScore: null,
        dailyLeadLimit: LIMIT,
        dailyCreditLimit: null,
        playbook: '',
        handleReplies: false,
        judge: 'They like it.',
        now,
      });
      const sources = [`https://${ws}.example/feed`, `https://${ws}.example/`].map((url, place) => ({
        id: randomUUID(),
        kind: place === 0 ? ('feed' as const) : ('site' as const),
        url,
        companyId: null,
      }));
      await setSources(tx, { id: agentId, workspaceId: ws, now }, sources);
    });
    return { ws, agentId };
  }

  const runOf = async (agentId: string): Promise<AgentRun | undefined> =>
    (
      await fixture.query<AgentRun>('select state, error, cursor, result from scheduled_run where schedule_id = $1', [
        agentId,
      ])
    )[0];
  const isOver = async (agentId: string): Promise<boolean> => {
    const state = (await runOf(agentId))?.state;
    return state === 'succeeded' || state === 'failed';
  };

  /** What of a run was under way, as its cursor says. */
  function phaseOf({ cursor }: AgentRun): string {
    if (cursor.scanned !== true) return 'profiles';
    if (cursor.searched !== true) return Array.isArray(cursor.posts) && cursor.posts.length > 0 ? 'engagers' : 'posts';
    if (cursor.sourced !== true) return 'sources';
    if (cursor.counted !== true) return 'companies';
    return cursor.judged === true ? 'decisions' : 'judge';
  }

  it('killed in every phase of a run, within each of its steps and after it: nobody is enrolled twice, credits are exact, counters add up', async () => {
    const { ws, agentId } = await huntingAgent();
    const struck = new Map<string, string[]>();
    while (!(await isOver(agentId))) {
      const run = await runOf(agentId);
      const phase = run ? phaseOf(run) : 'begin';
      const before = struck.get(phase) ?? [];
      const points = KILLED_AT[phase] ?? ['stepping', 'stepped'];
      const point = points[before.length % points.length] ?? 'stepping';
      const child = fixture.executor({ workspace: ws }, 'pod-1', {
        faultPoint: point.replace(/^(\w+)(:2)?$/, '$1:SIGKILL$2'),
      });
      await fixture.until(`it is killed at ${point}`, async () => child.signalCode === 'SIGKILL' || isOver(agentId));
      await kill(child);
      struck.set(phase, [...before, point]);
    }
    for (const phase of ['profiles', 'posts', 'engagers', 'sources', 'companies', 'judge', 'decisions'])
      expect(struck.get(phase) ?? [], phase).to.include.members(['stepping', 'stepped']);
    await judge(ws, agentId);
  });

  if (FULL) {
    it(`killed ${KILLS} times at random: the same`, async () => {
      const random = dice('signal agents');
      for (let killed = 0; killed < KILLS; ) {
        const { ws, agentId } = await huntingAgent();
        const executor = fixture.supervise({ workspace: ws }, 'pod-1');
        for (; killed < KILLS && !(await isOver(agentId)); killed++) {
          // A run is given up whose executors end again and again at the same step: each of them comes to the end of one.
          const before = JSON.stringify(await runOf(agentId));
          await fixture.until('a step', async () => JSON.stringify(await runOf(agentId)) !== before);
          await sleepReal(random() * 400);
          executor.kill('SIGKILL');
        }
        await fixture.until('the run ends', () => isOver(agentId));
        await executor.stop('SIGKILL');
        await judge(ws, agentId);
      }
    });
  }

  async function judge(ws: string, agentId: string): Promise<void> {
    const run = await runOf(agentId);
    expect(run, JSON.stringify(run)).to.include({ state: 'succeeded', error: null });
    const result = run?.result ?? {};
    expect(result).to.include({
      found_funding_round: 1,
      found_headcount_growth: 1,
      feeds_read: 1,
      sites_read: 1,
      companies_seen: 1,
      enqueued: LIMIT,
    });
    const outcomes = await fixture.query<{ outcome: string; count: number }>(
      'select outcome, count(*)::int as count from signal_decision where agent_id = $1 group by outcome',
      [agentId],
    );
    for (const { outcome, count } of outcomes) expect(result[outcome], outcome).to.equal(count);
    expect(outcomes.reduce((sum, one) => sum + one.count, 0)).to.equal(result['signalsSeen']);
    const [counts] = await fixture.query(
      `select
         (select count(*)::int from run where workspace_id = $2) as runs,
         (select count(distinct person_id)::int from run where workspace_id = $2) as enrolled,
         count(distinct person_id) filter (where outcome = 'enqueued')::int as persons,
         sum(credits)::int as credits,
         (select leads from signal_agent_day where agent_id = $1) as taken,
         (select credits from signal_agent_day where agent_id = $1) as spent
       from signal_decision
       where agent_id = $1`,
      [agentId, ws],
    );
    const credits = result['credits'] ?? 0;
    expect(counts).to.deep.equal({
      runs: LIMIT,
      enrolled: LIMIT,
      persons: LIMIT,
      credits,
      taken: LIMIT,
      spent: credits,
    });
    const [balance] = await fixture.query('select balance, held from credit_balance where workspace_id = $1', [ws]);
    expect(balance).to.deep.equal({ balance: CREDITS - credits, held: 0 });
    const signals = await fixture.query<{ type: string; all: number; keys: number }>(
      `select type, count(*)::int as all, count(distinct natural_key)::int as keys
       from signal
       where workspace_id = $1
       group by type`,
      [ws],
    );
    for (const { type, all, keys } of signals) expect([all, result[`found_${type}`]], type).to.deep.equal([keys, keys]);
    expect(result['found_new_post']).to.be.at.least(FANS + 1);
    const [judged] = await fixture.query<{ verdicts: number; asked: number }>(
      `select
         (select count(*)::int from signal_verdict where agent_id = $1) as verdicts,
         (select judgements from signal_agent_day where agent_id = $1) as asked`,
      [agentId],
    );
    expect(judged?.verdicts).to.equal(result['judged']);
    expect(judged?.asked).to.be.at.least(judged?.verdicts ?? 0);
  }
});

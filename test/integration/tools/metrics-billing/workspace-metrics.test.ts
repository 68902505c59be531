import { expect } from 'chai';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { holdCredits, settleHold } from '../../../../pkg/store/credits/credits.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

/** Monday and Thursday of one week, Tuesday of the next. */
const DAYS = ['2026-03-02', '2026-03-05', '2026-03-10'].map((day) => Date.parse(`${day}T10:00:00Z`)) as [
  number,
  number,
  number,
];

interface Row {
  key: string;
  label: string;
  funnel: Record<string, number> & { rates: Record<string, number | null> };
  creditsSpent: number;
  creditsPerReply: number | null;
  creditsPerMeeting: number | null;
}
interface Metrics {
  rows: Row[];
  totals: Row['funnel'];
  nextCursor: string | null;
}

describe('tools: workspace metrics, by an MCP client', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;
  let accountId = '';
  let campaigns: [string, string];

  before(async () => {
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
    accountId = await tools.account('acme');
    const create = async (title: string): Promise<string> =>
      (await acme.call<{ campaignId: string }>('svc_create_campaign', { title })).campaignId;
    campaigns = [await create('Spring'), await create('Autumn')];
    // 24 requests on Monday, 12 accepted on Thursday, 6 replied the Tuesday after, 2 of them positive.
    await happen(campaigns[0], 24, 12, 6, 2);
    await happen(campaigns[1], 4, 1, 0, 0);
    await tools.rows(`select * from app.move_credits('acme', 'grant', 100, 'g', 1, 'test', null, 'test')`);
    await spend(campaigns[0], 30);
    await spend(campaigns[1], 5);
  });
  after(() => tools.stop());

  const happen = (campaign: string, sent: number, accepted: number, replied: number, positive: number) =>
    tools.rows(
      `with runs as (insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, account_id, entered_at, started_at)
         select gen_random_uuid(), 'acme', 'flow-' || $1, $1, gen_random_uuid(), 1, '', 'waiting', $2, $3::bigint, $3::bigint from generate_series(1, $6) returning id, lead_id),
       n as (select *, row_number() over () as n from runs),
       sends as (insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at, settled_at)
         select gen_random_uuid(), 'acme', 'flow-' || $1, $1, id, 'n', lead_id, lead_id, $2, 'connection_request', 'confirmed', 1, $3, $3 from n)
       insert into run_event (workspace_id, run_id, at, kind, actor, data)
         select 'acme', id, $4::bigint, 'connection.accepted', 'lead', '{}'::jsonb from n where n <= $7
         union all select 'acme', id, $5::bigint, 'reply.received', 'lead', jsonb_build_object('class', case when n <= $9 then 'positive' else 'neutral' end) from n where n <= $8`,
      [campaign, accountId, ...DAYS, sent, accepted, replied, positive],
    );
  const spend = (campaignId: string, credits: number) =>
    tools.mcp.platform(async (tx) => {
      const id = systemIds.uuid();
      const about = { workspaceId: 'acme', action: 'ai_craft', idempotencyKey: id, inputHash: 'h', now: DAYS[0] };
      await holdCredits(tx, { id, amount: credits, campaignId, ...about });
      await settleHold(tx, id, credits, DAYS[0]);
    });
  const read = (input: object = {}, user = acme): Promise<Metrics> =>
    user.call<Metrics>('svc_get_workspace_metrics', { detail: 'full', ...input });

  describe('svc_get_workspace_metrics', () => {
    it('by campaign: funnel, rates and cost per reply; rates are null below 20 cases', async () => {
      const { rows, totals } = await read();
      const [spring, autumn] = campaigns.map((id) => rows.find((row) => row.key === id));
      expect(spring).to.include({ label: 'Spring', creditsSpent: 30, creditsPerReply: 5, creditsPerMeeting: null });
      expect(spring?.funnel).to.include({
        enrolled: 24,
        contacted: 24,
        requested: 24,
        accepted: 12,
        replied: 6,
        positive: 2,
      });
      expect(spring?.funnel.rates).to.deep.equal({ acceptance: 0.5, reply: 0.25, positive: null });
      expect(autumn?.funnel.rates).to.deep.equal({ acceptance: null, reply: null, positive: null });
      expect(autumn).to.include({ creditsSpent: 5, creditsPerReply: null });
      expect(totals).to.include({ enrolled: 28, requested: 28, accepted: 13, replied: 6, positive: 2 });
    });

    it('by account, workflow, day and week', async () => {
      const account = await read({ groupBy: 'network_account' });
      expect(account.rows.map((row) => [row.key, row.funnel['requested']])).to.deep.equal([[accountId, 28]]);
      const flows = await read({ groupBy: 'workflow' });
      expect(flows.rows.map((row) => row.funnel['accepted']).sort()).to.deep.equal([1, 12]);
      const days = await read({ groupBy: 'day' });
      expect(
        days.rows.map((row) => [
          row.key,
          row.funnel['requested'],
          row.funnel['accepted'],
          row.funnel['replied'],
          row.creditsSpent,
        ]),
      ).to.deep.equal([
        ['2026-03-02', 28, 0, 0, 35],
        ['2026-03-05', 0, 13, 0, 0],
        ['2026-03-10', 0, 0, 6, 0],
      ]);
      const weeks = await read({ groupBy: 'week' });
      expect(weeks.rows.map((row) => [row.key, row.funnel['accepted'], row.funnel['replied']])).to.deep.equal([
        ['2026-03-02', 13, 0],
        ['2026-03-09', 0, 6],
      ]);
    });

    it('mails reach people too, and some come back', async () => {
      await tools.workspace('post');
      const post = await tools.as({ workspace: 'post' });
      const { campaignId } = await post.call<{ campaignId: string }>('svc_create_campaign', { title: 'By mail' });
      await tools.rows(
        `with runs as (insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, account_id, entered_at, started_at)
           select gen_random_uuid(), 'post', 'mails', $1, gen_random_uuid(), 1, '', 'waiting', $2, $3::bigint, $3::bigint from generate_series(1, 20) returning id, lead_id),
         n as (select *, row_number() over () as n from runs),
         sends as (insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at, settled_at)
           select gen_random_uuid(), 'post', 'mails', $1, id, 'n', lead_id, lead_id, $2, 'mail', 'confirmed', 1, $3, $3 from n)
         insert into run_event (workspace_id, run_id, at, kind, actor, data)
           select 'post', id, $3::bigint, case when n <= 5 then 'reply.received' else 'mail.bounced' end, 'lead', '{}'::jsonb from n where n <= 7`,
        [campaignId, accountId, DAYS[0]],
      );
      const { rows, totals } = await read({}, post);
      const stats = await post.call<{ funnel: Row['funnel'] }>('svc_get_campaign_stats', {
        campaignId,
        fromDate: '2026-03-01T00:00:00Z',
      });
      for (const funnel of [rows[0]?.funnel, totals, stats.funnel]) {
        expect(funnel).to.include({ contacted: 20, requested: 0, replied: 5, bounced: 2 });
        expect(funnel?.rates.reply).to.equal(0.25);
      }
    });

    it('counts a span only, and pages by key', async () => {
      const span = { fromDate: '2026-03-05T00:00:00Z', toDate: '2026-03-06T00:00:00Z' };
      expect((await read(span)).totals).to.include({ enrolled: 0, accepted: 13, replied: 0 });
      const first = await read({ groupBy: 'day', limit: 2 });
      const second = await read({ groupBy: 'day', limit: 2, cursor: first.nextCursor });
      expect([...first.rows, ...second.rows].map((row) => row.key)).to.deep.equal([
        '2026-03-02',
        '2026-03-05',
        '2026-03-10',
      ]);
      expect(second.nextCursor).to.equal(null);
    });

    it('a lead counts once, however many workflows reach it, and a notice of absence is no reply', async () => {
      await tools.workspace('twice');
      const twice = await tools.as({ workspace: 'twice' });
      const { campaignId } = await twice.call<{ campaignId: string }>('svc_create_campaign', { title: 'Twice' });
      // Of 20 people two workflows reach each; 12 answer, which is told of both, and 8 are away.
      await tools.force(
        `with leads as (select gen_random_uuid() as lead_id, n from generate_series(1, 20) n),
           runs as (insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, entered_at, started_at)
             select gen_random_uuid(), 'twice', 'flow-' || f, $1, lead_id, 1, '', 'waiting', $2::bigint, $2::bigint from leads cross join generate_series(1, 2) f returning id, lead_id, workflow_id),
           sends as (insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at, settled_at)
             select gen_random_uuid(), 'twice', workflow_id, $1, id, 'n', lead_id, lead_id, $3, a.action, 'confirmed', 1, $2, $2 from runs cross join (values ('message'), ('connection_request')) a (action))
         insert into run_event (workspace_id, run_id, at, kind, actor, data)
           select 'twice', r.id, $2::bigint, 'reply.received', 'lead', jsonb_build_object('class', case when l.n <= 12 then 'positive' else 'out_of_office' end) from runs r join leads l using (lead_id)
           union all select 'twice', r.id, $2::bigint, 'connection.accepted', 'lead', '{}'::jsonb from runs r`,
        [campaignId, DAYS[0], accountId],
      );
      const { totals } = await read({}, twice);
      const stats = await twice.call<{ funnel: Row['funnel'] }>('svc_get_campaign_stats', {
        campaignId,
        fromDate: '2026-03-01T00:00:00Z',
      });
      for (const shown of [totals, stats.funnel]) {
        expect(shown).to.include({
          enrolled: 20,
          contacted: 20,
          requested: 20,
          accepted: 20,
          replied: 12,
          positive: 12,
        });
        expect(shown.rates).to.deep.include({ acceptance: 1, reply: 0.6 });
      }
    });

    it('names a span that is none, and shows nothing of another workspace', async () => {
      const input = { fromDate: '2026-03-06T00:00:00Z', toDate: '2026-03-05T00:00:00Z' };
      expect(await acme.refusal('svc_get_workspace_metrics', input)).to.equal(
        'Invalid input: fromDate: is after toDate',
      );
      const theirs = await read({}, rival);
      expect([theirs.rows, theirs.totals['enrolled']]).to.deep.equal([[], 0]);
    });
  });
});

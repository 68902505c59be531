import { expect } from 'chai';
import { systemIds } from '../../../../pkg/base/ids.ts';
import type { JsonObject } from '../../../../pkg/base/json.ts';
import { ScheduleRounds } from '../../../../pkg/engine/schedule/schedule-rounds.ts';
import { EVENT_DEFINITIONS } from '../../../../pkg/events/event-definitions.ts';
import { Database } from '../../../../pkg/postgres/database.ts';
import { holdCredits, moveCredits, settleHold } from '../../../../pkg/store/credits/credits.ts';
import { ScoringWorker } from '../../../../pkg/tools/icps/scoring-worker.ts';
import { FakeNetwork } from '../../../fixtures/engine/fake-network.ts';
import { type EngineHandle, openEngine } from '../../../fixtures/engine/harness.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';
/** A Monday; in Berlin an hour later. */
const MONDAY = Date.UTC(2026, 2, 2, 10);
const HOUR = 3_600_000;

interface Made {
  automationId: string;
  created: boolean;
  enabled: boolean;
  nextRunAt: string | null;
}
interface Toggled {
  enabled: boolean;
  wasEnabled: boolean;
  version: number;
}
interface Automation {
  automationId: string;
  name: string;
  schedule: string;
  timezone: string;
  enabled: boolean;
  lastRun: { status: string; outcome: string } | null;
  nextRunAt: string | null;
}
interface Job {
  status: string;
  scheduledFor: string;
  result: Record<string, number | string> | null;
  error: string | null;
}

describe('tools: automations, by an MCP client', function () {
  this.timeout(120_000);
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;
  let executor: Database;
  let handle: EngineHandle;
  let campaignId = '';
  let icpId = '';
  let leadListId = '';

  before(async () => {
    tools = await startMcpTools();
    tools.cluster.clock.at = MONDAY;
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
    executor = new Database({ url: tools.cluster.executorUrl, max: 4, applicationName: 'test' });
    campaignId = (await acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'C' })).campaignId;
    icpId = (await acme.call<{ icpId: string }>('svc_create_icp', { campaignId, titles: ['CTO'] })).icpId;
    const list = { campaignId, name: 'Chiefs', predicate: { titles: ['CTO'] } };
    leadListId = (await acme.call<{ leadListId: string }>('svc_create_query_lead_list', list)).leadListId;
    await acme.call('svc_import_leads_csv', { campaignId, csv: 'Email,Title\nada@a.example,CTO\nbo@a.example,CFO\n' });
    const { clock, db: app } = tools.cluster;
    handle = await openEngine({ app, executor, clock }, 'acme', new FakeNetwork());
  });
  after(async () => {
    handle.deps.claim.stop();
    await executor.close();
    await tools.stop();
  });

  const upsert = (input: object): Promise<Made> =>
    acme.call<Made>('svc_upsert_automation', {
      campaignId,
      schedule: '30 2 * * *',
      timezone: 'Europe/Berlin',
      ...input,
    });
  const jobs = async (automationId: string): Promise<Job[]> =>
    (await acme.call<{ jobs: Job[] }>('svc_get_automation_jobs', { automationId })).jobs;
  const listed = async (automationId: string): Promise<Automation | undefined> =>
    (await acme.call<{ automations: Automation[] }>('svc_list_automations', { campaignId })).automations.find(
      (one) => one.automationId === automationId,
    );
  /** What the campaign did on the day before, in Berlin. */
  async function worked(): Promise<void> {
    const at = Date.UTC(2026, 2, 1, 12);
    await tools.force(
      `with r as (
         insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, entered_at, started_at, ended_at)
         select gen_random_uuid(), 'acme', 'wf-' || n, $1, l.id, gen_random_uuid(), 1, '', 'completed', $2, $2, $2
         from (select id, row_number() over (order by id) as n from lead where workspace_id = 'acme') l
         returning *
       ),
       s as (
         insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at, settled_at)
         select gen_random_uuid(), 'acme', workflow_id, campaign_id, id, 'n', lead_id, person_id, 'acc', 'connection_request', 'confirmed', 1, $2, $2
         from r where workflow_id = 'wf-1' returning *
       )
       insert into run_event (workspace_id, run_id, at, kind, actor) select 'acme', run_id, $2, 'connection.accepted', 'x' from s`,
      [campaignId, at],
    );
    const of = { workspaceId: 'acme', campaignId, action: 'ai_craft', inputHash: 'x', now: at };
    await tools.mcp.platform(async (tx) => {
      const grant = { ...of, kind: 'grant', amount: 100, reason: '', tool: 'test', keyPrefix: null } as const;
      await moveCredits(tx, { ...grant, idempotencyKey: 'granted' });
      const id = systemIds.uuid();
      await holdCredits(tx, { ...of, id, amount: 5, idempotencyKey: 'spent' });
      await settleHold(tx, id, 3, at);
    });
  }
  const refused = (input: object): Promise<string> =>
    acme.refusal('svc_upsert_automation', { campaignId, name: 'Refused', schedule: '0 8 * * *', ...input });

  /** What executor and server do in an hour, minute by minute. */
  async function anHour(): Promise<void> {
    const { db, runtime, clock } = tools.cluster;
    const rounds = new ScheduleRounds(handle.deps, { failed: () => undefined, moved: () => undefined });
    const scoring = new ScoringWorker({ db, clocks: { real: runtime.clock, product: clock }, ids: systemIds });
    for (let part = 0; part < 6; part++) {
      clock.at = clock.now() + HOUR / 6;
      for (let run = await rounds.take(); run; run = await rounds.take()) await rounds.work(run);
      while (await scoring.next());
    }
  }

  describe('svc_upsert_automation', () => {
    it('makes an automation that is disabled; made again it is the same one, with what is new', async () => {
      const made = await upsert({ name: 'Nightly', kind: 'rescore_leads' });
      expect(made).to.include({ created: true, enabled: false, nextRunAt: null });
      const again = await upsert({
        name: 'Nightly',
        kind: 'rescore_leads',
        schedule: '0 3 * * *',
        settings: { icpId },
      });
      expect(again).to.include({ automationId: made.automationId, created: false });
      expect(await listed(made.automationId)).to.include({ schedule: '0 3 * * *', timezone: 'Europe/Berlin' });
    });

    it("takes the workspace's timezone where none is given", async () => {
      const { automationId } = await acme.call<Made>('svc_upsert_automation', {
        campaignId,
        name: 'Zone',
        kind: 'rescore_leads',
        schedule: '0 8 * * 1',
      });
      expect((await listed(automationId))?.timezone).to.equal('UTC');
    });

    it('refuses a schedule with the reason and the next three times', async () => {
      expect(await refused({ kind: 'rescore_leads', schedule: '*/5 * * * *' })).to.match(
        /more often than every 15 minutes.*10:05:00.000Z, .*10:10:00.000Z, .*10:15:00.000Z/,
      );
      expect(await refused({ kind: 'rescore_leads', schedule: '0 0 30 2 *' })).to.contain('no run within five years');
      expect(await refused({ kind: 'rescore_leads', schedule: '0 0 8 * * *' })).to.contain('seconds');
      expect(await refused({ kind: 'rescore_leads', timezone: 'Mars/One' })).to.contain('IANA');
    });

    it('refuses settings that name what is not there or not of this campaign', async () => {
      expect(await refused({ kind: 'rescore_leads', settings: { icpId: NOBODY } })).to.contain('svc_list_icps');
      expect(await refused({ kind: 'source_leads', settings: { icpId: NOBODY } })).to.contain('svc_list_icps');
      expect(await refused({ kind: 'rescore_leads', settings: { leadListId } })).to.contain('settings');
      expect(await refused({ kind: 'refresh_query_lists', settings: { leadListId: NOBODY } })).to.contain('not found');
      expect(await refused({ kind: 'send_report', settings: { memberIds: [NOBODY] } })).to.contain('svc_list_members');
      expect(await refused({ kind: 'sync_crm', settings: { integrationId: NOBODY } })).to.contain(
        'svc_list_integrations',
      );
      expect(await refused({ kind: 'enrich_new_leads', settings: { fields: ['email'] } })).to.contain('creditLimit');
      expect(await refused({ kind: 'withdraw_stale_requests', settings: { olderThanDays: 0 } })).to.contain('settings');
      expect(await refused({})).to.contain('kind: is required without automationId');
      expect(
        await rival.refusal('svc_upsert_automation', {
          campaignId,
          name: 'X',
          kind: 'rescore_leads',
          schedule: '0 8 * * *',
        }),
      ).to.contain('svc_list_campaigns');
    });
  });

  describe('svc_toggle_automation', () => {
    it('flips, says which state it left, and two that flip at once take turns', async () => {
      const { automationId } = await upsert({ name: 'Flip', kind: 'refresh_query_lists' });
      const flip = (): Promise<Toggled> => acme.call<Toggled>('svc_toggle_automation', { automationId });
      expect(await flip()).to.deep.include({ enabled: true, wasEnabled: false, version: 2 });
      expect((await listed(automationId))?.nextRunAt).to.equal('2026-03-03T01:30:00.000Z');
      const two = await Promise.all([flip(), flip()]);
      expect(two.map((one) => one.version).sort()).to.deep.equal([3, 4]);
      expect(two.find((one) => one.version === 4)).to.include({ enabled: true, wasEnabled: false });
      expect(await flip()).to.include({ enabled: false });
      expect((await listed(automationId))?.nextRunAt).to.equal(null);
    });

    it('wakes the executor of the workspace for the next time', async () => {
      const { automationId } = await upsert({ name: 'Wake', kind: 'refresh_query_lists' });
      await acme.call('svc_toggle_automation', { automationId });
      const [wake] = await tools.rows<{ due_at: number }>(
        `select due_at from workspace_wake where workspace_id = 'acme'`,
      );
      expect(wake?.due_at).to.be.at.most(Date.UTC(2026, 2, 3, 1, 35));
      await acme.call('svc_toggle_automation', { automationId });
    });
  });

  describe('svc_get_automation_jobs', () => {
    it('tells what each run did: lists and leads of refresh_query_lists, ICPs and leads of rescore_leads', async () => {
      const lists = await upsert({ name: 'Lists', kind: 'refresh_query_lists', schedule: '5 * * * *' });
      const scores = await upsert({ name: 'Scores', kind: 'rescore_leads', schedule: '5 * * * *' });
      for (const { automationId } of [lists, scores]) await acme.call('svc_toggle_automation', { automationId });
      await anHour();
      const [refreshed] = await jobs(lists.automationId);
      expect(refreshed).to.include({ status: 'succeeded', scheduledFor: '2026-03-02T10:05:00.000Z', error: null });
      expect(refreshed?.result).to.deep.equal({ lists: 1, leads: 1 });
      const [scored] = await jobs(scores.automationId);
      expect(scored).to.include({ status: 'succeeded', error: null });
      expect(scored?.result).to.deep.equal({ icps: 1, leads: 2 });
      const list = await acme.call<{ leadList: { leadCount: number } }>('svc_get_lead_list', { leadListId });
      expect(list.leadList.leadCount).to.equal(1);
      const totals = await tools.rows('select lead_id from lead_score where icp_id = $1', [icpId]);
      expect(totals).to.have.length(2);
      expect((await listed(scores.automationId))?.lastRun).to.include({
        status: 'succeeded',
        outcome: 'icps 1, leads 2',
      });
      for (const { automationId } of [lists, scores]) await acme.call('svc_toggle_automation', { automationId });
      const known = (await jobs(lists.automationId)).length;
      await anHour();
      expect(await jobs(lists.automationId)).to.have.length(known);
    });

    it('send_report tells members the numbers of svc_get_workspace_metrics for the same span, once', async () => {
      const { members } = await acme.call<{ members: { memberId: string }[] }>('svc_list_members', {});
      const memberIds = members.map((one) => one.memberId);
      await worked();
      const made = await upsert({
        name: 'Daily',
        kind: 'send_report',
        schedule: '5 * * * *',
        settings: { memberIds, period: 'day' },
      });
      await acme.call('svc_toggle_automation', { automationId: made.automationId });
      await anHour();
      await acme.call('svc_toggle_automation', { automationId: made.automationId });
      const [report] = await jobs(made.automationId);
      expect(report).to.include({ status: 'succeeded', error: null });
      const { fromDate, toDate, notified, credits, ...counts } = report?.result ?? {};
      expect([fromDate, toDate]).to.deep.equal(['2026-02-28T23:00:00.000Z', '2026-03-01T23:00:00.000Z']);
      expect(notified).to.equal(memberIds.length);
      const metrics = await acme.call<{
        rows: { key: string; creditsSpent: number; funnel: Record<string, number> }[];
      }>('svc_get_workspace_metrics', { fromDate, toDate, groupBy: 'campaign', detail: 'full' });
      const row = metrics.rows.find((one) => one.key === campaignId);
      const { rates: _, meetings: __, ...funnel } = row?.funnel ?? {};
      expect(counts).to.deep.equal(funnel);
      expect(credits).to.equal(row?.creditsSpent);
      expect(counts).to.include({ enrolled: 2, contacted: 1, requested: 1, accepted: 1 });
      expect(credits).to.equal(3);
      const told = await tools.rows<{ text: string; title: string }>(
        `select title, text from notification where workspace_id = 'acme' and kind = 'report.ready'`,
      );
      expect(told).to.have.length(memberIds.length);
      expect(told[0]?.title).to.equal('Report of "C", 2026-03-01');
      expect(told[0]?.text).to.contain('Leads that began: 2. Contacted: 1');
      const events = await tools.rows<{ data: JsonObject }>(
        `select data from run_event where workspace_id = 'acme' and kind = 'report.ready'`,
      );
      expect(events.map((one) => EVENT_DEFINITIONS['report.ready'].data.parse(one.data))).to.have.length(1);
    });

    it('a run that can not do its work says why, and the failure is an event', async () => {
      const gone = await acme.call<{ leadListId: string }>('svc_create_query_lead_list', {
        campaignId,
        name: 'Gone',
        predicate: { titles: ['CEO'] },
      });
      const settings = { leadListId: gone.leadListId };
      const { automationId } = await upsert({
        name: 'Gone',
        kind: 'refresh_query_lists',
        schedule: '5 * * * *',
        settings,
      });
      await acme.call('svc_toggle_automation', { automationId });
      await acme.call('svc_delete_lead_list', { leadListId: gone.leadListId });
      await anHour();
      const [failed] = await jobs(automationId);
      expect(failed?.status).to.equal('failed');
      expect(failed?.error).to.contain('is gone');
      const events = await tools.rows<{ data: { automationId: string; reason: string } }>(
        `select data from run_event where workspace_id = 'acme' and kind = 'automation.failed'`,
      );
      expect(events.map((one) => one.data.automationId)).to.deep.equal([automationId]);
    });
  });

  describe('svc_list_automations', () => {
    it('pages over the automations of a campaign, which nobody else sees', async () => {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: { automations: Automation[]; nextCursor: string | null } = await acme.call('svc_list_automations', {
          campaignId,
          limit: 2,
          ...(cursor === null ? {} : { cursor }),
        });
        seen.push(...page.automations.map((one) => one.name));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect([...seen].sort()).to.deep.equal(['Daily', 'Flip', 'Gone', 'Lists', 'Nightly', 'Scores', 'Wake', 'Zone']);
      const [first] = await tools.rows<{ id: string }>('select id from schedule limit 1');
      for (const tool of ['svc_toggle_automation', 'svc_get_automation_jobs', 'svc_upsert_automation'])
        expect(await rival.refusal(tool, { automationId: first?.id })).to.contain('svc_list_automations');
    });
  });
});

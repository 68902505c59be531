import { expect } from 'chai';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { attachToCampaign } from '../../../../pkg/store/leads/imports.ts';
import { markScoresStale, queueFading } from '../../../../pkg/store/scoring/scoring-jobs.ts';
import { ScoringWorker } from '../../../../pkg/tools/icps/scoring-worker.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';
const missing = (id: string): string => `ICP "${id}" was not found. Call svc_list_icps to find valid IDs.`;
const noCampaign = (id: string): string => `Campaign "${id}" was not found. Call svc_list_campaigns to find valid IDs.`;

interface Icp {
  icpId: string;
  titles: string[];
  seniorities: string[];
  scoresStale: boolean;
  scoredAt: string | null;
}
interface Scores {
  scores: {
    leadId: string;
    icpScore: number;
    signalScore: number;
    total: number;
    inCampaign: boolean;
    stale: boolean;
    reasons: { criterion: string; matched: boolean; points: number; evidence: string }[];
  }[];
  stats: { count: number; inCampaign: number; mean: number };
  nextCursor: string | null;
}
interface Job {
  scoringJobId: string;
  status: string;
  leadsQueued: number;
}

describe('tools: ICPs, by an MCP client', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;
  let campaignId = '';
  let count = 0;

  before(async () => {
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
  });
  after(() => tools.stop());
  beforeEach(async () => {
    campaignId = (await acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'C' })).campaignId;
  });

  const create = async (input: object = {}): Promise<string> =>
    (await acme.call<{ icpId: string }>('svc_create_icp', { campaignId, ...input })).icpId;
  const list = async (): Promise<Icp[]> =>
    (await acme.call<{ icps: Icp[] }>('svc_list_icps', { campaignId, detail: 'full' })).icps;
  const score = (icpId: string): Promise<Job> => acme.call<Job>('svc_trigger_icp_scoring', { icpId });
  const read = (icpId: string, input: object = {}): Promise<Scores> =>
    acme.call<Scores>('svc_get_icp_scores', { icpId, detail: 'full', ...input });
  const load = (...rows: string[]): Promise<unknown> => {
    const lines = rows.map((row, index) => `p${count + index}@icps.example,${row}`);
    count += rows.length;
    return acme.call('svc_import_leads_csv', { campaignId, csv: `Email,Title,Company\n${lines.join('\n')}\n` });
  };

  describe('svc_create_icp', () => {
    it('adds a profile with its criteria to the campaign', async () => {
      const icpId = await create({ titles: ['CTO'], seniorities: ['c_suite'] });
      const [icp] = await list();
      expect(icp).to.deep.include({
        icpId,
        titles: ['CTO'],
        seniorities: ['c_suite'],
        scoresStale: true,
        scoredAt: null,
      });
      const { campaign } = await acme.call<{ campaign: { counts: object } }>('svc_get_campaign', { campaignId });
      expect(campaign.counts).to.include({ icps: 1 });
    });

    it('answers a missing and a foreign campaign alike', async () => {
      expect(await acme.refusal('svc_create_icp', { campaignId: NOBODY })).to.equal(noCampaign(NOBODY));
      expect(await rival.refusal('svc_create_icp', { campaignId })).to.equal(noCampaign(campaignId));
    });
  });

  describe('svc_list_icps', () => {
    it('lists those of a campaign, pages without gaps, and shows nothing of others', async () => {
      const made = [await create(), await create(), await create()];
      const first = await acme.call<{ icps: Icp[]; nextCursor: string }>('svc_list_icps', { campaignId, limit: 2 });
      const second = await acme.call<{ icps: Icp[]; nextCursor: null }>('svc_list_icps', {
        campaignId,
        limit: 2,
        cursor: first.nextCursor,
      });
      expect([...first.icps, ...second.icps].map((one) => one.icpId)).to.have.members(made);
      expect(second.nextCursor).to.equal(null);
      expect((await rival.call<{ icps: Icp[] }>('svc_list_icps')).icps).to.deep.equal([]);
    });

    it('answers a missing and a foreign campaign alike', async () => {
      expect(await acme.refusal('svc_list_icps', { campaignId: NOBODY })).to.equal(noCampaign(NOBODY));
      expect(await rival.refusal('svc_list_icps', { campaignId })).to.equal(noCampaign(campaignId));
    });
  });

  describe('svc_update_icp', () => {
    it('replaces the given lists, keeps the others, and marks the scores stale', async () => {
      const icpId = await create({ titles: ['CTO'], seniorities: ['c_suite'] });
      await score(icpId);
      expect((await list())[0]).to.include({ scoresStale: false });
      const answer = await acme.call('svc_update_icp', { icpId, titles: ['CFO'] });
      expect(answer).to.deep.equal({ icpId, scoresStale: true });
      expect((await list())[0]).to.deep.include({ titles: ['CFO'], seniorities: ['c_suite'], scoresStale: true });
    });

    it('an update that changes nothing leaves the scores as they are', async () => {
      const icpId = await create({ titles: ['CTO'] });
      await score(icpId);
      expect(await acme.call('svc_update_icp', { icpId, titles: ['CTO'] })).to.deep.equal({
        icpId,
        scoresStale: false,
      });
    });

    it('answers a missing and a foreign ICP alike', async () => {
      const icpId = await create();
      expect(await acme.refusal('svc_update_icp', { icpId: NOBODY })).to.equal(missing(NOBODY));
      expect(await rival.refusal('svc_update_icp', { icpId, titles: [] })).to.equal(missing(icpId));
    });
  });

  describe('svc_delete_icp', () => {
    it('takes its scores; leads that only it kept above the threshold leave the pool', async () => {
      await load('CTO,A', 'CTO,B', 'Intern,C');
      const [first, second] = [await create({ titles: ['CTO'] }), await create({ keywords: ['B'] })];
      await score(first);
      await score(second);
      const pool = async (): Promise<number> =>
        (await acme.call<{ campaign: { counts: { leadsInPool: number } } }>('svc_get_campaign', { campaignId }))
          .campaign.counts.leadsInPool;
      expect(await pool()).to.equal(2);
      expect(await acme.call('svc_delete_icp', { icpId: first })).to.deep.equal({
        icpId: first,
        deleted: true,
        leadsLeavingPool: 1,
      });
      expect(await pool()).to.equal(1);
      expect((await list()).map((icp) => icp.icpId)).to.deep.equal([second]);
      expect(await acme.refusal('svc_get_icp_scores', { icpId: first })).to.equal(missing(first));
    });

    it('a running sequence finishes: the run of a lead that leaves the pool stays live', async () => {
      await load('CTO,A');
      const icpId = await create({ titles: ['CTO'] });
      await score(icpId);
      const [lead] = (await read(icpId)).scores;
      await tools.rows(
        `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, entered_at, started_at)
         values (gen_random_uuid(), 'acme', $1, $1, $2, 1, '', 'waiting', 1, 1)`,
        [campaignId, lead?.leadId],
      );
      await acme.call('svc_delete_icp', { icpId });
      const runs = await tools.rows('select state from run where campaign_id = $1 and ended_at is null', [campaignId]);
      expect(runs).to.deep.equal([{ state: 'waiting' }]);
    });

    it('answers a missing, a foreign and a deleted ICP alike', async () => {
      const icpId = await create();
      expect(await acme.refusal('svc_delete_icp', { icpId: NOBODY })).to.equal(missing(NOBODY));
      expect(await rival.refusal('svc_delete_icp', { icpId })).to.equal(missing(icpId));
      await acme.call('svc_delete_icp', { icpId });
      expect(await acme.refusal('svc_delete_icp', { icpId })).to.equal(missing(icpId));
    });
  });

  describe('svc_get_icp_scores', () => {
    it('says of a lead what svc_get_lead says: the best score that it has in a campaign', async () => {
      await load('CTO,A');
      const low = await create({ titles: ['CTO'], industries: ['Software'] });
      const best = await create({ titles: ['CTO'] });
      await score(low);
      await score(best);
      const [told] = (await read(best)).scores;
      const leadOf = async (): Promise<{ score: object | null }> =>
        (await acme.call<{ lead: { score: object | null } }>('svc_get_lead', { leadId: told?.leadId })).lead;
      expect((await leadOf()).score).to.deep.equal(told);
      await acme.call('svc_delete_campaign', { campaignId, confirmTitle: 'C' });
      expect((await leadOf()).score).to.equal(null);
    });

    it('explains every point: lines of ICP and signals add up to the total', async () => {
      await load('CTO,A', 'Intern,B');
      const icpId = await create({ titles: ['CTO'], industries: ['Software'] });
      const [lead] = await tools.rows<{ id: string }>(
        `select l.id from lead l join campaign_lead c on c.lead_id = l.id where c.campaign_id = $1 and l.company = 'A'`,
        [campaignId],
      );
      const yesterday = tools.now() - 86_400_000;
      await tools.rows(
        `insert into signal (id, workspace_id, type, lead_id, title, occurred_at, detected_at, expires_at)
         select gen_random_uuid(), 'acme', t.type, $1, t.title, $2::bigint, $2::bigint, $2::bigint + 5184000000
         from (values ('job_change', 'New role'), ('new_post', 'On hiring')) t (type, title)`,
        [lead?.id, yesterday],
      );
      await score(icpId);
      const { scores } = await read(icpId);
      const [top] = scores;
      expect(top).to.include({ leadId: lead?.id, icpScore: 64, signalScore: 19, total: 83, inCampaign: true });
      expect(top?.reasons.map((one) => [one.criterion, one.points])).to.deep.equal([
        ['title', 64],
        ['industry', 0],
        ['signal:job_change', 15],
        ['signal:new_post', 4],
      ]);
      expect(top?.reasons[2]?.evidence).to.equal('New role, 1 day ago; 15 points fading over 60 days');
      for (const one of scores) {
        expect(one.reasons.reduce((sum, reason) => sum + reason.points, 0)).to.equal(one.total);
      }
    });

    it('membership follows the threshold: raising scoreMin takes leads out, lowering it brings them back', async () => {
      await load('CTO,A', 'Intern,B');
      const icpId = await create({ titles: ['CTO'], industries: ['Software'] });
      await score(icpId);
      expect((await read(icpId)).scores.map((one) => one.inCampaign)).to.deep.equal([true, false]);
      await acme.call('svc_update_campaign', { campaignId, scoreMin: 65 });
      expect((await read(icpId, { inCampaignOnly: true })).scores).to.deep.equal([]);
      await acme.call('svc_update_campaign', { campaignId, scoreMin: 0 });
      expect((await read(icpId)).stats).to.include({ count: 2, inCampaign: 2 });
    });

    it('narrows by lead and by total', async () => {
      await load('CTO,A', 'Intern,B');
      const icpId = await create({ titles: ['CTO'] });
      await score(icpId);
      const { scores } = await read(icpId, { minTotal: 1 });
      expect(scores).to.have.length(1);
      expect((await read(icpId, { leadId: scores[0]?.leadId })).scores).to.have.length(1);
    });

    it('answers a missing and a foreign ICP alike, and a missing lead', async () => {
      const icpId = await create();
      expect(await acme.refusal('svc_get_icp_scores', { icpId: NOBODY })).to.equal(missing(NOBODY));
      expect(await rival.refusal('svc_get_icp_scores', { icpId })).to.equal(missing(icpId));
      expect(await acme.refusal('svc_get_icp_scores', { icpId, leadId: NOBODY })).to.equal(
        `Lead "${NOBODY}" was not found. Call svc_search_leads to find valid IDs.`,
      );
    });
  });

  describe('svc_trigger_icp_scoring', () => {
    it('leads that are being imported when it starts are scored, or the scores are stale', async () => {
      const icpId = await create({ titles: ['CTO'] });
      const leadId = systemIds.uuid();
      const { scoring } = await tools.cluster.db.tx({ kind: 'workspaces', ids: ['acme'] }, async (tx) => {
        await tx.exec(
          `insert into lead (id, workspace_id, title, email, created_at, updated_at) values ($1, 'acme', 'CTO', 'late@icps.example', 1, 1)`,
          [leadId],
        );
        await attachToCampaign(tx, 'acme', campaignId, [leadId], 1);
        await markScoresStale(tx, 'acme');
        let over = false;
        const scoring = score(icpId).finally(() => {
          over = true;
        });
        while (!over && (await tools.force('select 1 from pg_locks where not granted')).length === 0);
        return { scoring };
      });
      expect((await scoring).status).to.equal('completed');
      const scored = (await read(icpId)).scores.map((one) => one.leadId);
      const [icp] = await list();
      expect({ scored: scored.includes(leadId), stale: icp?.scoresStale }).to.deep.equal({
        scored: true,
        stale: false,
      });
    });

    it('a pass whose ICP is deleted as it starts ends, and nobody goes on with it', async () => {
      const icpId = await create({ titles: ['CTO'] });
      const { scoring } = await tools.cluster.db.tx({ kind: 'workspaces', ids: ['acme'] }, async (tx) => {
        await tx.exec('update icp set deleted_at = 1 where id = $1', [icpId]);
        const scoring = score(icpId);
        while ((await tools.force('select 1 from pg_locks where not granted')).length === 0);
        return { scoring };
      });
      expect((await scoring).status).to.equal('failed');
      const jobs = await tools.rows('select status, error from scoring_job where icp_id = $1', [icpId]);
      expect(jobs).to.deep.equal([{ status: 'failed', error: 'the ICP was deleted' }]);
    });

    it('scores a small campaign before it answers', async () => {
      await load('CTO,A', 'Intern,B');
      const icpId = await create({ titles: ['CTO'] });
      expect(await score(icpId)).to.deep.include({ status: 'completed', leadsQueued: 2 });
      expect((await read(icpId)).scores.map((one) => one.total)).to.deep.equal([100, 0]);
      expect((await list())[0]?.scoredAt).to.be.a('string');
    });

    it('a query list by score follows: leads enter with their score and leave with it', async () => {
      await load('CTO,A', 'Intern,B');
      const icpId = await create({ titles: ['CTO'] });
      const { leadListId } = await acme.call('svc_create_query_lead_list', {
        name: 'Best',
        predicate: { campaignId, minScore: 50 },
      });
      const listed = async (): Promise<number> =>
        (await acme.call<{ leadList: { leadCount: number } }>('svc_get_lead_list', { leadListId })).leadList.leadCount;
      expect(await listed()).to.equal(0);
      await score(icpId);
      expect(await listed()).to.equal(1);
      await acme.call('svc_delete_icp', { icpId });
      expect(await listed()).to.equal(0);
    });

    it('a running pass is joined, not doubled, and another worker finishes it where it stands', async () => {
      await load('CTO,A', 'Intern,B', 'CTO,C');
      const icpId = await create({ titles: ['CTO'] });
      const [lead] = await tools.rows<{ id: string }>(
        'select lead_id as id from campaign_lead where campaign_id = $1 order by lead_id limit 1',
        [campaignId],
      );
      // A worker that scored one lead and is still alive by its lease.
      await tools.rows(
        `insert into scoring_job (id, workspace_id, campaign_id, icp_id, status, total, done, after_lead, pass_at, holder, lease_until, created_at)
         values (gen_random_uuid(), 'acme', $1, $2, 'running', 3, 1, $3, $4, gen_random_uuid(), clock_timestamp() + interval '1 hour', 1)`,
        [campaignId, icpId, lead?.id, tools.now()],
      );
      await tools.rows('update icp set scores_stale = false where id = $1', [icpId]);
      const [one, two] = [await score(icpId), await score(icpId)];
      expect(one).to.deep.equal(two);
      expect(one).to.include({ status: 'running', leadsQueued: 3 });
      expect((await read(icpId)).scores).to.deep.equal([]);
      await tools.rows(`update scoring_job set lease_until = clock_timestamp() where id = $1`, [one.scoringJobId]);
      await worker();
      expect((await read(icpId)).scores).to.have.length(2);
      expect((await list())[0]).to.include({ scoresStale: false });
    });

    it('an ICP that changes while a pass runs is scored anew from the first lead', async () => {
      await load('CTO,A', 'CFO,B');
      const icpId = await create({ titles: ['CTO'] });
      await tools.rows(
        `insert into scoring_job (id, workspace_id, campaign_id, icp_id, status, total, done, after_lead, pass_at, created_at)
         select gen_random_uuid(), 'acme', $1, $2, 'running', 2, 2, max(lead_id::text)::uuid, $3, 1 from campaign_lead where campaign_id = $1`,
        [campaignId, icpId, tools.now()],
      );
      await acme.call('svc_update_icp', { icpId, titles: ['CFO'] });
      await worker();
      const { scores } = await read(icpId);
      expect(scores.map((one) => [one.total, one.stale])).to.deep.equal([
        [100, false],
        [0, false],
      ]);
    });

    it('answers a missing and a foreign ICP alike', async () => {
      const icpId = await create();
      expect(await acme.refusal('svc_trigger_icp_scoring', { icpId: NOBODY })).to.equal(missing(NOBODY));
      expect(await rival.refusal('svc_trigger_icp_scoring', { icpId })).to.equal(missing(icpId));
    });

    it('signals fade without an event: once a day scores fall, membership and query lists follow', async () => {
      await load('CTO,A', 'CTO,B');
      const icpId = await create({ titles: ['CTO'], industries: ['Software'] });
      await tools.rows(
        `insert into signal (id, workspace_id, type, lead_id, occurred_at, detected_at, expires_at)
         select gen_random_uuid(), 'acme', 'job_change', l.id, $2::bigint, $2::bigint, $2::bigint + 5184000000
         from lead l join campaign_lead c on c.lead_id = l.id where c.campaign_id = $1 and l.company = 'A'`,
        [campaignId, tools.now()],
      );
      await score(icpId);
      await acme.call('svc_update_campaign', { campaignId, scoreMin: 75 });
      const made = await acme.call<{ leadListId: string; leadCount: number }>('svc_create_query_lead_list', {
        name: 'Hot',
        predicate: { campaignId, minScore: 75 },
      });
      expect(made.leadCount).to.equal(1);
      const totals = async (): Promise<[number, boolean][]> =>
        (await read(icpId)).scores.map((one) => [one.total, one.inCampaign]);
      expect(await totals()).to.deep.equal([
        [79, true],
        [64, false],
      ]);
      const queue = (): Promise<number> =>
        tools.mcp.platform((tx) => queueFading(tx, systemIds.uuid, tools.cluster.clock.now()));
      expect(await queue(), 'scored today').to.equal(0);
      tools.cluster.clock.at = tools.now() + 40 * 86_400_000;
      expect(await queue()).to.be.greaterThan(0);
      await worker();
      expect(await totals()).to.deep.equal([
        [69, false],
        [64, false],
      ]);
      const list = await acme.call<{ leadList: { leadCount: number } }>('svc_get_lead_list', {
        leadListId: made.leadListId,
      });
      expect(list.leadList.leadCount).to.equal(0);
      expect(await queue(), 'once a day').to.equal(0);
      // Who asks for a whole pass while a fading one is open gets a whole one.
      tools.cluster.clock.at += 86_400_000;
      expect(await queue()).to.be.greaterThan(0);
      await load('CTO,C');
      await score(icpId);
      await worker();
      expect((await totals()).length).to.equal(3);
      tools.cluster.clock.at = undefined;
    });

    const worker = async (): Promise<void> => {
      const { db, runtime, clock } = tools.cluster;
      const clocks = { real: runtime.clock, product: clock };
      const one = new ScoringWorker({ db, clocks, ids: systemIds });
      while (await one.next());
    };
  });
});

import { expect } from 'chai';
import { startToolCalls, type ToolCalls, workspaceKey } from '../../tools/tool-calls.ts';

interface Score {
  leadId: string;
  total: number;
  icpScore: number;
  signalScore: number;
  inCampaign: boolean;
  stale: boolean;
  reasons: { points: number }[];
}
interface Scores {
  scores: Score[];
  stats: { count: number; mean: number; deciles: number[]; inCampaign: number };
  nextCursor: string | null;
}

describe('ICPs and scores', () => {
  let tools: ToolCalls;
  before(async () => {
    tools = await startToolCalls();
  });
  after(() => tools.stop());

  let campaignId = '';
  let icpId = '';
  beforeEach(async () => {
    for (const table of [
      'lead_list_member',
      'campaign_lead',
      'lead_overlay',
      'lead_score',
      'lead_list',
      'lead',
      'icp',
      'workspace_wake',
    ]) {
      await tools.rows(`delete from ${table}`);
    }
    campaignId = (await tools.call<{ campaignId: string }>('svc_create_campaign', { title: 'C' })).campaignId;
    const criteria = { titles: ['Sales'], seniorities: ['vp'], companySizes: ['51-200'] };
    icpId = (await tools.call<{ icpId: string }>('svc_create_icp', { campaignId, ...criteria })).icpId;
  });

  const load = (rows: string[], more: object = {}): Promise<unknown> =>
    tools.call('svc_import_leads_csv', { csv: `Email,Title,Company,# Employees\n${rows.join('\n')}\n`, ...more });
  const score = (): Promise<{ status: string; leadsQueued: number }> =>
    tools.call('svc_trigger_icp_scoring', { icpId });
  const read = (more: object = {}): Promise<Scores> =>
    tools.call<Scores>('svc_get_icp_scores', { icpId, detail: 'full', ...more });

  it('lists an ICP with its criteria; scores are stale until the first pass', async () => {
    const { icps } = await tools.call<{ icps: object[] }>('svc_list_icps', { campaignId, detail: 'full' });
    expect(icps).to.have.length(1);
    expect(icps[0]).to.deep.include({ icpId, titles: ['Sales'], industries: [], scoresStale: true, scoredAt: null });
  });

  it('scores every candidate with reasons that add up, best first, and tells who is in', async () => {
    await load(['vp@a.example,VP Sales,A,120', 'rep@a.example,Sales Representative,A,9', 'dev@a.example,Developer,A,']);
    expect(await score()).to.deep.include({ status: 'completed', leadsQueued: 3 });
    const { scores, stats } = await read();
    expect(scores.map((one) => one.total)).to.deep.equal([100, 50, 0]);
    expect(scores.map((one) => one.inCampaign)).to.deep.equal([true, true, false]);
    for (const one of scores) {
      expect(one.signalScore).to.equal(0);
      expect(one.reasons.reduce((sum, reason) => sum + reason.points, 0)).to.equal(one.icpScore);
    }
    expect(stats).to.deep.include({ count: 3, mean: 50, inCampaign: 2 });
    expect(stats.deciles).to.have.length(10);
    expect(stats.deciles.at(-1)).to.equal(100);
  });

  it('the same leads and criteria give the same scores again', async () => {
    await load(['vp@a.example,VP Sales,A,120', 'rep@a.example,Sales Representative,A,9']);
    await score();
    const first = (await read()).scores.map(({ leadId, total }) => [leadId, total]);
    await score();
    expect((await read()).scores.map(({ leadId, total }) => [leadId, total])).to.deep.equal(first);
  });

  it('candidates are the leads of the campaign and of its lists, and private leads of no campaign', async () => {
    const other = (await tools.call<{ campaignId: string }>('svc_create_campaign', { title: 'Other' })).campaignId;
    const list = (id: string) =>
      tools.call<{ leadListId: string }>('svc_create_lead_list', { name: 'L', campaignId: id });
    await load(['mine@a.example,VP Sales,A,120'], { campaignId });
    await load(['listed@a.example,VP Sales,A,120'], { leadListId: (await list(campaignId)).leadListId });
    await load(['free@a.example,VP Sales,A,120']);
    await load(['theirs@a.example,VP Sales,A,120'], { campaignId: other });
    await load(['theirlist@a.example,VP Sales,A,120'], { leadListId: (await list(other)).leadListId });
    expect(await score()).to.include({ leadsQueued: 3 });
    const found = await tools.rows<{ email: string }>(
      'select l.email from lead_score s join lead l on l.id = s.lead_id order by 1',
    );
    expect(found.map((row) => row.email)).to.deep.equal(['free@a.example', 'listed@a.example', 'mine@a.example']);
  });

  it('a lead that is no candidate any more has no score', async () => {
    const other = (await tools.call<{ campaignId: string }>('svc_create_campaign', { title: 'Other' })).campaignId;
    await load(['free@a.example,VP Sales,A,120', 'stays@a.example,VP Sales,A,120']);
    await score();
    await load(['free@a.example,VP Sales,A,120'], { campaignId: other });
    expect((await read()).scores.every((one) => one.stale)).to.equal(true);
    await score();
    expect((await read()).stats.count).to.equal(1);
  });

  it('filters by total and lead, and pages without gaps', async () => {
    await load(Array.from({ length: 7 }, (_, i) => `p${i}@a.example,${i % 2 ? 'VP Sales' : 'Developer'},A,120`));
    await score();
    expect((await read({ inCampaignOnly: true })).scores).to.have.length(3);
    expect((await read({ minTotal: 99 })).scores).to.have.length(3);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page: Scores = await read({ limit: 3, ...(cursor ? { cursor } : {}) });
      seen.push(...page.scores.map((one) => one.leadId));
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    expect(new Set(seen).size).to.equal(7);
    expect(seen).to.have.length(7);
    expect((await read({ leadId: seen[0] })).scores).to.have.length(1);
    expect(await tools.refusal('svc_get_icp_scores', { icpId, leadId: 'x' })).to.match(/^Lead "x" was not found/);
  });

  it('scoring wakes the workspace only when a workflow is enabled', async () => {
    const wakes = () => tools.rows('select reason from workspace_wake');
    await load(['a@a.example,VP Sales,A,120']);
    await score();
    expect(await wakes()).to.deep.equal([]);
    await tools.rows(
      `insert into workflow (id, workspace_id, campaign_id, uid, name, enabled, created_at, updated_at) values ($1, 'acme', $1, 'u', 'W', true, 0, 0)`,
      [campaignId],
    );
    await score();
    expect(await wakes()).to.deep.equal([{ reason: 'scores changed' }]);
  });

  it('two passes at the same time give one set of scores', async () => {
    await load(Array.from({ length: 200 }, (_, i) => `p${i}@a.example,VP Sales,A,120`));
    await Promise.all([score(), score(), score()]);
    expect((await read()).stats.count).to.equal(200);
  });

  it('an ICP of another workspace is not found', async () => {
    const rival = workspaceKey('rival');
    const text = `ICP "${icpId}" was not found. Call svc_list_icps to find valid IDs.`;
    expect(await tools.refusal('svc_trigger_icp_scoring', { icpId }, rival)).to.equal(text);
    expect(await tools.refusal('svc_get_icp_scores', { icpId }, rival)).to.equal(text);
    expect(await tools.call('svc_list_icps', {}, rival)).to.deep.equal({ icps: [], nextCursor: null });
  });
});

describe('lead lists', () => {
  let tools: ToolCalls;
  let leadIds: string[] = [];
  before(async () => {
    tools = await startToolCalls();
    await tools.call('svc_import_leads_csv', { csv: 'Email\na@a.example\nb@a.example\nc@a.example\n' });
    leadIds = (await tools.rows<{ id: string }>('select id from lead order by id')).map((row) => row.id);
  });
  after(() => tools.stop());

  const create = async (input: object = {}): Promise<string> =>
    (await tools.call<{ leadListId: string }>('svc_create_lead_list', { name: 'List', ...input })).leadListId;

  it('counts new members, members already there and suppressed ones', async () => {
    const leadListId = await create();
    await tools.rows(
      `insert into suppression (id, workspace_id, level, kind, value, source, created_at) values (gen_random_uuid(), 'acme', 'workspace', 'mail', 'b@a.example', 'manual', 0)`,
    );
    const add = (ids: string[]) => tools.call('svc_add_leads_to_list', { leadListId, leadIds: ids });
    expect(await add(leadIds.slice(0, 2))).to.deep.include({ leadListId, added: 2, alreadyPresent: 0, suppressed: 1 });
    expect(await add([...leadIds, ...leadIds.slice(0, 1)])).to.deep.include({
      leadListId,
      added: 1,
      alreadyPresent: 2,
      suppressed: 1,
    });
    const { leadList, leads } = await tools.call<{ leadList: object; leads: object[] }>('svc_get_lead_list', {
      leadListId,
      limit: 2,
    });
    expect(leadList).to.deep.include({ leadCount: 3, type: 'static', predicate: null, lastMaterializedAt: null });
    expect(leads).to.have.length(2);
  });

  it('an unknown lead costs itself alone, and is named', async () => {
    const leadListId = await create();
    const added = await tools.call('svc_add_leads_to_list', { leadListId, leadIds: [leadIds[0], 'nope'] });
    expect(added).to.deep.include({ added: 1, notFound: ['nope'] });
    const { leadList } = await tools.call<{ leadList: object }>('svc_get_lead_list', { leadListId });
    expect(leadList).to.include({ leadCount: 1 });
  });

  it('a query list has no manual members', async () => {
    const leadListId = await create();
    await tools.rows(`update lead_list set type = 'query' where id = $1`, [leadListId]);
    expect(await tools.refusal('svc_add_leads_to_list', { leadListId, leadIds })).to.match(
      /^A query list has no manual members/,
    );
    expect(await tools.refusal('svc_import_leads_csv', { csv: 'Email\nz@z.example\n', leadListId })).to.match(
      /^A query list/,
    );
  });

  it('lists by campaign and type', async () => {
    const { campaignId } = await tools.call<{ campaignId: string }>('svc_create_campaign', { title: 'C' });
    const leadListId = await create({ campaignId, description: 'People met' });
    const { leadLists } = await tools.call<{ leadLists: object[] }>('svc_list_lead_lists', {
      campaignId,
      type: 'static',
      detail: 'full',
    });
    expect(leadLists).to.have.length(1);
    expect(leadLists[0]).to.deep.include({ leadListId, campaignId, description: 'People met', workspaceId: 'acme' });
    expect(
      (await tools.call<{ leadLists: object[] }>('svc_list_lead_lists', { campaignId, type: 'query' })).leadLists,
    ).to.deep.equal([]);
  });

  it('a list of another workspace is not found', async () => {
    const leadListId = await create();
    const rival = workspaceKey('rival');
    expect(await tools.refusal('svc_get_lead_list', { leadListId }, rival)).to.match(/^Lead list ".*" was not found/);
    expect(await tools.refusal('svc_add_leads_to_list', { leadListId, leadIds }, rival)).to.match(
      /^Lead list ".*" was not found/,
    );
  });
});

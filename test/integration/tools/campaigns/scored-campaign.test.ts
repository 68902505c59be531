import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { createCampaign } from '../../../../pkg/tools/campaigns/create-campaign.ts';
import { getCampaign } from '../../../../pkg/tools/campaigns/get-campaign.ts';
import { getCampaignStats } from '../../../../pkg/tools/campaigns/get-campaign-stats.ts';
import { listCampaigns } from '../../../../pkg/tools/campaigns/list-campaigns.ts';
import { updateCampaign } from '../../../../pkg/tools/campaigns/update-campaign.ts';
import { createIcp } from '../../../../pkg/tools/icps/create-icp.ts';
import { getIcpScores } from '../../../../pkg/tools/icps/get-icp-scores.ts';
import { listIcps } from '../../../../pkg/tools/icps/list-icps.ts';
import { triggerIcpScoring } from '../../../../pkg/tools/icps/trigger-icp-scoring.ts';
import { addLeadsToList } from '../../../../pkg/tools/lead-lists/add-leads-to-list.ts';
import { createLeadList } from '../../../../pkg/tools/lead-lists/create-lead-list.ts';
import { importLeadsCsv } from '../../../../pkg/tools/leads/import-leads-csv.ts';
import { searchLeads } from '../../../../pkg/tools/leads/search-leads.ts';
import { createPersona } from '../../../../pkg/tools/personas-phases/create-persona.ts';
import { createPhase } from '../../../../pkg/tools/personas-phases/create-phase.ts';
import { listPersonas } from '../../../../pkg/tools/personas-phases/list-personas.ts';
import { listPhases } from '../../../../pkg/tools/personas-phases/list-phases.ts';
import { type ToolBench, toolBench } from '../../../tools/tool-context.ts';

interface Score {
  leadId: string;
  total: number;
  inCampaign: boolean;
  reasons: object[];
}
interface Scores {
  scores: Score[];
  stats: { count: number; inCampaign: number; deciles: number[] };
  nextCursor: string | null;
}

describe('a campaign with phases, personas and scored leads', () => {
  let bench: ToolBench;
  let campaignId: string;
  beforeEach(async () => {
    bench = await toolBench();
    campaignId = (await bench.call<{ campaignId: string }>(createCampaign, { title: 'Growth' })).campaignId;
  });
  afterEach(() => bench.close());

  const failure = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      () => 'no error',
      (error) => error,
    );
  const icp = async (criteria: object): Promise<string> =>
    (await bench.call<{ icpId: string }>(createIcp, { campaignId, ...criteria })).icpId;
  const load = (csv: string, more: object = {}): Promise<{ created: number }> =>
    bench.call(importLeadsCsv, { csv, ...more });

  it('changes only what is given, and an empty text clears', async () => {
    await bench.call(updateCampaign, { campaignId, goal: 'Ten talks', playbookOverride: 'Be brief', scoreMin: 60 });
    const after = await bench.call(updateCampaign, {
      campaignId,
      playbookOverride: '',
      contactPolicy: { minDaysBetweenTouches: 5 },
      signalWeights: { new_post: 9 },
    });
    expect(after).to.nested.include({
      title: 'Growth',
      'settings.playbookOverride': null,
      'settings.scoreMin': 60,
      'settings.contactPolicy.minDaysBetweenTouches': 5,
      'settings.contactPolicy.maxLeadsPerCompanyPerDay': 3,
      'settings.signalWeights.new_post': 9,
      'settings.signalWeights.job_change': 15,
    });
    expect(await bench.call(getCampaign, { campaignId })).to.nested.include({ 'campaign.goal': 'Ten talks' });
  });

  it('refuses a move that the state machine does not know', async () => {
    await bench.call(updateCampaign, { campaignId, status: 'archived' });
    expect(await failure(bench.call(updateCampaign, { campaignId, status: 'active' }))).to.include({
      reason: 'WrongState',
    });
  });

  it('answers a campaign of another workspace as not found', async () => {
    await bench.workspace('other');
    const calls = [
      bench.call(getCampaign, { campaignId }, 'other'),
      bench.call(updateCampaign, { campaignId, title: 'x' }, 'other'),
      bench.call(getCampaignStats, { campaignId }, 'other'),
      bench.call(createIcp, { campaignId }, 'other'),
      bench.call(createPersona, { campaignId, name: 'x' }, 'other'),
      bench.call(createPhase, { campaignId, name: 'x', phaseType: 'outreach' }, 'other'),
      bench.call(createLeadList, { campaignId, name: 'x' }, 'other'),
      bench.call(importLeadsCsv, { campaignId, csv: 'Name,Email\nA,a@x.example' }, 'other'),
      bench.call(listPersonas, { campaignId }, 'other'),
      bench.call(listPhases, { campaignId }, 'other'),
      bench.call(listIcps, { campaignId }, 'other'),
    ];
    for (const call of await Promise.all(calls.map(failure))) {
      expect(call).to.have.property(
        'message',
        `Campaign "${campaignId}" was not found. Call svc_list_campaigns to find valid IDs.`,
      );
    }
    expect(await bench.call(listCampaigns, {}, 'other')).to.deep.equal({ campaigns: [], nextCursor: null });
  });

  it('reads the funnel of an empty campaign, with a point per day', async () => {
    await bench.product.advance(3 * 86_400_000);
    const stats = await bench.call<{ series: unknown[]; funnel: { inPool: number } }>(getCampaignStats, {
      campaignId,
      granularity: 'day',
      toDate: new Date(bench.product.now()).toISOString(),
    });
    expect(stats.series).to.have.length(3);
    expect(stats.funnel).to.deep.include({ inPool: 0, rates: { acceptance: null, reply: null, positive: null } });
  });

  it('keeps phases in order without gaps when one is put in between', async () => {
    for (const [name, order] of [
      ['a', undefined],
      ['b', undefined],
      ['c', 1],
      ['d', 99],
    ] as const) {
      await bench.call(createPhase, {
        campaignId,
        name,
        phaseType: 'outreach',
        ...(order === undefined ? {} : { order }),
      });
    }
    const { phases } = await bench.call<{ phases: { name: string; order: number }[] }>(listPhases, { campaignId });
    expect(phases.map((phase) => [phase.name, phase.order])).to.deep.equal([
      ['a', 0],
      ['c', 1],
      ['b', 2],
      ['d', 3],
    ]);
  });

  it('lists the personas that were created', async () => {
    await bench.call(createPersona, { campaignId, name: 'Head', painPoints: ['slow'] });
    const { personas } = await bench.call<{ personas: object[] }>(listPersonas, { campaignId, detail: 'full' });
    expect(personas).to.have.length(1);
    expect(personas[0]).to.deep.include({ name: 'Head', painPoints: ['slow'], goals: [], objections: [] });
  });

  it('scores the same way twice, and says why', async () => {
    await load('Name,Email,Title\nAda,a@x.example,VP Sales\nBo,b@x.example,Clerk\n', { campaignId });
    const icpId = await icp({ titles: ['VP Sales'] });
    expect(await bench.call(triggerIcpScoring, { icpId })).to.include({ status: 'completed', leadsQueued: 2 });
    const first = await bench.call<Scores>(getIcpScores, { icpId, detail: 'full' });
    expect(first.scores.map((score) => [score.total, score.inCampaign])).to.deep.equal([
      [100, true],
      [0, false],
    ]);
    expect(first.scores[0]?.reasons[0]).to.include({ criterion: 'title', matched: true, evidence: 'VP Sales' });
    expect(first.stats).to.include({ count: 2, inCampaign: 1 });
    expect(first.stats.deciles).to.have.length(10);
    await bench.call(triggerIcpScoring, { icpId });
    expect(await bench.call(getIcpScores, { icpId, detail: 'full' })).to.deep.equal(first);
  });

  it('scores leads of the campaign and unattached ones, not those of another campaign', async () => {
    const other = (await bench.call<{ campaignId: string }>(createCampaign, { title: 'Other' })).campaignId;
    await load('Name,Email\nFree,f@x.example\n');
    await load('Name,Email\nMine,m@x.example\n', { campaignId });
    await load('Name,Email\nTheirs,t@x.example\n', { campaignId: other });
    const { leads } = await bench.call<{ leads: { leadId: string; fullName: string }[] }>(searchLeads, {});
    const theirs = leads.find((lead) => lead.fullName === 'Theirs')?.leadId;
    const icpId = await icp({});
    expect(await bench.call(triggerIcpScoring, { icpId })).to.include({ leadsQueued: 2 });
    const { leadListId } = await bench.call<{ leadListId: string }>(createLeadList, { name: 'L', campaignId });
    await bench.call(addLeadsToList, { leadListId, leadIds: [theirs] });
    expect(await bench.call(triggerIcpScoring, { icpId })).to.include({ leadsQueued: 3 });
  });

  it('drops the score of a lead that is no candidate any more', async () => {
    await load('Name,Email\nAda,a@x.example\n', { campaignId });
    const icpId = await icp({});
    await bench.call(triggerIcpScoring, { icpId });
    await bench.tx((tx) => tx.exec('update lead set erased_at = 1'));
    await bench.product.advance(1);
    await bench.call(triggerIcpScoring, { icpId });
    expect((await bench.call<Scores>(getIcpScores, { icpId, detail: 'full' })).stats.count).to.equal(0);
  });

  it('scores above what one statement holds, and pages the scores without a gap', async () => {
    const rows = Array.from({ length: 2_100 }, (_, n) => `P${n},p${n}@x.example`);
    await load(`Name,Email\n${rows.join('\n')}\n`, { campaignId });
    const icpId = await icp({});
    expect(await bench.call(triggerIcpScoring, { icpId })).to.include({ leadsQueued: 2_100 });
    const seen = new Set<string>();
    let cursor: string | null = null;
    do {
      const page: Scores = await bench.call<Scores>(getIcpScores, { icpId, limit: 100, ...(cursor ? { cursor } : {}) });
      for (const score of page.scores) seen.add(score.leadId);
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen.size).to.equal(2_100);
  });

  it('counts a member of a list once', async () => {
    await load('Name,Email\nAda,a@x.example\n');
    const { leads } = await bench.call<{ leads: { leadId: string }[] }>(searchLeads, {});
    const { leadListId } = await bench.call<{ leadListId: string }>(createLeadList, { name: 'L' });
    const leadIds = [leads[0]?.leadId, leads[0]?.leadId];
    expect(await bench.call(addLeadsToList, { leadListId, leadIds })).to.include({ added: 1, alreadyPresent: 0 });
    expect(await bench.call(addLeadsToList, { leadListId, leadIds })).to.include({ added: 0, alreadyPresent: 1 });
  });

  it('takes 180 to 220 leads of the example file into the demo campaign', async () => {
    await load(await readFile('docs/examples/leads.csv', 'utf8'), { campaignId });
    const icpId = await icp({
      titles: ['Head of Growth', 'Head of Sales', 'VP Sales', 'VP Marketing', 'Chief Revenue Officer', 'Founder'],
      seniorities: ['owner', 'c_suite', 'vp', 'director', 'head'],
      companySizes: ['11-50', '51-200', '201-500', '501-1000'],
    });
    await bench.call(triggerIcpScoring, { icpId });
    expect((await bench.call<Scores>(getIcpScores, { icpId, limit: 1 })).stats.inCampaign).to.be.within(180, 220);
  });
});

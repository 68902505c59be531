import { expect } from 'chai';
import { type Bench, startBench } from '../../../fixtures/sandbox/harness.ts';
import { MONDAY, missing, NOBODY } from '../../../fixtures/tools/mcp-fixture.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const noLead = (id: string): string => missing('Lead', id, 'svc_search_leads');
const noList = (id: string): string => missing('Lead list', id, 'svc_list_lead_lists');
const noCampaign = (id: string): string => missing('Campaign', id, 'svc_list_campaigns');

interface Lead {
  leadId: string;
  fullName: string;
  title: string;
  visibility: string;
  provenance: { source: string }[];
  [field: string]: unknown;
}

describe('tools: profiles that a server reads in the background, by an MCP client', () => {
  let tools: McpTools;
  let rival: ToolUser;
  let sandbox: Bench;

  before(async function () {
    this.timeout(60_000);
    sandbox = await startBench();
    tools = await startMcpTools(() => sandbox.adapter);
    tools.cluster.clock.at = MONDAY;
    rival = await tools.as({ workspace: 'rival' });
  });
  after(async () => {
    await tools.stop();
    await sandbox.stop();
  });

  describe('svc_queue_leads', () => {
    interface Queued {
      enrichmentJobId: string;
      queued: number;
      skipped: { profileUrl?: string; leadId?: string; reason: string }[];
      estimatedCredits: number;
    }
    const TOOL = 'svc_queue_leads';
    let gamma: ToolUser;
    let account: string;
    before(async () => {
      await tools.workspace('gamma');
      gamma = await tools.as({ workspace: 'gamma' });
      account = await tools.account('gamma');
    });
    const enter = (fields: object, user = gamma): Promise<{ leadId: string }> => user.call('svc_upsert_lead', fields);
    const read = async (leadId: string): Promise<Lead> =>
      (await gamma.call<{ lead: Lead }>('svc_get_lead', { leadId })).lead;
    const search = async (criteria: object): Promise<string[]> => {
      const { leads } = await gamma.call<{ leads: Lead[] }>('svc_search_leads', {
        limit: 100,
        detail: 'full',
        ...criteria,
      });
      return leads.map((lead) => lead.fullName).sort();
    };
    const balance = (): Promise<{ balance: number; held: number }> => gamma.call('svc_get_credit_balance');
    const url = (id: string): string => `https://www.linkedin.com/in/${id}`;
    const queue = (more: object): Promise<Queued> => gamma.call<Queued>(TOOL, more);
    const finish = async (): Promise<void> => {
      while (await tools.worker().next());
    };
    const byProfile = async (id: string): Promise<Lead[]> => {
      const rows = await tools.rows<{ id: string }>('select id from lead where profile_id = $1', [id]);
      return Promise.all(rows.map((row) => read(row.id)));
    };

    it('estimates without doing anything, and refuses before any work when credits do not suffice', async () => {
      const profileUrls = [url('mona-lind'), url('omar-nash'), url('pia-otto')];
      const estimate = await queue({ profileUrls, estimateOnly: true });
      expect(estimate).to.deep.equal({
        enrichmentJobId: '',
        queued: 3,
        notFound: [],
        skipped: [],
        estimatedCredits: 3,
      });
      expect(await gamma.refusal(TOOL, { profileUrls, maxCredits: 2 })).to.equal(
        'lead_scrape needs 3 credits, more than maxCredits 2. Call svc_get_credit_costs.',
      );
      expect(await gamma.refusal(TOOL, { profileUrls })).to.equal(
        'lead_scrape needs 3 credits, 0 are available. Call svc_get_credit_balance.',
      );
      expect(await tools.rows('select 1 from lead_scrape_item')).to.deep.equal([]);
      expect(await gamma.refusal(TOOL, {})).to.equal('Invalid input: profileUrls: give profileUrls or leadIds');
    });

    it('reads profiles into the shared pool, adds them to list and campaign, and charges what was found', async () => {
      await tools.grant('gamma', 20);
      await sandbox.control('people', { publicId: 'gone-person', behaviour: 'missing' });
      const { leadListId } = await gamma.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Sourced' });
      const { campaignId } = await gamma.call<{ campaignId: string }>('svc_create_campaign', { title: 'Sourced' });
      const profileUrls = [url('mona-lind'), url('gone-person'), `${url('Omar-Nash')}/?trk=x`];
      const key = { idempotencyKey: 'once' };
      const job = await queue({ profileUrls, leadListId, campaignId, ...key });
      expect(job).to.deep.include({ queued: 3, skipped: [], estimatedCredits: 3 });
      expect(await queue({ profileUrls, leadListId, campaignId, ...key }), 'the same call').to.deep.equal(job);
      await finish();
      const [mona] = await byProfile('mona-lind');
      expect(mona).to.deep.include({ fullName: 'Mona Lind', visibility: 'shared', profileUrl: url('mona-lind') });
      expect(mona?.['enrichment']).to.deep.include({ status: 'enriched', stale: false });
      expect([mona?.title, mona?.['company'], mona?.['location']]).to.not.include('');
      expect(mona?.provenance.map((one) => one.source)).to.include('network');
      expect(await byProfile('gone-person')).to.deep.equal([]);
      expect(await search({ leadListId })).to.deep.equal(['Mona Lind', 'Omar Nash']);
      const own = await tools.rows('select 1 from campaign_lead where campaign_id = $1', [campaignId]);
      expect(own.length, 'candidates of the campaign').to.equal(2);
      expect(await balance()).to.deep.include({ balance: 18, held: 0 });
      const spent = await tools.rows(`select used[1] as units from account_budget where action = 'profile_scrape'`);
      expect(spent, 'each reading is a unit of the account').to.deep.equal([{ units: 3 }]);
      const theirs = await rival.call<{ lead: Lead }>('svc_get_lead', { leadId: mona?.leadId });
      expect(theirs.lead.visibility, 'sourced leads are for all').to.equal('shared');
    });

    it('reads a profile that is named by a member number, as scrapers give it, in the number’s own case', async () => {
      const [account] = await tools.rows<{ id: string }>(
        `select account_id as id from account_link where workspace_id = 'gamma'`,
      );
      const { providerId } = await sandbox.adapter.lookupProfile(
        { externalId: account?.id ?? '' },
        { publicId: 'nora-beck' },
      );
      await tools.grant('gamma', 1);
      await queue({ profileUrls: [url(providerId)] });
      await finish();
      const [nora] = await byProfile(providerId.toLowerCase());
      expect(nora).to.deep.include({ fullName: 'Nora Beck', profileUrl: url(providerId) });
      await tools.force(`update lead_scrape_item set profile_id = '' where profile_id = $1`, [
        providerId.toLowerCase(),
      ]);
      const left = await tools.force('select 1 from lead_scrape_item where asked = $1', [providerId]);
      expect(left, 'an erasure forgets it too').to.deep.equal([]);
    });

    it('names each that is skipped: duplicate, fresh, suppressed, invalid; and charges none', async () => {
      const { leadId } = await enter({ firstName: 'No', lastName: 'Profile', email: 'no@profile.example' });
      const stopped = await enter({ firstName: 'Stop', lastName: 'Ped', profileUrl: url('stop-ped') });
      const [person] = await tools.rows<{ id: string }>('select person_id as id from lead where id = $1', [
        stopped.leadId,
      ]);
      await tools.force(
        `insert into suppression (id, workspace_id, level, kind, value, person_id, source, created_at)
         values (gen_random_uuid(), 'gamma', 'workspace', 'person', $1::text, $1::uuid, 'manual', 1)`,
        [person?.id],
      );
      const gone = await enter({ firstName: 'Era', lastName: 'Sed', profileUrl: url('era-sed') });
      await gamma.call('svc_erase_lead', { leadId: gone.leadId, reason: 'client_request' });
      const asked = {
        profileUrls: [
          url('mona-lind'),
          url('quin-ray'),
          url('QUIN-RAY'),
          url('stop-ped'),
          url('era-sed'),
          'https://x.example/a',
        ],
        leadIds: [leadId],
      };
      const before = await balance();
      const { queued, skipped } = await queue({ ...asked, estimateOnly: true });
      expect(queued).to.equal(1);
      expect(skipped).to.have.deep.members([
        { leadId, reason: 'invalid' },
        { profileUrl: url('mona-lind'), reason: 'fresh' },
        { profileUrl: url('QUIN-RAY'), reason: 'duplicate' },
        { profileUrl: url('stop-ped'), reason: 'suppressed' },
        { profileUrl: url('era-sed'), reason: 'suppressed' },
        { profileUrl: 'https://x.example/a', reason: 'invalid' },
      ]);
      const again = await queue({ profileUrls: [url('mona-lind')], refreshOlderThanDays: 0, estimateOnly: true });
      expect(again.queued, 'read again when asked for').to.equal(1);
      expect(await balance()).to.deep.include({ balance: before.balance, held: before.held });
    });

    it('fills a private lead, which stays private; what a person entered by hand wins', async () => {
      const own = await enter({ firstName: 'Rita', lastName: 'Sand', title: 'My title', profileUrl: url('rita-sand') });
      await queue({ leadIds: [own.leadId] });
      await finish();
      const leads = await byProfile('rita-sand');
      expect(leads.map((lead) => lead.visibility)).to.deep.equal(['private']);
      expect(leads[0]).to.deep.include({ title: 'My title', fullName: 'Rita Sand' });
      expect(leads[0]?.['company']).to.not.equal('');
      const { skipped } = await queue({ leadIds: [own.leadId], profileUrls: [url('rita-sand')] });
      expect(skipped.map((one) => one.reason)).to.deep.equal(['fresh', 'fresh']);
    });

    it('waits for the budget of the account and goes on the next day, its credits held meanwhile', async () => {
      await tools.rows(`update network_account set limits = '{"profile_scrape": {"day": 5}}' where id = $1`, [account]);
      const { held } = await balance();
      expect(held).to.equal(0);
      await queue({ profileUrls: [url('sven-tide'), url('tess-ueda'), url('udo-vane')] });
      await finish();
      expect(await byProfile('udo-vane'), 'the day has no unit left').to.deep.equal([]);
      expect((await balance()).held).to.equal(3);
      expect(await queue({ profileUrls: [url('udo-vane')] })).to.deep.include({
        queued: 0,
        skipped: [{ profileUrl: url('udo-vane'), reason: 'duplicate' }],
      });
      tools.cluster.clock.at = tools.cluster.clock.now() + 86_400_000;
      await finish();
      expect((await byProfile('udo-vane')).length).to.equal(1);
      expect((await balance()).held).to.equal(0);
      await tools.rows(`update network_account set limits = '{}' where id = $1`, [account]);
    });

    it('reads nobody while the workspace is suspended or held, and goes on where it stood', async () => {
      const stops = [
        [
          `update workspace set operating_mode = 'Suspended' where id = 'gamma'`,
          `update workspace set operating_mode = 'Running' where id = 'gamma'`,
        ],
        [`insert into hold values ('gamma', 'workspace', 'gamma', 'r', 'x', 1)`, `delete from hold where id = 'gamma'`],
      ] as const;
      for (const [index, [stop, release]] of stops.entries()) {
        const id = `quiet-${'ab'[index]}`;
        await tools.rows(stop);
        await queue({ profileUrls: [url(id)] });
        await finish();
        expect(await byProfile(id), stop).to.deep.equal([]);
        expect((await balance()).held).to.equal(1);
        await tools.rows(release);
        tools.cluster.clock.at = tools.cluster.clock.now() + 900_000;
        await finish();
        expect((await byProfile(id)).length, release).to.equal(1);
        expect((await balance()).held).to.equal(0);
      }
    });

    it('a person who is erased while the reading waits is neither read nor brought back, and costs nothing', async () => {
      await tools.rows(`update network_account set limits = '{"profile_scrape": {"day": 1}}' where id = $1`, [account]);
      const { leadListId } = await gamma.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Waiting' });
      const { campaignId } = await gamma.call<{ campaignId: string }>('svc_create_campaign', { title: 'Waiting' });
      const first = await enter({ firstName: 'Anna', lastName: 'First', profileUrl: url('anna-first') });
      const own = await enter({ firstName: 'Wanda', lastName: 'Xu', profileUrl: url('wanda-xu') });
      const { balance: before } = await balance();
      const asked = { profileUrls: [url('yuri-zorn'), url('bert-last')], leadIds: [first.leadId, own.leadId] };
      await queue({ ...asked, leadListId, campaignId });
      await finish();
      const reason = 'data_subject_request';
      await gamma.call('svc_erase_lead', { leadId: own.leadId, reason });
      await gamma.call('svc_erase_lead', { profileUrl: url('yuri-zorn'), reason });
      await tools.rows(`update network_account set limits = '{}' where id = $1`, [account]);
      tools.cluster.clock.at = tools.cluster.clock.now() + 86_400_000;
      await finish();
      expect(await search({ leadListId, includeSuppressed: true })).to.deep.equal(['Anna First', 'Bert Last']);
      const candidates = await tools.rows('select 1 from campaign_lead where campaign_id = $1', [campaignId]);
      expect(candidates.length).to.equal(2);
      expect(await balance()).to.deep.include({ balance: before - 2, held: 0 });
      const [left] = await tools.rows<{ text: string }>(
        `select (select string_agg(l::text, ' ') from lead l) || (select string_agg(i::text, ' ') from lead_scrape_item i) as text`,
      );
      expect(left?.text.toLowerCase()).to.not.match(/wanda|yuri/);
    });

    it('leads that are there already join list and campaign at once: their workflow is woken, their scores are due', async () => {
      await tools.grant('gamma', 1);
      const { leadId } = await enter({ firstName: 'Xena', lastName: 'Yu', profileUrl: url('xena-yu') });
      await queue({ leadIds: [leadId] });
      await finish();
      const { campaignId } = await gamma.call<{ campaignId: string }>('svc_create_campaign', { title: 'Known' });
      const { leadListId } = await gamma.call<{ leadListId: string }>('svc_create_lead_list', {
        name: 'K',
        campaignId,
      });
      const { icpId } = await gamma.call<{ icpId: string }>('svc_create_icp', { campaignId, titles: ['CEO'] });
      const graph = {
        nodes: [{ nodeType: 'source:lead_list', config: { leadListId } }, { nodeType: 'flow:end' }],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      };
      const { workflowId } = await gamma.call('svc_create_workflow', { campaignId, name: 'F', graph });
      await gamma.call('svc_update_workflow_status', { workflowId, enabled: true });
      await gamma.call('svc_trigger_icp_scoring', { icpId });
      await tools.force(`delete from workspace_wake where workspace_id = 'gamma'`);
      expect(await queue({ leadIds: [leadId], leadListId, campaignId })).to.deep.include({
        queued: 0,
        skipped: [{ leadId, reason: 'fresh' }],
      });
      expect(await search({ leadListId })).to.deep.equal(['Xena Yu']);
      const wake = await tools.rows(`select reason from workspace_wake where workspace_id = 'gamma'`);
      expect(wake).to.deep.equal([{ reason: 'leads placed' }]);
      const { icps } = await gamma.call<{ icps: { scoresStale: boolean }[] }>('svc_list_icps', { campaignId });
      expect(icps.map((icp) => icp.scoresStale)).to.deep.equal([true]);
    });

    it('gives up after failures in a row: what was found is charged, the rest goes back', async () => {
      const provider = sandbox.adapter.readProfile;
      sandbox.adapter.readProfile = () => Promise.reject(new Error('the provider is down'));
      const { balance: before } = await balance();
      await queue({ profileUrls: [url('vera-wolf')] });
      for (let failure = 1; failure < 5; failure++) {
        await tools.rows(`update background_job set lease_until = null where status = 'running'`);
        const said = tools.worker().next();
        expect(await said.catch((error: Error) => error.message)).to.equal('the provider is down');
      }
      sandbox.adapter.readProfile = provider;
      expect(await tools.worker().next(), 'given up').to.equal(false);
      expect(await balance()).to.deep.include({ balance: before, held: 0 });
      const latest = `where kind = 'lead_scrape' order by created_at desc, id desc limit 1`;
      const [job] = await tools.rows(`select status, error from background_job ${latest}`);
      expect(job).to.deep.equal({ status: 'failed', error: 'the provider is down' });
    });

    it('needs an account to read with', async () => {
      await tools.workspace('delta');
      const delta = await tools.as({ workspace: 'delta' });
      expect(await delta.refusal(TOOL, { profileUrls: [url('wim-xu')] })).to.equal(
        'No network account is linked to the workspace to read profiles with. Call svc_list_network_accounts.',
      );
    });

    it('answers what is missing or foreign alike', async () => {
      const theirs = await enter({ firstName: 'The', lastName: 'Irs', email: 'their@s.example' }, rival);
      const list = await rival.call<{ leadListId: string }>('svc_create_lead_list', { name: 'L' });
      const campaign = await rival.call<{ campaignId: string }>('svc_create_campaign', { title: 'C' });
      for (const id of [NOBODY, theirs.leadId])
        expect(await gamma.refusal(TOOL, { leadIds: [id] })).to.equal(noLead(id));
      for (const leadListId of [NOBODY, list.leadListId])
        expect(await gamma.refusal(TOOL, { profileUrls: [url('a-b')], leadListId })).to.equal(noList(leadListId));
      for (const campaignId of ['camp-nobody', campaign.campaignId])
        expect(await gamma.refusal(TOOL, { profileUrls: [url('a-b')], campaignId })).to.equal(noCampaign(campaignId));
    });
  });
});

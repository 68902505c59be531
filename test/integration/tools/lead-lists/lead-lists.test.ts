import { expect } from 'chai';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';
const text = (label: string, id: string, list: string): string =>
  `${label} "${id}" was not found. Call ${list} to find valid IDs.`;
const noList = (id: string): string => text('Lead list', id, 'svc_list_lead_lists');
const noCampaign = (id: string): string => text('Campaign', id, 'svc_list_campaigns');
const QUERY_LIST = 'A query list has no manual members. Call svc_update_lead_list.';

interface Lead {
  leadId: string;
  firstName: string;
}
interface List {
  leadListId: string;
  name: string;
  leadCount: number;
  campaignId: string | null;
}
interface Page {
  leadList: List;
  leads: Lead[];
  nextCursor: string | null;
}

describe('tools: lead lists, by an MCP client', () => {
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;
  let count = 0;

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
    await tools.account('acme');
  });
  after(() => tools.stop());

  const campaign = async (): Promise<string> =>
    (await acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'C' })).campaignId;
  const list = async (more: object = {}): Promise<string> =>
    (await acme.call<List>('svc_create_lead_list', { name: 'List', ...more })).leadListId;
  const query = async (predicate: object, more: object = {}): Promise<List> =>
    acme.call<List>('svc_create_query_lead_list', { name: 'Query', predicate, ...more });
  /** Imports people of a new company, so that tests do not meet. */
  const people = async (titles: readonly string[], into: object = {}): Promise<{ ids: string[]; firm: string }> => {
    const firm = `Firm${++count}`;
    const rows = titles.map(
      (title, index) => `P${index} Of${firm},p${index}@${firm.toLowerCase()}.example,${title},${firm}`,
    );
    await acme.call('svc_import_leads_csv', { csv: `Name,Email,Title,Company\n${rows.join('\n')}\n`, ...into });
    const { leads } = await acme.call<{ leads: Lead[] }>('svc_search_leads', { query: firm, limit: 100 });
    return { firm, ids: leads.map((lead) => lead.leadId).sort() };
  };
  const enterAnybody = (): Promise<object> => acme.call('svc_upsert_lead', { email: `any${++count}@anybody.example` });
  const read = async (leadListId: string): Promise<Page> =>
    acme.call<Page>('svc_get_lead_list', { leadListId, limit: 100 });
  const members = async (leadListId: string): Promise<string[]> =>
    (await read(leadListId)).leads.map((lead) => lead.leadId);
  const missingList = async (name: string, more: object = {}): Promise<void> => {
    const mine = await list();
    for (const id of [NOBODY, 'nonsense'])
      expect(await acme.refusal(name, { leadListId: id, ...more })).to.equal(noList(id));
    expect(await rival.refusal(name, { leadListId: mine, ...more })).to.equal(noList(mine));
  };
  const missingCampaign = async (name: string, more: object = {}): Promise<void> => {
    const campaignId = await campaign();
    expect(await acme.refusal(name, { campaignId: NOBODY, ...more })).to.equal(noCampaign(NOBODY));
    expect(await rival.refusal(name, { campaignId, ...more })).to.equal(noCampaign(campaignId));
  };

  describe('svc_create_lead_list', () => {
    it('makes an empty static list of a campaign', async () => {
      const campaignId = await campaign();
      const leadListId = await list({ campaignId, description: 'Of spring' });
      expect((await read(leadListId)).leadList).to.deep.include({
        type: 'static',
        campaignId,
        description: 'Of spring',
        leadCount: 0,
        predicate: null,
      });
    });
    it('wants a campaign of the workspace', () => missingCampaign('svc_create_lead_list', { name: 'x' }));
  });

  describe('svc_list_lead_lists', () => {
    it('narrows by campaign and type, and pages', async () => {
      const campaignId = await campaign();
      const made = [await list({ campaignId }), await list({ campaignId })];
      const third = await query({ titles: ['nobody has this'] }, { campaignId });
      const all = await acme.call<{ leadLists: List[]; nextCursor: string }>('svc_list_lead_lists', {
        campaignId,
        limit: 2,
      });
      const rest = await acme.call<{ leadLists: List[]; nextCursor: null }>('svc_list_lead_lists', {
        campaignId,
        limit: 2,
        cursor: all.nextCursor,
      });
      expect([...all.leadLists, ...rest.leadLists].map((one) => one.leadListId)).to.have.members([
        ...made,
        third.leadListId,
      ]);
      const only = await acme.call<{ leadLists: List[] }>('svc_list_lead_lists', { campaignId, type: 'query' });
      expect(only.leadLists.map((one) => one.leadListId)).to.deep.equal([third.leadListId]);
    });
    it('wants a campaign of the workspace', () => missingCampaign('svc_list_lead_lists'));
  });

  describe('svc_get_lead_list', () => {
    it('pages through the leads, each once', async () => {
      const leadListId = await list();
      const { ids } = await people(['A', 'B', 'C', 'D', 'E'], { leadListId });
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Page = await acme.call('svc_get_lead_list', {
          leadListId,
          limit: 2,
          ...(cursor ? { cursor } : {}),
        });
        seen.push(...page.leads.map((lead) => lead.leadId));
        cursor = page.nextCursor;
      } while (cursor);
      expect(seen.sort()).to.deep.equal(ids);
    });
    it('answers a missing and a foreign list alike', () => missingList('svc_get_lead_list'));
  });

  describe('svc_add_leads_to_list', () => {
    it('counts who is there already', async () => {
      const { ids } = await people(['A', 'B']);
      const leadListId = await list();
      expect(await acme.call('svc_add_leads_to_list', { leadListId, leadIds: [ids[0]] })).to.include({ added: 1 });
      expect(await acme.call('svc_add_leads_to_list', { leadListId, leadIds: [...ids, ids[0]] })).to.deep.include({
        added: 1,
        alreadyPresent: 1,
        suppressed: 0,
      });
      expect((await read(leadListId)).leadList.leadCount).to.equal(2);
    });
    it('names a lead that is not there or foreign, and adds the others', async () => {
      const { ids } = await people(['A']);
      const leadListId = await list();
      const theirs = (await rival.call<List>('svc_create_lead_list', { name: 'Theirs' })).leadListId;
      const noLead = (id: string | undefined): string => text('Lead', id ?? '', 'svc_search_leads');
      expect(await acme.call('svc_add_leads_to_list', { leadListId, leadIds: [ids[0], NOBODY] })).to.deep.include({
        added: 1,
        notFound: [NOBODY],
      });
      expect(await acme.refusal('svc_add_leads_to_list', { leadListId, leadIds: [NOBODY] })).to.equal(noLead(NOBODY));
      expect(await rival.refusal('svc_add_leads_to_list', { leadListId: theirs, leadIds: ids })).to.equal(
        noLead(ids[0]),
      );
      expect((await read(leadListId)).leadList.leadCount).to.equal(1);
    });
    it('a list that is deleted at that moment is not found, and takes nobody', async () => {
      const { ids } = await people(['CEO']);
      const leadListId = await list();
      const { refused } = await tools.cluster.db.tx({ kind: 'platform' }, async (tx) => {
        await tx.exec('update lead_list set deleted_at = 1 where id = $1', [leadListId]);
        const refused = acme.refusal('svc_add_leads_to_list', { leadListId, leadIds: ids });
        while ((await tools.rows('select 1 from pg_locks where not granted')).length === 0);
        return { refused };
      });
      expect(await refused).to.equal(noList(leadListId));
      expect(await tools.rows('select 1 from lead_list_member where lead_list_id = $1', [leadListId])).to.deep.equal(
        [],
      );
    });

    it('refuses a query list, once it has looked for the leads', async () => {
      const { leadListId } = await query({ titles: ['x'] });
      const { ids } = await people(['CEO']);
      expect(await acme.refusal('svc_add_leads_to_list', { leadListId, leadIds: ids })).to.equal(QUERY_LIST);
      expect(await acme.refusal('svc_add_leads_to_list', { leadListId, leadIds: [NOBODY] })).to.equal(
        text('Lead', NOBODY, 'svc_search_leads'),
      );
    });
    it('answers a missing and a foreign list alike', () => missingList('svc_add_leads_to_list', { leadIds: [NOBODY] }));
  });

  describe('svc_remove_leads_from_list', () => {
    it('removes members, and stops what the list started only when asked', async () => {
      const campaignId = await campaign();
      const leadListId = await list({ campaignId });
      const { ids } = await people(['A', 'B', 'C'], { leadListId });
      const graph = {
        nodes: [
          { nodeType: 'source:lead_list', config: { leadListId } },
          { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 86_400_000 } },
        ],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      };
      const { workflowId } = await acme.call('svc_create_workflow', { campaignId, name: 'F', graph });
      await acme.call('svc_update_workflow_status', { workflowId, enabled: true });
      await acme.call('svc_trigger_workflow', { workflowId, leadIds: ids });
      const live = async (): Promise<string[]> =>
        (
          await tools.rows<{ id: string }>(
            'select lead_id as id from run where workflow_id = $1 and ended_at is null',
            [workflowId],
          )
        )
          .map((row) => row.id)
          .sort();

      expect(await acme.call('svc_remove_leads_from_list', { leadListId, leadIds: [ids[0], NOBODY] })).to.deep.equal({
        leadListId,
        removed: 1,
        stoppedRuns: 0,
        notFound: [NOBODY],
      });
      expect(await live()).to.deep.equal(ids);
      const stop = { leadListId, leadIds: [ids[1]], stopRuns: true };
      expect(await acme.call('svc_remove_leads_from_list', stop)).to.include({ removed: 1, stoppedRuns: 1 });
      expect(await live()).to.deep.equal([ids[0], ids[2]].sort());
      expect(await acme.call('svc_remove_leads_from_list', stop)).to.include({ removed: 0, stoppedRuns: 0 });
      expect(await members(leadListId)).to.deep.equal([ids[2]]);
      expect((await read(leadListId)).leadList.leadCount).to.equal(1);
    });
    it('refuses a query list', async () => {
      const { leadListId } = await query({ titles: ['x'] });
      expect(await acme.refusal('svc_remove_leads_from_list', { leadListId, leadIds: [NOBODY] })).to.equal(QUERY_LIST);
    });
    it('answers a missing and a foreign list alike', () =>
      missingList('svc_remove_leads_from_list', { leadIds: [NOBODY] }));
  });

  describe('svc_create_query_lead_list', () => {
    it('holds who matches now, and follows leads that appear, change and leave', async () => {
      const { firm, ids } = await people(['VP Sales', 'Clerk']);
      const made = await query({ query: firm, titles: ['sales'] });
      expect(made).to.deep.include({ type: 'query', leadCount: 1 });
      const [vp] = await members(made.leadListId);
      const [clerk] = ids.filter((id) => id !== vp);

      const row = `Q1 New,q1@${firm.toLowerCase()}.example,Sales Director,${firm}`;
      await acme.call('svc_import_leads_csv', { csv: `Name,Email,Title,Company\n${row}\n` });
      expect((await members(made.leadListId)).length).to.equal(2);
      await acme.call('svc_import_leads_csv', {
        csv: `Name,Email,Title,Company\nP1 Of${firm},p1@${firm.toLowerCase()}.example,Sales Clerk,${firm}\n`,
        onDuplicate: 'overwrite',
      });
      expect(await members(made.leadListId)).to.include(clerk);
      await acme.call('svc_import_leads_csv', {
        csv: `Name,Email,Title,Company\nP0 Of${firm},p0@${firm.toLowerCase()}.example,Retired,${firm}\n`,
        onDuplicate: 'overwrite',
      });
      const now = await read(made.leadListId);
      expect(now.leads.map((lead) => lead.leadId)).to.not.include(vp);
      expect(now.leadList.leadCount).to.equal(2);
      const { leadLists } = await acme.call<{ leadLists: List[] }>('svc_list_lead_lists', {
        type: 'query',
        limit: 100,
      });
      expect(leadLists.find((one) => one.leadListId === made.leadListId)?.leadCount).to.equal(2);
    });

    it('follows tags and scores', async () => {
      const campaignId = await campaign();
      const { firm } = await people(['VP Sales', 'Clerk'], { campaignId });
      const { icpId } = await acme.call<{ icpId: string }>('svc_create_icp', { campaignId, titles: ['VP Sales'] });
      const tagged = await query({ query: firm, tags: ['vip'] });
      const scored = await query({ query: firm, campaignId, minScore: 50 });
      expect([tagged.leadCount, scored.leadCount]).to.deep.equal([0, 0]);
      await acme.call('svc_trigger_icp_scoring', { icpId });
      expect((await members(scored.leadListId)).length).to.equal(1);
      await acme.call('svc_import_leads_csv', {
        csv: `Name,Email\nP0 Of${firm},p0@${firm.toLowerCase()}.example\n`,
        tags: ['vip'],
      });
      expect((await members(tagged.leadListId)).length).to.equal(1);
      await acme.call('svc_update_icp', { icpId, titles: ['Clerk'], seniorities: ['c_suite'], industries: ['Mining'] });
      await acme.call('svc_trigger_icp_scoring', { icpId });
      expect(await members(scored.leadListId)).to.deep.equal([]);
    });

    it('never stops a run because a lead left', async () => {
      const campaignId = await campaign();
      const { firm, ids } = await people(['VP Sales']);
      const { leadListId } = await query({ query: firm, titles: ['sales'] }, { campaignId });
      const graph = {
        nodes: [
          { nodeType: 'source:lead_list', config: { leadListId } },
          { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 86_400_000 } },
        ],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      };
      const { workflowId } = await acme.call('svc_create_workflow', { campaignId, name: 'F', graph });
      await acme.call('svc_update_workflow_status', { workflowId, enabled: true });
      await acme.call('svc_trigger_workflow', { workflowId, leadIds: ids });
      await acme.call('svc_import_leads_csv', {
        csv: `Name,Email,Title\nP0 Of${firm},p0@${firm.toLowerCase()}.example,Retired\n`,
        onDuplicate: 'overwrite',
      });
      expect(await members(leadListId)).to.deep.equal([]);
      const runs = await tools.rows<{ ended_at: number | null }>('select ended_at from run where workflow_id = $1', [
        workflowId,
      ]);
      expect(runs.map((run) => run.ended_at)).to.deep.equal([null]);
    });

    it('keeps to maxLeads, newest first, and fills up when somebody leaves', async () => {
      const { firm, ids } = await people(['Sales A', 'Sales B', 'Sales C']);
      const { leadListId, leadCount } = await query({ query: firm, titles: ['sales'] }, { maxLeads: 2 });
      expect([leadCount, await members(leadListId)]).to.deep.equal([2, ids.slice(1)]);
      await acme.call('svc_import_leads_csv', {
        csv: `Name,Email,Title\nP2 Of${firm},p2@${firm.toLowerCase()}.example,Retired\n`,
        onDuplicate: 'overwrite',
      });
      // The one who left made room; the next change lets the whole search fill it.
      await enterAnybody();
      expect(await members(leadListId)).to.deep.equal(ids.slice(0, 2));
    });

    it('names what is wrong with the predicate', async () => {
      const refusal = (predicate: object): Promise<string> =>
        acme.refusal('svc_create_query_lead_list', { name: 'x', predicate });
      expect(await refusal({ titles: 'CEO' })).to.match(/^Invalid input: predicate\.titles: /);
      expect(await refusal({ leadListId: NOBODY })).to.match(/^Invalid input: predicate/);
      expect(await refusal({ minScore: 3 })).to.equal('Invalid input: predicate.minScore: needs campaignId');
      expect(await refusal({ visibility: 'private' })).to.equal(
        'Invalid input: predicate: needs at least one criterion besides visibility',
      );
      expect(await refusal({ campaignId: NOBODY, minScore: 1 })).to.equal(noCampaign(NOBODY));
    });
    it('wants a campaign of the workspace', () =>
      missingCampaign('svc_create_query_lead_list', { name: 'x', predicate: { titles: ['x'] } }));
  });

  describe('svc_update_lead_list', () => {
    it('renames, attaches and detaches', async () => {
      const campaignId = await campaign();
      const leadListId = await list();
      await acme.call('svc_update_lead_list', { leadListId, name: 'New', campaignId });
      expect((await read(leadListId)).leadList).to.include({ name: 'New', campaignId });
      await acme.call('svc_update_lead_list', { leadListId, description: 'd' });
      expect((await read(leadListId)).leadList).to.include({ name: 'New', campaignId, description: 'd' });
      await acme.call('svc_update_lead_list', { leadListId, campaignId: '', description: '' });
      expect((await read(leadListId)).leadList).to.include({ campaignId: null, description: '' });
    });
    it('replaces a predicate, and materialises it whole', async () => {
      const { firm } = await people(['Sales', 'Clerk', 'Sales']);
      const { leadListId } = await query({ query: firm, titles: ['sales'] });
      const answer = await acme.call<List>('svc_update_lead_list', {
        leadListId,
        predicate: { query: firm, titles: ['clerk'] },
      });
      expect(answer).to.deep.equal({ leadListId, leadCount: 1 });
      expect((await read(leadListId)).leads.map((lead) => lead.firstName)).to.deep.equal(['P1']);
    });
    it('gives a static list no predicate', async () => {
      const leadListId = await list();
      expect(await acme.refusal('svc_update_lead_list', { leadListId, predicate: { titles: ['x'] } })).to.equal(
        'A static list has no predicate; its leads are added and removed. Call svc_add_leads_to_list.',
      );
    });
    it('wants a campaign of the workspace', async () => {
      const leadListId = await list();
      expect(await acme.refusal('svc_update_lead_list', { leadListId, campaignId: NOBODY })).to.equal(
        noCampaign(NOBODY),
      );
    });
    it('answers a missing and a foreign list alike', () => missingList('svc_update_lead_list', { name: 'x' }));
  });

  describe('svc_delete_lead_list', () => {
    it('takes the list and leaves its leads', async () => {
      const leadListId = await list();
      const { ids } = await people(['A'], { leadListId });
      expect(await acme.call('svc_delete_lead_list', { leadListId })).to.deep.equal({ leadListId, deleted: true });
      expect(await acme.refusal('svc_get_lead_list', { leadListId })).to.equal(noList(leadListId));
      expect((await acme.call<{ lead: Lead }>('svc_get_lead', { leadId: ids[0] })).lead.leadId).to.equal(ids[0]);
    });
    it('is refused while an enabled workflow sources from it', async () => {
      const campaignId = await campaign();
      const leadListId = await list({ campaignId });
      const graph = {
        nodes: [
          { nodeType: 'source:lead_list', config: { leadListId } },
          { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 86_400_000 } },
        ],
        edges: [{ sourceIndex: 0, targetIndex: 1 }],
      };
      const { workflowId } = await acme.call('svc_create_workflow', { campaignId, name: 'Feeds', graph });
      await acme.call('svc_update_workflow_status', { workflowId, enabled: true });
      expect(await acme.refusal('svc_delete_lead_list', { leadListId })).to.equal(
        `The enabled workflow "Feeds" (${workflowId}) takes its leads from this list. Disable it first with svc_update_workflow_status.`,
      );
      await acme.call('svc_update_workflow_status', { workflowId, enabled: false });
      expect(await acme.call('svc_delete_lead_list', { leadListId })).to.include({ deleted: true });
    });
    it('answers a missing and a foreign list alike', () => missingList('svc_delete_lead_list'));
  });
});

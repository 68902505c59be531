import { expect } from 'chai';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const NOBODY = '018f0000-0000-7000-8000-0000000000ff';
const noCompany = (id: string): string => `Company "${id}" was not found. Call svc_search_companies to find valid IDs.`;

interface Company {
  companyId: string;
  name: string;
  domain: string;
  contact: Record<string, unknown>;
}
interface Page {
  companies: Company[];
  nextCursor: string | null;
}
interface Lead {
  leadId: string;
  companyId: string;
  visibility: string;
  fullName: string;
}

describe('tools: companies, by an MCP client', () => {
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    acme = await tools.as({ workspace: 'acme' });
    rival = await tools.as({ workspace: 'rival' });
    await tools.account('acme');
    await tools.rows(
      `insert into company (id, name, company_key, domain, industry, company_size, headcount_growth_pct, last_funding_at, location, created_at, updated_at)
       select gen_random_uuid(), n.name, lower(n.name), n.domain, n.industry, n.size, n.growth, n.funded, n.place, 1, 1 from (values
         ('Nordlicht', 'nordlicht.example', 'Software', '51-200', 30, 1767225600000, 'Berlin'),
         ('Rivage', 'rivage.example', 'Banking', '1001-5000', 2, null, 'Paris'),
         ('Kestrel', 'kestrel.example', 'Software', '11-50', null, 1735689600000, 'London')) n (name, domain, industry, size, growth, funded, place)`,
    );
  });
  after(() => tools.stop());

  const search = async (criteria: object, user = acme): Promise<string[]> =>
    (await user.call<Page>('svc_search_companies', { limit: 100, ...criteria })).companies
      .map((one) => one.name)
      .sort();
  const leadOf = async (name: string, user = acme): Promise<Lead> => {
    const { leads } = await user.call<{ leads: Lead[] }>('svc_search_leads', { query: name });
    const lead = leads[0];
    if (!lead) throw new Error(`no lead ${name}`);
    return lead;
  };
  const load = (user: ToolUser, ...rows: string[]): Promise<object> =>
    user.call('svc_import_leads_csv', { csv: `Name,Email,Title,Company,Website\n${rows.join('\n')}\n` });

  describe('svc_search_companies', () => {
    const CASES: [criteria: object, names: string[]][] = [
      [{ query: 'nord' }, ['Nordlicht']],
      [{ industries: ['software'] }, ['Kestrel', 'Nordlicht']],
      [{ companySizes: ['100-300'] }, ['Nordlicht']],
      [{ companySizes: ['1001-5000', '11-50'] }, ['Kestrel', 'Rivage']],
      [{ keywords: ['bank'] }, ['Rivage']],
      [{ locations: ['berlin', 'paris'] }, ['Nordlicht', 'Rivage']],
      [{ minHeadcountGrowthPct: 10 }, ['Nordlicht']],
      [{ fundedSince: '2025-06-01T00:00:00Z' }, ['Nordlicht']],
      [{ industries: ['software'], locations: ['london'], companySizes: ['11-50'] }, ['Kestrel']],
    ];
    for (const [criteria, names] of CASES) {
      it(`finds by ${JSON.stringify(criteria)}`, async () => {
        expect(await search(criteria)).to.deep.equal(names);
      });
    }
    it('pages to the end without a gap or a double', async () => {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Page = await acme.call('svc_search_companies', { limit: 1, ...(cursor ? { cursor } : {}) });
        seen.push(...page.companies.map((one) => one.companyId));
        cursor = page.nextCursor;
      } while (cursor);
      expect(new Set(seen).size).to.equal(seen.length);
      expect(seen.length).to.be.at.least(3);
    });
    it("does not show another workspace's own companies, nor gives them out by a search for leads", async () => {
      await load(acme, 'Ada Own,ada@secret-firm.example,CEO,Secret Firm,secret-firm.example');
      expect(await search({ query: 'secret' })).to.deep.equal(['Secret Firm']);
      expect(await search({ query: 'secret' }, rival)).to.deep.equal([]);
      const { companyId } = await leadOf('Ada Own');
      expect(await rival.refusal('svc_search_leads', { companyId })).to.equal(noCompany(companyId));
    });
  });

  describe('svc_get_company', () => {
    it('is one company for all leads of its domain, and the shared one where the pool knows it', async () => {
      await load(
        acme,
        'Bo Two,bo@two-firm.example,CEO,Two Firm GmbH,two-firm.example',
        'Cy Two,cy@two-firm.example,CTO,Two-Firm,https://www.two-firm.example/',
        'Di Nord,di@nordlicht.example,CTO,Nordlicht GmbH,nordlicht.example',
      );
      const [bo, cy, di] = [await leadOf('Bo Two'), await leadOf('Cy Two'), await leadOf('Di Nord')];
      expect(bo.companyId).to.equal(cy.companyId);
      const { company } = await acme.call<{ company: Company }>('svc_get_company', { companyId: di.companyId });
      expect(company).to.include({ name: 'Nordlicht', domain: 'nordlicht.example', industry: 'Software' });
      expect(di.visibility).to.equal('private');
      const theirs = await rival.call<{ company: Company }>('svc_get_company', { companyId: di.companyId });
      // A private lead at a shared company is not counted for others.
      expect(theirs.company.contact['leadsKnown']).to.equal(0);
      expect(company.contact['leadsKnown']).to.equal(1);
    });

    it('shows its live signals, and none of another workspace', async () => {
      await load(acme, 'Sig Nal,sig@signal-firm.example,CEO,Signal Firm,signal-firm.example');
      const { companyId } = await leadOf('Sig Nal');
      const add = (title: string, expires: number, workspaceId: string): Promise<unknown> =>
        tools.force(
          `insert into signal (id, workspace_id, type, company_id, title, occurred_at, detected_at, expires_at)
           values (gen_random_uuid(), $1, 'funding_round', $2, $3, 1, 1, $4)`,
          [workspaceId, companyId, title, expires],
        );
      await add('Series A', 4_102_444_800_000, 'acme');
      await add('Old seed', 2, 'acme');
      await add('Theirs', 4_102_444_800_000, 'rival');
      const { company } = await acme.call<{ company: { signals: { title: string }[] } }>('svc_get_company', {
        companyId,
      });
      expect(company.signals.map((signal) => signal.title)).to.deep.equal(['Series A']);
    });

    it('tells who contacted it, and of a reply that stops the company', async () => {
      await load(
        acme,
        'Ed Talk,ed@talked.example,CEO,Talked,talked.example',
        'Flo Talk,flo@talked.example,CTO,Talked,talked.example',
      );
      const { leadId, companyId } = await leadOf('Ed Talk');
      const { campaignId } = await acme.call('svc_create_campaign', { title: 'C' });
      await acme.call('svc_update_campaign', { campaignId, contactPolicy: { stopCompanyOnReply: true } });
      const [runId, sendId] = [systemIds.uuid(), systemIds.uuid()];
      await tools.rows(
        `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, entered_at, started_at)
         values ($1, 'acme', 'f', $2, $3, 1, 'n', 'waiting', 1, 1)`,
        [runId, campaignId, leadId],
      );
      await tools.rows(
        `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at, settled_at)
         values ($1, 'acme', 'f', $2, $3, 'n', $4, $4, 'acc-1', 'message', 'confirmed', 1, 1000, 2000)`,
        [sendId, campaignId, runId, leadId],
      );
      await tools.rows(
        `insert into lead_overlay (workspace_id, lead_id, last_contacted_at, last_replied_at) values ('acme', $1, 2000, 3000)`,
        [leadId],
      );
      const stops = async (): Promise<unknown> =>
        (await acme.call<{ company: Company }>('svc_get_company', { companyId })).company.contact['stopForCompany'];
      expect(await stops(), 'a run that heard nothing').to.equal(false);
      const hear = (replyClass: string): Promise<unknown> =>
        tools.rows('update run set facts = $2 where id = $1', [runId, { replied: true, replyClass }]);
      await hear('out_of_office');
      expect(await stops(), 'a notice of absence').to.equal(false);
      await hear('neutral');
      const { company } = await acme.call<{ company: Company }>('svc_get_company', { companyId });
      expect(company.contact).to.deep.equal({
        leadsKnown: 2,
        leadsContacted: 1,
        lastContactedAt: '1970-01-01T00:00:02.000Z',
        lastBy: { networkAccountId: 'acc-1', campaignId },
        repliedLeads: 1,
        stopForCompany: true,
      });
      await tools.rows(`update run set facts = '{"replied": true, "replyClass": "out_of_office"}' where id = $1`, [
        runId,
      ]);
      const away = await acme.call<{ company: Company }>('svc_get_company', { companyId });
      expect(away.company.contact, 'a notice of absence stops nobody').to.include({ stopForCompany: false });
    });

    it("shows a contact of the agency's other workspace as a time only", async () => {
      for (const name of ['sister-a', 'sister-b']) {
        await tools.workspace(name);
        await tools.rows(`update workspace set agency_id = 'agency' where id = $1`, [name]);
      }
      const [a, b] = [await tools.as({ workspace: 'sister-a' }), await tools.as({ workspace: 'sister-b' })];
      const person = 'Gil Nord,gil@nordlicht.example,CEO,Nordlicht,nordlicht.example';
      for (const user of [a, b, rival]) await load(user, person);
      const { leadId, companyId } = await leadOf('Gil Nord', b);
      await tools.force(
        `insert into contact_log (person_id, workspace_id, campaign_id, workflow_id, account_id, last_at, touches)
         select person_id, 'sister-b', 'c', 'w', 'acc-b', 5000, 1 from lead where id = $1`,
        [leadId],
      );
      const seen = async (user: ToolUser): Promise<object> =>
        (await user.call<{ company: Company }>('svc_get_company', { companyId })).company.contact;
      expect(await seen(a)).to.deep.include({
        lastContactedAt: '1970-01-01T00:00:05.000Z',
        lastBy: null,
        leadsContacted: 0,
      });
      expect(await seen(rival)).to.deep.include({ lastContactedAt: null, lastBy: null });
    });

    it('answers a missing and a foreign company alike', async () => {
      await load(acme, 'Hal Own,hal@own-firm.example,CEO,Own Firm,own-firm.example');
      const { companyId } = await leadOf('Hal Own');
      for (const id of [NOBODY, 'nonsense'])
        expect(await acme.refusal('svc_get_company', { companyId: id })).to.equal(noCompany(id));
      expect(await rival.refusal('svc_get_company', { companyId })).to.equal(noCompany(companyId));
    });
  });

  describe('svc_list_company_leads', () => {
    it('lists known people by seniority, private ones of the workspace only, page by page', async () => {
      await load(
        acme,
        'Ida Kes,ida@kestrel.example,CEO,Kestrel,kestrel.example',
        'Jon Kes,jon@kestrel.example,VP Sales,Kestrel,kestrel.example',
        'Kim Kes,kim@kestrel.example,VP Marketing,Kestrel,kestrel.example',
      );
      await load(rival, 'Leo Kes,leo@kestrel.example,CEO,Kestrel,kestrel.example');
      const { companyId } = await leadOf('Ida Kes');
      const page = await acme.call<{ leads: Lead[]; nextCursor: string; companyContact: object }>(
        'svc_list_company_leads',
        {
          companyId,
          limit: 2,
        },
      );
      const rest = await acme.call<{ leads: Lead[]; nextCursor: null }>('svc_list_company_leads', {
        companyId,
        limit: 2,
        cursor: page.nextCursor,
      });
      expect([...page.leads, ...rest.leads].map((lead) => lead.fullName).sort()).to.deep.equal([
        'Ida Kes',
        'Jon Kes',
        'Kim Kes',
      ]);
      expect(page.companyContact).to.include({ leadsKnown: 3, leadsContacted: 0 });
      const vps = await acme.call<{ leads: Lead[] }>('svc_list_company_leads', { companyId, seniorities: ['VP'] });
      expect(vps.leads.map((lead) => lead.fullName).sort()).to.deep.equal(['Jon Kes', 'Kim Kes']);
      const found = await acme.call<{ leads: Lead[] }>('svc_search_leads', { companyId, titles: ['marketing'] });
      expect(found.leads.map((lead) => lead.fullName)).to.deep.equal(['Kim Kes']);
    });
    it('answers a missing and a foreign company alike', async () => {
      const { companyId } = await leadOf('Hal Own');
      for (const id of [NOBODY, 'nonsense'])
        expect(await acme.refusal('svc_list_company_leads', { companyId: id })).to.equal(noCompany(id));
      expect(await rival.refusal('svc_list_company_leads', { companyId })).to.equal(noCompany(companyId));
    });
  });
});

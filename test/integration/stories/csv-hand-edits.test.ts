import { expect } from 'chai';
import { openWorkspace, platformAdmin, withKeyOf } from '../../fixtures/stories/people.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

// A list from the CRM comes again every week; what people corrected by hand stays.
describe('story: a CSV comes again after hand edits, and hand edits win', () => {
  let tools: McpTools;
  let agency: ToolUser;

  before(async function () {
    this.timeout(60_000);
    tools = await startMcpTools();
    const admin = await platformAdmin(tools);
    const { workspaceId, owner } = await openWorkspace(tools, admin, 'north');
    agency = await withKeyOf(tools, owner, workspaceId);
  });
  after(() => tools.stop());

  it('takes news of the file, and leaves alone what was entered, cleared or tagged', async () => {
    const week = (title: string, company: string, phone: string): string =>
      `First Name,Last Name,Email,Title,Company,Phone\nAda,Kern,ada@kern.example,${title},${company},${phone}\nBo,Rand,bo@rand.example,Clerk,Rand,1\n`;
    const load = (csv: string): Promise<{ created: number; updated: number }> =>
      agency.call('svc_import_leads_csv', { csv, onDuplicate: 'overwrite', sourceNote: 'CRM' });
    expect(await load(week('VP Sales', 'Kern', '111'))).to.include({ created: 2, updated: 0 });

    // By hand: the title is corrected, the phone number is taken out, a tag and a note are added.
    const { leadId } = await agency.call<{ leadId: string }>('svc_upsert_lead', {
      email: 'ada@kern.example',
      title: 'Chief Revenue Officer',
      phone: '',
      addTags: ['vip'],
      note: 'Asked not to be phoned',
    });

    expect(await load(week('VP Sales', 'Kern & Söhne GmbH', '222'))).to.include({ created: 0, updated: 2 });
    const read = async (): Promise<Record<string, unknown>> =>
      (await agency.call<{ lead: Record<string, unknown> }>('svc_get_lead', { leadId })).lead;
    const lead = await read();
    expect(lead).to.deep.include({
      title: 'Chief Revenue Officer',
      phone: null,
      company: 'Kern & Söhne GmbH',
      tags: ['vip'],
    });
    const source = (field: string): string | undefined =>
      (lead['provenance'] as { field: string; source: string }[]).find((entry) => entry.field === field)?.source;
    expect([source('title'), source('phone'), source('company')]).to.deep.equal(['manual', 'manual', 'CRM']);

    // The same person under another spelling is still the same lead.
    const again = 'Name,Company,Title\nDr. Ada Kern,Kern und Soehne,Head of Sales\n';
    expect(await load(again)).to.include({ created: 0, updated: 1 });
    expect(await read()).to.include({ title: 'Chief Revenue Officer' });
  });
});

import { expect } from 'chai';
import { type McpFixture, startMcpFixture } from '../../../fixtures/tools/mcp-fixture.ts';

interface Hit {
  type: string;
  id: string;
  title: string;
  snippet: string;
  getTool: string;
}
interface Found {
  hits: Hit[];
  omittedTypes: string[];
  nextCursor: string | null;
}
describe('tools: search and diagnostics, by an MCP client', () => {
  let fixture: McpFixture;

  before(async function () {
    this.timeout(60_000);
    fixture = await startMcpFixture(12);
  });
  after(() => fixture.tools.stop());

  const sql = (text: string, ...values: unknown[]): Promise<unknown[]> => fixture.tools.rows(text, values);

  describe('svc_whoami', () => {
    it('tells a workspace key its workspace, a user key its user and workspaces, and needs no scope', async () => {
      expect(await fixture.acme.call('svc_whoami')).to.deep.include({
        keyType: 'workspace',
        workspaceId: 'acme',
        workspaceName: 'acme',
      });
      const user = await fixture.tools.as({ memberOf: ['acme', 'rival'], scopes: ['leads:read'] });
      const who = await user.call<{ keyType: string; scopes: string[]; workspaces: object[]; user: { email: string } }>(
        'svc_whoami',
      );
      expect([who.keyType, who.scopes, who.workspaces.length]).to.deep.equal(['user', ['leads:read'], 2]);
      expect(who.user.email).to.match(/@test\.example$/);
    });
  });

  describe('svc_submit_feedback', () => {
    it('keeps what was said, of which tool, by whom', async () => {
      const { feedbackId } = await fixture.acme.call<{ feedbackId: string }>('svc_submit_feedback', {
        category: 'bug',
        message: 'The export is slow.',
        toolName: 'svc_search_leads',
      });
      expect(
        await sql(
          'select workspace_id, category, severity, tool_name, message from feedback where id = $1',
          feedbackId,
        ),
      ).to.deep.equal([
        {
          workspace_id: 'acme',
          category: 'bug',
          severity: 'medium',
          tool_name: 'svc_search_leads',
          message: 'The export is slow.',
        },
      ]);
    });

    it('a key with the lowest scope alone can still report; an empty message says nothing', async () => {
      const low = await fixture.tools.as({ workspace: 'acme', scopes: ['workspace:read'] });
      await low.call('svc_submit_feedback', { category: 'other', message: 'Hello' });
      expect(await low.refusal('svc_submit_feedback', { category: 'bug', message: '' })).to.match(
        /^Invalid input: message: /,
      );
    });
  });

  describe('svc_search', () => {
    const find = (query: string, more: object = {}, user = fixture.acme): Promise<Found> =>
      user.call('svc_search', { query, ...more });
    const types = ({ hits }: Found): string[] => [...new Set(hits.map((hit) => hit.type))];

    it('finds records of every kind by text, each with the tool that reads it', async () => {
      await fixture.acme.call('svc_create_campaign', { title: 'Zebra launch' });
      await fixture.acme.call('svc_create_lead_list', { name: 'Zebra buyers' });
      await fixture.workflow(undefined, 'Zebra hello');
      await fixture.acme.call('svc_import_leads_csv', {
        csv: 'First name,Last name,Email,Company\nZebra,Person,zoe@zebra.example,Zebra Stripes\n',
      });
      await sql(
        `insert into conversation (id, account_id, external_id, participant_name) values (gen_random_uuid(), $1, 'z', 'Zebra Talk')`,
        fixture.accountId,
      );
      await fixture.tools.force(
        `insert into integration (id, workspace_id, provider, kind, name, created_at) values ('int-zebra', 'acme', 'hubspot', 'crm', 'Zebra CRM', 1)`,
      );
      const found = await find('zebra');
      expect(types(found)).to.deep.equal([
        'campaign',
        'lead',
        'company',
        'lead_list',
        'workflow',
        'conversation',
        'integration',
      ]);
      expect(found.omittedTypes).to.deep.equal([]);
      for (const hit of found.hits.filter((one) => one.type === 'campaign')) {
        const { campaign } = await fixture.acme.call<{ campaign: { title: string } }>(hit.getTool, {
          campaignId: hit.id,
        });
        expect(campaign.title).to.equal(hit.title);
      }
      const company = found.hits.find((one) => one.type === 'company');
      expect(await fixture.acme.call(company?.getTool ?? '', { companyId: company?.id })).to.have.nested.property(
        'company.name',
        company?.title,
      );
      expect(types(await find('zoe@zebra.example'))).to.deep.equal(['lead']);
      expect((await find('zebra', {}, fixture.rival)).hits, 'nothing of another workspace').to.deep.equal([]);
    });

    it('finds by id', async () => {
      const workflowId = await fixture.workflow(undefined, 'By id');
      expect((await find(workflowId)).hits.map((hit) => hit.id)).to.deep.equal([workflowId]);
      const [leadId = ''] = fixture.leads;
      expect((await find(leadId)).hits.map((hit) => hit.id)).to.deep.equal([leadId]);
    });

    it('leaves out kinds that the key may not read, and names them', async () => {
      const narrow = await fixture.tools.as({ workspace: 'acme', scopes: ['workspace:read', 'workflows:read'] });
      const found = await find('zebra', { types: ['campaign', 'workflow', 'lead'] }, narrow);
      expect(types(found)).to.deep.equal(['workflow']);
      expect(found.omittedTypes).to.deep.equal(['campaign', 'lead']);
    });

    it('pages over the kinds without gaps', async () => {
      const whole = await find('zebra', { limit: 100 });
      const seen: string[] = [];
      for (let cursor: string | null = null; ; ) {
        const page: Found = await find('zebra', { limit: 2, ...(cursor ? { cursor } : {}) });
        seen.push(...page.hits.map((hit) => hit.id));
        cursor = page.nextCursor;
        if (cursor === null) break;
      }
      expect(seen).to.deep.equal(whole.hits.map((hit) => hit.id));
    });

    it('takes wildcards as letters, and refuses the cursor of another search', async () => {
      expect((await find('%')).hits).to.deep.equal([]);
      const { nextCursor: cursor } = await find('zebra', { limit: 1 });
      expect(await fixture.acme.refusal('svc_search', { query: 'other', cursor })).to.match(/^Invalid input: cursor: /);
    });
  });
});

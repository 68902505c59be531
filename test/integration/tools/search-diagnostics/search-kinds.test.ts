import { expect } from 'chai';
import { ALL_TOOLS } from '../../../../pkg/tools/registry.ts';
import { SEARCH_KINDS } from '../../../../pkg/tools/search-diagnostics/search-kinds.ts';
import { CATALOG } from '../../../contract/catalog.ts';
import { MONDAY } from '../../../fixtures/tools/mcp-fixture.ts';
import { plantTypicalRecords } from '../../../fixtures/tools/typical-records.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

/** Kinds of records that have no hits of their own, with the reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  workflowNode: 'a part of its workflow, which is found by the labels and ids of its nodes',
  splitNode: 'a node of a workflow',
  adminWorkspace: 'of the platform: admins look with svc_admin_list_workspaces',
  deadLetter: 'of the platform: admins look with svc_admin_list_dead_letters',
  providerAccount: 'few, and told whole by svc_list_provider_accounts',
  delivery: 'a part of its integration: svc_list_integrations tells those of one',
  enrichmentJob: 'told by svc_get_enrichment_status, the latest first',
  signalExclusion: 'told by its value: svc_check_signal_exclusion, svc_list_signal_exclusions',
  providerList: 'of a system outside: svc_list_provider_lists asks it',
  action: 'svc_get_automation_jobs tells those of a run, svc_diagnose each',
  calendarEvent: 'in the calendar itself: svc_list_calendar_events asks it',
  searchWatch: 'few, and told whole with their hits by svc_list_search_watches',
  webhookTemplate: 'a kind of event: svc_list_webhook_templates tells them all',
};

/** Tables of kinds that are not called as their kind. */
const TABLES: Readonly<Record<string, string>> = {
  workflow_run: 'run',
  import: 'lead_import',
  automation: 'schedule',
  competitor_watch: 'watch',
};

/** Where a table holds more than the kind. */
const OF_KIND: Readonly<Record<string, string>> = {
  automation: ` and campaign_id is not null and kind <> 'signal_agent'`,
  competitor_watch: ` and kind = 'competitor'`,
};

interface Found {
  hits: { type: string; id: string; title: string; snippet: string; getTool: string }[];
  omittedTypes: string[];
}

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

// Source: catalog, recordTypes.
describe('svc_search finds every kind of record', function () {
  this.timeout(60_000);
  let tools: McpTools;
  let acme: ToolUser;
  let rival: ToolUser;
  before(async () => {
    tools = await startMcpTools();
    tools.cluster.clock.at = MONDAY;
    [acme, rival] = [await tools.as({ workspace: 'acme' }), await tools.as({ workspace: 'rival' })];
    await plantTypicalRecords(tools, MONDAY);
  });
  after(() => tools.stop());

  it('of the catalog whose list is built, or says where it is found', () => {
    const built = new Set<string>(ALL_TOOLS.map((tool) => tool.name));
    const kinds = new Set<string>(SEARCH_KINDS.map((kind) => kind.type));
    const types = Object.entries(CATALOG.recordTypes).filter(([, { listTool }]) => built.has(listTool));
    const missing = types.map(([type]) => type).filter((type) => !kinds.has(snake(type)) && !(type in ELSEWHERE));
    expect(missing).to.deep.equal([]);
    expect(SEARCH_KINDS.filter((kind) => !built.has(kind.getTool)).map((kind) => kind.type)).to.deep.equal([]);
  });

  for (const { type, getTool, scope } of SEARCH_KINDS) {
    it(`${type}: by its id, with a title; nobody else and no narrower key finds it`, async () => {
      const table = TABLES[type] ?? type;
      const own =
        table === 'company' || table === 'network_account' || table === 'conversation'
          ? ''
          : `where workspace_id = 'acme'${OF_KIND[type] ?? ''}`;
      const [row] = await tools.force<{ id: string }>(`select id::text from ${table} ${own} order by id desc limit 1`);
      const query = { query: row?.id ?? 'none', types: [type] };
      const { hits } = await acme.call<Found>('svc_search', query);
      expect(hits.map((hit) => [hit.type, hit.id, hit.getTool])).to.deep.equal([[type, row?.id, getTool]]);
      expect(hits[0]?.title).to.match(/\S/);
      if (table !== 'company') expect((await rival.call<Found>('svc_search', query)).hits).to.deep.equal([]);
      if (scope === 'workspace:read') return;
      const narrow = await tools.as({ workspace: 'acme', scopes: ['workspace:read'] });
      expect(await narrow.call<Found>('svc_search', query)).to.deep.include({ hits: [], omittedTypes: [type] });
    });
  }

  it('what is about a lead by the name of the lead; a node with its workflow', async () => {
    const byName = await acme.call<Found>('svc_search', { query: 'Thalhammer', limit: 100 });
    const kinds = new Set(byName.hits.map((hit) => hit.type));
    expect([...kinds]).to.include.members(['lead', 'workflow_run', 'review_item', 'signal', 'conversation']);
    const byNode = await acme.call<Found>('svc_search', { query: 'Follow-up number 7' });
    expect(byNode.hits.map((hit) => [hit.type, hit.id])).to.deep.equal([['workflow', 'wf-7h2kq9xw0m01']]);
  });
});

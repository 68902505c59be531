import { expect } from 'chai';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import type { AnyTool } from '../../../pkg/tools/tool.ts';
import { MONDAY } from '../../fixtures/tools/mcp-fixture.ts';
import { plantTypicalRecords, TYPICAL, TYPICAL_IDS } from '../../fixtures/tools/typical-records.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

/** So that a page is read by a model at a glance. Source: catalog, conventions. */
const MOST_BYTES = 8_192;

/** What is more than a page of records, with the reason. */
const LONGER: Readonly<Record<string, string>> = {
  svc_list_messages: 'texts of people, which who answers must read whole',
  svc_admin_list_audit_events: 'the hashes prove the chain only over whole lines',
  svc_admin_list_dead_letters: 'a person decides by the evidence, and there are few',
};

/** Lists of words that are the same for everybody: all at once where there are no more pages. */
const VOCABULARIES = { svc_get_workflow_node_types: true, svc_list_webhook_templates: true };

/** What a list is asked for besides the ids that it needs. */
const ASKED: Readonly<Record<string, object>> = {
  svc_get_campaign_stats: { granularity: 'day' },
  svc_list_company_leads: { companyId: TYPICAL_IDS.companyId },
  svc_list_leads_at_node: { nodeId: 'node-7h2kq9xw0m01' },
  svc_search: { query: 'autumn' },
  svc_get_content_calendar: { fromDate: '2026-02-05T00:00:00Z', toDate: '2026-03-03T00:00:00Z' },
  svc_list_webhook_templates: { limit: 100 },
  // Hits are asked for by number.
  svc_list_search_watches: { hitsPerWatch: 0 },
};

/** What has no pages and grows all the same: with days, nodes, steps. */
const GROWS = [
  'svc_get_campaign_stats',
  'svc_get_workflow_stats',
  'svc_get_workflow_run',
  'svc_get_workflow_node_types',
];

/** What a system outside has is asked there, 25 short lines at a time. */
const OUTSIDE = ['svc_list_provider_lists', 'svc_list_calendar_events'];

const lists = ALL_TOOLS.filter((tool) => !OUTSIDE.includes(tool.name)).filter(
  (tool) => 'nextCursor' in tool.output.shape || GROWS.includes(tool.name),
);

const bytes = (answer: unknown): number => Buffer.byteLength(JSON.stringify(answer));

describe('25 typical items of each list fit 8 kB', function () {
  this.timeout(90_000);
  let tools: McpTools;
  let acme: ToolUser;
  let admin: ToolUser;
  const sizes: string[] = [];

  before(async () => {
    tools = await startMcpTools();
    tools.cluster.clock.at = MONDAY;
    acme = await tools.as({ workspace: 'acme' });
    const { plaintext } = await tools.mcp.key({ userId: await tools.mcp.user({ admin: true }) });
    admin = tools.user(await tools.mcp.client(plaintext));
    await plantTypicalRecords(tools, MONDAY);
  });
  after(async () => {
    console.log(sizes.map((line) => `      ${line}`).join('\n'));
    await tools.stop();
  });

  /** The whole answer, with the tools that come next. */
  const ask = async (tool: AnyTool, more: object = {}): Promise<Record<string, unknown>> => {
    const ids = Object.entries(TYPICAL_IDS).filter(([name]) => isRequired(tool, name));
    const input = { ...Object.fromEntries(ids), ...ASKED[tool.name], ...more };
    const { client } = tool.workspace === 'platform' ? admin : acme;
    const answer = await client.callTool({ name: tool.name, arguments: input });
    const text = (answer.content as { text: string }[])[0]?.text ?? '';
    if (answer.isError) throw new Error(`${tool.name}: ${text}`);
    return JSON.parse(text);
  };

  for (const tool of lists) {
    it(`${tool.name}${LONGER[tool.name] === undefined ? '' : ` (not: ${LONGER[tool.name]})`}`, async () => {
      const answer = await ask(tool);
      const whole = 'detail' in tool.input.shape ? await ask(tool, { detail: 'full' }) : answer;
      const rows = Object.entries(answer).flatMap(([name, value]) =>
        name !== 'next' && Array.isArray(value) ? [value as unknown[]] : [],
      );
      const count = Math.max(...rows.map((list) => list.length));
      const more = whole === answer ? '' : `, ${bytes(whole)} in full`;
      sizes.push(`${tool.name}: ${count} items, ${bytes(answer)} bytes${more}`);
      if (tool.name in LONGER) return;
      if (tool.name in VOCABULARIES) expect(bytes(whole), 'else it is in full always').to.be.above(MOST_BYTES);
      // Tenants are made one by one: fewer are enough to see what 25 would take.
      const few = tool.name === 'svc_admin_list_workspaces';
      if (few) expect((bytes(rows) / count) * TYPICAL).to.be.at.most(MOST_BYTES);
      else if (!(tool.name in VOCABULARIES)) expect(count, 'typical records of this list').to.equal(TYPICAL);
      expect(bytes(answer)).to.be.at.most(MOST_BYTES);
    });
  }

  it('no exception is named that is none', () => {
    expect(Object.keys(LONGER).filter((name) => !lists.some((tool) => tool.name === name))).to.deep.equal([]);
  });

  it('svc_trigger_workflow names 25 of those whom it enrolled and skipped, and counts all', async () => {
    const rows = Array.from({ length: 300 }, (_, n) => `Crowd${n},crowd${n}@crowd.example`);
    const { leadListId } = await acme.call<{ leadListId: string }>('svc_create_lead_list', { name: 'Crowd' });
    await acme.call('svc_import_leads_csv', { csv: `Name,Email\n${rows.join('\n')}\n`, leadListId });
    const workflowId = TYPICAL_IDS.workflowId;
    await tools.force('update workflow set enabled = true where id = $1', [workflowId]);
    const enrol = (more: object): Promise<Triggered> =>
      acme.call('svc_trigger_workflow', { workflowId, leadListId, ...more });
    const first = await enrol({});
    expect([first.enrolled, first.runIds.length]).to.deep.equal([300, 25]);
    const again = await enrol({ idempotencyKey: 'again' });
    expect([again.skipped.length, again.skippedReasons]).to.deep.equal([25, { already_enrolled: 300 }]);
    for (const answer of [first, again]) expect(bytes(answer)).to.be.at.most(MOST_BYTES);
    const all = await enrol({ idempotencyKey: 'again', detail: 'full' });
    expect(all.skipped, 'how much is shown makes no other call').to.have.length(300);
    sizes.push(
      `svc_trigger_workflow: 300 enrolled ${bytes(first)}, 300 skipped ${bytes(again)} bytes, ${bytes(all)} in full`,
    );
  });
});

interface Triggered {
  enrolled: number;
  runIds: string[];
  skipped: object[];
  skippedReasons: Record<string, number>;
}

function isRequired({ input }: AnyTool, name: string): boolean {
  const field = (input.shape as Record<string, { safeParse(value: unknown): { success: boolean } }>)[name];
  return field !== undefined && !field.safeParse(undefined).success;
}

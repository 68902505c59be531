import { expect } from 'chai';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import type { AnyTool } from '../../../pkg/tools/tool.ts';
import { sample, schemaOf } from '../../fixtures/mcp/sample-input.ts';
import { MONDAY } from '../../fixtures/tools/mcp-fixture.ts';
import { plantTypicalRecords, TYPICAL_IDS } from '../../fixtures/tools/typical-records.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

/** Of the form of an id, of no record. */
const NOWHERE = '018f0000-0000-7000-8000-0000000000ff';

/** Ids that any text may be, with the reason. */
const FREE: Readonly<Record<string, string>> = {
  'svc_admin_list_audit_events actorId': 'narrows a log: of whom nobody heard there is nothing to tell',
  'svc_admin_list_audit_events recordId': 'narrows a log',
  'svc_admin_create_workspace agencyId': 'workspaces of one name are of one agency; the first makes it',
};

/** What a tool needs besides, of records that are there. */
const BESIDES: Readonly<Record<string, object>> = {
  svc_get_free_slots: { fromDate: '2026-03-01' },
  svc_check_calendar_availability: { startTime: '2026-03-01T09:00:00Z', endTime: '2026-03-01T10:00:00Z' },
  svc_queue_leads: { leadIds: ['018f0000-0000-7000-81ea-000000000001'] },
  // Without a file it gives an address for one; ids are looked up when the file is there.
  svc_import_leads_csv: { csv: 'Name,Email\nAda,ada@x.example' },
  svc_craft_comment: { postUrl: 'https://www.linkedin.com/feed/update/urn:li:activity:7000000000000000001/' },
  svc_get_content_calendar: { fromDate: '2026-03-01T00:00:00Z', toDate: '2026-03-02T00:00:00Z' },
  svc_list_calendar_events: { fromDate: '2026-03-01', toDate: '2026-03-02' },
  svc_create_calendar_event: { startTime: '2026-03-01T09:00:00Z', endTime: '2026-03-01T10:00:00Z' },
  svc_update_calendar_event: { startTime: '2026-03-01T09:00:00Z', endTime: '2026-03-01T10:00:00Z' },
  svc_create_search_watch: { query: 'ERP', searchUrl: undefined },
  svc_upsert_automation: { name: 'Scores', kind: 'rescore_leads', schedule: '30 2 * * *' },
};

const byName = new Map<string, AnyTool>(ALL_TOOLS.map((tool) => [tool.name, tool]));

// Source: specification, Errors: an error names the next tool; catalog, recordTypes.
describe('an id that nobody has', function () {
  this.timeout(120_000);
  let tools: McpTools;
  let admin: ToolUser;
  const users = new Map<string, ToolUser>();

  before(async () => {
    tools = await startMcpTools();
    tools.cluster.clock.at = MONDAY;
    const { plaintext } = await tools.mcp.key({ userId: await tools.mcp.user({ admin: true }) });
    admin = tools.user(await tools.mcp.client(plaintext));
    await plantTypicalRecords(tools, MONDAY);
  });
  after(() => tools.stop());

  /** Somebody whose key opens no more than this tool. */
  const narrowest = async ({ scope }: AnyTool): Promise<ToolUser> => {
    const known = users.get(scope);
    if (known) return known;
    const user = await tools.as({ workspace: 'acme', scopes: scope === 'none' ? ['campaigns:read'] : [scope] });
    users.set(scope, user);
    return user;
  };

  for (const tool of ALL_TOOLS) {
    const fields = Object.keys(tool.input.shape).filter((name) => /Ids?$/.test(name));
    if (fields.length === 0) continue;
    it(`${tool.name} refuses it and names a tool that its caller may call, or a command (${fields.join(', ')})`, async () => {
      const platform = tool.workspace === 'platform';
      const user = platform ? admin : await narrowest(tool);
      for (const field of fields) {
        if (`${tool.name} ${field}` in FREE) continue;
        const input = {
          ...plausible(tool),
          ...BESIDES[tool.name],
          [field]: field.endsWith('Ids') ? [NOWHERE] : NOWHERE,
        };
        const answer = await user.client.callTool({ name: tool.name, arguments: input });
        const text = (answer.content as { text: string }[])[0]?.text ?? '';
        // A bulk call tells each id by itself, with a text of the same kind, or names it as not found.
        if (!answer.isError) {
          expect(text, field).to.contain(NOWHERE);
          continue;
        }
        expect(text, field).to.not.contain('failed on our side');
        const named = [...text.matchAll(/svc_[a-z_]*[a-z]/g)].flatMap(([name]) => byName.get(name) ?? []);
        const callable = named.filter(({ scope }) => platform || scope === 'none' || scope === tool.scope);
        const command = /`?(kubectl|npx outrider|outrider) [a-z]/.test(text);
        const free = /Omit (workspaceId|targetWorkspaceId)\./.test(text);
        expect(callable.length > 0 || command || free, `${field}: ${text}`).to.equal(true);
      }
    });
  }
});

/** Inputs of the shape that a tool asks for, with records that are there. */
function plausible(tool: AnyTool): Record<string, unknown> {
  const schema = schemaOf(tool);
  const known: Readonly<Record<string, unknown>> = { ...TYPICAL_IDS, leadId: '018f0000-0000-7000-81ea-000000000001' };
  const input: Record<string, unknown> = {};
  for (const name of schema.required ?? []) {
    const one = known[name.replace(/Ids$/, 'Id')];
    const value = one ?? sample(schema.properties?.[name] ?? {});
    input[name] = one !== undefined && name.endsWith('Ids') ? [one] : value;
  }
  return input;
}

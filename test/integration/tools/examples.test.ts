import { expect } from 'chai';
import { TOOL_EXAMPLES } from '../../../cmd/generate/tool-examples.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';
import { type Bench, startBench } from '../sandbox/harness.ts';
import { absentOf } from './absent-records.ts';
import { MONDAY, NOBODY } from './mcp-stage.ts';

/** Of this domain only some tools have one. */
const SOME = 'Integrations';

/** Tools with an idempotency key: what of the example makes it another call. */
const OTHER: Readonly<Record<string, object>> = {
  svc_import_leads_csv: { tags: ['other'] },
  svc_queue_leads: { profileUrls: ['https://www.linkedin.com/in/other-person'] },
  svc_export_network_connections: { incremental: false },
  svc_trigger_workflow: { maxLeads: 7 },
  svc_regenerate_playbook: { instructions: 'Long and colourful' },
};
/** Those that platform admins call are repeated in test/integration/mcp/replay.test.ts. */
const REPEATED_THERE = ['svc_admin_create_workspace', 'svc_admin_adjust_credits'];
const hasKey = (tool: string): boolean =>
  ALL_TOOLS.some((one) => one.name === tool && 'idempotencyKey' in one.input.shape);

describe('docs/tools.md: its examples, run in order by an MCP client', function () {
  this.timeout(120_000);
  let tools: McpTools;
  let sandbox: Bench;
  let key: ToolUser;
  let owner: ToolUser;
  const kept = new Map<string, unknown>([['workspaceId', 'acme']]);

  before(async () => {
    sandbox = await startBench();
    tools = await startMcpTools(() => sandbox.adapter);
    tools.cluster.clock.at = MONDAY;
    key = await tools.as({ workspace: 'acme' });
    const [boss] = await tools.rows<{ id: string }>(`select id from app_user where email = 'owner@acme.example'`);
    owner = tools.user(await tools.mcp.client((await tools.mcp.key({ userId: boss?.id ?? '' })).plaintext));
    await tools.as({ memberOf: ['acme'] });
    kept.set('networkAccountId', await tools.account('acme'));
    await tools.grant('acme', 100);
    const [member] = await tools.rows<{ id: string }>(
      `select id from member where workspace_id = 'acme' and role = 'member'`,
    );
    kept.set('memberId', member?.id);
  });
  after(async () => {
    await tools.stop();
    await sandbox.stop();
  });

  /** What tools do not make: a signal about a lead, drafts of a run. */
  const given: Readonly<Record<string, () => Promise<void>>> = {
    svc_list_signals: async () => {
      kept.set('signalId', systemIds.uuid());
      await tools.force(
        `insert into signal (id, workspace_id, type, lead_id, title, occurred_at, detected_at, expires_at)
         values ($1, 'acme', 'job_change', $2, 'New role', $3::bigint, $3::bigint, $3::bigint + 5184000000)`,
        [kept.get('signalId'), kept.get('leadId'), MONDAY],
      );
    },
    svc_list_review_items: async () => {
      for (const draft of ['draft1', 'draft2', 'draft3', 'draft4', 'draft5']) {
        kept.set(draft, systemIds.uuid());
        await tools.force(
          `insert into review_item (id, workspace_id, workflow_id, campaign_id, run_id, node_id, send_node_id, lead_id, account_id, channel, body, original_body, state, created_at, expires_at)
           select $1, 'acme', r.workflow_id, r.campaign_id, r.id, r.node_id, r.node_id || $5, r.lead_id, $3, 'message', 'Hi', 'Hi', 'pending', 1, $4
           from run r where r.id = $2`,
          [kept.get(draft), kept.get('runId'), kept.get('networkAccountId'), MONDAY + 1e9, draft],
        );
      }
    },
  };
  const filled = (input: object): object =>
    JSON.parse(JSON.stringify(input), (_name, value: unknown) =>
      typeof value === 'string' && value.startsWith('$') ? kept.get(value.slice(1)) : value,
    ) as object;
  const at = (result: unknown, path: string): unknown =>
    path.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], result);

  /** The example under an idempotency key: at once, by two keys, and once more. @returns what it answered */
  async function repeated(tool: string, input: object): Promise<object> {
    const call = { ...filled(input), idempotencyKey: `example-${tool}` };
    const ask = async (user: ToolUser): Promise<{ text: string; structured: object }> => {
      const answer = await user.client.callTool({ name: tool, arguments: call });
      const text = (answer.content as { text: string }[])[0]?.text ?? '';
      expect(answer.isError ?? false, text).to.equal(false);
      return { text, structured: answer.structuredContent as object };
    };
    const other = await tools.as({ workspace: 'acme' });
    const answers = [...(await Promise.all([key, other, key].map(ask))), await ask(other)];
    // Catalog: where a result has this field, it alone tells a repetition from the first call.
    const texts = answers.map(({ text }) => text.replaceAll('"deduplicated":true', '"deduplicated":false'));
    expect(new Set(texts).size, texts.join('\n')).to.equal(1);
    expect(await key.refusal(tool, { ...call, ...OTHER[tool] })).to.match(
      /^Invalid input: idempotencyKey: was used with other input/,
    );
    return answers[0]?.structured ?? {};
  }

  it('each tool with an idempotency key is repeated here, or where its callers are', () => {
    const repeatedHere = TOOL_EXAMPLES.map((example) => example.tool).filter(hasKey);
    expect(Object.keys(OTHER)).to.have.members([...new Set(repeatedHere)]);
    const all = ALL_TOOLS.map((tool) => tool.name).filter(hasKey);
    expect([...repeatedHere, ...REPEATED_THERE]).to.include.members(all);
  });

  it('a domain that is shown is shown whole: each of its tools has one', () => {
    const shown = new Set(TOOL_EXAMPLES.map((example) => example.tool));
    const domains = new Set(ALL_TOOLS.filter((tool) => shown.has(tool.name)).map((tool) => tool.domain));
    domains.delete(SOME);
    expect(domains.size).to.be.at.least(16);
    const missing = ALL_TOOLS.filter((tool) => domains.has(tool.domain) && !shown.has(tool.name));
    expect(missing.map((tool) => tool.name)).to.deep.equal([]);
  });

  for (const { tool, input, keep = {}, owner: asOwner } of TOOL_EXAMPLES) {
    it(tool, async () => {
      await given[tool]?.();
      for (const { label, wrong } of absentOf(tool, input)) {
        const refused = await (asOwner ? owner : key).refusal(tool, filled(wrong));
        expect(refused, JSON.stringify(wrong)).to.match(
          new RegExp(`^${label} "${NOBODY}" was not found\\. Call svc_[a-z_]+ to find valid IDs\\.$`),
        );
      }
      const result = hasKey(tool)
        ? await repeated(tool, input)
        : await (asOwner ? owner : key).call(tool, filled(input));
      for (const [name, path] of Object.entries(keep)) {
        expect(at(result, path), name).to.be.a('string');
        kept.set(name, at(result, path));
      }
    });
  }
});

import { expect } from 'chai';
import { TOOL_EXAMPLES, type ToolExample } from '../../../cmd/generate/tool-examples.ts';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import {
  callerOf,
  type ExampleCaller,
  ExampleRun,
  startWebhookTarget,
  type WebhookTarget,
} from '../../fixtures/example-run.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';
import { type Bench, startBench } from '../sandbox/harness.ts';
import { absentOf } from './absent-records.ts';
import { NOBODY } from './mcp-stage.ts';

/** Of these domains only some tools have one. */
const SOME = ['Integrations', 'Admin (platform admins only)'];

/** Tools with an idempotency key: what of the example makes it another call. */
const OTHER: Readonly<Record<string, object>> = {
  svc_import_leads_csv: { tags: ['other'] },
  svc_queue_leads: { profileUrls: ['https://www.linkedin.com/in/other-person'] },
  svc_export_network_connections: { incremental: false },
  svc_trigger_workflow: { maxLeads: 7 },
  svc_regenerate_playbook: { instructions: 'Long and colourful' },
  svc_admin_create_workspace: { initialCredits: 7 },
  svc_admin_adjust_credits: { amount: 7 },
};
const hasKey = (tool: string): boolean =>
  ALL_TOOLS.some((one) => one.name === tool && 'idempotencyKey' in one.input.shape);

describe('docs/tools.md: its examples, run in order by an MCP client', function () {
  this.timeout(120_000);
  let tools: McpTools;
  let sandbox: Bench;
  let webhook: WebhookTarget;
  let run: ExampleRun;
  let callers: Record<ExampleCaller, ToolUser>;

  before(async () => {
    sandbox = await startBench();
    webhook = await startWebhookTarget();
    tools = await startMcpTools(() => sandbox.adapter, webhook.connections);
    run = await ExampleRun.in(tools, 'acme', webhook.url);
    const keys = await run.keys();
    const user = async (key: string): Promise<ToolUser> => tools.user(await tools.mcp.client(key));
    callers = { key: await user(keys.key), owner: await user(keys.owner), admin: await user(keys.admin) };
  });
  after(async () => {
    await tools.stop();
    await webhook.close();
    await sandbox.stop();
  });

  /** The example under an idempotency key: at once, by two keys, and once more. @returns what it answered */
  async function repeated(example: ToolExample): Promise<object> {
    const { tool } = example;
    const user = callers[callerOf(example)];
    const call = { ...run.filled(example.input), idempotencyKey: `example-${tool}` };
    const ask = async (asking: ToolUser): Promise<{ text: string; structured: object }> => {
      const answer = await asking.client.callTool({ name: tool, arguments: call });
      const text = (answer.content as { text: string }[])[0]?.text ?? '';
      expect(answer.isError ?? false, text).to.equal(false);
      return { text, structured: answer.structuredContent as object };
    };
    const other = example.admin ? user : await tools.as({ workspace: 'acme' });
    const answers = [...(await Promise.all([user, other, user].map(ask))), await ask(other)];
    // Catalog: where a result has this field, it alone tells a repetition from the first call.
    const texts = answers.map(({ text }) => text.replaceAll('"deduplicated":true', '"deduplicated":false'));
    expect(new Set(texts).size, texts.join('\n')).to.equal(1);
    expect(await user.refusal(tool, { ...call, ...OTHER[tool] })).to.match(
      /^Invalid input: idempotencyKey: was used with other input/,
    );
    return answers[0]?.structured ?? {};
  }

  it('each tool with an idempotency key is repeated here', () => {
    const repeatedHere = TOOL_EXAMPLES.map((example) => example.tool).filter(hasKey);
    expect(Object.keys(OTHER)).to.have.members([...new Set(repeatedHere)]);
    const all = ALL_TOOLS.map((tool) => tool.name).filter(hasKey);
    expect(repeatedHere).to.include.members(all);
  });

  it('a domain that is shown is shown whole: each of its tools has one', () => {
    const shown = new Set(TOOL_EXAMPLES.map((example) => example.tool));
    const domains = new Set(ALL_TOOLS.filter((tool) => shown.has(tool.name)).map((tool) => tool.domain));
    for (const domain of SOME) domains.delete(domain);
    expect(domains.size).to.be.at.least(16);
    const missing = ALL_TOOLS.filter((tool) => domains.has(tool.domain) && !shown.has(tool.name));
    expect(missing.map((tool) => tool.name)).to.deep.equal([]);
  });

  for (const example of TOOL_EXAMPLES) {
    const { tool, input } = example;
    it(tool, async () => {
      await run.give(tool);
      const user = callers[callerOf(example)];
      for (const { label, wrong } of absentOf(tool, input)) {
        const refused = await user.refusal(tool, run.filled(wrong));
        expect(refused, JSON.stringify(wrong)).to.match(
          new RegExp(`^${label} "${NOBODY}" was not found\\. Call svc_[a-z_]+ to find valid IDs\\.$`),
        );
      }
      run.keep(example, hasKey(tool) ? await repeated(example) : await user.call(tool, run.filled(input)));
    });
  }
});

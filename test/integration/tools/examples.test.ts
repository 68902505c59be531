import { expect } from 'chai';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import { namesIn } from '../../fixtures/example-order.ts';
import {
  callerOf,
  type ExampleCaller,
  ExampleRun,
  startWebhookTarget,
  type WebhookTarget,
} from '../../fixtures/example-run.ts';
import { type Bench, startBench } from '../../fixtures/sandbox/harness.ts';
import { GIVEN, TOOL_EXAMPLES, type ToolExample } from '../../fixtures/tool-examples.ts';
import { absentOf } from '../../fixtures/tools/absent-records.ts';
import { NOBODY } from '../../fixtures/tools/mcp-fixture.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../tools/mcp-tools.ts';

const keyed = new Set<string>(ALL_TOOLS.filter((one) => 'idempotencyKey' in one.input.shape).map((one) => one.name));

describe('docs/tools.md: the example of each tool, called by an MCP client', function () {
  this.timeout(120_000);
  let sandbox: Bench;
  let webhook: WebhookTarget;
  let tools: McpTools;
  let run: ExampleRun;
  /** Two keys of each caller. */
  let callers: Record<ExampleCaller, [ToolUser, ToolUser]>;

  before(async () => {
    sandbox = await startBench();
    webhook = await startWebhookTarget();
    tools = await startMcpTools(() => sandbox.adapter, webhook.connections);
    run = await ExampleRun.in(tools, 'acme', webhook.url);
    const [first, second] = [await run.keys(), await run.keys()];
    const user = async (key: string): Promise<ToolUser> => {
      const client = await tools.mcp.client(key);
      // From here on the SDK holds each answer against the schema that is listed for it.
      expect((await client.listTools()).tools.filter((one) => one.outputSchema === undefined)).to.deep.equal([]);
      return tools.user(client);
    };
    const both = async (who: ExampleCaller): Promise<[ToolUser, ToolUser]> => [
      await user(first[who]),
      await user(second[who]),
    ];
    callers = { key: await both('key'), owner: await both('owner'), admin: await both('admin') };
  });
  after(async () => {
    await tools.stop();
    await webhook.close();
    await sandbox.stop();
  });

  it('each tool with an idempotency key says what makes its example another call', () => {
    const silent = TOOL_EXAMPLES.filter(({ tool, other }) => keyed.has(tool) !== (other !== undefined));
    expect(silent.map(({ tool }) => tool)).to.deep.equal([]);
  });

  it('what is given is asked for', () => {
    const asked = new Set(TOOL_EXAMPLES.flatMap(({ input }) => namesIn(input)));
    expect(Object.keys(GIVEN).filter((name) => !asked.has(name))).to.deep.equal([]);
  });

  for (const example of TOOL_EXAMPLES) {
    const { tool, input } = example;
    it(tool, async () => {
      await run.give(example);
      const [user, other] = callers[callerOf(example)];
      for (const { label, wrong } of absentOf(tool, input)) {
        expect(await user.refusal(tool, run.filled(wrong)), JSON.stringify(wrong)).to.match(
          new RegExp(`^${label} "${NOBODY}" was not found\\. Call svc_[a-z_]+ to find valid IDs\\.$`),
        );
      }
      const called = run.filled(input);
      run.keep(example, keyed.has(tool) ? await repeated(example, called, user, other) : await user.call(tool, called));
    });
  }
});

/** A call under an idempotency key: at once, by two keys, and once more. @returns what it answered */
async function repeated(
  { tool, other }: ToolExample,
  input: object,
  user: ToolUser,
  second: ToolUser,
): Promise<object> {
  const call = { ...input, idempotencyKey: `example-${tool}` };
  const ask = async (asking: ToolUser): Promise<{ text: string; structured: object }> => {
    const answer = await asking.client.callTool({ name: tool, arguments: call });
    const text = (answer.content as { text: string }[])[0]?.text ?? '';
    expect(answer.isError ?? false, text).to.equal(false);
    return { text, structured: answer.structuredContent as object };
  };
  const answers = [...(await Promise.all([user, second, user].map(ask))), await ask(second)];
  // Catalog: where a result has this field, it alone tells a repetition from the first call.
  const texts = answers.map(({ text }) => text.replaceAll('"deduplicated":true', '"deduplicated":false'));
  expect(new Set(texts).size, texts.join('\n')).to.equal(1);
  expect(await user.refusal(tool, { ...call, ...other })).to.match(
    /^Invalid input: idempotencyKey: was used with other input/,
  );
  return answers[0]?.structured ?? {};
}

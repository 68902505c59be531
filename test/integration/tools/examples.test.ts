import { expect } from 'chai';
import type { z } from 'zod';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import { type AnyTool, isUpdate } from '../../../pkg/tools/tool.ts';
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
      await refusesBogusCursor(tool, called, user);
      await saysHowToClear(tool, called, user);
      await takesNoArgumentsAsNone(tool, user);
      run.keep(example, keyed.has(tool) ? await repeated(example, called, user, other) : await user.call(tool, called));
      // As frameworks do that fill in every parameter.
      if (readsOrCreates(tool)) await user.again(tool, { ...called, ...nullsOf(tool, called) });
    });
  }
});

const TOOLS = new Map<string, AnyTool>(ALL_TOOLS.map((one) => [one.name, one]));

function readsOrCreates(tool: string): boolean {
  return (TOOLS.get(tool)?.hints.readOnly ?? false) || tool.startsWith('svc_create_');
}

/** Null for each optional parameter that was not given and takes none. */
function nullsOf(tool: string, given: object): Record<string, null> {
  const shape = Object.entries(TOOLS.get(tool)?.input.shape ?? {}) as [string, z.ZodType][];
  const free = shape.filter(
    ([name, type]) => !(name in given) && type.safeParse(undefined).success && !type.safeParse(null).success,
  );
  return Object.fromEntries(free.map(([name]) => [name, null]));
}

async function refusesBogusCursor(tool: string, input: object, user: ToolUser): Promise<void> {
  if (!('cursor' in (TOOLS.get(tool)?.input.shape ?? {}))) return;
  for (const cursor of ['bogus', 'bm90IG91cnM.AAAAAAAAAAAAAAAAAAAAAA'])
    expect(await user.refusal(tool, { ...input, cursor })).to.match(/^Invalid input: cursor: /);
}

async function saysHowToClear(tool: string, input: object, user: ToolUser): Promise<void> {
  const found = TOOLS.get(tool);
  if (!found || !isUpdate(found)) return;
  for (const name of Object.keys(nullsOf(tool, input)))
    expect(await user.refusal(tool, { ...input, [name]: null })).to.match(
      new RegExp(`^Invalid input: ${name}: null is no value of it\\. (Send |It can not be cleared: )`),
    );
}

async function takesNoArgumentsAsNone(tool: string, { client }: ToolUser): Promise<void> {
  const required = TOOLS.get(tool)?.input.safeParse({}).success === false;
  if (!required) return;
  const texts = [{ name: tool }, { name: tool, arguments: {} }].map(async (call) => {
    const answer = await client.callTool(call);
    return (answer.content as { text: string }[])[0]?.text;
  });
  const [without, empty] = await Promise.all(texts);
  expect(without)
    .to.equal(empty)
    .and.match(/^Invalid input: .*is required/);
}

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

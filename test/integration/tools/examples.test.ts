import { expect } from 'chai';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import type { AnyTool } from '../../../pkg/tools/tool.ts';
import type { ToolUser } from '../../tools/mcp-tools.ts';
import { absentOf } from './absent-records.ts';
import { type Callers, type ExampleFixture, GIVEN, startExampleFixture, TOOLS_IN_ORDER } from './example-fixture.ts';
import { namesIn } from './example-order.ts';
import { NOBODY } from './mcp-stage.ts';

const hasKey = (tool: AnyTool): boolean => 'idempotencyKey' in tool.input.shape;

describe('docs/tools.md: the example of each tool, called by an MCP client', function () {
  this.timeout(120_000);
  let fixture: ExampleFixture;

  before(async () => {
    fixture = await startExampleFixture();
  });
  after(() => fixture.stop());

  it('each tool with an idempotency key says what makes its example another call', () => {
    const silent = ALL_TOOLS.filter((tool) => hasKey(tool) !== (tool.example.other !== undefined));
    expect(silent.map((tool) => tool.name)).to.deep.equal([]);
  });

  it('what the fixture gives is asked for', () => {
    const asked = new Set(ALL_TOOLS.flatMap((tool) => namesIn(tool.example.input)));
    expect(Object.keys(GIVEN).filter((name) => !asked.has(name))).to.deep.equal([]);
  });

  for (const tool of TOOLS_IN_ORDER) {
    const { name, example } = tool;
    it(name, async () => {
      await fixture.prepare(example);
      const callers = fixture.callersOf(example);
      for (const { label, wrong } of absentOf(name, example.input)) {
        expect(await callers[0].refusal(name, fixture.filled(wrong)), JSON.stringify(wrong)).to.match(
          new RegExp(`^${label} "${NOBODY}" was not found\\. Call svc_[a-z_]+ to find valid IDs\\.$`),
        );
      }
      const input = fixture.filled(example.input);
      fixture.keep(example, hasKey(tool) ? await repeated(tool, input, callers) : await callers[0].call(name, input));
    });
  }
});

/** A call under an idempotency key: at once, by two keys, and once more. @returns what it answered */
async function repeated({ name, example }: AnyTool, input: object, [key, other]: Callers): Promise<object> {
  const call = { ...input, idempotencyKey: `example-${name}` };
  const ask = async (user: ToolUser): Promise<{ text: string; structured: object }> => {
    const answer = await user.client.callTool({ name, arguments: call });
    const text = (answer.content as { text: string }[])[0]?.text ?? '';
    expect(answer.isError ?? false, text).to.equal(false);
    return { text, structured: answer.structuredContent as object };
  };
  const answers = [...(await Promise.all([key, other, key].map(ask))), await ask(other)];
  // Catalog: where a result has this field, it alone tells a repetition from the first call.
  const texts = answers.map(({ text }) => text.replaceAll('"deduplicated":true', '"deduplicated":false'));
  expect(new Set(texts).size, texts.join('\n')).to.equal(1);
  expect(await key.refusal(name, { ...call, ...example.other })).to.match(
    /^Invalid input: idempotencyKey: was used with (other input|another)/,
  );
  return answers[0]?.structured ?? {};
}

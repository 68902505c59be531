import { expect } from 'chai';
import { isRecorded } from '../../../pkg/tools/idempotency/recorded-call.ts';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import { added, type Counts, type RecordCounter, recordCounter } from '../../fixtures/count-records.ts';
import {
  callerOf,
  ExampleRun,
  examplesOf,
  startWebhookTarget,
  type WebhookTarget,
} from '../../fixtures/example-run.ts';
import { BREAKS, type Break, Breaker, LossyCaller, type ToolAnswer } from '../../fixtures/lossy-calls.ts';
import { type Bench, startBench } from '../../fixtures/sandbox/harness.ts';
import type { ToolExample } from '../../fixtures/tool-examples.ts';
import { type McpTools, startMcpTools } from '../../tools/mcp-tools.ts';

const toolOf = (name: string) => ALL_TOOLS.find((one) => one.name === name);
const writes = (example: ToolExample): boolean => toolOf(example.tool)?.hints.readOnly === false;
/** Flips at each call, on purpose: the answer says which state it left, and the version how often it was flipped. */
const FLIPS = ['svc_toggle_automation'];
const creates = (example: ToolExample): boolean => {
  const tool = toolOf(example.tool);
  return tool !== undefined && isRecorded(tool) && !FLIPS.includes(tool.name);
};

/** What runs is joined, and what is over is followed by another: nothing is charged, and what it computes is the same. */
const BEGINS_ANEW = ['svc_trigger_icp_scoring'];

// Source: design, section 3 (intent rows) and section 6 (idempotency); catalog conventions (natural key). The tools are those of the
// registry and their inputs the examples of docs/tools.md: a new tool is here by itself.
describe('a lost answer makes nothing twice: every tool, called again because its connection broke', function () {
  this.timeout(120_000);
  const breaker = new Breaker();
  let sandbox: Bench;
  let webhook: WebhookTarget;
  let tools: McpTools;
  let caller: LossyCaller;
  let counter: RecordCounter;

  before(async () => {
    sandbox = await startBench();
    webhook = await startWebhookTarget();
    const hooks = { tools: breaker.tools(), onGap: breaker.onGap };
    tools = await startMcpTools(() => sandbox.adapter, webhook.connections, hooks);
    caller = await LossyCaller.open(tools.mcp.url, breaker);
    counter = await recordCounter(tools.cluster);
  });
  after(async () => {
    await counter.close();
    await caller.close();
    await tools.stop();
    await webhook.close();
    await sandbox.stop();
  });

  /** What each example that writes adds when it is called once and answered. */
  const once = new Map<number, Counts>();
  /** The places that its call comes by. */
  const places = new Map<number, ReadonlySet<Break>>();
  /** Examples whose connection broke, by place. */
  const broken = new Map<Break, string[]>();

  /** Plays all examples in a workspace of their own. */
  async function play(
    workspaceId: string,
    make: (example: ToolExample, key: string, input: object, index: number) => Promise<ToolAnswer>,
  ): Promise<void> {
    await tools.workspace(workspaceId);
    const run = await ExampleRun.in(tools, workspaceId, webhook.url);
    const keys = await run.keys();
    for (const [index, example] of examplesOf(workspaceId).entries()) {
      await run.give(example);
      const made = await make(example, keys[callerOf(example)], run.filled(example.input), index);
      if (made.answer) run.keep(example, made.answer);
    }
  }

  it('each tool that creates, sends or charges has an example', () => {
    const shown = new Set(examplesOf('x').map((example) => example.tool));
    const missing = ALL_TOOLS.filter((tool) => isRecorded(tool) && !shown.has(tool.name)).map((tool) => tool.name);
    expect(missing).to.deep.equal([]);
  });

  it('what an example adds, called once', async () => {
    await play('reference', async (example, key, input, index) => {
      const before = writes(example) ? await counter.count() : {};
      breaker.passed();
      const made = await caller.call(key, example.tool, input);
      places.set(index, breaker.passed());
      expect(made.refused, `${example.tool}: ${made.text}`).to.equal(false);
      if (writes(example)) once.set(index, added(before, await counter.count()));
      return made;
    });
    const nothing = examplesOf('x').filter(
      (example, index) => creates(example) && !Object.keys(once.get(index) ?? {}).length,
    );
    expect(
      nothing.map((example) => example.tool),
      'creating examples that add nothing',
    ).to.deep.equal([]);
  });

  for (const place of BREAKS) {
    it(`broken at "${place}"`, async () => {
      const lost: string[] = [];
      const workspaceId = `broken-${place}`;
      await play(workspaceId, async (example, key, input, index) => {
        const { tool } = example;
        // Most tools have no gap between record and object: there is nothing to break, and their answers were judged above.
        if (!writes(example) || !places.get(index)?.has(place)) return caller.call(key, tool, input);
        const before = await counter.count();
        const first = await caller.lose(key, tool, input, place);
        if (!first) lost.push(tool);
        const again = first ?? (await caller.call(key, tool, input));
        if (creates(example)) {
          expect(again.refused, `${tool}: ${again.text}`).to.equal(false);
          const third = await caller.call(key, tool, input);
          expect(known(third.answer), `${tool}: made a third time`).to.deep.equal(known(again.answer));
        }
        if (!BEGINS_ANEW.includes(tool)) {
          expect(added(before, await counter.count()), `${tool} at "${place}"`).to.deep.equal(once.get(index));
        }
        return again;
      });
      broken.set(place, lost);
    });
  }

  it('each of them was broken before it began, when it was done and on the way back; those of resources at each gap', () => {
    const creating = examplesOf('x')
      .filter(creates)
      .map((example) => example.tool);
    for (const place of ['before', 'done', 'answer'] as const) expect(broken.get(place)).to.include.members(creating);
    for (const place of ['intent', 'applied', 'projected'] as const) {
      const cut = broken.get(place) ?? [];
      expect(cut, place).to.include.members(['svc_create_campaign', 'svc_create_workflow', 'svc_duplicate_campaign']);
    }
    expect(broken.get('applied')).to.include('svc_add_workflow_node');
  });
});

/** An answer without what is shown once, and how a job stands by now. */
function known(answer: object | undefined): object {
  const {
    key: _,
    keyPrefix: __,
    signingSecret: ___,
    status: ____,
    deduplicated: _____,
    ...rest
  } = {
    ...answer,
  } as Record<string, unknown>;
  return rest;
}

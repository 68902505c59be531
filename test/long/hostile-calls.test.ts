import { expect } from 'chai';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';
import type { AnyTool } from '../../pkg/tools/tool.ts';
import { hostileCalls, seeded } from '../fixtures/mcp/generate-hostile.ts';
import { checkAnswer, type HostileFixture, startHostileFixture } from '../fixtures/mcp/hostile-fixture.ts';
import type { Hostile } from '../fixtures/mcp/hostile-inputs.ts';
import { expectNothingLeft, standOf } from '../fixtures/mcp/nothing-left.ts';

/** Calls over all tools; `HOSTILE_CALLS` and `HOSTILE_SEED` repeat or widen a run. */
const CALLS = Number(process.env['HOSTILE_CALLS'] ?? 100_000);
const SEED = Number(process.env['HOSTILE_SEED'] ?? 1);
/** What a write tool may do is sent alone, so that what it wrote is known to be its own. */
const ALONE_SHARE = 0.1;

/** The server takes null for an optional argument as absent. */
function withoutNull(_key: string, value: unknown): unknown {
  return value === null ? undefined : value;
}

// Source: the promise to strangers: no crash, no fault, no partial write, every text names what to do.
describe(`generated hostile calls (seed ${SEED})`, function () {
  this.timeout(600_000);
  const perTool = Math.ceil(CALLS / ALL_TOOLS.length);
  let fixture: HostileFixture;
  let sent = 0;

  before(async () => {
    fixture = await startHostileFixture();
  });
  after(() => fixture.stop());

  for (const [index, tool] of ALL_TOOLS.entries()) {
    it(`${tool.name} answers ${perTool} of them, and a refused one leaves nothing behind`, async () => {
      const next = hostileCalls({
        tool,
        own: fixture.own,
        foreign: fixture.foreign,
        random: seeded(SEED * 1_000 + index),
      });
      const refusedEarly: Hostile[] = [];
      const decided: Hostile[] = [];
      const alone = tool.hints.readOnly ? perTool : perTool * ALONE_SHARE;
      while (refusedEarly.length + decided.length < perTool) {
        const hostile = next();
        const passes = tool.input.safeParse(JSON.parse(hostile.json, withoutNull)).success;
        if (!passes) refusedEarly.push(hostile);
        else if (decided.length < alone) decided.push(hostile);
      }
      await inBatches(tool, refusedEarly, 100);
      await inBatches(tool, decided, tool.hints.readOnly ? 50 : 1);
    });
  }

  async function inBatches(tool: AnyTool, calls: Hostile[], size: number): Promise<void> {
    for (let from = 0; from < calls.length; from += size) {
      const part = calls.slice(from, from + size);
      const before = await standOf(fixture.changes);
      const answers = await fixture.send(
        tool,
        part.map((hostile) => hostile.json),
      );
      part.forEach((hostile, i) => {
        checkAnswer(tool, `${hostile.what}: ${hostile.json.slice(0, 500)}`, answers[i] ?? { text: '', refused: false });
      });
      if (tool.hints.readOnly || answers.every((answer) => answer.refused))
        expectNothingLeft(tool, before, await standOf(fixture.changes), tool.name);
      sent += part.length;
    }
  }

  it('were as many as promised, and the server still answers', async () => {
    expect(sent).to.be.at.least(CALLS);
    expect(({} as { polluted?: boolean }).polluted).to.equal(undefined);
    await fixture.done('rival', 'svc_get_campaign', { campaignId: fixture.foreign['campaignId'] });
  });
});

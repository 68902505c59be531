import { expect } from 'chai';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import {
  checkAnswer,
  type HostileFixture,
  SECRET_OF_RIVAL,
  startHostileFixture,
} from '../../fixtures/mcp/hostile-fixture.ts';
import { decidedByTool, refusedBySchema } from '../../fixtures/mcp/hostile-inputs.ts';
import { expectNothingLeft, standOf } from '../../fixtures/mcp/nothing-left.ts';

describe('hostile input', function () {
  this.timeout(60_000);
  let fixture: HostileFixture;

  before(async () => {
    fixture = await startHostileFixture();
  });
  after(() => fixture.stop());

  it('what a call writes is seen', async () => {
    const before = await fixture.changes.soFar();
    await fixture.done('acme', 'svc_create_lead_list', { name: 'Seen' });
    const rows = await fixture.changes.soFar();
    expect(rows).to.not.equal(before);
    await fixture.done('acme', 'svc_create_campaign', { title: 'Seen' });
    expect(await fixture.changes.soFar()).to.not.equal(rows);
  });

  for (const tool of ALL_TOOLS) {
    it(`${tool.name} names what its schema refuses, and writes nothing`, async () => {
      const before = await fixture.changes.soFar();
      const cases = refusedBySchema(tool, fixture.own);
      for (let from = 0; from < cases.length; from += 100) {
        const part = cases.slice(from, from + 100);
        const answers = await fixture.send(
          tool,
          part.map((hostile) => hostile.json),
        );
        part.forEach((hostile, i) => {
          const answer = answers[i] ?? { text: 'no answer', refused: false };
          checkAnswer(tool, hostile.what, answer);
          const about = `${tool.name} with ${hostile.what}: ${answer.text.slice(0, 300)}`;
          expect(answer.refused, about).to.equal(true);
          expect(answer.text.startsWith(`Invalid input: ${hostile.path ?? ''}`), about).to.equal(true);
        });
      }
      expect(await fixture.changes.soFar()).to.equal(before);
    });

    it(`${tool.name} does or refuses whole what its schema lets through`, async () => {
      // What is there after a call is what the next one finds.
      let before = await standOf(fixture.changes);
      for (const hostile of decidedByTool(tool, fixture.own, fixture.foreign)) {
        const [answer] = await fixture.send(tool, [hostile.json]);
        if (!answer) throw new Error('no answer');
        checkAnswer(tool, hostile.what, answer);
        const after = await standOf(fixture.changes);
        if (answer.refused) expectNothingLeft(tool, before, after, `${tool.name} with ${hostile.what}`);
        before = after;
      }
      expect(({} as { polluted?: boolean }).polluted).to.equal(undefined);
    });
  }

  it('the rival still has what it had', async () => {
    const { campaign } = (await fixture.done('rival', 'svc_get_campaign', {
      campaignId: fixture.foreign['campaignId'],
    })) as { campaign: { title: string } };
    expect(campaign.title).to.equal(SECRET_OF_RIVAL);
  });
});

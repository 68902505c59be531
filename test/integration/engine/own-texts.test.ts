import { expect } from 'chai';
import type { CallFixture } from '../../fixtures/engine/call-fixture.ts';
import { CallNodeFixture, type Node } from '../../fixtures/engine/call-node-fixture.ts';
import { change, passTime, query } from '../../fixtures/engine/harness.ts';
import { chain, HOUR, MINUTE } from '../../fixtures/engine/workflow-fixture.ts';

describe('engine: who writes the texts of a workspace, and of its send nodes', function () {
  this.timeout(120_000);
  let nodeFixture: CallNodeFixture;
  let fixture: CallFixture;
  const craft: Node = { nodeType: 'ai:craft', label: 'opener', config: { channel: 'message' } };
  before(async () => {
    nodeFixture = await CallNodeFixture.open();
    ({ fixture } = nodeFixture);
  });
  after(() => fixture.stop());
  const spent = (work: () => Promise<unknown>): Promise<number> => nodeFixture.spent(work);

  it('text mode ai of a send takes this way: judged, proven and charged once', async () => {
    const handle = await fixture.engine({
      settings: { AI_PROVIDER: 'openai', AI_MODEL: 'sandbox-model', AI_BASE_URL: `${fixture.service('openai')}/v1` },
    });
    const message: Node = { nodeType: 'network:message', config: { textMode: 'ai' } };
    const sendTo = async (company: string) => {
      const leadId = await fixture.lead({ company });
      const [row] = await query<{ id: string }>(fixture.bench, 'select profile_id as id from lead where id = $1', [
        leadId,
      ]);
      fixture.network.connected.add(row?.id ?? '');
      await fixture.enrol(await fixture.flow(chain(message)), leadId);
      const credits = await spent(() => passTime(fixture.bench, handle, 3 * HOUR, 10 * MINUTE));
      const sent = fixture.network.received.filter((one) => one.publicId === row?.id).map((one) => one.text);
      return { leadId, credits, sent };
    };
    const { leadId, credits, sent } = await sendTo('Sundial Works');
    expect(credits).to.equal(1);
    expect(sent).to.have.length(1);
    expect(sent[0]).to.contain('Sundial Works');
    expect((await fixture.calls(leadId)).map(({ state, outcome }) => [state, outcome])).to.deep.equal([
      ['settled', 'done'],
    ]);
    const [run] = await query<{ facts: { craftedFacts: Record<string, { source: string; hash: string }[]> } }>(
      fixture.bench,
      'select facts from run where lead_id = $1',
      [leadId],
    );
    const [proof = []] = Object.values(run?.facts.craftedFacts ?? {});
    expect(proof.map(({ source }) => source)).to.include('lead:company');
    expect(proof.every(({ hash }) => /^[0-9a-f]{64}$/.test(hash))).to.equal(true);
    // A model that invents is neither believed nor paid.
    const content = JSON.stringify({ segments: [{ text: 'I saw that you won an award.', factIds: ['f1'] }] });
    const body = { choices: [{ message: { content } }] };
    await fixture.control('outside', { service: 'openai', reply: { status: 200, body } });
    const refused = await sendTo('Sundial Lies');
    expect([refused.credits, refused.sent]).to.deep.equal([0, []]);
    expect((await fixture.outcomes(refused.leadId)).map(({ outcome }) => outcome)).to.deep.equal(['missing_data']);
    await fixture.control('outside', { service: 'openai', reply: null });
  });

  it('a model that the workspace connected writes its texts; it costs no credits, and no other steps in', async () => {
    const engine = await fixture.engine();
    const own = { token: fixture.key, model: 'own-model' };
    const id = await fixture.connect('ai', 'openai', `${fixture.service('openai')}/v1`, own);
    let leadId = '';
    expect(await spent(async () => ({ leadId } = await nodeFixture.through(craft, {}, engine)))).to.equal(0);
    const writers = await query<{ writer: string }>(
      fixture.bench,
      `select result ->> 'writer' as writer from node_call where lead_id = $1`,
      [leadId],
    );
    expect(writers).to.deep.equal([{ writer: 'own-model' }]);
    await nodeFixture.refuse('openai', 401);
    await nodeFixture.through(craft, {}, engine);
    const [health] = await query<{ status: string }>(fixture.bench, 'select status from integration where id = $1', [
      id,
    ]);
    expect(health?.status).to.equal('needs_auth');
    await change(fixture.bench, 'update integration set deleted_at = 1 where id = $1', [id]);
  });
});

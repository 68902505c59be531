import { expect } from 'chai';
import { DAY, type EngineFixture, startEngineFixture } from '../../fixtures/stories/engine-fixture.ts';

interface Split {
  arms: { branch: string; weight: number; exposures: number; matured: number; pending: number; successes: number }[];
  callable: boolean;
  recommended: string | null;
  explanation: string;
}

const PEOPLE = 300;
/** Of the people of each arm, how many answer. */
const ANSWERS: Readonly<Record<string, number>> = { question: 0.4, offer: 0.1 };

/** Both arms wait for an answer, each at a node of its own. */
const GRAPH = {
  nodes: [
    { nodeId: 'start', nodeType: 'source:manual' },
    {
      nodeId: 'opener',
      nodeType: 'flow:split',
      label: 'Opener',
      config: { branches: [{ name: 'question' }, { name: 'offer' }], mode: 'bandit', maturityHours: 168 },
    },
    { nodeId: 'question', nodeType: 'network:wait_reply', label: 'Q', config: { timeoutMs: 60 * DAY } },
    { nodeId: 'offer', nodeType: 'network:wait_reply', label: 'O', config: { timeoutMs: 60 * DAY } },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2, branch: 'question' },
    { sourceIndex: 1, targetIndex: 3, branch: 'offer' },
  ],
};

describe('story: a split converges although answers come days later', function () {
  this.timeout(120_000);
  let fixture: EngineFixture;
  let workflowId = '';
  /** Lead -> name in the profile address. */
  const names = new Map<string, string>();
  before(async () => {
    fixture = await startEngineFixture();
  });
  after(() => fixture.stop());

  const read = async (): Promise<Split> => {
    const { splits } = await fixture.acme.call<{ splits: [Split] }>('svc_get_split_results', { workflowId });
    return splits[0];
  };
  const standing = async (nodeId: string): Promise<string[]> => {
    const seen: string[] = [];
    for (let cursor: string | null = null; ; ) {
      const page: { leads: { leadId: string }[]; nextCursor: string | null } = await fixture.acme.call(
        'svc_list_leads_at_node',
        { workflowId, nodeId, limit: 100, ...(cursor ? { cursor } : {}) },
      );
      seen.push(...page.leads.map((lead) => lead.leadId));
      cursor = page.nextCursor;
      if (cursor === null) return seen;
    }
  };
  /** People of an arm answer now. @returns how many */
  const answer = (leadIds: readonly string[], arm: string): number => {
    const who = leadIds.slice(0, Math.round(leadIds.length * (ANSWERS[arm] ?? 0)));
    const sentAt = fixture.tools.cluster.clock.now();
    for (const leadId of who) {
      const name = names.get(leadId) ?? '';
      const message = { messageId: `answer-${name}`, chatId: `chat-p-${name}`, text: 'What does it cost?' };
      fixture.network.inbox.push({ ...message, direction: 'in', sentAt });
    }
    return who.length;
  };

  it('early answers decide nothing; matured ones move the shares, and the winner may be called and promoted', async () => {
    const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', { title: 'Spring' });
    const made = { campaignId, name: 'W', graph: GRAPH };
    ({ workflowId } = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', made));
    await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: true });
    const called = Array.from({ length: PEOPLE }, (_, n) => `Guest${n}`);
    const leadIds = await fixture.people(called);
    for (const [n, leadId] of leadIds.entries()) names.set(leadId, `guest${n}`);
    for (let at = 0; at < PEOPLE; at += 100)
      await fixture.acme.call('svc_trigger_workflow', { workflowId, leadIds: leadIds.slice(at, at + 100) });
    await fixture.pass(0);
    const arms = { question: await standing('question'), offer: await standing('offer') };
    expect(arms.question.length + arms.offer.length).to.equal(PEOPLE);

    await fixture.pass(3 * DAY);
    const successes = [answer(arms.question, 'question'), answer(arms.offer, 'offer')];
    await fixture.sync();
    await fixture.pass(DAY);
    expect(await fixture.feed()).to.equal(1);
    const early = await read();
    expect(early.arms.map((arm) => [arm.exposures, arm.pending, arm.matured, arm.weight])).to.deep.equal([
      [arms.question.length, arms.question.length, 0, 0.5],
      [arms.offer.length, arms.offer.length, 0, 0.5],
    ]);
    expect(early.explanation).to.match(/^Too early/);
    expect(
      await fixture.acme.refusal('svc_update_split_optimization', {
        workflowId,
        nodeId: 'opener',
        promoteBranch: 'question',
      }),
    ).to.match(/^Promotion needs 50 matured exposures .* Call svc_get_split_results\.$/);

    await fixture.pass(4 * DAY);
    expect(await fixture.feed()).to.equal(1);
    const matured = await read();
    expect(matured.arms.map((arm) => [arm.matured, arm.successes])).to.deep.equal([
      [arms.question.length, successes[0]],
      [arms.offer.length, successes[1]],
    ]);
    expect(matured.arms[0]?.weight).to.be.closeTo(0.95, 0.001);
    expect(matured).to.include({ callable: true, recommended: 'question' });

    const promoted = await fixture.acme.call('svc_update_split_optimization', {
      workflowId,
      nodeId: 'opener',
      promoteBranch: matured.recommended,
    });
    expect(promoted).to.deep.include({ mode: 'fixed', weights: { question: 1, offer: 0 } });
    await fixture.pass(DAY);
    expect(await fixture.feed(), 'a promoted split learns no more').to.equal(0);

    // Who comes later takes the winner.
    const late = await fixture.people(['Latecomer', 'Straggler']);
    await fixture.acme.call('svc_trigger_workflow', { workflowId, leadIds: late });
    await fixture.pass(0);
    expect(await standing('question')).to.include.members(late);
  });
});

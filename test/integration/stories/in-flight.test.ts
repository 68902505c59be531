import { expect } from 'chai';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { DAY, type EngineFixture, HOUR, startEngineFixture } from '../../fixtures/stories/engine-fixture.ts';
import { searchAll } from '../../fixtures/stories/people.ts';
import { NOBODY } from '../../fixtures/tools/mcp-fixture.ts';

const COUNT = 500;
const ALWAYS = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };

interface Stats {
  totals: Record<string, number>;
  nodes: { nodeId: string; standing: number; entered: number }[];
}

// People who are under way: what an edit and a reply do to them, by public tools and a running executor.
describe('story: leads in flight', function () {
  this.timeout(180_000);
  let fixture: EngineFixture;
  /** People without a part in other stories. */
  let leads: string[];
  before(async () => {
    fixture = await startEngineFixture();
    leads = await fixture.people(Array.from({ length: COUNT + 1 }, (_, index) => `Lead${index}`));
  });
  after(() => fixture.stop());

  const campaign = async (title: string, policy: object = {}): Promise<string> => {
    const { campaignId } = await fixture.acme.call<{ campaignId: string }>('svc_create_campaign', { title });
    const contactPolicy = { minDaysBetweenTouches: 0, ...policy };
    await fixture.acme.call('svc_update_campaign', { campaignId, businessHours: ALWAYS, contactPolicy });
    return campaignId;
  };
  const enable = async (campaignId: string, name: string, graph: object): Promise<string> => {
    const made = await fixture.acme.call<{ workflowId: string }>('svc_create_workflow', { campaignId, name, graph });
    await fixture.acme.call('svc_update_workflow_status', { workflowId: made.workflowId, enabled: true });
    return made.workflowId;
  };
  const enrol = async (workflowId: string, leadIds: readonly string[]): Promise<void> => {
    for (let at = 0; at < leadIds.length; at += 100) {
      const answer = await fixture.acme.call<{ enrolled: number; skipped: object[] }>('svc_trigger_workflow', {
        workflowId,
        leadIds: leadIds.slice(at, at + 100),
      });
      expect(answer.skipped.length, 'skipped').to.equal(0);
    }
    await fixture.pass(0);
  };
  const stats = (workflowId: string): Promise<Stats> =>
    fixture.acme.call<Stats>('svc_get_workflow_stats', { workflowId });
  const tagged = async (tag: string): Promise<number> => (await searchAll(fixture.acme, { tags: [tag] })).length;

  describe('a graph is edited while 500 are in it', () => {
    /** Waits a day, then tags. */
    const graph = (tag: string, extra: object[] = []): object => {
      const nodes = [
        { nodeId: 'start', nodeType: 'source:manual' },
        { nodeId: 'nap', nodeType: 'flow:wait', label: 'Nap', config: { waitType: 'duration', durationMs: DAY } },
        ...extra,
        { nodeId: 'mark', nodeType: 'lead:tag', label: 'Mark', config: { add: [tag] } },
      ];
      return { nodes, edges: nodes.slice(1).map((_node, index) => ({ sourceIndex: index, targetIndex: index + 1 })) };
    };
    it('migrate: everybody goes on in the new version from where they stand, each once', async () => {
      const workflowId = await enable(await campaign('Migrate'), 'M', graph('m-old'));
      await enrol(workflowId, leads.slice(0, COUNT));
      await fixture.pass(HOUR);
      expect((await stats(workflowId)).totals['waiting']).to.equal(COUNT);
      const edited = await fixture.acme.call<{ graphVersion: number; runsMigrated: number }>('svc_update_workflow', {
        workflowId,
        graph: graph('m-new', [{ nodeId: 'seen', nodeType: 'lead:tag', label: 'Seen', config: { add: ['m-seen'] } }]),
        inFlight: 'migrate',
      });
      expect(edited).to.deep.include({ graphVersion: 2, runsMigrated: COUNT });
      await fixture.pass(DAY);
      expect([await tagged('m-old'), await tagged('m-seen'), await tagged('m-new')]).to.deep.equal([0, COUNT, COUNT]);
      const { totals, nodes } = await stats(workflowId);
      expect(totals['completed']).to.equal(COUNT);
      expect(nodes.find((node) => node.nodeId === 'nap')?.entered, 'nobody waits twice').to.equal(COUNT);
    });

    it('finish: those under way end on the version they began, later leads take the new one', async () => {
      const workflowId = await enable(await campaign('Finish'), 'F', graph('f-old'));
      await enrol(workflowId, leads.slice(0, COUNT));
      await fixture.pass(HOUR);
      const edited = await fixture.acme.call<{ graphVersion: number; runsMigrated: number }>('svc_update_workflow', {
        workflowId,
        graph: graph('f-new'),
        inFlight: 'finish_on_old',
      });
      expect(edited).to.deep.include({ graphVersion: 2, runsMigrated: 0 });
      await enrol(workflowId, leads.slice(COUNT));
      await fixture.pass(DAY);
      expect([await tagged('f-old'), await tagged('f-new')]).to.deep.equal([COUNT, 1]);
      const { runs: ended } = await fixture.acme.call<{ runs: { graphVersion: number }[] }>('svc_list_workflow_runs', {
        workflowId,
        detail: 'full',
        limit: 100,
      });
      expect(new Set(ended.map((run) => run.graphVersion))).to.deep.equal(new Set([1, 2]));
      expect((await stats(workflowId)).totals['completed']).to.equal(COUNT + 1);
    });
  });

  it('a text that is mended in its node: who still gets the old one is told, and taken along by the call that the warning names', async () => {
    const mine = await fixture.people(Array.from({ length: 5 }, (_, index) => `Mended${index}`));
    const said = (text: string): object => ({
      nodeId: 'say',
      nodeType: 'lead:tag',
      label: 'Say',
      config: { add: [text] },
    });
    const nap = {
      nodeId: 'nap',
      nodeType: 'flow:wait',
      label: 'Nap',
      config: { waitType: 'duration', durationMs: DAY },
    };
    const nodes = [{ nodeId: 'start', nodeType: 'source:manual' }, nap, said('wrong')];
    const edges = [
      { sourceIndex: 0, targetIndex: 1 },
      { sourceIndex: 1, targetIndex: 2 },
    ];
    const workflowId = await enable(await campaign('Mended'), 'T', { nodes, edges });
    await enrol(workflowId, mine);
    const warnings = async (): Promise<{ code: string; message: string }[]> =>
      (
        await fixture.acme.call<{ warnings: { code: string; message: string }[] }>('svc_validate_workflow', {
          workflowId,
        })
      ).warnings;
    expect((await warnings()).map((one) => one.code)).to.not.include('in_flight_on_old');
    await fixture.acme.call('svc_update_workflow_node', { workflowId, nodeId: 'say', config: { add: ['right'] } });
    expect((await warnings()).find((one) => one.code === 'in_flight_on_old')?.message).to.equal(
      '5 leads under way finish on an older version of the graph, with its texts: svc_update_workflow with inFlight migrate takes along all who stand at a node that this version has.',
    );
    for (let times = 0; times < 2; times++) {
      const moved = await fixture.acme.call('svc_update_workflow', { workflowId, inFlight: 'migrate' });
      expect(moved, 'also when its answer was lost').to.deep.include({ graphVersion: 2, runsMigrated: 5 });
    }
    expect((await warnings()).map((one) => one.code)).to.not.include('in_flight_on_old');
    await fixture.pass(DAY);
    expect([await tagged('wrong'), await tagged('right')]).to.deep.equal([0, 5]);
  });

  it('who was stopped in a step has entered it, as those who left it by its outcome', async () => {
    const mine = await fixture.people(Array.from({ length: 5 }, (_, index) => `Halted${index}`));
    const nap = {
      nodeId: 'nap',
      nodeType: 'flow:wait',
      label: 'Nap',
      config: { waitType: 'duration', durationMs: DAY },
    };
    const mark = { nodeId: 'mark', nodeType: 'lead:tag', label: 'Mark', config: { add: ['halted'] } };
    const edges = [
      { sourceIndex: 0, targetIndex: 1 },
      { sourceIndex: 1, targetIndex: 2 },
    ];
    const nodes = [{ nodeId: 'start', nodeType: 'source:manual' }, nap, mark];
    const workflowId = await enable(await campaign('Halted'), 'H', { nodes, edges });
    await enrol(workflowId, mine);
    const entered = async (): Promise<(number | undefined)[]> => {
      const now = await stats(workflowId);
      return ['nap', 'mark'].map((id) => now.nodes.find((node) => node.nodeId === id)?.entered);
    };
    expect(await entered()).to.deep.equal([5, 0]);
    const { runs } = await fixture.acme.call<{ runs: { runId: string }[] }>('svc_list_workflow_runs', { workflowId });
    const runIds = runs.slice(0, 2).map((run) => run.runId);
    await fixture.acme.call('svc_control_workflow_runs', { runIds, action: 'stop' });
    expect(await entered()).to.deep.equal([5, 0]);
    await fixture.pass(DAY);
    expect(await entered()).to.deep.equal([5, 3]);
  });

  describe('a queue of 400 drafts', () => {
    const QUEUE = 400;
    interface Item {
      reviewItemId: string;
      leadId: string;
    }
    const itemsOf = async (workflowId: string, state: string): Promise<Item[]> => {
      const seen: Item[] = [];
      for (let cursor: string | null = null; ; ) {
        const page: { reviewItems: Item[]; nextCursor: string | null } = await fixture.acme.call(
          'svc_list_review_items',
          { workflowId, state, detail: 'full', limit: 100, ...(cursor ? { cursor } : {}) },
        );
        seen.push(...page.reviewItems);
        cursor = page.nextCursor;
        if (cursor === null) return seen;
      }
    };

    it('is decided in bulk, each draft on its own; only what was approved is sent', async () => {
      const nodes = [
        { nodeType: 'source:manual' },
        { nodeType: 'flow:review' },
        { nodeType: 'network:message', config: { textMode: 'static', text: 'Hello' } },
      ];
      const edges = [0, 1].map((index) => ({ sourceIndex: index, targetIndex: index + 1 }));
      const campaignId = await campaign('Reviewed', { dedupeScope: 'campaign', recontactAfterDays: 0 });
      const workflowId = await enable(campaignId, 'R', { nodes, edges });
      await enrol(workflowId, leads.slice(0, QUEUE));
      const drafts = await itemsOf(workflowId, 'pending');
      expect(new Set(drafts.map((item) => item.leadId)).size).to.equal(QUEUE);

      // One was decided by a colleague, one person wrote meanwhile, one id is none.
      const [decided, replied] = drafts;
      await fixture.acme.call('svc_reject_review_item', { reviewItemId: decided?.reviewItemId, reason: 'not him' });
      const name = `p-lead${leads.indexOf(replied?.leadId ?? '')}`;
      const sentAt = fixture.tools.cluster.clock.now();
      const message = { messageId: 'meanwhile', chatId: `chat-${name}`, text: 'Who are you?', sentAt };
      fixture.network.inbox.push({ ...message, direction: 'in' });
      await fixture.sync();

      const ids = drafts.map((item) => item.reviewItemId);
      const kept = new Set(ids.slice(0, 300));
      const failed: { reviewItemId: string; message: string }[] = [];
      let done = 0;
      for (let at = 0; at < QUEUE; at += 100) {
        const decision = at < 300 ? 'approve' : 'reject';
        const reviewItemIds = at === 300 ? [...ids.slice(at + 1), NOBODY] : ids.slice(at, at + 100);
        const input = { reviewItemIds, decision, reason: 'checked' };
        const answer = await fixture.acme.call<{ decided: number; failed: typeof failed }>(
          'svc_bulk_decide_review_items',
          input,
        );
        done += answer.decided;
        failed.push(...answer.failed);
      }
      expect(done).to.equal(QUEUE - 3);
      expect(failed.map((one) => [one.reviewItemId, /Call (svc_[a-z_]+)/.exec(one.message)?.[1]])).to.deep.equal(
        [decided?.reviewItemId, replied?.reviewItemId, NOBODY].map((id) => [id, 'svc_list_review_items']),
      );
      expect((await itemsOf(workflowId, 'pending')).map((item) => item.reviewItemId)).to.deep.equal([ids[300]]);
      expect(await itemsOf(workflowId, 'rejected')).to.have.length(100);

      for (let hour = 0; hour < 6; hour++) await fixture.pass(HOUR);
      const wanted = new Set(
        drafts.filter((item) => kept.has(item.reviewItemId)).map((item) => `p-lead${leads.indexOf(item.leadId)}`),
      );
      const sent = fixture.network.received.filter((one) => one.publicId.startsWith('p-lead'));
      expect(sent.length).to.be.above(3);
      expect(sent.every((one) => wanted.has(one.publicId) && one.publicId !== name)).to.equal(true);
      expect(sent.some((one) => one.publicId === `p-lead${leads.indexOf(decided?.leadId ?? '')}`)).to.equal(false);
    });
  });

  it('a lead in two campaigns replies to one: the other one writes no more, colleagues go on', async () => {
    const write = (text: string, waitMs: number): object => ({
      nodes: [
        { nodeType: 'source:manual' },
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: waitMs } },
        { nodeType: 'network:message', config: { textMode: 'static', text } },
        { nodeType: 'network:wait_reply', config: { timeoutMs: 5 * DAY } },
      ],
      edges: [0, 1, 2].map((index) => ({ sourceIndex: index, targetIndex: index + 1 })),
    });
    const [ada = '', bo = ''] = await fixture.people(['Ada', 'Bo']);
    // Each campaign may follow a person of another one: the policy says so.
    const policy = { dedupeScope: 'campaign', recontactAfterDays: 0 };
    const first = await enable(await campaign('Product', policy), 'P', write('About the product', HOUR));
    const second = await enable(await campaign('Event', policy), 'E', write('About the event', 2 * DAY));
    await enrol(first, [ada]);
    await enrol(second, [ada, bo]);
    await fixture.pass(2 * HOUR);
    const said = (): string[] => fixture.network.received.map((one) => `${one.publicId}: ${one.text}`);
    expect(said()).to.deep.equal(['p-ada: About the product']);

    fixture.network.inbox.push({
      messageId: 'answer-1',
      chatId: 'chat-p-ada',
      direction: 'in',
      text: 'Sounds good, tell me more.',
      sentAt: fixture.tools.cluster.clock.now() + HOUR,
    });
    await fixture.pass(2 * HOUR);
    await fixture.sync();
    await fixture.pass(3 * DAY);
    expect(said()).to.deep.equal(['p-ada: About the product', 'p-bo: About the event']);
    const stateOf = async (workflowId: string, leadId: string): Promise<string | undefined> => {
      const { runs } = await fixture.acme.call<{ runs: { leadId: string; state: string }[] }>(
        'svc_list_workflow_runs',
        {
          workflowId,
        },
      );
      return runs.find((run) => run.leadId === leadId)?.state;
    };
    for (const workflowId of [first, second]) {
      expect(['replied', 'completed']).to.include(await stateOf(workflowId, ada));
    }
    expect(await stateOf(second, bo), 'nobody stops for what Ada said').to.equal('waiting');
    const { conversations } = await fixture.acme.call<{ conversations: { leadId: string; replyClass: string }[] }>(
      'svc_list_conversations',
      {},
    );
    expect(conversations.find((one) => one.leadId === ada)?.replyClass).to.equal('positive');
  });

  /** A message that says the name of its node. */
  const write = (nodeId: string): object => ({
    nodeId,
    nodeType: 'network:message',
    label: nodeId,
    config: { textMode: 'static', text: nodeId },
  });

  it('a step that is taken out comes for nobody who is before it, also while the outcome of their send is not known', async () => {
    const nodes = [
      { nodeId: 'start', nodeType: 'source:manual' },
      write('first'),
      { nodeId: 'nap', nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
      write('second'),
    ];
    const edges = [0, 1, 2].map((index) => ({ sourceIndex: index, targetIndex: index + 1 }));
    const workflowId = await enable(await campaign('Removed'), 'X', { nodes, edges });
    const [lost = ''] = await fixture.people(['Lost']);
    fixture.network.onPerform = (_action, perform) => {
      perform();
      return Promise.reject(new ProviderError('unknown_outcome', 'connection reset'));
    };
    await enrol(workflowId, [lost]);
    for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
    fixture.network.onPerform = undefined;
    const said = (): (string | null)[] =>
      fixture.network.received.filter((one) => one.publicId === 'p-lost').map((one) => one.text);
    expect(said()).to.deep.equal(['first']);
    await fixture.acme.call('svc_remove_workflow_node', { workflowId, nodeId: 'second' });
    await fixture.tools.rows('update send set lookup_after = clock_timestamp() where lookup_after is not null');
    await fixture.lookUp();
    for (let hour = 0; hour < 6; hour++) await fixture.pass(HOUR);
    expect(said()).to.deep.equal(['first']);
    expect((await stats(workflowId)).totals['completed']).to.equal(1);
  });

  it('who is away is left alone until they are back, also when the step at which they stand is taken out', async () => {
    const nodes = [
      { nodeId: 'start', nodeType: 'source:manual' },
      write('hello'),
      { nodeId: 'nap', nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } },
      write('again'),
    ];
    const edges = [0, 1, 2].map((index) => ({ sourceIndex: index, targetIndex: index + 1 }));
    const workflowId = await enable(await campaign('Away'), 'A', { nodes, edges });
    const [away = ''] = await fixture.people(['Away']);
    await enrol(workflowId, [away]);
    for (let hour = 0; hour < 6; hour++) await fixture.pass(HOUR);
    fixture.network.inbox.push({
      messageId: 'away-1',
      chatId: 'chat-p-away',
      direction: 'in',
      text: 'Automatic reply: I am out of office.',
      sentAt: fixture.tools.cluster.clock.now(),
    });
    await fixture.sync();
    const removed = await fixture.acme.call<{ leadsMoved: number }>('svc_remove_workflow_node', {
      workflowId,
      nodeId: 'nap',
    });
    expect(removed.leadsMoved).to.equal(1);
    const said = (): (string | null)[] =>
      fixture.network.received.filter((one) => one.publicId === 'p-away').map((one) => one.text);
    for (let half = 0; half < 12; half++) await fixture.pass(DAY / 2);
    expect(said()).to.deep.equal(['hello']);
    for (let half = 0; half < 6; half++) await fixture.pass(DAY / 2);
    expect(said()).to.deep.equal(['hello', 'again']);
  });

  it('who finishes on the old version is seen where they stand, though the new one has no such step', async () => {
    const nap = (nodeId: string): object => {
      const wait = { nodeId, nodeType: 'flow:wait', label: nodeId, config: { waitType: 'duration', durationMs: DAY } };
      return { nodes: [{ nodeType: 'source:manual' }, wait], edges: [{ sourceIndex: 0, targetIndex: 1 }] };
    };
    const workflowId = await enable(await campaign('Seen'), 'S', nap('old-nap'));
    const [seen = ''] = await fixture.people(['Seen']);
    await enrol(workflowId, [seen]);
    const lost = await fixture.acme.call<{ runsMigrated: number }>('svc_update_workflow', {
      workflowId,
      graph: nap('other-nap'),
      inFlight: 'migrate',
    });
    expect(lost.runsMigrated, 'the new version has no place for them').to.equal(0);
    await fixture.acme.call('svc_update_workflow', { workflowId, graph: nap('new-nap'), inFlight: 'finish_on_old' });
    const standing = (await stats(workflowId)).nodes.filter((node) => node.standing > 0);
    expect(standing).to.deep.include.members([{ ...standing[0], nodeId: 'old-nap', standing: 1 }]);
    const { leads: there } = await fixture.acme.call<{ leads: { leadId: string }[] }>('svc_list_leads_at_node', {
      workflowId,
      nodeId: 'old-nap',
    });
    expect(there.map((one) => one.leadId)).to.deep.equal([seen]);
    await fixture.pass(2 * DAY);
    expect((await stats(workflowId)).nodes.map((node) => node.nodeId)).not.to.include('old-nap');
  });

  describe('a draft waits for a person while the graph is edited', () => {
    const look = { nodeId: 'look', nodeType: 'flow:review', label: 'Look', config: { expiresAfterMs: 30 * DAY } };
    const nap = { nodeType: 'flow:wait', label: 'Nap', config: { waitType: 'duration', durationMs: 60 * DAY } };
    const say = { nodeId: 'say', nodeType: 'network:message', label: 'Say', config: { text: 'Hello' } };
    const chain = (...steps: object[]): object => ({
      nodes: [{ nodeId: 'start', nodeType: 'source:manual' }, ...steps],
      edges: steps.map((_step, index) => ({ sourceIndex: index, targetIndex: index + 1 })),
    });
    const drafts = async (workflowId: string, state: string): Promise<{ reviewItemId: string }[]> =>
      (
        await fixture.acme.call<{ reviewItems: { reviewItemId: string }[] }>('svc_list_review_items', {
          workflowId,
          state,
          fields: ['state', 'body', 'version', 'expiresAt'],
        })
      ).reviewItems;
    const waiting = async (name: string): Promise<{ workflowId: string; before: { reviewItemId: string }[] }> => {
      const workflowId = await enable(await campaign(name), 'D', chain(look, say));
      await enrol(workflowId, await fixture.people([name]));
      const before = await drafts(workflowId, 'pending');
      expect(before).to.have.length(1);
      return { workflowId, before };
    };

    for (const [when, edits] of [
      ['with the edit', [{ inFlight: 'migrate' }]],
      ['after it', [{ inFlight: 'finish_on_old' }, { inFlight: 'migrate', graph: undefined }]],
    ] as const)
      it(`its step is another one, and leads go over ${when}: it is taken back, and nobody decides about a text for which no lead waits`, async () => {
        const { workflowId, before } = await waiting(`Drafted${edits.length}`);
        const graph = chain({ ...nap, nodeId: 'look' }, say);
        for (const edit of edits) {
          expect(await drafts(workflowId, 'pending')).to.deep.equal(before);
          await fixture.acme.call('svc_update_workflow', { workflowId, graph, ...edit });
          await fixture.pass(HOUR);
        }
        const taken = (await drafts(workflowId, 'cancelled')).map((draft) => draft.reviewItemId);
        expect(taken).to.deep.equal(before.map((draft) => draft.reviewItemId));
        expect((await stats(workflowId)).totals['waiting']).to.equal(1);
      });

    it('its step is as it was: it waits on, and is still the one to decide', async () => {
      const { workflowId, before } = await waiting('Undisturbed');
      const graph = chain(look, say, { ...nap, nodeId: 'later' });
      await fixture.acme.call('svc_update_workflow', { workflowId, graph, inFlight: 'migrate' });
      await fixture.pass(HOUR);
      expect(await drafts(workflowId, 'pending')).to.deep.equal(before);
      await fixture.acme.call('svc_approve_review_item', { reviewItemId: before[0]?.reviewItemId });
      await fixture.pass(HOUR);
      expect(await drafts(workflowId, 'pending'), 'nobody is asked twice').to.deep.equal([]);
      expect(await drafts(workflowId, 'cancelled')).to.deep.equal([]);
    });
  });

  it('only who was asked by the campaign counts as having accepted, not who is found connected', async () => {
    const [old = '', fresh = ''] = await fixture.people(['Oldfriend', 'Freshface']);
    fixture.network.connected.delete('p-freshface');
    const ask = { nodeId: 'ask', nodeType: 'network:connection_request', label: 'Ask' };
    const wait = { nodeId: 'wait', nodeType: 'network:wait_connection', label: 'Accepted?' };
    const mark = { nodeId: 'mark', nodeType: 'lead:tag', label: 'Mark', config: { add: ['in touch'] } };
    const edges = [
      { sourceIndex: 0, targetIndex: 1 },
      { sourceIndex: 1, targetIndex: 2 },
      { sourceIndex: 1, targetIndex: 3, branch: 'already_connected' },
      { sourceIndex: 2, targetIndex: 3, branch: 'accepted' },
    ];
    const nodes = [{ nodeId: 'start', nodeType: 'source:manual' }, ask, wait, mark];
    const campaignId = await campaign('Accepted');
    await enrol(await enable(campaignId, 'A', { nodes, edges }), [old, fresh]);
    for (let hour = 0; hour < 5; hour++) await fixture.pass(HOUR);
    const funnel = async (): Promise<{ requested: number; accepted: number }> =>
      (
        await fixture.acme.call<{ funnel: { requested: number; accepted: number } }>('svc_get_campaign_stats', {
          campaignId,
        })
      ).funnel;
    expect(await tagged('in touch')).to.equal(1);
    expect(await funnel()).to.include({ requested: 1, accepted: 0 });
    fixture.network.connected.add('p-freshface');
    await fixture.sync();
    await fixture.pass(0);
    expect(await tagged('in touch')).to.equal(2);
    expect(await funnel()).to.include({ requested: 1, accepted: 1 });
  });
});

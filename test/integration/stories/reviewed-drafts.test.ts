import { expect } from 'chai';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { DAY, type EngineFixture, HOUR, startEngineFixture } from '../../fixtures/stories/engine-fixture.ts';
import { type Item, message, reviewedFlows } from '../../fixtures/stories/reviewed-flows.ts';

// What a person decides about a draft, and what then leaves: by public tools and a running executor.
describe('story: drafts before people', function () {
  this.timeout(120_000);
  let fixture: EngineFixture;
  before(async () => {
    fixture = await startEngineFixture();
  });
  after(() => fixture.stop());
  const { flow, graphOf, enrol, items, pending, run, control, campaignOf, reject } = reviewedFlows(() => fixture);

  describe('a rejection', () => {
    it('with stop_lead: the lead leaves the sequence, whatever the graph does with rejected drafts', async () => {
      const workflowId = await flow(
        [{ nodeType: 'flow:review' }, message('first', 'Hello'), message('instead', 'Something else')],
        [{ sourceIndex: 1, targetIndex: 3, branch: 'rejected' }],
      );
      const { runId, received } = await enrol(workflowId);
      await reject((await pending(workflowId)).reviewItemId, 'stop_lead');
      for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
      expect(await run(runId)).to.include({ state: 'stopped', endReason: 'the draft was rejected' });
      expect(received()).to.deep.equal([]);
    });

    it('with recraft: the text is written anew and put before a person again; what is approved is sent', async () => {
      const workflowId = await flow([
        { nodeType: 'ai:craft', label: 'opener', config: { channel: 'message', requireFacts: 1 } },
        { nodeType: 'flow:review' },
        { nodeType: 'network:message', config: { textMode: 'craft', text: '{{craft:opener}}' } },
      ]);
      const { runId, received } = await enrol(workflowId);
      const drafts: string[] = [];
      for (let times = 0; times < 4; times++) {
        const item = await pending(workflowId);
        drafts.push(item.body);
        await reject(item.reviewItemId, 'recraft');
        await fixture.pass(0);
        expect(await run(runId)).to.include({ state: 'in_review', waitReason: 'review' });
      }
      const again = drafts.filter((draft, at) => draft === drafts[at - 1]);
      expect(again, 'texts that came back as they were rejected').to.deep.equal([]);
      expect(await items(workflowId, 'rejected')).to.have.length(4);
      const { reviewItemId, body } = await pending(workflowId);
      await fixture.acme.call('svc_approve_review_item', { reviewItemId });
      for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
      expect(received()).to.deep.equal([body]);
    });

    it('with recraft before a send node: the draft is made anew there', async () => {
      const workflowId = await flow([message('first', 'Hello')], [], { reviewMode: 'all' });
      const { received } = await enrol(workflowId);
      const first = await pending(workflowId);
      await reject(first.reviewItemId, 'recraft');
      await fixture.pass(0);
      const second = await pending(workflowId);
      expect(second.reviewItemId).to.not.equal(first.reviewItemId);
      await fixture.acme.call('svc_approve_review_item', { reviewItemId: second.reviewItemId });
      for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
      expect(received()).to.deep.equal(['Hello']);
    });
  });

  it('a workflow that is disabled takes its drafts back, approved ones too: when it goes on people are asked anew', async () => {
    const workflowId = await flow([{ nodeType: 'flow:review' }, message('first', 'Hello')]);
    const undecided = await enrol(workflowId);
    const before = await pending(workflowId);
    await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: false });
    expect((await items(workflowId, 'cancelled')).map((item) => item.reviewItemId)).to.deep.equal([
      before.reviewItemId,
    ]);
    expect(await fixture.acme.refusal('svc_approve_review_item', { reviewItemId: before.reviewItemId })).to.match(
      /cancelled/,
    );
    expect(await items(workflowId, 'pending'), 'drafts of a workflow that stands').to.deep.equal([]);
    await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: true });
    await fixture.pass(0);
    const { reviewItemId } = await pending(workflowId);
    await fixture.acme.call('svc_approve_review_item', { reviewItemId });
    await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: false });
    expect(await items(workflowId, 'approved')).to.deep.equal([]);
    await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: true });
    for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
    expect(undecided.received(), 'approved before it was disabled').to.deep.equal([]);
    await fixture.acme.call('svc_approve_review_item', { reviewItemId: (await pending(workflowId)).reviewItemId });
    for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
    expect(undecided.received()).to.deep.equal(['Hello']);
  });

  for (const [who, text, policy] of [
    ['is away', 'Automatic reply: I am out of office.', {}],
    ['answers, where answers do not end a sequence', 'Who are you?', { stopOnReply: false }],
  ] as const) {
    it(`a draft that was taken back because the lead ${who} is not sent later: people are asked anew`, async () => {
      const nap = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 2 * DAY } };
      const review = { nodeType: 'flow:review', config: { expiresAfterMs: 30 * DAY } };
      const nodes = [review, nap, message('first', 'Hello')];
      const workflowId = await flow(nodes, [], { contactPolicy: { minDaysBetweenTouches: 0, ...policy } });
      const { runId, received, says } = await enrol(workflowId);
      await fixture.acme.call('svc_approve_review_item', { reviewItemId: (await pending(workflowId)).reviewItemId });
      await fixture.pass(HOUR);
      await says(text);
      expect(await items(workflowId, 'cancelled')).to.have.length(1);
      for (let half = 0; half < 20; half++) await fixture.pass(DAY / 2);
      expect(received(), 'nobody approves it any more').to.deep.equal([]);
      expect(await run(runId)).to.include({ state: 'in_review' });
      await fixture.acme.call('svc_approve_review_item', { reviewItemId: (await pending(workflowId)).reviewItemId });
      for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
      expect(received()).to.deep.equal(['Hello']);
    });
  }

  describe('the account cannot send while a draft waits', () => {
    const usable = (is: boolean): Promise<unknown> =>
      fixture.acme.call('svc_update_network_account_settings', { networkAccountId: fixture.accountId, paused: !is });
    afterEach(() => usable(true));

    it('what is approved is sent when it can again, and nobody is asked twice', async () => {
      const workflowId = await flow([message('first', 'Hello')], [], { reviewMode: 'all' });
      const { runId, received } = await enrol(workflowId);
      const { reviewItemId } = await pending(workflowId);
      await usable(false);
      await fixture.pass(HOUR);
      expect(await run(runId)).to.include({ state: 'in_review', waitReason: 'review' });
      await fixture.acme.call('svc_approve_review_item', { reviewItemId });
      await fixture.pass(HOUR);
      expect(await run(runId)).to.include({ state: 'blocked', waitReason: 'account_unhealthy' });
      await usable(true);
      for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
      expect(await items(workflowId, 'pending')).to.deep.equal([]);
      expect(received()).to.deep.equal(['Hello']);
    });

    it('what is rejected to be written anew is written anew, and what nobody decides expires', async () => {
      const workflowId = await flow([message('first', 'Hello')], [], { reviewMode: 'all' });
      const { runId, received } = await enrol(workflowId);
      await usable(false);
      await reject((await pending(workflowId)).reviewItemId, 'recraft');
      await fixture.pass(HOUR);
      await usable(true);
      await fixture.pass(HOUR);
      const [{ on_reject: became } = { on_reject: '' }] = await fixture.tools.rows<{ on_reject: string }>(
        `select on_reject from review_item where run_id = $1 and state = 'rejected'`,
        [runId],
      );
      expect(became, 'another one took its place').to.equal('redrafted');
      await pending(workflowId);
      await usable(false);
      for (let day = 0; day < 4; day++) await fixture.pass(DAY);
      expect(await items(workflowId, 'pending')).to.deep.equal([]);
      expect(await run(runId)).to.include({ state: 'stopped', endReason: 'the review expired' });
      expect(received()).to.deep.equal([]);
    });

    for (const [how, nodes] of [
      ['at its send', [{ nodeType: 'network:message', config: { textMode: 'ai' } }]],
      [
        'of ai:craft',
        [
          { nodeType: 'ai:craft', label: 'opener', config: { channel: 'message', requireFacts: 1 } },
          { nodeType: 'network:message', config: { textMode: 'craft', text: '{{craft:opener}}' } },
        ],
      ],
    ] as const)
      it(`a text ${how} that was rejected to be written anew is written anew when a person retries a run that was blocked for too long`, async () => {
        const workflowId = await flow([...nodes], [], { reviewMode: 'all' });
        const { runId } = await enrol(workflowId);
        await usable(false);
        const first = await pending(workflowId);
        await reject(first.reviewItemId, 'recraft');
        for (let day = 0; day < 32; day++) await fixture.pass(DAY);
        expect(await run(runId)).to.include({ state: 'failed' });
        await usable(true);
        await control(runId, 'retry');
        for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
        const second = await pending(workflowId);
        expect(second.reviewItemId).to.not.equal(first.reviewItemId);
        expect(second.body).to.not.equal(first.body);
      });
  });

  it('a draft of a step that is needless by now is taken back: nobody is asked about a request to who has accepted', async () => {
    const ask = { nodeType: 'network:connection_request', config: { noteMode: 'static', noteTemplate: 'Hello' } };
    const nap = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 30 * DAY } };
    const workflowId = await flow([ask, nap], [{ sourceIndex: 1, targetIndex: 2, branch: 'already_connected' }], {
      reviewMode: 'all',
    });
    const { runId, received, connects } = await enrol(workflowId, false);
    await pending(workflowId);
    await connects();
    for (let day = 0; day < 4; day++) await fixture.pass(DAY);
    expect(await run(runId)).to.include({ state: 'waiting', waitReason: 'duration' });
    expect(await items(workflowId, 'pending')).to.deep.equal([]);
    expect(received()).to.deep.equal([]);
  });

  it('a text that was approved and waits at its send is asked for anew, too, when its workflow was disabled meanwhile', async () => {
    const workflowId = await flow([message('first', 'Hello')], [], { reviewMode: 'all' });
    const { runId, received } = await enrol(workflowId);
    const [node] = (
      await fixture.tools.rows<{ node: string }>('select node_id as node from run where id = $1', [runId])
    ).map((row) => row.node);
    // It was approved, and its run took the text along before its account could send.
    await fixture.acme.call('svc_approve_review_item', { reviewItemId: (await pending(workflowId)).reviewItemId });
    await fixture.tools.force(
      `update run set facts = facts || jsonb_build_object('approved', jsonb_build_object($2::text, 'Hello')), state = 'waiting', wait_reason = 'pacing', due_at = entered_at + $3 where id = $1`,
      [runId, node, HOUR],
    );
    await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: false });
    await fixture.acme.call('svc_update_workflow_status', { workflowId, enabled: true });
    for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
    expect(received()).to.deep.equal([]);
    await fixture.acme.call('svc_approve_review_item', { reviewItemId: (await pending(workflowId)).reviewItemId });
    for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
    expect(received()).to.deep.equal(['Hello']);
  });

  describe('the campaign ends its review mode while drafts wait', () => {
    it('what is rejected is not sent, and what was edited is sent as edited', async () => {
      const workflowId = await flow([message('first', 'Hello')], [], { reviewMode: 'all' });
      const refused = await enrol(workflowId);
      const { reviewItemId: no } = await pending(workflowId);
      await fixture.acme.call('svc_update_campaign', { campaignId: await campaignOf(workflowId), reviewMode: 'off' });
      await reject(no, 'skip_step');
      for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
      expect(refused.received()).to.deep.equal([]);

      await fixture.acme.call('svc_update_campaign', { campaignId: await campaignOf(workflowId), reviewMode: 'all' });
      const edited = await enrol(workflowId);
      const { reviewItemId: yes } = await pending(workflowId);
      await fixture.acme.call('svc_update_campaign', { campaignId: await campaignOf(workflowId), reviewMode: 'off' });
      await fixture.acme.call('svc_edit_review_item', { reviewItemId: yes, body: 'Good day' });
      for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
      expect(edited.received()).to.deep.equal(['Good day']);
    });

    it('a draft that was approved and never sent, since its lead was moved back, is not said to be sent with the next one', async () => {
      const workflowId = await flow([
        { nodeId: 'check', nodeType: 'flow:review', label: 'check' },
        message('first', 'Hello'),
      ]);
      const { runId, received } = await enrol(workflowId);
      const { reviewItemId: before } = await pending(workflowId);
      await fixture.acme.call('svc_approve_review_item', { reviewItemId: before });
      await control(runId, 'move', { nodeId: 'check' });
      await fixture.pass(0);
      const { reviewItemId: after } = await pending(workflowId);
      expect(after).to.not.equal(before);
      await fixture.acme.call('svc_edit_review_item', { reviewItemId: after, body: 'Good day' });
      for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
      expect(received()).to.deep.equal(['Good day']);
      expect((await items(workflowId, 'sent')).map((item) => item.reviewItemId)).to.deep.equal([after]);
      expect((await items(workflowId, 'cancelled')).map((item) => item.reviewItemId)).to.deep.equal([before]);
    });

    it('a draft whose time ran out while its campaign was paused is expired to who reads it, as to who decides', async () => {
      const workflowId = await flow([
        { nodeType: 'flow:review', config: { expiresAfterMs: HOUR } },
        message('first', 'Hello'),
      ]);
      await enrol(workflowId);
      const { reviewItemId } = await pending(workflowId);
      await fixture.acme.call('svc_update_campaign', { campaignId: await campaignOf(workflowId), status: 'paused' });
      await fixture.pass(2 * HOUR);
      expect(await fixture.acme.refusal('svc_approve_review_item', { reviewItemId })).to.match(/has expired/);
      const page = await fixture.acme.call<{ reviewItems: Item[]; pendingCount: number }>('svc_list_review_items', {
        workflowId,
      });
      expect([page.reviewItems, page.pendingCount]).to.deep.equal([[], 0]);
      expect((await items(workflowId, 'expired')).map((item) => [item.reviewItemId, item.state])).to.deep.equal([
        [reviewItemId, 'expired'],
      ]);
      const { reviewItem } = await fixture.acme.call<{ reviewItem: Item }>('svc_get_review_item', { reviewItemId });
      expect(reviewItem.state).to.equal('expired');
    });

    it('a draft that nobody decides is not sent when it expires', async () => {
      const workflowId = await flow([message('first', 'Hello')], [], { reviewMode: 'all' });
      const { runId, received } = await enrol(workflowId);
      await fixture.acme.call('svc_update_campaign', { campaignId: await campaignOf(workflowId), reviewMode: 'off' });
      for (let day = 0; day < 5; day++) await fixture.pass(DAY);
      expect(received()).to.deep.equal([]);
      expect(await run(runId)).to.include({ state: 'stopped', endReason: 'the review expired' });
    });
  });

  it('a draft names what a person should look at twice, and again when its text was changed', async () => {
    const text = 'We guarantee 40 % more revenue, proven. Sorry about the layoffs at {{lead:company}}.';
    const workflowId = await flow([{ nodeType: 'flow:review' }, message('first', text)]);
    await enrol(workflowId);
    const { reviewItemId, riskFlags } = await pending(workflowId);
    expect(riskFlags).to.deep.equal(['unsourced_claim', 'first_touch', 'sensitive']);
    const edit = (body: string): Promise<unknown> =>
      fixture.acme.call('svc_edit_review_item', { reviewItemId, body, approve: false });
    await edit('Hello');
    expect((await pending(workflowId)).riskFlags).to.deep.equal(['first_touch']);
    await edit('We are #1');
    expect((await pending(workflowId)).riskFlags).to.deep.equal(['unsourced_claim', 'first_touch']);
  });

  it('whom the network can not find needs neither a person who decides nor time of the account', async () => {
    const note = {
      nodeId: 'ask',
      nodeType: 'network:connection_request',
      label: 'ask',
      config: { noteMode: 'static', noteTemplate: 'Hello' },
    };
    const look = { nodeId: 'look', nodeType: 'network:profile_view', label: 'look' };
    const limit = (views: number): Promise<unknown> =>
      fixture.acme.call('svc_update_network_account_settings', {
        networkAccountId: fixture.accountId,
        dailyLimits: { profile_view: views },
      });
    await limit(1);
    for (const [index, [nodes, settings]] of [
      [[note], { reviewMode: 'all' }] as const,
      [[{ nodeId: 'check', nodeType: 'flow:review', label: 'check' }, note], {}] as const,
      [[look], {}] as const,
    ].entries()) {
      const workflowId = await flow([...nodes], [], settings);
      const rows = [0, 1, 2].map((row) => `Mailonly,By${index}${row},by${index}-${row}@mail.example`);
      await fixture.acme.call('svc_import_leads_csv', { csv: `First name,Last name,Email\n${rows.join('\n')}\n` });
      const { leads } = await fixture.acme.call<{ leads: { leadId: string }[] }>('svc_search_leads', {
        query: `Mailonly By${index}`,
      });
      const leadIds = leads.map((lead) => lead.leadId);
      const { runIds } = await fixture.acme.call<{ runIds: string[] }>('svc_trigger_workflow', { workflowId, leadIds });
      expect(runIds).to.have.length(3);
      await fixture.pass(0);
      expect(await items(workflowId, 'pending')).to.deep.equal([]);
      for (const runId of runIds)
        expect((await run(runId)).endReason).to.match(/^network:\w+ failed: the lead has no profile address$/);
    }
    await limit(50);
  });

  describe('a run is held while its draft waits', () => {
    for (const [how, resumeAt] of [
      ['resumed by a person', false],
      ['resumed at its time', true],
    ] as const) {
      it(`${how}: the same draft waits on, and a decision that came meanwhile counts`, async () => {
        const workflowId = await flow([{ nodeType: 'flow:review' }, message('first', 'Hello')]);
        const goOn = async (runId: string): Promise<void> => {
          if (!resumeAt) await control(runId, 'resume');
          await fixture.pass(2 * HOUR);
        };
        const hold = (runId: string): Promise<unknown> => {
          const at = new Date(fixture.tools.cluster.clock.now() + HOUR).toISOString();
          return control(runId, 'pause', resumeAt ? { resumeAt: at } : {});
        };
        const waiting = await enrol(workflowId);
        const { reviewItemId } = await pending(workflowId);
        await hold(waiting.runId);
        await goOn(waiting.runId);
        expect((await pending(workflowId)).reviewItemId).to.equal(reviewItemId);
        expect(await run(waiting.runId)).to.include({ state: 'in_review', waitReason: 'review' });

        await hold(waiting.runId);
        await fixture.acme.call('svc_approve_review_item', { reviewItemId });
        expect(waiting.received()).to.deep.equal([]);
        await goOn(waiting.runId);
        for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
        expect(waiting.received()).to.deep.equal(['Hello']);
        expect(await items(workflowId, 'pending')).to.deep.equal([]);
      });
    }
  });

  it('a run that is moved leaves no draft behind: nobody is asked about a step that is not to come', async () => {
    const workflowId = await flow([{ nodeId: 'ask', nodeType: 'flow:review' }, message('first', 'Hello')]);
    const { runId } = await enrol(workflowId);
    const { reviewItemId } = await pending(workflowId);
    await control(runId, 'move', { nodeId: 'ask' });
    await fixture.pass(0);
    const again = await pending(workflowId);
    expect(again.reviewItemId).to.not.equal(reviewItemId);
    expect(await fixture.acme.refusal('svc_approve_review_item', { reviewItemId })).to.equal(
      `Review item "${reviewItemId}" is cancelled already. Call svc_list_review_items.`,
    );
  });

  it('a draft that was taken back when its lead failed is not sent when a person retries: people are asked anew', async () => {
    const workflowId = await flow([{ nodeType: 'flow:review' }, message('first', 'Hello')]);
    const { runId, received } = await enrol(workflowId);
    fixture.network.onPerform = () => Promise.reject(new ProviderError('rejected', 'no'));
    await fixture.acme.call('svc_approve_review_item', { reviewItemId: (await pending(workflowId)).reviewItemId });
    for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
    fixture.network.onPerform = undefined;
    expect(await run(runId)).to.include({ state: 'failed' });
    expect(await items(workflowId, 'cancelled')).to.have.length(1);
    await control(runId, 'retry');
    for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
    expect(received(), 'what nobody approves any more').to.deep.equal([]);
    await fixture.acme.call('svc_approve_review_item', { reviewItemId: (await pending(workflowId)).reviewItemId });
    for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
    expect(received()).to.deep.equal(['Hello']);
    expect(await items(workflowId, 'sent')).to.have.length(1);
  });

  describe('a text that a person writes', () => {
    it('is refused with a placeholder in it: nothing fills it any more, and the lead would read it', async () => {
      const workflowId = await flow([{ nodeType: 'flow:review' }, message('first', 'Hello')]);
      await enrol(workflowId);
      const { reviewItemId } = await pending(workflowId);
      for (const body of ['Hi {{lead:firstName}}, hello', 'Hi {{first_name}}', 'Hi }}']) {
        expect(await fixture.acme.refusal('svc_edit_review_item', { reviewItemId, body })).to.match(
          /^Invalid input: body: holds a placeholder/,
        );
      }
      expect((await pending(workflowId)).body).to.equal('Hello');
    });

    it('may have as many characters as its channel allows, an emoji being one of them', async () => {
      const workflowId = await flow([
        { nodeType: 'flow:review' },
        { nodeType: 'network:connection_request', config: { noteMode: 'static', noteTemplate: 'Hello' } },
      ]);
      const { received } = await enrol(workflowId, false);
      // Of a basic account.
      const body = '\u{1f600}'.repeat(200);
      const { reviewItemId } = await pending(workflowId);
      await fixture.acme.call('svc_edit_review_item', { reviewItemId, body });
      for (let hour = 0; hour < 12; hour++) await fixture.pass(HOUR);
      expect(received()).to.deep.equal([body]);
    });

    it('as the note of a request that had none spends the budget of noted requests, like every note', async () => {
      // A basic account has one note a week.
      await fixture.pass(8 * DAY);
      const workflowId = await flow([{ nodeType: 'network:connection_request' }], [], { reviewMode: 'all' });
      const received = [];
      for (const body of ['Hi', 'Hello', null]) {
        received.push((await enrol(workflowId, false)).received);
        const { reviewItemId } = await pending(workflowId);
        if (body === null) await fixture.acme.call('svc_approve_review_item', { reviewItemId });
        else await fixture.acme.call('svc_edit_review_item', { reviewItemId, body });
      }
      for (let hour = 0; hour < 12; hour++) await fixture.pass(HOUR);
      expect(
        received.map((list) => list()),
        'the second note waits for the next week',
      ).to.deep.equal([['Hi'], [], [null]]);
    });
  });

  it('what a person approved is what is sent: a text that took its place meanwhile is shown first', async () => {
    const review = { nodeId: 'ask', nodeType: 'flow:review', label: 'Ask' };
    const workflowId = await flow([review, message('first', 'Hello')]);
    const { received } = await enrol(workflowId);
    const { reviewItemId } = await pending(workflowId);
    await fixture.acme.call('svc_update_workflow', {
      workflowId,
      graph: graphOf([review, message('other', 'Buy now')]),
      inFlight: 'migrate',
    });
    await fixture.acme.call('svc_approve_review_item', { reviewItemId });
    for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
    expect(received()).to.deep.equal([]);
    const shown = await pending(workflowId);
    expect(shown.body).to.equal('Buy now');
    await fixture.acme.call('svc_approve_review_item', { reviewItemId: shown.reviewItemId });
    for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
    expect(received()).to.deep.equal(['Buy now']);
  });

  it('a text behind a review is never sent unseen: where the way forks, the one that is taken is shown', async () => {
    const fork = {
      nodeType: 'flow:condition',
      label: 'Fork',
      config: { rules: [{ field: 'lead.company', op: 'contains', value: 'nobody' }] },
    };
    const workflowId = await flow(
      [{ nodeType: 'flow:review' }, fork, message('first', 'Seen')],
      [{ sourceIndex: 2, targetIndex: 4, branch: 'false' }],
      {},
      [message('other', 'Unseen'), message('third', 'Behind a send, as its author wanted')],
    );
    const { runId, received } = await enrol(workflowId);
    for (let drafts = 0; drafts < 2; drafts++) {
      const { reviewItemId, body } = await pending(workflowId);
      await fixture.acme.call('svc_approve_review_item', { reviewItemId });
      for (let hour = 0; hour < 3; hour++) await fixture.pass(HOUR);
      if (body === 'Unseen') break;
      expect(received(), 'nobody has seen what is to be sent').to.deep.equal([]);
    }
    expect(received()).to.deep.equal(['Unseen', 'Behind a send, as its author wanted']);
    expect(await items(workflowId, 'approved'), 'nothing stays approved that is never sent').to.deep.equal([]);
    expect(await run(runId)).to.include({ state: 'completed' });
  });
});

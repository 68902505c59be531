import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { webhookSignature } from '../../../pkg/domain/webhook-signature.ts';
import { feedSources } from '../../../pkg/engine/sources/feeder.ts';
import { GraphCache } from '../../../pkg/engine/walk/graph-cache.ts';
import { EXAMPLE_GRAPH } from '../../../pkg/nodes/example-graph.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { expireHolds } from '../../../pkg/store/credits/credits.ts';
import { type CallFixture, grant } from '../../fixtures/engine/call-fixture.ts';
import { CallNodeFixture, type Node } from '../../fixtures/engine/call-node-fixture.ts';
import { change, type EngineHandle, passTime, query } from '../../fixtures/engine/harness.ts';
import type { GraphInput } from '../../fixtures/engine/rows.ts';
import { chain, DAY, HOUR, MINUTE } from '../../fixtures/engine/workflow-fixture.ts';

describe('engine: nodes that ask outside, each with every outcome of the catalog', function () {
  this.timeout(120_000);
  let nodeFixture: CallNodeFixture;
  let fixture: CallFixture;
  let engine: EngineHandle;
  before(async () => {
    nodeFixture = await CallNodeFixture.open();
    ({ fixture, engine } = nodeFixture);
  });
  after(() => fixture.stop());
  afterEach(async () => {
    for (const service of ['openai', 'pdl', 'caldav', 'hubspot', 'instantly', 'hook']) {
      await fixture.control('outside', { service, reply: null, ...(service === 'caldav' ? { taken: [] } : {}) });
    }
    await fixture.control('faults', []);
  });

  // Tests put another engine in its place.
  const through = (node: Node, lead: object = {}, handle = engine): ReturnType<CallNodeFixture['through']> =>
    nodeFixture.through(node, lead, handle);
  const refuse = (service: string, status: number): Promise<unknown> => nodeFixture.refuse(service, status);
  const spent = (work: () => Promise<unknown>): Promise<number> => nodeFixture.spent(work);

  it("the catalog's own example runs from the pool to the message that a person approved", async () => {
    const leadId = await fixture.lead({ company: 'Example Works' });
    const flow = await fixture.flow(EXAMPLE_GRAPH as GraphInput);
    const icp = randomUUID();
    await change(fixture.bench, `insert into icp (id, workspace_id, campaign_id, created_at) values ($1, $2, $3, 1)`, [
      icp,
      fixture.ws,
      fixture.camp,
    ]);
    await change(
      fixture.bench,
      `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at) values ($1, $2, $3, $4, 90, 0, 90, 1)`,
      [fixture.ws, fixture.camp, icp, leadId],
    );
    const { claim, newId } = engine.deps;
    const now = (): number => fixture.bench.clock.now();
    await claim.tx((tx) =>
      feedSources(tx, { workspaceId: fixture.ws, now: now(), cache: new GraphCache(), newId, places: new Map() }),
    );
    await passTime(fixture.bench, engine, 2 * DAY, HOUR);
    await query(
      fixture.bench,
      `select app.record_acceptance($1, $2, r.person_id, m.provider_id, $1)
       from run r join relation m on m.account_id = $2 and m.person_id = r.person_id where r.lead_id = $3`,
      [now(), fixture.account, leadId],
    );
    await engine.quiet();
    const [item] = await query<{ body: string }>(fixture.bench, 'select body from review_item where lead_id = $1', [
      leadId,
    ]);
    expect(item?.body).to.contain('Head of Logistics at Example Works');
    await change(fixture.bench, `update review_item set state = 'approved' where lead_id = $1`, [leadId]);
    await change(fixture.bench, 'update run set due_at = $2 where lead_id = $1', [leadId, now()]);
    await passTime(fixture.bench, engine, 3 * HOUR, 10 * MINUTE);
    const outcomes = (await fixture.outcomes(leadId)).map((one) => `${one.data['nodeType']} ${one.outcome}`);
    expect(outcomes).to.deep.equal([
      'network:profile_view done',
      'flow:wait next',
      'network:connection_request sent',
      'network:wait_connection accepted',
      'ai:craft done',
      'flow:review approved',
      'network:message sent',
      'flow:end completed',
    ]);
    expect(fixture.network.received.map((one) => one.text)).to.include(item?.body);
    await change(fixture.bench, 'update workflow set enabled = false where id = $1', [flow]);
  });

  describe('ai:craft', () => {
    const craft: Node = { nodeType: 'ai:craft', label: 'opener', config: { channel: 'message' } };
    const model = { AI_PROVIDER: 'openai' as const, AI_MODEL: 'sandbox-model' };

    it('done: a later message sends the text; the built-in writer costs nothing', async () => {
      const leadId = await fixture.lead({ company: 'Crafted Goods' });
      const message: Node = {
        nodeType: 'network:message',
        config: { textMode: 'craft', text: '{{craft:opener}} Best, Ada' },
      };
      await fixture.enrol(await fixture.flow(chain(craft, message)), leadId);
      const [row] = await query<{ profile_id: string }>(fixture.bench, 'select profile_id from lead where id = $1', [
        leadId,
      ]);
      fixture.network.connected.add(row?.profile_id ?? '');
      // The account may rest between two messages.
      expect(await spent(() => passTime(fixture.bench, engine, 3 * HOUR, 10 * MINUTE))).to.equal(0);
      const sent = fixture.network.received.find((one) => one.publicId === row?.profile_id);
      expect(sent?.text).to.match(/Head of Logistics at Crafted Goods.* Best, Ada$/);
    });

    it('done: with a model a text costs one credit, whatever the model wraps around it', async () => {
      const handle = await fixture.engine({ settings: { ...model, AI_BASE_URL: `${fixture.service('openai')}/v1` } });
      const result = { leadId: '', outcome: '' };
      const credits = await spent(async () =>
        Object.assign(result, await through(craft, { company: 'Model Works' }, handle)),
      );
      expect([result.outcome, credits]).to.deep.equal(['done', 1]);
      const [run] = await query<{ facts: { crafted: Record<string, string> } }>(
        fixture.bench,
        'select facts from run where lead_id = $1',
        [result.leadId],
      );
      expect(run?.facts.crafted['opener']).to.contain('Model Works');
      engine = await fixture.engine();
    });

    it('done: the same with Anthropic', async () => {
      const handle = await fixture.engine({
        settings: {
          AI_PROVIDER: 'anthropic',
          AI_MODEL: 'sandbox-model',
          AI_BASE_URL: `${fixture.service('anthropic')}/v1`,
        },
      });
      expect((await through(craft, {}, handle)).outcome).to.equal('done');
      engine = await fixture.engine();
    });

    it('no_facts: fewer facts on record than required; nothing is asked or charged', async () => {
      const given: Node = { ...craft, config: { channel: 'note', requireFacts: 5 } };
      expect((await through(given)).outcome).to.equal('no_facts');
    });

    it('no_facts: a model that leaves the facts out is asked twice, not believed and not paid', async () => {
      const handle = await fixture.engine({ settings: { ...model, AI_BASE_URL: `${fixture.service('openai')}/v1` } });
      const empty = {
        choices: [
          { message: { content: JSON.stringify({ segments: [{ text: 'Hello, shall we talk?', factIds: [] }] }) } },
        ],
      };
      await fixture.control('outside', { service: 'openai', reply: { status: 200, body: empty } });
      let outcome = '';
      expect(await spent(async () => ({ outcome } = await through(craft, {}, handle)))).to.equal(0);
      expect(outcome).to.equal('no_facts');
      engine = await fixture.engine();
    });

    for (const gap of ['{{first_name}}', '[First Name]', '{firstName}', '<first name>']) {
      it(`no_facts: a model that leaves ${gap} for somebody to fill is not believed, and nobody reads that`, async () => {
        const handle = await fixture.engine({ settings: { ...model, AI_BASE_URL: `${fixture.service('openai')}/v1` } });
        const text = `Hi ${gap}, you are Head of Logistics. Shall we talk?`;
        const content = JSON.stringify({ segments: [{ text, factIds: ['f1', 'f2'] }] });
        const body = { choices: [{ message: { content } }] };
        await fixture.control('outside', { service: 'openai', reply: { status: 200, body } });
        let outcome = '';
        expect(await spent(async () => ({ outcome } = await through(craft, {}, handle)))).to.equal(0);
        expect(outcome).to.equal('no_facts');
        engine = await fixture.engine();
      });
    }

    it('done: what a fact itself spells in brackets is no gap', async () => {
      const handle = await fixture.engine({ settings: { ...model, AI_BASE_URL: `${fixture.service('openai')}/v1` } });
      expect((await through(craft, { title: 'Head of Logistics [EMEA]' }, handle)).outcome).to.equal('done');
      engine = await fixture.engine();
    });

    it('failed: a model that refuses for good', async () => {
      const handle = await fixture.engine({ settings: { ...model, AI_BASE_URL: `${fixture.service('openai')}/v1` } });
      await refuse('openai', 400);
      expect(await spent(async () => expect((await through(craft, {}, handle)).outcome).to.equal('failed'))).to.equal(
        0,
      );
      engine = await fixture.engine();
    });

    it('a model that is away for an hour is asked again; the run goes on with its text', async () => {
      const handle = await fixture.engine({ settings: { ...model, AI_BASE_URL: `${fixture.service('openai')}/v1` } });
      await refuse('openai', 503);
      const { leadId, outcome } = await through(craft, {}, handle);
      expect(outcome).to.equal('none yet');
      await fixture.control('outside', { service: 'openai', reply: null });
      await passTime(fixture.bench, handle, HOUR, 10 * MINUTE);
      expect((await fixture.outcomes(leadId)).map((one) => one.outcome)).to.deep.equal(['done']);
      engine = await fixture.engine();
    });

    it('without credits the run is blocked with that reason, and goes on when there are some', async () => {
      const handle = await fixture.engine({ settings: { ...model, AI_BASE_URL: `${fixture.service('openai')}/v1` } });
      const { balance } = await fixture.credits();
      await grant(fixture.bench, fixture.ws, -balance);
      const { leadId } = await through(craft, {}, handle);
      const [run] = await query<object>(fixture.bench, 'select state, wait_reason from run where lead_id = $1', [
        leadId,
      ]);
      expect(run).to.deep.equal({ state: 'blocked', wait_reason: 'credits' });
      await grant(fixture.bench, fixture.ws, balance);
      await passTime(fixture.bench, handle, 2 * HOUR, HOUR);
      expect((await fixture.outcomes(leadId)).map((one) => one.outcome)).to.deep.equal(['done']);
      engine = await fixture.engine();
    });

    it('the review shows the crafted text, and what is approved is sent', async () => {
      const graph: GraphInput = {
        nodes: [
          craft,
          { nodeType: 'flow:review' },
          { nodeType: 'network:message', config: { textMode: 'craft', text: '{{craft:opener}}' } },
        ],
        edges: [
          { sourceIndex: 0, targetIndex: 1 },
          { sourceIndex: 1, targetIndex: 2, branch: 'approved' },
        ],
      };
      const leadId = await fixture.lead({ company: 'Reviewed Ltd' });
      await fixture.enrol(await fixture.flow(graph), leadId);
      await engine.quiet();
      const [item] = await query<{ id: string; body: string; facts: { source: string }[] }>(
        fixture.bench,
        'select id, body, facts from review_item where lead_id = $1',
        [leadId],
      );
      expect(item?.body).to.contain('Reviewed Ltd');
      expect(item?.facts.map((fact) => fact.source)).to.include('lead:company');
    });
  });

  describe('ai:classify_reply', () => {
    const cases: [string, string | null][] = [
      ['positive', 'Sounds good, tell me more.'],
      ['negative', 'Thanks, but not interested.'],
      ['neutral', 'Who are you exactly?'],
      ['out_of_office', 'Automatic reply: I am out of office until Monday.'],
      ['unsubscribe', 'Please stop messaging me.'],
      ['referral', 'I am not the right person, please contact my colleague Kim.'],
      ['neutral', null],
    ];
    for (const [expected, text] of cases) {
      it(`${expected}: ${text ?? 'nobody has written yet'}`, async () => {
        const leadId = await fixture.lead();
        const flow = await fixture.flow(
          chain(
            { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: MINUTE } },
            { nodeType: 'ai:classify_reply' },
          ),
        );
        await fixture.enrol(flow, leadId);
        await engine.quiet();
        if (text) await writeReply(leadId, text);
        await passTime(fixture.bench, engine, 2 * MINUTE, MINUTE);
        expect((await fixture.outcomes(leadId)).at(-1)?.outcome).to.equal(expected);
        const banned = await query(
          fixture.bench,
          `select s.source, s.removable from suppression s join run r on r.person_id = s.person_id where r.lead_id = $1`,
          [leadId],
        );
        const wish = { source: 'unsubscribe', removable: false };
        expect(banned, 'their own wish, which nobody lifts').to.deep.equal(expected === 'unsubscribe' ? [wish] : []);
      });
    }

    async function writeReply(leadId: string, text: string): Promise<void> {
      const conversation = randomUUID();
      await change(
        fixture.bench,
        `insert into conversation (id, account_id, external_id, person_id) select $1::uuid, $2, $1::text, person_id from run where lead_id = $3`,
        [conversation, fixture.account, leadId],
      );
      await change(
        fixture.bench,
        `insert into message (id, conversation_id, account_id, external_id, direction, body, sent_at) values ($1::uuid, $2, $3, $1::text, 'in', $4, $5)`,
        [randomUUID(), conversation, fixture.account, text, fixture.bench.clock.now()],
      );
    }
  });

  describe('lead:enrich', () => {
    const enrich = (...fields: string[]): Node => ({ nodeType: 'lead:enrich', config: { fields } });

    it('done: found fields stand in the lead with their source, and are charged by the price list', async () => {
      const result = { leadId: '', outcome: '' };
      const credits = await spent(async () =>
        Object.assign(
          result,
          await through(enrich('profile', 'email', 'email_verification', 'phone'), { email: null }),
        ),
      );
      expect([result.outcome, credits]).to.deep.equal(['done', 1 + 2 + 1 + 8]);
      const [lead] = await query<{
        email: string;
        email_status: string;
        phone: string;
        provenance: Record<string, { source: string }>;
      }>(fixture.bench, 'select email, email_status, phone, provenance from lead where id = $1', [result.leadId]);
      expect(lead).to.include({ email_status: 'valid', phone: '+4930123456' });
      expect(lead?.provenance['email']?.source).to.equal('people_data_labs');
    });

    it('done: what is known and fresh is neither asked nor charged', async () => {
      const before = (await fixture.received('pdl')).length;
      expect(await spent(async () => expect((await through(enrich('email'))).outcome).to.equal('done'))).to.equal(0);
      expect(await fixture.received('pdl')).to.have.length(before);
    });

    it('done: charged however long it took, although the time of its hold is over', async () => {
      const owner = new Database({ url: fixture.bench.ownerUrl, max: 1, applicationName: 'test' });
      const slow = await fixture.engine({
        faults: async (point) => {
          if (point !== 'before_settle') return;
          await owner.pool.query(`update outrider.credit_hold set expires_at = clock_timestamp() where state = 'held'`);
          await fixture.bench.app.tx({ kind: 'platform' }, (tx) => expireHolds(tx, null, fixture.bench.clock.now()));
        },
      });
      const credits = await spent(async () =>
        expect((await through(enrich('phone'), {}, slow)).outcome).to.equal('done'),
      );
      engine = await fixture.engine();
      await owner.close();
      expect(credits).to.equal(8);
    });

    it('not_found: charged nothing', async () => {
      const credits = await spent(async () =>
        expect((await through(enrich('phone'), { full_name: 'Nobody Test' })).outcome).to.equal('not_found'),
      );
      expect(credits).to.equal(0);
    });

    it('several in one batch: each is charged by its own hold; one that can not be paid takes no other with it', async () => {
      const flow = await fixture.flow(chain(enrich('phone')));
      const leads: string[] = [];
      const enrolled = async (count: number): Promise<void> => {
        for (let index = 0; index < count; index++) {
          const leadId = await fixture.lead();
          await fixture.enrol(flow, leadId);
          leads.push(leadId);
        }
      };
      const credits = await spent(async () => {
        await enrolled(3);
        await engine.quiet();
      });
      expect(credits).to.equal(3 * 8);
      const { balance } = await fixture.credits();
      await grant(fixture.bench, fixture.ws, 8 - balance);
      await enrolled(2);
      await engine.quiet();
      const outcomes = await Promise.all(leads.map(async (leadId) => (await fixture.outcomes(leadId))[0]?.outcome));
      expect(outcomes.sort()).to.deep.equal(['done', 'done', 'done', 'done', 'no_credits']);
      const calls = await Promise.all(leads.map((leadId) => fixture.calls(leadId)));
      expect(calls.flat().map((one) => one.credits)).to.deep.equal([8, 8, 8, 8]);
      await grant(fixture.bench, fixture.ws, balance);
    });

    it('no_credits: nothing is asked', async () => {
      const { balance } = await fixture.credits();
      await grant(fixture.bench, fixture.ws, -balance);
      const before = (await fixture.received('pdl')).length;
      expect((await through(enrich('phone'))).outcome).to.equal('no_credits');
      expect(await fixture.received('pdl')).to.have.length(before);
      await grant(fixture.bench, fixture.ws, balance);
    });

    it('failed: the provider does not know us', async () => {
      await refuse('pdl', 401);
      expect(await spent(async () => expect((await through(enrich('phone'))).outcome).to.equal('failed'))).to.equal(0);
    });
  });

  describe('calendar:propose_slots', () => {
    const propose: Node = { nodeType: 'calendar:propose_slots', config: { count: 2 } };

    it('done: free times within the hours, around what is taken, stand in {{slots}}', async () => {
      const now = fixture.bench.clock.now();
      const nine = Math.floor(now / DAY) * DAY + DAY + 8 * HOUR;
      await fixture.control('outside', { service: 'caldav', taken: [[now - DAY, nine]] });
      const { leadId, outcome } = await through(propose);
      expect(outcome).to.equal('done');
      const [run] = await query<{ facts: { slots: string } }>(
        fixture.bench,
        'select facts from run where lead_id = $1',
        [leadId],
      );
      expect(run?.facts.slots).to.match(/^\w{3} \d+ \w{3} 09:00, \w{3} \d+ \w{3} 09:30 \(Europe\/Berlin\)$/);
      // They are held for the lead for a day: the next one is offered others.
      const next = await through(propose);
      const offered = 'select facts from run where lead_id = $1';
      const [other] = await query<{ facts: { slots: string } }>(fixture.bench, offered, [next.leadId]);
      expect(other?.facts.slots).to.match(/^\w{3} \d+ \w{3} 10:00, \w{3} \d+ \w{3} 10:30 \(Europe\/Berlin\)$/);
    });

    it('no_slots: two weeks are taken', async () => {
      const now = fixture.bench.clock.now();
      await fixture.control('outside', { service: 'caldav', taken: [[now - DAY, now + 20 * DAY]] });
      expect((await through(propose)).outcome).to.equal('no_slots');
    });

    it('failed: the calendar does not open', async () => {
      await refuse('caldav', 401);
      expect((await through(propose)).outcome).to.equal('failed');
    });

    it('failed: no such calendar', async () => {
      const unknown: Node = { ...propose, config: { providerAccountId: 'nobodys' } };
      expect((await through(unknown)).outcome).to.equal('failed');
    });
  });

  describe('crm:push', () => {
    const push = (object = 'contact', integrationId = fixture.integrations.crm): Node => ({
      nodeType: 'crm:push',
      config: { integrationId, object, fields: object === 'contact' ? { jobtitle: '{{lead:title}}' } : {} },
    });

    it('done: once per integration, lead and object, whatever workflow asks; each object of its own', async () => {
      const leadId = await fixture.lead();
      for (const object of ['contact', 'contact', 'deal', 'task', 'lead']) {
        await fixture.enrol(await fixture.flow(chain(push(object))), leadId);
        await engine.quiet();
      }
      expect((await fixture.outcomes(leadId)).map((one) => one.outcome)).to.deep.equal(Array(5).fill('done'));
      const [lead] = await query<{ email: string }>(fixture.bench, 'select email from lead where id = $1', [leadId]);
      const about = (await fixture.received('hubspot')).filter((one) =>
        JSON.stringify(one.body).includes(lead?.email ?? '?'),
      );
      expect(about.map((one) => one.action)).to.deep.equal([
        'create contacts',
        'update contacts',
        'update contacts',
        'update contacts',
      ]);
      const objects = (await fixture.received('hubspot'))
        .map((one) => one.action)
        .filter((action) => /deals|tasks|leads/.test(action));
      expect(objects).to.deep.equal(['create deals', 'create tasks', 'create leads']);
    });

    it('failed: the CRM says no', async () => {
      await refuse('hubspot', 400);
      expect((await through(push())).outcome).to.equal('failed');
    });

    it('failed: the integration is not connected', async () => {
      expect((await through(push('contact', 'int-of-another'))).outcome).to.equal('failed');
    });
  });

  describe('outreach:push', () => {
    const push = (): Node => ({
      nodeType: 'outreach:push',
      config: { integrationId: fixture.integrations.outreach, externalCampaignId: 'spring' },
    });

    it('done, and duplicate for another run of the same lead', async () => {
      const { leadId, outcome } = await through(push());
      expect(outcome).to.equal('done');
      await fixture.enrol(await fixture.flow(chain(push())), leadId);
      await engine.quiet();
      expect((await fixture.outcomes(leadId)).map((one) => one.outcome)).to.deep.equal(['done', 'duplicate']);
    });

    it('duplicate: the platform has the person already', async () => {
      await fetch(`${fixture.service('instantly')}/api/v2/leads`, {
        method: 'POST',
        headers: { authorization: `Bearer ${fixture.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ campaign: 'spring', email: 'twin@acme.example' }),
      });
      expect((await through(push(), { email: 'twin@acme.example' })).outcome).to.equal('duplicate');
    });

    it('failed: the lead has no address', async () => {
      expect((await through(push(), { email: null })).outcome).to.equal('failed');
    });

    it('a person whom nobody may contact is handed to no other platform', async () => {
      const leadId = await fixture.lead({ email: 'never@acme.example' });
      const flow = await fixture.flow(
        chain({ nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: MINUTE } }, push()),
      );
      await fixture.enrol(flow, leadId);
      await engine.quiet();
      await change(
        fixture.bench,
        `insert into suppression (id, workspace_id, level, kind, value, source, created_at) values ($1, $2, 'workspace', 'mail', 'never@acme.example', 'manual', 1)`,
        [randomUUID(), fixture.ws],
      );
      await passTime(fixture.bench, engine, 2 * MINUTE, MINUTE);
      const [run] = await query<{ state: string }>(fixture.bench, 'select state from run where lead_id = $1', [leadId]);
      expect(run?.state).to.equal('suppressed');
      expect((await fixture.received('instantly')).map((one) => one.about)).not.to.include('spring/never@acme.example');
    });
  });

  describe('webhook:call', () => {
    const hook = (config: object = { integrationId: fixture.integrations.webhook }): Node => ({
      nodeType: 'webhook:call',
      config,
    });

    it('done: signed over timestamp and body, with the event envelope and a rising sequence', async () => {
      const { outcome, leadId } = await through(hook());
      expect(outcome).to.equal('done');
      await through(hook());
      const [first, second] = (await fixture.received('hook')).filter((one) => one.about === 'signed');
      if (!first || !second) throw new Error('two deliveries were expected');
      const { raw, parsed } = first.body as {
        raw: string;
        parsed: { sequence: number; data: { leadId: string }; kind: string; workspaceId: string };
      };
      const timestamp = Number(first.headers['x-svc-timestamp']);
      expect(first.headers['x-svc-signature']).to.equal(webhookSignature([fixture.signingSecret], timestamp, raw));
      expect(parsed).to.include({ kind: 'run.step_done', workspaceId: fixture.ws });
      expect(parsed.data.leadId).to.equal(leadId);
      expect((second.body as { parsed: { sequence: number } }).parsed.sequence).to.equal(parsed.sequence + 1);
      expect(first.idempotencyKey).to.contain(leadId);
    });

    it('done: a body of its own is sent as it is, rendered; the answer stands in the timeline', async () => {
      const { data } = await through(
        hook({
          url: `${fixture.service('hook')}/own`,
          body: { text: 'New: {{lead:title}}', n: 1 },
          waitForResponse: true,
        }),
      );
      expect(data['response']).to.equal('{"received":true}');
      const [got] = (await fixture.received('hook')).filter((one) => one.about === 'own');
      expect((got?.body as { parsed: object } | undefined)?.parsed).to.deep.equal({
        text: 'New: Head of Logistics',
        n: 1,
      });
      expect(got?.headers).not.to.have.property('x-svc-signature');
    });

    it('tries again under the same delivery id and key while the receiver is away, by the plan of the catalog', async () => {
      await refuse('hook', 503);
      const { leadId, outcome } = await through(hook());
      expect(outcome).to.equal('none yet');
      await passTime(fixture.bench, engine, 3 * HOUR, 30 * MINUTE);
      await fixture.control('outside', { service: 'hook', reply: null });
      await passTime(fixture.bench, engine, 2 * DAY, 6 * HOUR);
      expect((await fixture.outcomes(leadId)).map((one) => one.outcome)).to.deep.equal(['done']);
      const [call] = await fixture.calls(leadId);
      expect(call?.tries).to.be.greaterThan(3);
    });

    it('failed: refused for good, after all tries, or to an address that is not public', async () => {
      await refuse('hook', 410);
      expect((await through(hook())).outcome).to.equal('failed');
      await refuse('hook', 500);
      const { leadId } = await through(hook());
      await passTime(fixture.bench, engine, 6 * DAY, 12 * HOUR);
      expect((await fixture.outcomes(leadId)).map((one) => one.outcome)).to.deep.equal(['failed']);
      const strict = await fixture.engine({ settings: { SANDBOX_URL: undefined } });
      expect((await through(hook(), {}, strict)).outcome).to.equal('failed');
      expect((await through(hook({ url: 'https://10.0.0.7/x' }), {}, strict)).outcome).to.equal('failed');
      engine = await fixture.engine();
    });
  });

  describe('notify:member', () => {
    it('next: each member is told once per run and node; strangers are not', async () => {
      const [member, stranger] = [randomUUID(), randomUUID()];
      for (const user of [member, stranger]) {
        await change(
          fixture.bench,
          `insert into app_user (id, email, created_at) values ($1::uuid, $1::text || '@x.example', 1)`,
          [user],
        );
      }
      await change(
        fixture.bench,
        `insert into member (id, workspace_id, user_id, role, joined_at) values ($1, $2, $3, 'member', 1)`,
        [randomUUID(), fixture.ws, member],
      );
      const node: Node = {
        nodeType: 'notify:member',
        label: 'Call them',
        config: { memberIds: [member, stranger], text: '{{lead:title}} of {{lead:country}}' },
      };
      expect((await through(node)).outcome).to.equal('next');
      const told = await query(
        fixture.bench,
        'select user_id, title, text, next_tool from notification where workspace_id = $1',
        [fixture.ws],
      );
      expect(told).to.deep.equal([
        { user_id: member, title: 'Call them', text: 'Head of Logistics of (unknown)', next_tool: 'svc_get_lead' },
      ]);
    });
  });
});

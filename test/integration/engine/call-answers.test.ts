import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type CallFixture, grant } from '../../fixtures/engine/call-fixture.ts';
import { CallNodeFixture, type Node } from '../../fixtures/engine/call-node-fixture.ts';
import { change, type EngineHandle, passTime, query } from '../../fixtures/engine/harness.ts';
import { chain, DAY, HOUR, MINUTE } from '../../fixtures/engine/workflow-fixture.ts';

describe('engine: what the outside answers to a call, however it answers', function () {
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
    for (const service of ['openai', 'pdl', 'hunter', 'hubspot', 'hook'])
      await fixture.control('outside', { service, reply: null });
  });

  // Tests put another engine in its place.
  const through = (node: Node, lead: object = {}, handle = engine): ReturnType<CallNodeFixture['through']> =>
    nodeFixture.through(node, lead, handle);
  const refuse = (service: string, status: number): Promise<unknown> => nodeFixture.refuse(service, status);
  const spent = (work: () => Promise<unknown>): Promise<number> => nodeFixture.spent(work);
  const craft: Node = { nodeType: 'ai:craft', label: 'opener', config: { channel: 'message' } };
  const model = { AI_PROVIDER: 'openai' as const, AI_MODEL: 'sandbox-model' };
  const enrich = (...fields: string[]): Node => ({ nodeType: 'lead:enrich', config: { fields } });
  const push = (): Node => ({
    nodeType: 'crm:push',
    config: { integrationId: fixture.integrations.crm, object: 'contact', fields: { jobtitle: '{{lead:title}}' } },
  });
  const hook = (config: object = { integrationId: fixture.integrations.webhook }): Node => ({
    nodeType: 'webhook:call',
    config,
  });

  it('ai:craft: characters that no database takes are left out of what a model writes', async () => {
    const handle = await fixture.engine({ settings: { ...model, AI_BASE_URL: `${fixture.service('openai')}/v1` } });
    const text = 'Nice\u0000 to see \ud83d you as Head of Logistics at Nul Works.';
    const content = JSON.stringify({ segments: [{ text, factIds: ['f1', 'f2', 'f3'] }] });
    await fixture.control('outside', {
      service: 'openai',
      reply: { status: 200, body: { choices: [{ message: { content } }] } },
    });
    const { leadId, outcome } = await through(
      { ...craft, config: { channel: 'message', requireFacts: 0 } },
      { company: 'Nul Works' },
      handle,
    );
    await fixture.control('outside', { service: 'openai', reply: null });
    expect(outcome).to.equal('done');
    const [run] = await query<{ facts: { crafted: Record<string, string> } }>(
      fixture.bench,
      'select facts from run where lead_id = $1',
      [leadId],
    );
    expect(run?.facts.crafted['opener']).to.equal('Nice to see \ufffd you as Head of Logistics at Nul Works.');
    engine = await fixture.engine();
  });

  it('lead:enrich: what one provider found is kept and charged when another does not know us, or stays away', async () => {
    for (const status of [401, 403, 429]) {
      await refuse('hunter', status);
      const leadId = await fixture.lead({ email: null, full_name: `Ada of ${status}` });
      await fixture.enrol(await fixture.flow(chain(enrich('profile', 'email', 'email_verification'))), leadId);
      const credits = await spent(async () => {
        await engine.quiet();
        await passTime(fixture.bench, engine, 12 * HOUR, 30 * MINUTE);
      });
      await fixture.control('outside', { service: 'hunter', reply: null });
      const [done] = await fixture.outcomes(leadId);
      expect([done?.outcome, done?.data['found'], credits], `${status}`).to.deep.equal(['done', 'profile, email', 3]);
    }
    await refuse('hunter', 401);
    expect((await through(enrich('email_verification'))).outcome).to.equal('failed');
    await fixture.control('outside', { service: 'hunter', reply: null });
  });

  it('lead:enrich: a provider that is asked too often for half a day loses nobody', async () => {
    // Its 403 is the limit of requests, its 429 that of the plan.
    await refuse('hunter', 403);
    const leadId = await fixture.lead({ full_name: 'Ada Crowd' });
    await fixture.enrol(await fixture.flow(chain(enrich('email_verification'))), leadId);
    const credits = await spent(async () => {
      await engine.quiet();
      await passTime(fixture.bench, engine, 12 * HOUR, 30 * MINUTE);
      expect(await fixture.outcomes(leadId)).to.deep.equal([]);
      await fixture.control('outside', { service: 'hunter', reply: null });
      await passTime(fixture.bench, engine, 6 * HOUR, 30 * MINUTE);
    });
    const [done] = await fixture.outcomes(leadId);
    expect([done?.outcome, credits > 0]).to.deep.equal(['done', true]);
    await refuse('hunter', 403);
    const given = await fixture.lead({ full_name: 'Ada Never' });
    await fixture.enrol(await fixture.flow(chain(enrich('email_verification'))), given);
    await engine.quiet();
    await passTime(fixture.bench, engine, 48 * HOUR, HOUR);
    await fixture.control('outside', { service: 'hunter', reply: null });
    expect((await fixture.outcomes(given)).map((one) => one.outcome)).to.deep.equal(['failed']);
  });

  it('lead:enrich: an address that may not be written, since another lead has it, is neither found nor charged', async () => {
    await fixture.lead({ email: 'Hugo.Twin@work.example' });
    const twin = { full_name: 'Hugo Twin', email: null };
    const seen: Awaited<ReturnType<typeof through>>[] = [];
    const enriched = async (...fields: string[]): Promise<number> =>
      spent(async () => seen.push(await through(enrich(...fields), twin)));
    expect([await enriched('profile', 'email', 'email_verification', 'phone'), await enriched('email')]).to.deep.equal([
      1 + 8,
      0,
    ]);
    expect(seen.map((one) => [one.outcome, one.data['found']])).to.deep.equal([
      ['done', 'profile, phone'],
      ['not_found', undefined],
    ]);
    expect(seen[1]?.data['reason']).to.match(/another lead/);
  });

  it('lead:enrich: another address has no status before it was verified, no matter who wrote it', async () => {
    const old = { source: 'hunter', at: fixture.bench.clock.now() - 40 * DAY };
    const leadId = await fixture.lead({ full_name: 'Grace Other', provenance: { email: old, emailStatus: old } });
    await change(fixture.bench, `update lead set email_status = 'invalid' where id = $1`, [leadId]);
    await fixture.enrol(await fixture.flow(chain(enrich('email'))), leadId);
    await engine.quiet();
    const status = async (): Promise<unknown> =>
      (await query(fixture.bench, 'select email, email_status from lead where id = $1', [leadId]))[0];
    expect(await status()).to.deep.equal({ email: 'grace.other@work.example', email_status: 'unknown' });
    await change(fixture.bench, `update lead set email_status = 'valid' where id = $1`, [leadId]);
    await change(fixture.bench, `update lead set email = 'Grace.Other@work.example' where id = $1`, [leadId]);
    expect(await status()).to.include({ email_status: 'valid' });
    await change(fixture.bench, `update lead set email = 'new@work.example' where id = $1`, [leadId]);
    expect(await status()).to.include({ email_status: 'unknown' });
  });

  it('crm:push: a contact that its search does not show, but which it has, takes the fields too', async () => {
    const email = `Ada.${randomUUID().slice(0, 8)}@Acme.example`;
    const made = await fetch(`${fixture.service('hubspot')}/crm/v3/objects/contacts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${fixture.key}` },
      body: JSON.stringify({ properties: { email } }),
    });
    expect(made.status).to.equal(201);
    const { outcome } = await through(push(), { email });
    expect(outcome).to.equal('done');
    const [last] = (await fixture.received('hubspot')).slice(-1);
    expect(last?.action).to.equal('update contacts');
    expect(JSON.stringify(last?.body)).to.contain('Head of Logistics').and.not.contain(email);
  });

  it('webhook:call: an answer that is cut within a character, or refused with one, is kept like any other', async () => {
    const smile = (before: number): string => `${'x'.repeat(before)}\u{1f600} and more`;
    await fixture.control('outside', { service: 'hook', reply: { status: 200, body: { v: smile(1_993) } } });
    const url = `${fixture.service('hook')}/own`;
    const { outcome, data } = await through(hook({ url, waitForResponse: true }));
    expect(outcome).to.equal('done');
    expect(data['response']).to.match(/^\{"v":"x{1993}\ufffd$/);
    await fixture.control('outside', { service: 'hook', reply: { status: 410, body: { v: smile(193) } } });
    expect((await through(hook({ url }))).outcome).to.equal('failed');
    await fixture.control('outside', { service: 'hook', reply: null });
  });

  it('webhook:call: delivered in the end to a receiver that answers not found, forbidden or elsewhere for a while', async () => {
    for (const status of [302, 401, 403, 404, 409, 425]) {
      await refuse('hook', status);
      const { leadId, outcome } = await through(hook());
      expect(outcome, `${status}`).to.equal('none yet');
      await fixture.control('outside', { service: 'hook', reply: null });
      await passTime(fixture.bench, engine, 10 * MINUTE, 2 * MINUTE);
      expect((await fixture.outcomes(leadId)).map((one) => one.outcome)).to.deep.equal(['done']);
    }
  });

  it('ai:craft: without credits for 30 days the run fails; its history says once that it is blocked', async () => {
    const handle = await fixture.engine({ settings: { ...model, AI_BASE_URL: `${fixture.service('openai')}/v1` } });
    const { balance } = await fixture.credits();
    await grant(fixture.bench, fixture.ws, -balance);
    const { leadId } = await through(craft, {}, handle);
    await passTime(fixture.bench, handle, 29 * DAY, 6 * HOUR);
    const told = (): Promise<unknown[]> =>
      query(
        fixture.bench,
        `select e.kind, r.state from run_event e join run r on r.id = e.run_id where r.lead_id = $1 and e.kind in ('run.blocked', 'run.failed') order by e.seq`,
        [leadId],
      );
    expect(await told()).to.deep.equal([{ kind: 'run.blocked', state: 'blocked' }]);
    await passTime(fixture.bench, handle, 2 * DAY, 6 * HOUR);
    expect(await told()).to.deep.equal([
      { kind: 'run.blocked', state: 'failed' },
      { kind: 'run.failed', state: 'failed' },
    ]);
    await grant(fixture.bench, fixture.ws, balance);
    engine = await fixture.engine();
  });
});

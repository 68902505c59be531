import { expect } from 'chai';
import type { GrantedCall } from '../../../pkg/engine/calls/granted-call.ts';
import { PERFORMERS } from '../../../pkg/engine/calls/performers.ts';
import { KnownFor } from '../../../pkg/engine/lookups/known-for.ts';
import { recoverCalls } from '../../../pkg/store/calls/node-calls.ts';
import { type CallFixture, openCallFixture } from '../../fixtures/engine/call-fixture.ts';
import type { Node } from '../../fixtures/engine/call-node-fixture.ts';
import { change, type EngineHandle, passTime } from '../../fixtures/engine/harness.ts';
import { chain, DAY, HOUR, MINUTE } from '../../fixtures/engine/workflow-fixture.ts';

describe('engine: pushes into a CRM, against what the real one does', function () {
  this.timeout(120_000);
  let fixture: CallFixture;
  before(async () => {
    fixture = await openCallFixture();
  });
  after(() => fixture.stop());
  afterEach(async () => {
    await fixture.control('faults', []);
    await fixture.control('outside', { service: 'hubspot', reply: null });
  });

  const push = (): Node => ({
    nodeType: 'crm:push',
    config: { integrationId: fixture.integrations.crm, object: 'contact', fields: { jobtitle: '{{lead:title}}' } },
  });
  const written = async (about: string): Promise<{ action: string; body: string }[]> =>
    (await fixture.received('hubspot'))
      .map(({ action, body }) => ({ action, body: JSON.stringify(body) }))
      .filter(({ body }) => body.includes(about));
  const outcomesOf = async (leadId: string): Promise<string[]> =>
    (await fixture.outcomes(leadId)).map((one) => one.outcome);
  /** A lead of a list that names people only. */
  async function named(fields: object): Promise<string> {
    const leadId = await fixture.lead({ email: null, ...fields });
    await change(fixture.bench, `update lead set profile_url = '', profile_id = null where id = $1`, [leadId]);
    return leadId;
  }
  const enrolled = async (leadId: string): Promise<void> => fixture.enrol(await fixture.flow(chain(push())), leadId);
  /** An engine whose look-ups count as soon as they agree. */
  const patient = (): Promise<EngineHandle> => {
    let known = 0;
    return fixture.engine({ unknownFor: new KnownFor(() => (known += MINUTE)) });
  };

  it('killed before it could write to a contact that the CRM had already: the fields come all the same', async () => {
    const email = 'had.before@acme.example';
    await fetch(`${fixture.service('hubspot')}/crm/v3/objects/contacts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${fixture.key}` },
      body: JSON.stringify({ properties: { email, jobtitle: 'Trainee' } }),
    });
    const killed = await fixture.engine({
      faults: (point) => (point === 'dispatched' ? Promise.reject(new Error('killed')) : Promise.resolve()),
    });
    const leadId = await fixture.lead({ email, title: 'Chief of Trains' });
    await enrolled(leadId);
    await killed.engine.step();
    await killed.engine.settle();
    const handle = await patient();
    await handle.deps.claim.tx((tx) => recoverCalls(tx, fixture.bench.clock.now()));
    await handle.quiet();
    await passTime(fixture.bench, handle, 10 * MINUTE, MINUTE);
    expect(await outcomesOf(leadId)).to.deep.equal(['done']);
    expect((await written('Chief of Trains')).map((one) => one.action)).to.deep.equal(['update contacts']);
  });

  it('an answer that is lost about somebody without address and profile: there is one contact of them', async () => {
    await fixture.control('faults', [{ action: 'hubspot', kind: 'lost_answer', rate: 1 }]);
    const handle = await patient();
    const leadId = await named({ full_name: 'Nora Named', company: 'Rails & Sons' });
    await change(fixture.bench, `update lead set first_name = 'Nora', last_name = 'Named' where id = $1`, [leadId]);
    await enrolled(leadId);
    await handle.quiet();
    await fixture.control('faults', []);
    await passTime(fixture.bench, handle, 10 * MINUTE, MINUTE);
    expect(await outcomesOf(leadId)).to.deep.equal(['done']);
    expect((await written('Nora')).map((one) => one.action)).to.deep.equal(['create contacts']);
  });

  it('nor of somebody who can not be looked for: a person decides, and nothing is made twice', async () => {
    await fixture.control('faults', [{ action: 'hubspot', kind: 'lost_answer', rate: 1 }]);
    const handle = await patient();
    const leadId = await named({ full_name: 'Only', company: '' });
    await change(fixture.bench, `update lead set first_name = 'Onlyname', last_name = '' where id = $1`, [leadId]);
    await enrolled(leadId);
    await handle.quiet();
    await fixture.control('faults', []);
    await passTime(fixture.bench, handle, 2 * DAY, HOUR);
    expect(await outcomesOf(leadId)).to.deep.equal(['failed']);
    expect((await written('Onlyname')).map((one) => one.action)).to.deep.equal(['create contacts']);
  });

  it('a proxy before the real one shows things as late as that: only the sandbox is believed at once', async () => {
    const handle = await fixture.engine();
    const { outside } = handle.deps;
    if (!outside) throw new Error('no outside');
    const settles = async (integrationId: string, ask: object, url: string): Promise<number | undefined> => {
      await change(fixture.bench, 'update integration set url = $2 where id = $1', [integrationId, url]);
      const call = { leadId: 'l', ask: { integrationId, contact: {}, fields: {}, ...ask } } as unknown as GrantedCall;
      const kind = call.ask.call;
      return (await PERFORMERS[kind]({ ...handle.deps, outside }, call)).settleAfterMs;
    };
    const crm = { call: 'crm', object: 'deal' };
    const outreach = { call: 'outreach', externalCampaignId: 'spring' };
    for (const [id, ask, service] of [
      [fixture.integrations.crm, crm, 'hubspot'],
      [fixture.integrations.outreach, outreach, 'instantly'],
    ] as const) {
      expect(await settles(id, ask, 'https://proxy.example.com/crm'), service).to.equal(5 * MINUTE);
      expect(await settles(id, ask, ''), service).to.equal(5 * MINUTE);
      expect(await settles(id, ask, fixture.service(service)), service).to.be.below(MINUTE);
    }
  });

  it('a CRM that answers too many for hours loses nobody: a push is tried as long as a webhook', async () => {
    await fixture.control('outside', { service: 'hubspot', reply: { status: 429 } });
    const handle = await fixture.engine();
    const leadId = await fixture.lead({ email: 'patient@acme.example' });
    await enrolled(leadId);
    await handle.quiet();
    await passTime(fixture.bench, handle, 6 * HOUR, HOUR / 2);
    await fixture.control('outside', { service: 'hubspot', reply: null });
    await passTime(fixture.bench, handle, DAY, HOUR);
    expect(await outcomesOf(leadId)).to.deep.equal(['done']);
  });
});

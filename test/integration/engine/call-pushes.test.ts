import { expect } from 'chai';
import type { GrantedCall } from '../../../pkg/engine/calls/granted-call.ts';
import { PERFORMERS } from '../../../pkg/engine/calls/performers.ts';
import { KnownFor } from '../../../pkg/engine/lookups/known-for.ts';
import { recoverCalls } from '../../../pkg/store/calls/node-calls.ts';
import type { Node } from './call-kit.ts';
import { type CallStage, openCallStage } from './call-stage.ts';
import { change, type EngineHandle, passTime } from './harness.ts';
import { chain, DAY, HOUR, MINUTE } from './place.ts';

describe('engine: pushes into a CRM, against what the real one does', function () {
  this.timeout(120_000);
  let stage: CallStage;
  before(async () => {
    stage = await openCallStage();
  });
  after(() => stage.stop());
  afterEach(async () => {
    await stage.control('faults', []);
    await stage.control('outside', { service: 'hubspot', reply: null });
  });

  const push = (): Node => ({
    nodeType: 'crm:push',
    config: { integrationId: stage.integrations.crm, object: 'contact', fields: { jobtitle: '{{lead:title}}' } },
  });
  const written = async (about: string): Promise<{ action: string; body: string }[]> =>
    (await stage.received('hubspot'))
      .map(({ action, body }) => ({ action, body: JSON.stringify(body) }))
      .filter(({ body }) => body.includes(about));
  const outcomesOf = async (leadId: string): Promise<string[]> =>
    (await stage.outcomes(leadId)).map((one) => one.outcome);
  /** A lead of a list that names people only. */
  async function named(fields: object): Promise<string> {
    const leadId = await stage.lead({ email: null, ...fields });
    await change(stage.bench, `update lead set profile_url = '', profile_id = null where id = $1`, [leadId]);
    return leadId;
  }
  const enrolled = async (leadId: string): Promise<void> => stage.enrol(await stage.flow(chain(push())), leadId);
  /** An engine whose look-ups count as soon as they agree. */
  const patient = (): Promise<EngineHandle> => {
    let known = 0;
    return stage.engine({ unknownFor: new KnownFor(() => (known += MINUTE)) });
  };

  it('killed before it could write to a contact that the CRM had already: the fields come all the same', async () => {
    const email = 'had.before@acme.example';
    await fetch(`${stage.service('hubspot')}/crm/v3/objects/contacts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${stage.key}` },
      body: JSON.stringify({ properties: { email, jobtitle: 'Trainee' } }),
    });
    const killed = await stage.engine({
      faults: (point) => (point === 'dispatched' ? Promise.reject(new Error('killed')) : Promise.resolve()),
    });
    const leadId = await stage.lead({ email, title: 'Chief of Trains' });
    await enrolled(leadId);
    await killed.engine.step();
    await killed.engine.settle();
    const handle = await patient();
    await handle.deps.claim.tx((tx) => recoverCalls(tx, stage.bench.clock.now()));
    await handle.quiet();
    await passTime(stage.bench, handle, 10 * MINUTE, MINUTE);
    expect(await outcomesOf(leadId)).to.deep.equal(['done']);
    expect((await written('Chief of Trains')).map((one) => one.action)).to.deep.equal(['update contacts']);
  });

  it('an answer that is lost about somebody without address and profile: there is one contact of them', async () => {
    await stage.control('faults', [{ action: 'hubspot', kind: 'lost_answer', rate: 1 }]);
    const handle = await patient();
    const leadId = await named({ full_name: 'Nora Named', company: 'Rails & Sons' });
    await change(stage.bench, `update lead set first_name = 'Nora', last_name = 'Named' where id = $1`, [leadId]);
    await enrolled(leadId);
    await handle.quiet();
    await stage.control('faults', []);
    await passTime(stage.bench, handle, 10 * MINUTE, MINUTE);
    expect(await outcomesOf(leadId)).to.deep.equal(['done']);
    expect((await written('Nora')).map((one) => one.action)).to.deep.equal(['create contacts']);
  });

  it('nor of somebody who can not be looked for: a person decides, and nothing is made twice', async () => {
    await stage.control('faults', [{ action: 'hubspot', kind: 'lost_answer', rate: 1 }]);
    const handle = await patient();
    const leadId = await named({ full_name: 'Only', company: '' });
    await change(stage.bench, `update lead set first_name = 'Onlyname', last_name = '' where id = $1`, [leadId]);
    await enrolled(leadId);
    await handle.quiet();
    await stage.control('faults', []);
    await passTime(stage.bench, handle, 2 * DAY, HOUR);
    expect(await outcomesOf(leadId)).to.deep.equal(['failed']);
    expect((await written('Onlyname')).map((one) => one.action)).to.deep.equal(['create contacts']);
  });

  it('a proxy before the real one shows things as late as that: only the sandbox is believed at once', async () => {
    const handle = await stage.engine();
    const { outside } = handle.deps;
    if (!outside) throw new Error('no outside');
    const settles = async (integrationId: string, ask: object, url: string): Promise<number | undefined> => {
      await change(stage.bench, 'update integration set url = $2 where id = $1', [integrationId, url]);
      const call = { leadId: 'l', ask: { integrationId, contact: {}, fields: {}, ...ask } } as unknown as GrantedCall;
      const kind = call.ask.call;
      return (await PERFORMERS[kind]({ ...handle.deps, outside }, call)).settleAfterMs;
    };
    const crm = { call: 'crm', object: 'deal' };
    const outreach = { call: 'outreach', externalCampaignId: 'spring' };
    for (const [id, ask, service] of [
      [stage.integrations.crm, crm, 'hubspot'],
      [stage.integrations.outreach, outreach, 'instantly'],
    ] as const) {
      expect(await settles(id, ask, 'https://proxy.example.com/crm'), service).to.equal(5 * MINUTE);
      expect(await settles(id, ask, ''), service).to.equal(5 * MINUTE);
      expect(await settles(id, ask, stage.service(service)), service).to.be.below(MINUTE);
    }
  });

  it('a CRM that answers too many for hours loses nobody: a push is tried as long as a webhook', async () => {
    await stage.control('outside', { service: 'hubspot', reply: { status: 429 } });
    const handle = await stage.engine();
    const leadId = await stage.lead({ email: 'patient@acme.example' });
    await enrolled(leadId);
    await handle.quiet();
    await passTime(stage.bench, handle, 6 * HOUR, HOUR / 2);
    await stage.control('outside', { service: 'hubspot', reply: null });
    await passTime(stage.bench, handle, DAY, HOUR);
    expect(await outcomesOf(leadId)).to.deep.equal(['done']);
  });
});

import { expect } from 'chai';
import { openOutside } from '../../../pkg/engine/calls/outside.ts';
import type { FaultPoint } from '../../../pkg/engine/fault-points.ts';
import { KnownFor } from '../../../pkg/engine/lookups/known-for.ts';
import { WorkspaceEngine } from '../../../pkg/engine/loop/workspace-engine.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { recoverCalls } from '../../../pkg/store/calls/node-calls.ts';
import { type CallFixture, openCallFixture } from '../../fixtures/engine/call-fixture.ts';
import { change, type EngineHandle, passTime, query } from '../../fixtures/engine/harness.ts';
import type { GraphInput } from '../../fixtures/engine/rows.ts';
import { chain, DAY, HOUR, MINUTE } from '../../fixtures/engine/workflow-fixture.ts';

type Node = GraphInput['nodes'][number];
const POINTS: FaultPoint[] = ['claimed', 'dispatched', 'before_settle'];

describe('engine: an executor that is killed in the middle of a call', function () {
  this.timeout(120_000);
  let fixture: CallFixture;
  before(async () => {
    fixture = await openCallFixture();
  });
  after(() => fixture.stop());
  afterEach(() => fixture.control('faults', []));

  const model = () => ({
    AI_PROVIDER: 'openai' as const,
    AI_MODEL: 'sandbox-model',
    AI_BASE_URL: `${fixture.service('openai')}/v1`,
  });

  /** An engine that stops for ever at this point, as a killed process does. */
  const mortal = (point: FaultPoint): Promise<EngineHandle> =>
    fixture.engine({
      settings: model(),
      faults: (reached) => (reached === point ? Promise.reject(new Error('killed')) : Promise.resolve()),
    });

  /** One that is killed at its first call. */
  async function killedAt(point: FaultPoint, node: Node): Promise<string> {
    const killed = await mortal(point);
    const leadId = await fixture.lead();
    await fixture.enrol(await fixture.flow(chain(node)), leadId);
    await killed.engine.step();
    await killed.engine.settle();
    return leadId;
  }

  /** The same pod comes back with a new epoch. */
  async function restarted(unknownFor?: KnownFor): Promise<EngineHandle> {
    const handle = await fixture.engine({ settings: model(), ...(unknownFor ? { unknownFor } : {}) });
    await handle.deps.claim.tx((tx) => recoverCalls(tx, fixture.bench.clock.now()));
    await handle.quiet();
    return handle;
  }

  const outcomesOf = async (leadId: string): Promise<string[]> =>
    (await fixture.outcomes(leadId)).map((one) => one.outcome);
  const about = async (service: string, leadId: string): Promise<number> => {
    const [lead] = await query<{ email: string }>(fixture.bench, 'select email from lead where id = $1', [leadId]);
    const texts = (await fixture.received(service)).map((one) => JSON.stringify(one));
    return texts.filter((text) => text.includes(lead?.email ?? '?') || text.includes(leadId)).length;
  };

  const paid: [name: string, node: Node, credits: number][] = [
    ['ai:craft', { nodeType: 'ai:craft', label: 'opener', config: { channel: 'message' } }, 1],
    ['lead:enrich', { nodeType: 'lead:enrich', config: { fields: ['phone'] } }, 8],
  ];
  for (const [name, node, credits] of paid) {
    for (const point of POINTS) {
      it(`${name}, killed when ${point}: the result comes and is charged once`, async () => {
        const before = await fixture.credits();
        const leadId = await killedAt(point, node);
        await restarted();
        expect(await outcomesOf(leadId)).to.deep.equal(['done']);
        expect(await fixture.credits()).to.deep.equal({ balance: before.balance - credits, held: 0 });
      });
    }
  }

  it('executors that end say nothing about the service: it is asked as often as ever when it fails by itself then', async () => {
    const leadId = await killedAt('dispatched', { nodeType: 'lead:enrich', config: { fields: ['phone'] } });
    for (let ends = 0; ends < 5; ends++) {
      const next = await mortal('dispatched');
      await next.deps.claim.tx((tx) => recoverCalls(tx, fixture.bench.clock.now()));
      await next.engine.step();
      await next.engine.settle();
    }
    await fixture.control('faults', [{ action: 'pdl', kind: 'lost_answer', rate: 1 }]);
    const handle = await restarted();
    expect(await outcomesOf(leadId), 'it has failed once').to.deep.equal([]);
    await fixture.control('faults', []);
    await passTime(fixture.bench, handle, 2 * HOUR, 10 * MINUTE);
    expect(await outcomesOf(leadId)).to.deep.equal(['done']);
  });

  it('nor do those that end before they come to it', async () => {
    const leadId = await killedAt('dispatched', { nodeType: 'lead:enrich', config: { fields: ['phone'] } });
    for (let ends = 0; ends < 5; ends++) {
      const next = await mortal('dispatched');
      await next.deps.claim.tx((tx) => recoverCalls(tx, fixture.bench.clock.now()));
    }
    await fixture.control('faults', [{ action: 'pdl', kind: 'lost_answer', rate: 1 }]);
    const handle = await restarted();
    expect(await outcomesOf(leadId), 'it has failed once').to.deep.equal([]);
    await fixture.control('faults', []);
    await passTime(fixture.bench, handle, 2 * HOUR, 10 * MINUTE);
    expect(await outcomesOf(leadId)).to.deep.equal(['done']);
  });

  const pushes: [name: string, service: string, node: () => Node][] = [
    ['crm:push', 'hubspot', () => ({ nodeType: 'crm:push', config: { integrationId: fixture.integrations.crm } })],
    [
      'outreach:push',
      'instantly',
      () => ({
        nodeType: 'outreach:push',
        config: { integrationId: fixture.integrations.outreach, externalCampaignId: 'spring' },
      }),
    ],
  ];
  for (const [name, service, node] of pushes) {
    it(`${name}, killed before the commit: pushed once by the next`, async () => {
      const leadId = await killedAt('claimed', node());
      await restarted();
      expect([await outcomesOf(leadId), await about(service, leadId)]).to.deep.equal([['done'], 1]);
    });

    it(`${name}, killed after the push: found there, not pushed again`, async () => {
      const leadId = await killedAt('before_settle', node());
      expect(await about(service, leadId)).to.equal(1);
      await restarted();
      expect([await outcomesOf(leadId), await about(service, leadId)]).to.deep.equal([['done'], 1]);
    });

    it(`${name}, killed between commit and push: pushed only after two look-ups that count`, async () => {
      const leadId = await killedAt('dispatched', node());
      let known = 0;
      const handle = await restarted(new KnownFor(() => known));
      await passTime(fixture.bench, handle, 5 * MINUTE, MINUTE);
      expect(await fixture.calls(leadId), 'looked for, too early to count').to.have.nested.property('[0].not_found', 0);
      expect(await about(service, leadId)).to.equal(0);
      known = MINUTE;
      await passTime(fixture.bench, handle, 4 * MINUTE, MINUTE);
      expect([await outcomesOf(leadId), await about(service, leadId)]).to.deep.equal([['done'], 1]);
    });

    it(`${name}, an answer that is lost on its way: found there, not pushed again`, async () => {
      await fixture.control('faults', [{ action: service, kind: 'lost_answer', rate: 1 }]);
      const handle = await fixture.engine();
      const leadId = await fixture.lead();
      await fixture.enrol(await fixture.flow(chain(node())), leadId);
      await handle.quiet();
      expect((await fixture.calls(leadId))[0]?.state).to.equal('unknown');
      await fixture.control('faults', []);
      await passTime(fixture.bench, handle, 2 * MINUTE, MINUTE);
      expect([await outcomesOf(leadId), await about(service, leadId)]).to.deep.equal([['done'], 1]);
    });
  }

  it('crm:push, nobody learns within a day what became of it: it fails, and no other run pushes it again', async () => {
    const leadId = await killedAt('dispatched', pushes[0]?.[2]() ?? { nodeType: '' });
    await fixture.control('outside', { service: 'hubspot', reply: { status: 503 } });
    const handle = await restarted();
    await passTime(fixture.bench, handle, 2 * DAY, HOUR);
    await fixture.control('outside', { service: 'hubspot', reply: null });
    expect(await outcomesOf(leadId)).to.deep.equal(['failed']);
    const [letter] = await query<{ dead_letter_state: string; error: string }>(
      fixture.bench,
      'select dead_letter_state, error from node_call where lead_id = $1',
      [leadId],
    );
    expect(letter?.dead_letter_state).to.equal('open');
    expect(letter?.error).to.match(/the executor ended before the answer; its look-ups fail: .*503/);
    await fixture.enrol(await fixture.flow(chain(pushes[0]?.[2]() ?? { nodeType: '' })), leadId);
    await passTime(fixture.bench, handle, 10 * MINUTE, MINUTE);
    expect(await about('hubspot', leadId)).to.equal(0);
  });

  it('crm:push, a retry takes its run back to the step, unless the lead is in the workflow anew since', async () => {
    const leadId = await killedAt('dispatched', pushes[0]?.[2]() ?? { nodeType: '' });
    const ofLead = 'where lead_id = $1';
    await change(fixture.bench, `update run set state = 'failed', ended_at = 1, due_at = null ${ofLead}`, [leadId]);
    const given = `state = 'settled', outcome = 'failed', once_key = null, dead_letter_at = 1, dead_letter_state = 'resolved'`;
    const owner = new Database({ url: fixture.bench.ownerUrl, max: 1, applicationName: 'test' });
    await owner.tx({ kind: 'none' }, (tx) => tx.exec(`update node_call set ${given} ${ofLead}`, [leadId]));
    await owner.close();
    const anew = `'{"id": "00000000-0000-4000-8000-000000000004", "state": "paused", "ended_at": null, "send_id": null}'`;
    await change(fixture.bench, `insert into run select (jsonb_populate_record(r, ${anew})).* from run r ${ofLead}`, [
      leadId,
    ]);
    const retry = `select app.resolve_call(id, 'retry', 2, 'admin', 'as I saw') from node_call ${ofLead}`;
    const states = async (): Promise<unknown> => {
      await query(fixture.bench, retry, [leadId]);
      return (
        await query<{ state: string }>(fixture.bench, `select state from run ${ofLead} order by 1`, [leadId])
      ).map(({ state }) => state);
    };
    expect(await states()).to.deep.equal(['failed', 'paused']);
    await change(fixture.bench, `delete from run ${ofLead} and state = 'paused'`, [leadId]);
    expect(await states()).to.deep.equal(['waiting']);
  });

  it('crm:push, its run ends before anybody learns what became of it: a day later a person is told', async () => {
    const push = pushes[0]?.[2]() ?? { nodeType: '' };
    const leadId = await killedAt('before_settle', push);
    await change(fixture.bench, `update run set state = 'stopped', ended_at = 1, due_at = null where lead_id = $1`, [
      leadId,
    ]);
    const letter = async (): Promise<unknown> =>
      (
        await query(
          fixture.bench,
          'select state, outcome, dead_letter_state as letter, once_key is null as free from node_call where lead_id = $1',
          [leadId],
        )
      )[0];
    await restarted();
    expect(await letter()).to.deep.equal({ state: 'unknown', outcome: null, letter: null, free: false });
    await fixture.bench.clock.advance(DAY + HOUR);
    await restarted();
    expect(await letter()).to.deep.equal({ state: 'settled', outcome: 'failed', letter: 'open', free: false });
    const [row] = await query<{ error: string }>(fixture.bench, 'select error from node_call where lead_id = $1', [
      leadId,
    ]);
    expect(row?.error).to.match(/the executor ended before the answer; its run ended/);
    await fixture.enrol(await fixture.flow(chain(push)), leadId);
    await restarted();
    expect([(await outcomesOf(leadId)).length, await about('hubspot', leadId)], 'never pushed twice').to.deep.equal([
      1, 1,
    ]);
  });

  it('webhook:call, killed after the delivery: delivered again under the same id, key and sequence', async () => {
    const node = { nodeType: 'webhook:call', config: { integrationId: fixture.integrations.webhook } };
    const leadId = await killedAt('before_settle', node);
    await restarted();
    expect(await outcomesOf(leadId)).to.deep.equal(['done']);
    const tries = (await fixture.received('hook')).filter((one) => one.idempotencyKey?.includes(leadId));
    expect(tries).to.have.length(2);
    const [first, second] = tries.map((one) => [
      one.headers['x-svc-delivery'],
      one.idempotencyKey,
      (one.body as { parsed: { sequence: number } }).parsed.sequence,
    ]);
    expect(first).to.deep.equal(second);
  });

  it('a call that waits for its next try waits on when another executor takes over', async () => {
    const node = { nodeType: 'webhook:call', config: { integrationId: fixture.integrations.webhook } };
    await fixture.control('outside', { service: 'hook', reply: { status: 503 } });
    const leadId = await fixture.lead();
    await fixture.enrol(await fixture.flow(chain(node)), leadId);
    const first = await fixture.engine({ settings: model() });
    await first.engine.step();
    await first.engine.settle();
    await fixture.control('outside', { service: 'hook', reply: null });
    const before = await about('hook', leadId);
    const handle = await restarted();
    expect(await about('hook', leadId), 'its time has not come').to.equal(before);
    await passTime(fixture.bench, handle, 3 * MINUTE, MINUTE);
    expect([await outcomesOf(leadId), await about('hook', leadId)]).to.deep.equal([['done'], before + 1]);
  });

  it('a run that is stopped while its call is claimed cancels it: nothing leaves, nothing is charged', async () => {
    const before = await fixture.credits();
    const leadId = await fixture.lead();
    const handle = await fixture.engine({
      settings: model(),
      faults: async (point) => {
        if (point !== 'claimed') return;
        await change(
          fixture.bench,
          `update run set state = 'stopped', ended_at = 1, due_at = null where lead_id = $1`,
          [leadId],
        );
      },
    });
    await fixture.enrol(await fixture.flow(chain({ nodeType: 'ai:craft', config: { channel: 'message' } })), leadId);
    await handle.quiet();
    expect((await fixture.calls(leadId)).map((call) => call.outcome)).to.deep.equal(['cancelled']);
    expect(await fixture.credits()).to.deep.equal(before);
  });

  it('what no run waits for any more is cancelled by the next epoch, and its key is free', async () => {
    await fixture.control('outside', { service: 'hubspot', reply: { status: 503 } });
    const push = (): Node => pushes[0]?.[2]() ?? { nodeType: '' };
    const handle = await fixture.engine();
    const leadId = await fixture.lead();
    await fixture.enrol(await fixture.flow(chain(push())), leadId);
    await handle.quiet();
    expect((await fixture.calls(leadId))[0]?.state, 'to be tried again').to.equal('claimed');
    await change(fixture.bench, `update run set state = 'stopped', ended_at = 1, due_at = null where lead_id = $1`, [
      leadId,
    ]);
    await fixture.control('outside', { service: 'hubspot', reply: null });
    await restarted();
    const [call] = await fixture.calls(leadId);
    expect([call?.outcome, call?.once_key]).to.deep.equal(['cancelled', null]);
    expect(await about('hubspot', leadId)).to.equal(0);
  });

  it('a freeze of webhooks holds them until it is lifted; questions go on', async () => {
    const handle = await fixture.engine({ settings: model() });
    await change(
      fixture.bench,
      `insert into send_freeze (id, scope, channel, reason, frozen_by, since) values (gen_random_uuid(), 'platform', 'webhook', 'test', 'test', 1)`,
    );
    const [held, asked] = [await fixture.lead(), await fixture.lead()];
    await fixture.enrol(
      await fixture.flow(chain({ nodeType: 'webhook:call', config: { integrationId: fixture.integrations.webhook } })),
      held,
    );
    await fixture.enrol(await fixture.flow(chain({ nodeType: 'ai:craft', config: { channel: 'message' } })), asked);
    await handle.quiet();
    const [run] = await query<object>(fixture.bench, 'select wait_reason from run where lead_id = $1', [held]);
    expect([run, await outcomesOf(asked)]).to.deep.equal([{ wait_reason: 'send_freeze' }, ['done']]);
    await change(fixture.bench, `delete from send_freeze where channel = 'webhook'`);
    await passTime(fixture.bench, handle, HOUR, 10 * MINUTE);
    expect(await outcomesOf(held)).to.deep.equal(['done']);
  });

  it('and holds what is pushed into CRMs and outreach platforms, which no other channel names', async () => {
    const handle = await fixture.engine({ settings: model() });
    await change(
      fixture.bench,
      `insert into send_freeze (id, scope, channel, reason, frozen_by, since) values (gen_random_uuid(), 'platform', 'webhook', 'test', 'test', 1)`,
    );
    const held: string[] = [];
    for (const [, service, node] of pushes) {
      const leadId = await fixture.lead({ email: `frozen-${held.length}@acme.example` });
      held.push(leadId);
      await fixture.enrol(await fixture.flow(chain(node())), leadId);
      await handle.quiet();
      expect(await about(service, leadId), service).to.equal(0);
      expect(await outcomesOf(leadId), service).to.deep.equal([]);
    }
    await change(fixture.bench, `delete from send_freeze where channel = 'webhook'`);
    await passTime(fixture.bench, handle, HOUR, 10 * MINUTE);
    for (const leadId of held) expect(await outcomesOf(leadId)).to.deep.equal(['done']);
  });

  it('a rehearsal and a restored database let nothing leave; questions go on', async () => {
    const handle = await fixture.engine({ settings: model() });
    const real: Node = { nodeType: 'webhook:call', config: { url: 'https://hooks.example.com/x' } };
    const near: Node = { nodeType: 'webhook:call', config: { integrationId: fixture.integrations.webhook } };
    const send = async (node: Node): Promise<string> => {
      const leadId = await fixture.lead();
      await fixture.enrol(await fixture.flow(chain(node)), leadId);
      await handle.quiet();
      return leadId;
    };
    await change(fixture.bench, 'update installation set rehearsal = true');
    expect([await outcomesOf(await send(real)), await outcomesOf(await send(near))]).to.deep.equal([
      ['failed'],
      ['done'],
    ]);
    await change(fixture.bench, 'update installation set rehearsal = false');
    await change(
      fixture.bench,
      `update restore_guard set checked_start = pg_postmaster_start_time() - interval '1 hour'`,
    );
    const held = await send(near);
    expect(await outcomesOf(held)).to.deep.equal([]);
    expect(await outcomesOf(await send({ nodeType: 'ai:craft', config: { channel: 'message' } }))).to.deep.equal([
      'done',
    ]);
    await change(fixture.bench, 'update restore_guard set checked_start = pg_postmaster_start_time()');
    await passTime(fixture.bench, handle, 2 * MINUTE, MINUTE);
    expect(await outcomesOf(held)).to.deep.equal(['done']);
  });

  it('erasure takes what calls brought, and no enrichment brings the address back', async () => {
    const handle = await fixture.engine({ settings: model() });
    const leadId = await fixture.lead({ email: null, full_name: 'Erika Gone' });
    const craft: Node = { nodeType: 'ai:craft', label: 'opener', config: { channel: 'message' } };
    await fixture.enrol(
      await fixture.flow(chain(craft, { nodeType: 'lead:enrich', config: { fields: ['email'] } })),
      leadId,
    );
    await handle.quiet();
    expect(await outcomesOf(leadId)).to.deep.equal(['done', 'done']);
    const [found] = await query<{ email: string }>(fixture.bench, 'select email from lead where id = $1', [leadId]);
    expect(found?.email).to.equal('erika.gone@work.example');
    await query(
      fixture.bench,
      `select app.leave_tombstones($1, array['mail:erika.gone@work.example'], 'test', 1), app.erase_lead($1, $2, 1, false)`,
      [fixture.ws, leadId],
    );
    const left = await query<{ text: string }>(
      fixture.bench,
      `select coalesce(string_agg(r.facts::text || c.result::text, ''), '') as text from run r join node_call c on c.run_id = r.id where r.lead_id = $1`,
      [leadId],
    );
    expect(left[0]?.text).not.to.match(/opener|Head of Logistics|erika/);
    const again = await fixture.lead({ email: null, full_name: 'Erika Gone' });
    await fixture.enrol(await fixture.flow(chain({ nodeType: 'lead:enrich', config: { fields: ['email'] } })), again);
    await handle.quiet();
    expect(await query(fixture.bench, 'select email from lead where id = $1', [again])).to.deep.equal([
      { email: null },
    ]);
  });

  it('erasure takes what a call under way brings, once it has come', async () => {
    const [arrived, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const handle = await fixture.engine({
      settings: model(),
      faults: async (point) => {
        if (point !== 'before_settle') return;
        arrived.resolve();
        await over.promise;
      },
    });
    const leadId = await fixture.lead({ full_name: 'Erik Under Way' });
    await fixture.enrol(
      await fixture.flow(chain({ nodeType: 'ai:craft', label: 'opener', config: { channel: 'message' } })),
      leadId,
    );
    await handle.engine.step();
    await arrived.promise;
    await query(fixture.bench, 'select app.erase_lead($1, $2, 1, false)', [fixture.ws, leadId]);
    const forget = () => query(fixture.bench, 'select app.forget_settled(100) as forgotten');
    expect(await forget(), 'whose outcome is open').to.deep.equal([{ forgotten: 0 }]);
    over.resolve();
    await handle.engine.settle();
    await handle.quiet();
    expect((await fixture.calls(leadId))[0]?.state).to.equal('settled');
    await forget();
    expect(
      await query(fixture.bench, 'select result, error from node_call where lead_id = $1', [leadId]),
    ).to.deep.equal([{ result: {}, error: null }]);
  });

  it('credentials that were sealed under another key open nothing, and the call says so', async () => {
    const handle = await fixture.engine();
    handle.deps.outside = { ...openOutside({ SANDBOX_URL: fixture.sandbox.url }, undefined) };
    const closed = new WorkspaceEngine(handle.deps);
    const leadId = await fixture.lead();
    await fixture.enrol(
      await fixture.flow(chain({ nodeType: 'crm:push', config: { integrationId: fixture.integrations.crm } })),
      leadId,
    );
    for (let round = 0; round < 5; round++) {
      await closed.step();
      await closed.settle();
    }
    const [first] = await fixture.outcomes(leadId);
    expect(first?.outcome).to.equal('failed');
    expect(first?.data['reason']).to.contain('OUTRIDER_SECRETS_KEY');
  });
});

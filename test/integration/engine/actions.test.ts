import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { FencedError, messageOf } from '../../../pkg/base/errors.ts';
import { type BudgetAction, isHarmless } from '../../../pkg/domain/actions.ts';
import { FAULT_POINTS, type FaultPoint } from '../../../pkg/engine/fault-points.ts';
import { takeOver } from '../../../pkg/engine/loop/take-over.ts';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import {
  type ActionView,
  type NewAction,
  type Planned,
  planAction,
  readAction,
  stopActions,
} from '../../../pkg/store/actions/actions.ts';
import { type IdlePlan, planIdle } from '../../../pkg/store/runs/plan-idle.ts';
import {
  type Bench,
  change,
  type EngineHandle,
  enrol,
  openBench,
  openEngine,
  query,
} from '../../fixtures/engine/harness.ts';
import {
  chain,
  DAY,
  HOUR,
  lead,
  MINUTE,
  message,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

describe('engine: actions without a run', function () {
  this.timeout(120_000);
  let bench: Bench;
  let at: WorkflowFixture;
  let leadId: string;
  let publicId: string;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());
  beforeEach(async () => {
    at = await workflowFixture(bench, chain(message()));
    ({ leadId, publicId } = await lead(bench, at));
  });

  const inWorkspace = { kind: 'workspaces', ids: [] as string[] } as const;
  const newAction = (given: Partial<NewAction> = {}): NewAction => ({
    id: randomUUID(),
    workspaceId: at.ws,
    campaignId: at.camp,
    leadId,
    accountId: at.account,
    action: 'message',
    budgets: ['message'],
    once: 'hello',
    body: 'Hello',
    target: {},
    dueAt: bench.clock.now(),
    expiresAt: null,
    by: 'kim@agency.example',
    scheduledRunId: null,
    ...given,
  });
  const plan = (given: Partial<NewAction> = {}): Promise<Planned> =>
    bench.app.tx({ ...inWorkspace, ids: [at.ws] }, (tx) => planAction(tx, newAction(given), bench.clock.now()));
  async function planned(given: Partial<NewAction> = {}): Promise<string> {
    const answer = await plan(given);
    if (!('actionId' in answer)) throw new Error(answer.refusal);
    return answer.actionId;
  }
  async function action(id: string): Promise<ActionView> {
    const row = await bench.app.tx({ kind: 'platform' }, (tx) => readAction(tx, id));
    if (!row) throw new Error('no action');
    return row;
  }
  /** Begins what is due and lets it end. */
  async function play(handle: EngineHandle = at.handle): Promise<void> {
    while ((await handle.engine.actions.round()) > 0) await handle.engine.settle();
    await handle.engine.settle();
  }
  /** Until the action has ended, or `ms` have passed. */
  async function pass(id: string, ms: number): Promise<ActionView> {
    const until = bench.clock.now() + ms;
    for (let view = await action(id); ; view = await action(id)) {
      if (view.endedAt !== null || bench.clock.now() >= until) return view;
      await bench.clock.advance(Math.max(MINUTE, Math.min((view.dueAt ?? 0) - bench.clock.now(), ms)));
      await play();
    }
  }
  const look = (sql: string): Promise<IdlePlan[]> =>
    at.handle.deps.claim.tx((tx) => tx.rows<IdlePlan>(sql, [bench.clock.now()]));
  const eventsOf = (): Promise<{ kind: string; run_id: string | null; data: Record<string, unknown> }[]> =>
    query(
      bench,
      `select kind, run_id, data from run_event where workspace_id = $1 and kind <> 'lead.created' order by seq`,
      [at.ws],
    );
  const used = (actions: readonly string[] = ['message']): Promise<{ used: number }[]> =>
    query(bench, `select used[1] as used from account_budget where account_id = $1 and action = any ($2::text[])`, [
      at.account,
      actions,
    ]);

  it('is performed once, takes a unit, and tells what happened', async () => {
    const id = await planned();
    await play();
    expect(await pass(id, HOUR)).to.include({ state: 'done', sendState: 'confirmed', dueAt: null });
    expect(at.network.received).to.deep.equal([{ account: at.account, kind: 'message', publicId, text: 'Hello' }]);
    expect(await used()).to.deep.equal([{ used: 1 }]);
    const [told] = await eventsOf();
    expect(told).to.deep.include({ kind: 'message.sent', run_id: null });
    expect(told?.data).to.include({ leadId, actionId: id, networkAccountId: at.account, campaignId: at.camp });
  });

  it('the same key finds the open action, and is spent once it was done', async () => {
    const first = await plan();
    expect(await plan()).to.deep.equal({ ...first, made: false });
    await play();
    await pass('actionId' in first ? first.actionId : '', HOUR);
    expect(await plan()).to.deep.equal({ refusal: 'already_sent' });
    expect(await plan({ once: 'another text' })).to.include({ made: true });
  });

  it('what says the same to the person finds the open action, whatever its key', async () => {
    const first = await plan({ target: { chatId: 'chat-1' } });
    expect(await plan({ once: 'another call' })).to.deep.equal({ ...first, made: false });
    expect(await plan({ once: 'other words', body: 'Good morning' })).to.include({ made: true });
  });

  it('plans nothing through an account or for a lead of others, nor for the excluded', async () => {
    const other = await workflowFixture(bench, chain(message()));
    expect(await plan({ accountId: other.account })).to.deep.equal({ refusal: 'no_account' });
    expect(await plan({ leadId: (await lead(bench, other)).leadId })).to.deep.equal({ refusal: 'no_lead' });
    expect(await plan({ workspaceId: other.ws })).to.deep.equal({ refusal: 'no_lead' });
    expect(await plan({ campaignId: other.camp })).to.deep.equal({ refusal: 'no_campaign' });
    expect(await plan({ campaignId: 'nowhere' })).to.deep.equal({ refusal: 'no_campaign' });
    await planned({ once: 'who the lead is, is settled', body: 'Another text' });
    await exclude();
    expect(await plan()).to.deep.equal({ refusal: 'suppressed' });
  });

  it('spends the budgets of its own kind, whatever its caller says', async () => {
    const request = { action: 'connection_request', once: null } as const;
    for (const given of [
      { budgets: ['profile_view'] },
      { budgets: ['message', 'message'] },
      { ...request, budgets: ['connection_request'] },
      { ...request, body: null, budgets: ['connection_request', 'mail'] },
    ] as const)
      expect(await plan(given).catch(messageOf), JSON.stringify(given)).to.match(/^an action \w+ spends \{/);
    const both = ['connection_request', 'connection_request_with_note'] as const;
    expect(await plan({ ...request, budgets: both })).to.include({ made: true });
  });

  const exclude = (): Promise<unknown> =>
    change(
      bench,
      `insert into suppression (id, workspace_id, level, kind, value, person_id, source, reason, removable, created_by, created_at)
       select gen_random_uuid(), $1, 'workspace', 'person', person_id::text, person_id, 'manual', '', true, 'test', 1 from lead where id = $2`,
      [at.ws, leadId],
    );

  it('who is excluded after it was planned gets nothing', async () => {
    const id = await planned();
    await exclude();
    await play();
    expect(await pass(id, HOUR)).to.include({ state: 'stopped', error: 'the person must not be contacted' });
    expect(at.network.received).to.deep.equal([]);
  });

  it('keeps the pace and the budget of its account, beside runs: never more than the limit of a day', async () => {
    await change(bench, `update network_account set limits = '{"message": {"day": 3}}' where id = $1`, [at.account]);
    const others = await Promise.all([1, 2, 3].map(() => lead(bench, at)));
    const ids = await Promise.all(others.map((one) => planned({ leadId: one.leadId })));
    await enrol(bench, at.ws, at.flow, [(await lead(bench, at)).leadId, (await lead(bench, at)).leadId]);
    const day = new Set<string>();
    for (let hour = 0; hour < 24 * 12; hour++) {
      await play();
      await at.handle.quiet();
      const [row] = await used();
      expect(row?.used ?? 0).to.be.at.most(3);
      day.add(new Date(bench.clock.now()).toISOString().slice(0, 10));
      if (at.network.received.length === 5) break;
      await bench.clock.advance(10 * MINUTE);
    }
    expect(at.network.received).to.have.length(5);
    expect(day.size).to.be.above(1);
    for (const id of ids) expect((await action(id)).state).to.equal('done');
  });

  it('says why it waits: hours that are closed, an account that is paused', async () => {
    await change(bench, `update network_account set paused = true where id = $1`, [at.account]);
    const id = await planned();
    await play();
    expect(await action(id)).to.include({ state: 'open', waitReason: 'account_unhealthy' });
    await change(
      bench,
      `update network_account set paused = false, business_hours = '{"days":[7],"startHour":9,"endHour":10,"timezoneMode":"account"}' where id = $1`,
      [at.account],
    );
    await bench.clock.advance(HOUR);
    await play();
    const waiting = await action(id);
    expect(waiting.waitReason).to.equal('business_hours');
    expect(new Date(waiting.dueAt ?? 0).getUTCDay()).to.equal(0);
    expect(await pass(id, 8 * DAY)).to.include({ state: 'done' });
  });

  it('is not begun after its time', async () => {
    await change(bench, `update network_account set paused = true where id = $1`, [at.account]);
    const id = await planned({ expiresAt: bench.clock.now() + HOUR });
    await play();
    await bench.clock.advance(2 * HOUR);
    await change(bench, `update network_account set paused = false where id = $1`, [at.account]);
    await play();
    expect(await action(id)).to.include({ state: 'stopped' });
    expect(at.network.received).to.deep.equal([]);
  });

  it('a refusal for good ends it and gives unit and key back; one that passes is tried again', async () => {
    at.network.onPerform = () => Promise.reject(new ProviderError('rejected', 'takes no messages'));
    const id = await planned();
    await play();
    expect(await pass(id, HOUR)).to.include({ state: 'failed', error: 'takes no messages' });
    expect(await used()).to.deep.equal([{ used: 0 }]);
    expect((await eventsOf()).map((one) => one.kind)).to.deep.equal(['message.failed']);
    at.network.onPerform = () => Promise.reject(new ProviderError('unavailable_before_send', 'away'));
    const again = await planned();
    await play();
    await bench.clock.advance(10 * MINUTE);
    await play();
    expect(await action(again)).to.include({ state: 'open', waitReason: 'account_unhealthy' });
    at.network.onPerform = async (_action, perform) => perform();
    expect(await pass(again, DAY)).to.include({ state: 'done' });
    expect(at.network.received).to.have.length(1);
  });

  it('a lost answer is looked up; what nobody finds out is a dead letter that a person decides', async () => {
    at.network.onPerform = async (_action, perform) => {
      perform();
      throw new ProviderError('unknown_outcome', 'connection reset');
    };
    const id = await planned();
    await play();
    await lost(id);
    expect(await action(id)).to.include({ state: 'open', sendState: 'unknown', waitReason: 'unknown_outcome' });
    await change(bench, 'update send set lookup_after = clock_timestamp() where lookup_after is not null');
    await at.handle.lookUp();
    expect(await action(id)).to.include({ state: 'done', sendState: 'confirmed' });
    at.network.lookupOutcome = () => Promise.resolve({ unsupported: true });
    const letter = await planned({ once: 'second' });
    await bench.clock.advance(HOUR);
    await play();
    await lost(letter);
    await change(bench, 'update send set lookup_after = clock_timestamp() where lookup_after is not null');
    await at.handle.lookUp();
    expect(await action(letter)).to.include({ state: 'open', deadLetter: true });
    const [send] = await query<{ id: string }>(bench, `select id from send where action_id = $1`, [letter]);
    await query(bench, `select app.resolve_send($1, 'discard', $2, 'admin', 'seen')`, [send?.id, bench.clock.now()]);
    expect(await action(letter)).to.include({ state: 'stopped', deadLetter: false });
    expect(at.network.received).to.have.length(2);
  });
  /** Until its request left. */
  async function lost(id: string): Promise<void> {
    for (let view = await action(id); view.sendState !== 'unknown'; view = await action(id)) {
      await bench.clock.advance(Math.max(1, (view.dueAt ?? bench.clock.now() + MINUTE) - bench.clock.now()));
      await play();
    }
  }

  it('is stopped while it has not left, and only then', async () => {
    const id = await planned();
    const stop = (): ReturnType<typeof stopActions> =>
      bench.app.tx({ ...inWorkspace, ids: [at.ws] }, (tx) =>
        stopActions(tx, [id], bench.clock.now(), 'changed my mind'),
      );
    expect(await stop()).to.deep.equal([{ actionId: id, stopped: true, state: 'stopped' }]);
    await play();
    expect(at.network.received).to.deep.equal([]);
    const done = await planned();
    await play();
    await pass(done, HOUR);
    const answer = await bench.app.tx({ ...inWorkspace, ids: [at.ws] }, (tx) => stopActions(tx, [done], 1, 'x'));
    expect(answer).to.deep.equal([{ actionId: done, stopped: false, state: 'done' }]);
    const foreign = await bench.app.tx({ ...inWorkspace, ids: ['elsewhere'] }, (tx) => stopActions(tx, [done], 1, 'x'));
    expect(foreign).to.deep.equal([]);
  });

  it('an executor of the version before is told of none of it, while the wake is for all', async () => {
    await planned();
    const now = bench.clock.now();
    expect((await look('select next_due as "nextDue" from app.rest($1)'))[0]?.nextDue).to.equal(null);
    const wakes = await query(bench, 'select due_at from workspace_wake where workspace_id = $1', [at.ws]);
    expect(wakes).to.deep.equal([{ due_at: now }]);
    expect(await look('select app.own_next_due() as "nextDue" where $1::bigint > 0')).to.deep.equal([
      { nextDue: null },
    ]);
    expect((await at.handle.deps.claim.tx((tx) => planIdle(tx, now))).nextDue).to.equal(now);
    at.network.onPerform = () => Promise.reject(new ProviderError('unknown_outcome', 'connection reset'));
    await play();
    await bench.clock.advance(10 * MINUTE);
    await play();
    const unknown = await query<{ id: string }>(
      bench,
      `select id from send where workspace_id = $1 and state = 'unknown'`,
      [at.ws],
    );
    expect(unknown).to.have.length(1);
    const seen = await at.handle.deps.claim.tx((tx) =>
      tx.rows('select id from app.sends_by_id($1::uuid[])', [`{${unknown[0]?.id}}`]),
    );
    expect(seen).to.deep.equal([]);
    const left = await look(
      'select unknown_sends as "unknownSends", next_lookup_ms as "nextLookupMs" from app.rest($1)',
    );
    expect(left).to.deep.equal([{ unknownSends: 0, nextLookupMs: null }]);
  });

  /** What tools ask for, each with what it needs. `pace`: in its turn; else at once, as a person who waits for it. */
  const KINDS: readonly (Partial<NewAction> & { action: BudgetAction; event: string | null })[] = [
    { action: 'message', event: 'message.sent' },
    { action: 'message', urgent: true, event: 'message.sent' },
    {
      action: 'connection_request',
      budgets: ['connection_request', 'connection_request_with_note'],
      once: null,
      urgent: true,
      event: 'connection.requested',
    },
    { action: 'inmail', target: { subject: 'A talk' }, urgent: true, event: 'message.sent' },
    { action: 'comment', target: { postId: 'post-1' }, once: 'post:post-1', urgent: true, event: 'message.sent' },
    { action: 'like', target: { postId: 'post-1' }, once: 'post:post-1', body: null, urgent: true, event: null },
  ];
  /** Where what kinds have of their own could be lost; messages and requests are killed everywhere. */
  const SOME: ReadonlySet<FaultPoint> = new Set(['claimed', 'dispatched', 'before_settle', 'looked_up']);
  const pointsOf = ({ action: kind, urgent }: (typeof KINDS)[number]): FaultPoint[] =>
    FAULT_POINTS.filter((point) => {
      // What is harmless is not looked up.
      if (isHarmless(kind)) return SOME.has(point) && !point.startsWith('look');
      return kind === 'connection_request' || (kind === 'message' && !urgent) || SOME.has(point);
    });
  for (const { event, ...kind } of KINDS)
    for (const point of pointsOf({ event, ...kind })) {
      const what = `${kind.action}${kind.urgent ? ' at once' : ''}`;
      it(`an executor killed when ${point}: ${what} is done once, and its unit and key stand as that`, async () => {
        await change(bench, `update network_account set tier = 'sales' where id = $1`, [at.account]);
        if (kind.action === 'connection_request') at.network.connected.delete(publicId);
        const asked = { budgets: [kind.action] as NewAction['budgets'], ...kind };
        const id = await planned(asked);
        expect(await livesUnder(point, id), 'it was killed').to.be.at.least(1);
        expect(await pass(id, DAY)).to.include({ state: 'done' });
        // What is harmless goes on as maybe where nobody can know of it.
        expect(at.network.received.length).to.be.within(isHarmless(kind.action) ? 0 : 1, 1);
        expect(await used(asked.budgets)).to.deep.equal(asked.budgets.map(() => ({ used: 1 })));
        const told = (await eventsOf()).filter((one) => one.kind === event);
        expect(told).to.have.length(event === null ? 0 : 1);
        expect(await plan(asked)).to.deep.equal({ refusal: 'already_sent' });
      });
    }

  /** Executors that are killed at the point, and one that is not. @returns how many were */
  async function livesUnder(point: FaultPoint, id: string): Promise<number> {
    let lives = 0;
    const killed = (reached: FaultPoint): Promise<void> =>
      reached === point && ++lives <= 2 ? Promise.reject(new FencedError('killed')) : Promise.resolve();
    if (point.startsWith('look'))
      at.network.onPerform = async (_action, perform) => {
        perform();
        throw new ProviderError('unknown_outcome', 'connection reset');
      };
    if (point.startsWith('recover')) {
      const faults = (reached: FaultPoint): Promise<void> =>
        reached === 'dispatched' ? Promise.reject(new FencedError('killed')) : Promise.resolve();
      await live(await openEngine(bench, at.ws, at.network, { faults }), id);
    }
    for (let life = 0; life < 3; life++) await live(await openEngine(bench, at.ws, at.network, { faults: killed }), id);
    at.handle = await openEngine(bench, at.ws, at.network);
    await live(at.handle, id);
    return lives;
  }

  for (const kind of ['limit', 'rate_limited'] as const)
    it(`a limit of the network (${kind}) is no try: the account rests, the unit is back, and it is sent once`, async () => {
      at.network.onPerform = () => Promise.reject(new ProviderError(kind, 'too much today'));
      const id = await planned({ urgent: true });
      await play();
      expect(await action(id)).to.include({ state: 'open', waitReason: 'account_unhealthy' });
      expect(await used()).to.deep.equal([{ used: 0 }]);
      at.network.onPerform = undefined;
      expect(await pass(id, DAY)).to.include({ state: 'done' });
      expect(at.network.received).to.have.length(1);
      expect(await used()).to.deep.equal([{ used: 1 }]);
    });

  it('at once keeps neither pace nor hours, and budgets and stops hold', async () => {
    await change(
      bench,
      `update network_account set limits = '{"message": {"day": 2}}', business_hours = '{"days":[7],"startHour":3,"endHour":4,"timezoneMode":"account"}' where id = $1`,
      [at.account],
    );
    const others = await Promise.all([1, 2, 3].map(() => lead(bench, at)));
    const ids = await Promise.all(others.map((one) => planned({ leadId: one.leadId, urgent: true })));
    await play();
    const states = await Promise.all(ids.map(async (id) => (await action(id)).state));
    expect(states.toSorted()).to.deep.equal(['done', 'done', 'open']);
    expect(await used()).to.deep.equal([{ used: 2 }]);
  });

  /** What an executor does until it is killed, or nothing is to do within an hour. */
  async function live(handle: EngineHandle, id: string): Promise<void> {
    try {
      await takeOver(handle.deps);
      for (let round = 0; round < 8; round++) {
        const view = await action(id);
        if (view.endedAt !== null) return;
        if (view.dueAt !== null) await bench.clock.advance(Math.max(0, view.dueAt - bench.clock.now()));
        await play(handle);
        await change(bench, 'update send set lookup_after = clock_timestamp() where lookup_after is not null');
        await handle.lookUp();
      }
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
    }
  }
});

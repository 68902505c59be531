import { expect } from 'chai';
import type { FaultHook } from '../../../pkg/engine/fault-points.ts';
import type { ChannelAccount } from '../../../pkg/engine/ledger/channel-account.ts';
import { LookupHastener } from '../../../pkg/engine/lookups/hasten-lookups.ts';
import { KnownFor } from '../../../pkg/engine/lookups/known-for.ts';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { recoverSends } from '../../../pkg/store/ledger/ledger.ts';
import { planIdle } from '../../../pkg/store/runs/plan-idle.ts';
import { type Bench, change, enrol, openBench, openEngine, passTime, query } from '../../fixtures/engine/harness.ts';
import { lookTwice } from '../../fixtures/engine/node-outcome.ts';
import * as places from '../../fixtures/engine/workflow-fixture.ts';
import {
  chain,
  DAY,
  HOUR,
  MINUTE,
  message,
  type RunView,
  type WorkflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

/** A function's parameters without the first. */
type Tail<F extends (...given: never[]) => unknown> =
  Parameters<F> extends [unknown, ...infer IdlePlan] ? IdlePlan : never;

describe('engine: outcomes that are not known', function () {
  this.timeout(120_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());
  const workflowFixture = (...given: Tail<typeof places.workflowFixture>): Promise<WorkflowFixture> =>
    places.workflowFixture(bench, ...given);
  const lead = (...given: Tail<typeof places.lead>): ReturnType<typeof places.lead> => places.lead(bench, ...given);
  const runOf = (leadId: string): Promise<RunView> => places.runOf(bench, leadId);
  const sendsOf = (ws: string): ReturnType<typeof places.sendsOf> => places.sendsOf(bench, ws);

  /** Somebody to whom a message is written; no request arrives, and nobody is told so. */
  async function lost(): Promise<{ at: WorkflowFixture; leadId: string }> {
    const at = await workflowFixture(chain(message()));
    const { leadId } = await lead(at);
    at.network.onPerform = async () => {
      throw new ProviderError('unknown_outcome', 'timeout');
    };
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    return { at, leadId };
  }

  it('a lost answer after the action was done is looked up and never repeated', async () => {
    const at = await workflowFixture(chain(message()));
    const { leadId } = await lead(at);
    at.network.onPerform = async (_action, perform) => {
      perform();
      throw new ProviderError('unknown_outcome', 'connection reset');
    };
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect((await sendsOf(at.ws))[0]?.state).to.equal('unknown');
    expect(await runOf(leadId)).to.include({ state: 'waiting', wait_reason: 'unknown_outcome' });
    await change(bench, `update send set lookup_after = clock_timestamp()`);
    expect(await at.handle.lookUp()).to.equal(1);
    await passTime(bench, at.handle, 2 * HOUR, HOUR);
    expect(at.network.received).to.have.length(1);
    expect((await sendsOf(at.ws)).map((send) => send.state)).to.deep.equal(['confirmed']);
    expect((await runOf(leadId)).state).to.equal('completed');
  });

  it('not found counts only after settleAfter of real time and twice; then the unit is back and it is tried through the normal path', async () => {
    let known = 0;
    const at = await workflowFixture(chain(message()));
    Object.assign(at.handle.deps, { unknownFor: new KnownFor(() => known) });
    const { leadId } = await lead(at);
    let lose = true;
    at.network.onPerform = async (_action, perform) => {
      if (!lose) return perform();
      throw new ProviderError('unknown_outcome', 'timeout');
    };
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    lose = false;
    for (const jump of ['0 hours', '1 hour']) {
      await change(
        bench,
        `update send set lookup_after = clock_timestamp(), dispatched_real = dispatched_real - interval '${jump}'`,
      );
      await at.handle.lookUp();
      expect((await sendsOf(at.ws))[0]?.state, `early, clock of the database ahead by ${jump}`).to.equal('unknown');
    }
    known = 60_000;
    await change(bench, 'update send set lookup_after = clock_timestamp()');
    await at.handle.lookUp();
    expect((await sendsOf(at.ws))[0]?.state, 'first not found').to.equal('unknown');
    await change(bench, 'update send set lookup_after = clock_timestamp()');
    expect(await at.handle.lookUp()).to.equal(1);
    expect((await sendsOf(at.ws))[0]?.state).to.equal('failed');
    await passTime(bench, at.handle, HOUR, 10 * MINUTE);
    expect(at.network.received).to.have.length(1);
    const [budget] = await query<{ used: number[] }>(
      bench,
      `select used from account_budget where account_id = $1 and action = 'message'`,
      [at.account],
    );
    expect(budget?.used[0]).to.equal(1);
  });

  it('a request that got lost is tried again at once; one that gets lost again and again waits longer each time, and says so', async () => {
    const { at, leadId } = await lost();
    const waits: number[] = [];
    for (let round = 0; round < 4; round++) {
      for (const _look of [1, 2]) {
        await change(bench, `update send set lookup_after = clock_timestamp() where state = 'unknown'`);
        await at.handle.lookUp();
      }
      const run = await runOf(leadId);
      const wait = Math.max(0, (run.due_at ?? 0) - bench.clock.now());
      waits.push(Math.round(wait / MINUTE));
      if (round > 0) expect(run).to.include({ state: 'waiting', wait_reason: 'account_unhealthy' });
      await bench.clock.advance(wait);
      await at.handle.quiet();
      // Pacing between two messages of one account.
      await passTime(bench, at.handle, 20 * MINUTE, MINUTE);
    }
    expect(waits[0]).to.equal(0);
    for (const [index, least] of [5, 10, 20].entries())
      expect(waits[index + 1], `wait ${index + 2}`).to.be.within(least, least * 1.3);
  });

  it('an executor that dies eight times between commit and write costs nobody their message', async () => {
    const at = await workflowFixture(chain(message()));
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    let { handle } = at;
    const dies: FaultHook = (point) => (point === 'dispatched' ? Promise.reject(new Error('dies')) : Promise.resolve());
    for (let deaths = 0; deaths < 8; deaths++) {
      const dying = await openEngine(bench, at.ws, at.network, { faults: dies });
      await passTime(bench, dying, HOUR, 10 * MINUTE);
      handle = await openEngine(bench, at.ws, at.network);
      await handle.deps.claim.tx((tx) => recoverSends(tx, bench.clock.now(), 500));
      await lookTwice(bench, at, { ...handle, quiet: () => Promise.resolve(0) });
    }
    expect(at.network.received).to.have.length(0);
    await passTime(bench, handle, HOUR, 10 * MINUTE);
    expect(at.network.received).to.have.length(1);
    expect((await sendsOf(at.ws)).map((send) => send.state)).to.deep.equal([...Array(8).fill('failed'), 'confirmed']);
  });

  it('twelve look-ups that fail in a row hand the send to a person; one that answers in between starts the count anew', async () => {
    const { at } = await lost();
    const answers = at.network.lookupOutcome.bind(at.network);
    const lookUp = async (times: number, answer: typeof answers): Promise<string | null | undefined> => {
      at.network.lookupOutcome = answer;
      for (let round = 0; round < times; round++) {
        await change(bench, 'update send set lookup_after = clock_timestamp() where lookup_after is not null');
        await at.handle.lookUp();
      }
      return (await sendsOf(at.ws))[0]?.dead_letter_state;
    };
    const fails = (): Promise<never> => Promise.reject(new Error('the network is away'));
    expect(await lookUp(11, fails)).to.equal(null);
    expect(await lookUp(1, answers)).to.equal(null);
    expect(await lookUp(11, fails)).to.equal(null);
    expect(await lookUp(1, fails)).to.equal('open');
  });

  it('a look-up believes no clock: what arrived an hour before its dispatch is found, older words of another send are not', async () => {
    const at = await workflowFixture(chain(message('Hello'), message('Hello')));
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    const asked: { sentAfterMs: number; otherRefs: readonly string[] | undefined }[] = [];
    at.network.lookupOutcome = (_account, _action, sentAfterMs, options) => {
      asked.push({ sentAfterMs, otherRefs: options?.otherRefs });
      return Promise.resolve({ found: true, ref: 'seen', at: null });
    };
    at.network.onPerform = async () => {
      throw new ProviderError('unknown_outcome', 'socket hang up');
    };
    await passTime(bench, at.handle, HOUR, 10 * MINUTE);
    const [second] = await query<{ dispatched_at: number }>(
      bench,
      "select dispatched_at from send where workspace_id = $1 and state = 'unknown'",
      [at.ws],
    );
    await change(bench, 'update send set lookup_after = clock_timestamp()');
    expect(await at.handle.lookUp()).to.equal(1);
    expect(asked).to.have.length(1);
    expect((second?.dispatched_at ?? 0) - (asked[0]?.sentAfterMs ?? 0)).to.be.at.least(12 * HOUR);
    expect(asked[0]?.otherRefs).to.deep.equal(['ref-1']);
  });

  it('a clock of the database that was set back makes nobody wait: look-ups further away than their wait are due at once', async () => {
    const at = await workflowFixture(chain(message()));
    at.network.onPerform = () => Promise.reject(new ProviderError('unknown_outcome', 'timeout'));
    await enrol(bench, at.ws, at.flow, [(await lead(at)).leadId]);
    await at.handle.quiet();
    const due = (minutes: number, lookups: number): Promise<number> =>
      change(
        bench,
        `update send set lookup_after = clock_timestamp() + make_interval(mins => $1), lookups = $2, dispatched_real = clock_timestamp() - interval '1 minute'`,
        [minutes, lookups],
      );
    const accountsOf = async (): Promise<Map<string, ChannelAccount>> =>
      new Map([[at.account, { id: at.account, provider: 'sandbox', kind: 'network', externalId: at.account }]]);
    const settleMinutes = at.network.settleAfterMs / MINUTE;
    for (const [minutes, lookups, looked] of [
      [settleMinutes, 0, 0],
      [50, 0, 1],
      [8 * settleMinutes, 4, 0],
      [50, 4, 1],
      [60, 11, 0],
      [6 * 60, 12, 0],
      [7 * 60, 12, 1],
    ] as const) {
      await due(minutes, lookups);
      await new LookupHastener(at.handle.deps).keep(accountsOf);
      const [row] = await query<{ due: number }>(
        bench,
        'select count(*)::int as due from send where lookup_after <= clock_timestamp()',
      );
      expect(row?.due, `${minutes} minutes after ${lookups} failures`).to.equal(looked);
    }
  });

  it('a harmless action whose outcome cannot be known goes on as maybe and keeps its unit', async () => {
    const at = await workflowFixture(chain({ nodeType: 'network:profile_view' }, { nodeType: 'flow:end' }));
    const { leadId } = await lead(at);
    at.network.onPerform = async () => {
      throw new ProviderError('unknown_outcome', 'timeout');
    };
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    await change(bench, 'update send set lookup_after = clock_timestamp()');
    await at.handle.lookUp();
    await passTime(bench, at.handle, HOUR, 10 * MINUTE);
    expect((await runOf(leadId)).state).to.equal('completed');
    const events = await query<{ data: { maybe?: boolean } }>(
      bench,
      `select data from run_event where kind = 'run.step_done' and node_id = 'n0'`,
    );
    expect(events[0]?.data.maybe).to.equal(true);
    const [budget] = await query<{ used: number[] }>(bench, `select used from account_budget where account_id = $1`, [
      at.account,
    ]);
    expect(budget?.used[0]).to.equal(1);
  });

  it('what cannot be looked up and does harm becomes a dead letter with its evidence, and only a person ends it', async () => {
    const at = await workflowFixture(chain(message()));
    const { leadId } = await lead(at);
    at.network.onPerform = async () => {
      throw new ProviderError('unknown_outcome', 'socket hang up');
    };
    at.network.lookupOutcome = () => Promise.resolve({ unsupported: true });
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    await change(bench, 'update send set lookup_after = clock_timestamp()');
    await at.handle.lookUp();
    await at.handle.quiet();
    const [send] = await query<{
      id: string;
      state: string;
      dead_letter_state: string;
      evidence: { what: string; text: string }[];
    }>(bench, 'select * from send where workspace_id = $1', [at.ws]);
    expect(send).to.include({ state: 'unknown', dead_letter_state: 'open' });
    expect(send?.evidence[0]).to.include({ what: 'lost_answer', text: 'socket hang up' });
    expect(await runOf(leadId)).to.include({ state: 'blocked', wait_reason: 'unknown_outcome' });
    const resolve = (how: string): Promise<{ state: string }[]> =>
      query(bench, 'select app.resolve_send($1, $2, $3, $4, $5) as state', [
        send?.id,
        how,
        bench.clock.now(),
        'admin',
        'asked the lead',
      ]);
    expect((await resolve('retry'))[0]?.state).to.equal('outcome_unknown');
    expect((await resolve('mark_done'))[0]?.state).to.equal('confirmed');
    await at.handle.quiet();
    expect((await runOf(leadId)).state).to.equal('completed');
    expect(at.network.received).to.have.length(0);
  });

  it('a limit signal of the network rests the account', async () => {
    const at = await workflowFixture(chain({ nodeType: 'network:profile_view' }));
    const { leadId } = await lead(at);
    let limited = true;
    at.network.onPerform = async (_action, perform) => {
      if (!limited) return perform();
      throw new ProviderError('rate_limited', 'slow down', 30 * MINUTE);
    };
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    limited = false;
    const [account] = await query<{ cooldown_until: number }>(
      bench,
      'select cooldown_until from network_account where id = $1',
      [at.account],
    );
    expect(account?.cooldown_until).to.equal(bench.clock.now() + 30 * MINUTE);
    await passTime(bench, at.handle, 25 * MINUTE, 5 * MINUTE);
    expect(at.network.received).to.have.length(0);
    await passTime(bench, at.handle, HOUR, 5 * MINUTE);
    expect(at.network.received).to.have.length(1);
  });

  it('a run that stays blocked for 30 days fails', async () => {
    const at = await workflowFixture(chain({ nodeType: 'network:profile_view' }));
    await change(bench, `update network_account set status = 'restricted' where id = $1`, [at.account]);
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    expect(await runOf(leadId)).to.include({ state: 'blocked', wait_reason: 'account_unhealthy' });
    await passTime(bench, at.handle, 31 * DAY, 6 * HOUR);
    expect((await runOf(leadId)).state).to.equal('failed');
  });

  it('the time for which its campaign was stopped does not count as blocked', async () => {
    const at = await workflowFixture(chain({ nodeType: 'network:profile_view' }));
    await change(bench, `update network_account set status = 'restricted' where id = $1`, [at.account]);
    const { leadId } = await lead(at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    await change(bench, `update campaign set state = 'paused'`);
    await passTime(bench, at.handle, 40 * DAY, DAY);
    await change(bench, `update campaign set state = 'active'`);
    await at.handle.deps.claim.tx((tx) => planIdle(tx, bench.clock.now()));
    await at.handle.quiet();
    expect(await runOf(leadId)).to.include({ state: 'blocked', wait_reason: 'account_unhealthy' });
    await change(bench, `update network_account set status = 'ok' where id = $1`, [at.account]);
    await passTime(bench, at.handle, HOUR, HOUR);
    expect(at.network.received).to.have.length(1);
  });
});

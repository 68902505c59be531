import { expect } from 'chai';
import { END_AFTER, TELL_AFTER } from '../../../pkg/engine/lookups/look-up-waits.ts';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { planIdle } from '../../../pkg/store/runs/plan-idle.ts';
import { type Bench, change, enrol, openBench, passTime, query } from '../../fixtures/engine/harness.ts';
import {
  chain,
  DAY,
  HOUR,
  lead,
  message,
  runOf,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';
import { eventually } from '../../tools/kube.ts';

interface Letter {
  id: string;
  state: string;
  dead_letter_state: string | null;
  /** Hours until the next look-up; null: there is none. */
  next: number | null;
  evidence: { what: string; text: string }[];
}

describe('engine: dead letters', function () {
  this.timeout(120_000);
  let bench: Bench;
  let at: WorkflowFixture;
  let leadId: string;
  let done: WorkflowFixture['network']['lookupOutcome'];
  beforeEach(async () => {
    bench = await openBench();
    at = await workflowFixture(bench, chain(message()));
    ({ leadId } = await lead(bench, at));
    done = at.network.lookupOutcome.bind(at.network);
  });
  afterEach(() => bench.close());

  const away = (): Promise<never> => Promise.reject(new Error('the account is not connected'));

  async function letter(): Promise<Letter> {
    const [send] = await query<Letter>(
      bench,
      `select id, state, dead_letter_state, evidence, round(extract(epoch from lookup_after - clock_timestamp()) / 3600)::int as next
       from send where workspace_id = $1 order by claimed_at limit 1`,
      [at.ws],
    );
    if (!send) throw new Error('nothing was sent');
    return send;
  }

  async function lookUp(times: number, answer: typeof done): Promise<Letter> {
    at.network.lookupOutcome = answer;
    for (let time = 0; time < times; time++) {
      await change(bench, 'update send set lookup_after = clock_timestamp() where lookup_after is not null');
      await at.handle.lookUp();
    }
    return letter();
  }

  /** A message of unknown outcome whose look-ups failed until a person was told. @param arrived whether the person got it */
  async function told(arrived: boolean): Promise<void> {
    at.network.onPerform = async (_action, perform) => {
      if (arrived) perform();
      throw new ProviderError('unknown_outcome', 'connection reset');
    };
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    at.network.onPerform = async (_action, perform) => perform();
    expect(await lookUp(TELL_AFTER, away)).to.include({ state: 'unknown', dead_letter_state: 'open' });
    await at.handle.quiet();
    expect(await runOf(bench, leadId)).to.include({ state: 'blocked', wait_reason: 'unknown_outcome' });
  }

  const resolve = (how: string, id: string): Promise<unknown> =>
    query(bench, 'select app.resolve_send($1, $2, $3, $4, $5)', [id, how, bench.clock.now(), 'admin', 'as I saw']);

  it('is looked up all the same: an account that is connected again tells that it arrived, and nobody has to', async () => {
    await told(true);
    expect((await letter()).next, 'hours to the next look-up').to.equal(6);
    expect(await lookUp(1, done)).to.include({ state: 'confirmed', dead_letter_state: 'resolved', next: null });
    await at.handle.quiet();
    expect((await runOf(bench, leadId)).state).to.equal('completed');
    expect(at.network.received).to.have.length(1);
  });

  it('says once that its look-ups fail and once, after eight days, that they ended', async () => {
    await told(true);
    const { evidence } = await letter();
    const last = await lookUp(END_AFTER - TELL_AFTER - 1, away);
    expect(last.evidence).to.deep.equal(evidence);
    expect(last.next).to.equal(6);
    const ended = await lookUp(1, away);
    expect(ended.evidence.slice(evidence.length).map(({ text }) => text)).to.deep.equal([
      'look-ups ended: the account is not connected',
    ]);
    expect(ended).to.include({ state: 'unknown', dead_letter_state: 'open', next: null });
  });

  it('is not sent again because its trace is gone by then: that is for a person to judge', async () => {
    await told(false);
    expect(await lookUp(3, done)).to.include({ state: 'unknown', dead_letter_state: 'open', next: null });
    await passTime(bench, at.handle, 2 * HOUR, HOUR);
    expect(at.network.received).to.have.length(0);
    expect((await letter()).evidence.at(-1)).to.include({ what: 'not_found', text: 'too late to prove anything' });
  });

  it('is sent again when a person had it looked up and it was not found twice; then it is no open one', async () => {
    await told(false);
    await resolve('lookup', (await letter()).id);
    expect(await lookUp(2, done)).to.include({ state: 'failed', dead_letter_state: 'resolved' });
    await passTime(bench, at.handle, 2 * HOUR, HOUR);
    expect(at.network.received).to.have.length(1);
  });

  it('what a person asked for days ago says nothing about today', async () => {
    await told(false);
    await resolve('lookup', (await letter()).id);
    await bench.clock.advance(2 * DAY);
    expect(await lookUp(3, done)).to.include({ state: 'unknown', dead_letter_state: 'open' });
    expect(at.network.received).to.have.length(0);
  });

  it('ends the run when it is discarded, whose history says so and by whom', async () => {
    await told(true);
    await resolve('discard', (await letter()).id);
    expect(await runOf(bench, leadId)).to.include({ state: 'stopped', end_reason: 'dead_letter_discarded' });
    const [last] = await query(
      bench,
      'select kind, actor, text, data from run_event where run_id is not null order by seq desc limit 1',
    );
    const data = { state: 'stopped', reason: 'dead_letter_discarded' };
    expect(last).to.deep.equal({ kind: 'run.completed', actor: 'admin', text: 'as I saw', data });
  });

  it('is looked up no more when a person discarded it', async () => {
    await told(true);
    await resolve('discard', (await letter()).id);
    expect(await lookUp(1, done)).to.include({ state: 'unknown', dead_letter_state: 'discarded', next: null });
  });

  it('counts as of unknown outcome until a person discards it', async () => {
    await told(true);
    const unknown = (): Promise<number> =>
      at.handle.deps.claim.tx(async (tx) => (await planIdle(tx, bench.clock.now())).unknownSends);
    expect(await unknown()).to.equal(1);
    await resolve('discard', (await letter()).id);
    expect(await unknown()).to.equal(0);
  });

  const kept = (): Promise<unknown[]> =>
    query(
      bench,
      `select s.state, s.dead_letter_state, b.used[1] as used, o.last_contacted_at from send s
         join account_budget b on b.account_id = s.account_id and b.action = s.action left join lead_overlay o on o.lead_id = s.lead_id`,
    );

  it('whose outcome was found out meanwhile stays what it is, whatever a person marks it as then', async () => {
    await told(true);
    const { id } = await lookUp(1, done);
    await at.handle.quiet();
    const before = await kept();
    for (const how of ['mark_not_done', 'mark_done', 'discard']) await resolve(how, id);
    expect(await kept()).to.deep.equal(before);
    expect(await letter()).to.include({ state: 'confirmed', dead_letter_state: 'resolved' });
  });

  it('that was a request to connect, and that a person says was done, is a pending one', async () => {
    at = await workflowFixture(
      bench,
      chain({ nodeType: 'network:profile_view' }, { nodeType: 'network:connection_request' }),
    );
    done = at.network.lookupOutcome.bind(at.network);
    ({ leadId } = await lead(bench, at, false));
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}'`);
    at.network.onPerform = async (action, perform) => {
      if (action.kind === 'profile_view') return perform();
      throw new ProviderError('unknown_outcome', 'connection reset');
    };
    await enrol(bench, at.ws, at.flow, [leadId]);
    await at.handle.quiet();
    await lookUp(TELL_AFTER, away);
    const [request] = await query<{ id: string }>(bench, `select id from send where action = 'connection_request'`);
    await resolve('mark_done', request?.id ?? '');
    await at.handle.quiet();
    expect((await runOf(bench, leadId)).state).to.equal('completed');
    expect(await query(bench, 'select state, requested_at from relation')).to.deep.equal([
      { state: 'pending', requested_at: bench.clock.now() },
    ]);
  });

  it('begins no run again that a person stopped meanwhile: a retry is for runs that failed with it', async () => {
    await told(false);
    const { id } = await letter();
    await change(
      bench,
      `update run set state = 'stopped', ended_at = $1, end_reason = 'stopped by a person', due_at = null`,
      [bench.clock.now()],
    );
    await resolve('mark_not_done', id);
    await resolve('retry', id);
    await passTime(bench, at.handle, 2 * HOUR, HOUR);
    expect(await runOf(bench, leadId)).to.include({ state: 'stopped' });
    expect(at.network.received).to.have.length(0);
  });

  it('takes a run back to the step where it failed, once: the one who began the workflow anew since goes on alone', async () => {
    await told(false);
    const { id } = await letter();
    await resolve('mark_not_done', id);
    await at.handle.quiet();
    expect(await runOf(bench, leadId)).to.include({ state: 'failed' });
    const [failed] = await query<{ id: string }>(bench, 'select id from run');
    const copy = `insert into run select (jsonb_populate_record(r, '{"id": "00000000-0000-4000-8000-000000000003", "state": "paused", "ended_at": null, "send_id": null}')).* from run r`;
    await change(bench, copy);
    await resolve('retry', id);
    expect(await query(bench, 'select state from run where id = $1', [failed?.id])).to.deep.equal([
      { state: 'failed' },
    ]);
    await change(bench, `delete from run where id <> $1`, [failed?.id]);
    await resolve('retry', id);
    await passTime(bench, at.handle, 2 * HOUR, HOUR);
    expect(await runOf(bench, leadId)).to.include({ state: 'completed' });
    expect(at.network.received).to.have.length(1);
  });

  it('is decided about behind the one who works on its run: nothing of its account is locked before the run is', async () => {
    await told(false);
    const { id } = await letter();
    const db = bench.app;
    let deciding: Promise<unknown> = Promise.resolve();
    await db.tx({ kind: 'platform' }, async (tx) => {
      await tx.rows('select 1 from run for update');
      deciding = resolve('mark_not_done', id);
      const waits = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'select app.resolve_send%'`;
      await eventually('it waits for the run', async () => (await query(bench, waits)).length > 0);
      await tx.rows('select 1 from account_budget for update nowait');
      await tx.rows('select 1 from send for update nowait');
    });
    await deciding;
    expect(await letter()).to.include({ state: 'failed', dead_letter_state: 'resolved' });
  });
});

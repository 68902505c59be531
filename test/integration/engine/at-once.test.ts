import { expect } from 'chai';
import { BUDGET_ACTIONS, isHarmless } from '../../../pkg/domain/actions.ts';
import type { FaultPoint } from '../../../pkg/engine/fault-points.ts';
import { claimSends, settleSends } from '../../../pkg/store/ledger/ledger.ts';
import {
  type Bench,
  change,
  type EngineHandle,
  enrol,
  openBench,
  openEngine,
  passTime,
  query,
} from '../../fixtures/engine/harness.ts';
import { ledgerTools } from '../../fixtures/engine/ledger-tools.ts';
import { addAccount } from '../../fixtures/engine/rows.ts';
import {
  chain,
  HOUR,
  lead,
  message,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

const VIEW = { nodeType: 'network:profile_view' };
const WAIT = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } };
const UNPACED = `update network_account set pacing = '{"maxGapSeconds": 0}'`;

describe('effects that are dispatched with their claim', () => {
  let bench: Bench;
  let seen: FaultPoint[];
  beforeEach(async () => {
    bench = await openBench();
    seen = [];
  });
  afterEach(() => bench.close());

  /** A person whom the account has met: their provider id is known. */
  async function met(
    graph = chain(VIEW, WAIT, VIEW),
    atOnceWithinMs = Number.POSITIVE_INFINITY,
  ): Promise<{ at: WorkflowFixture; handle: EngineHandle; sends: () => Promise<unknown[]> }> {
    const at = await workflowFixture(bench, graph);
    await change(bench, UNPACED);
    const { leadId, publicId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await change(
      bench,
      `insert into relation (account_id, person_id, provider_id, profile_id, state)
       select $1, person_id, $2, lower($3), 'connected' from run`,
      [at.account, `ACo${publicId}`, publicId],
    );
    const faults = async (point: FaultPoint): Promise<void> => void seen.push(point);
    const handle = await openEngine(bench, at.ws, at.network, { faults, atOnceWithinMs });
    return {
      at,
      handle,
      sends: () => query(bench, 'select action, state, outcome, lookups from send order by claimed_at'),
    };
  }

  it('a harmless one to a person whom the account knows: one commit until its request, one after it', async () => {
    const { at, handle, sends } = await met();
    await handle.quiet();
    expect(seen).to.deep.equal(['claiming', 'dispatched', 'before_settle', 'settling', 'settled']);
    expect(at.network.received.map((one) => one.kind)).to.deep.equal(['profile_view']);
    expect(await sends()).to.deep.equal([{ action: 'profile_view', state: 'confirmed', outcome: 'done', lookups: 0 }]);
    const [account] = await query(bench, 'select last_action_at as at, first_send_at as first from network_account');
    expect(account).to.deep.equal({ at: bench.clock.now(), first: bench.clock.now() });
    const [budget] = await query(bench, `select used[1] as used from account_budget where action = 'profile_view'`);
    expect(budget, 'its unit').to.deep.equal({ used: 1 });
  });

  it('are told of by their account, whose row the second one leaves to others', async () => {
    const { handle } = await met();
    await handle.quiet();
    const first = bench.clock.now();
    await passTime(bench, handle, 2 * HOUR, HOUR / 2);
    const [account] = await query(
      bench,
      'select a.last_action_at as at, a.first_send_at as first, app.last_action_at(a) as last from network_account a',
    );
    const [{ at: last } = { at: 0 }] = await query<{ at: number }>(bench, 'select max(dispatched_at) as at from send');
    expect(last).to.be.greaterThan(first);
    expect(account).to.deep.equal({ at: first, first, last });
  });

  it('none while batches are slow: the time for the request begins with that commit', async () => {
    const { at, handle } = await met(chain(VIEW), Number.NEGATIVE_INFINITY);
    await handle.quiet();
    expect(seen).to.include.members(['claimed', 'prepared', 'dispatching']);
    expect(at.network.received).to.have.length(1);
  });

  it('nothing that reaches a person, and nobody who has to be looked up first', async () => {
    const { handle } = await met(chain(message()));
    await handle.quiet();
    const unmet = await workflowFixture(bench, chain(VIEW));
    await change(bench, UNPACED);
    await enrol(bench, unmet.ws, unmet.flow, [(await lead(bench, unmet)).leadId]);
    const faults = async (point: FaultPoint): Promise<void> => void seen.push(point);
    await (await openEngine(bench, unmet.ws, unmet.network, { faults })).quiet();
    const twoCommits = [
      'claiming',
      'claimed',
      'prepared',
      'dispatching',
      'dispatched',
      'before_settle',
      'settling',
      'settled',
    ];
    expect(seen).to.deep.equal([...twoCommits, ...twoCommits]);
  });

  it('the database refuses it to every kind that could do harm, no matter who asks', async () => {
    const tools = ledgerTools(() => bench);
    const at = await tools.workflowFixture();
    const account = await addAccount(bench.app, [at.ws]);
    await change(bench, UNPACED);
    const actions = [
      'profile_view',
      'follow',
      'like',
      'endorse',
      'connection_request',
      'message',
      'inmail',
      'comment',
      'withdraw_request',
    ];
    const runs = await tools.runs(at, actions.length);
    const requests = actions.map((action, index) =>
      tools.request(runs[index] ?? '', account, action, { atOnce: true }),
    );
    await at.claim.tx((tx) => claimSends(tx, bench.clock.now(), requests));
    const rows = await query<{ action: string; state: string }>(
      bench,
      `select action, state from send where (state = 'dispatched') <> (dispatched_at is null and dispatched_real is null)`,
    );
    const dispatched = rows.filter((row) => row.state === 'dispatched').map((row) => row.action);
    expect(dispatched).to.have.members(['profile_view', 'follow', 'like', 'endorse']);
    expect(rows.length).to.be.greaterThan(dispatched.length);
  });

  it('what does no harm is the same for the engine and the database', async () => {
    const { actions, harmless } = (
      await query<{ actions: string[]; harmless: string[] }>(
        bench,
        'select array_agg(a) as actions, array_agg(a) filter (where app.is_harmless(a)) as harmless from unnest($1::text[]) a',
        [BUDGET_ACTIONS],
      )
    )[0] ?? { actions: [], harmless: [] };
    expect(actions).to.have.members(BUDGET_ACTIONS);
    expect(harmless)
      .to.have.members(BUDGET_ACTIONS.filter(isHarmless))
      .and.have.members(['profile_view', 'follow', 'like', 'endorse']);
  });

  it('whose executor ends before the answer is unknown, and is not done twice', async () => {
    const { at, handle } = await met(chain(VIEW));
    at.network.onPerform = async (_action, perform) => {
      perform();
      // The process ends here: nobody hears the answer.
      return new Promise(() => undefined);
    };
    await handle.engine.step();
    const until = async (there: () => boolean | Promise<boolean>): Promise<void> => {
      while (!(await there())) await new Promise((resolve) => setImmediate(resolve));
    };
    await until(() => at.network.received.length === 1);
    at.network.onPerform = undefined;
    const heir = await openEngine(bench, at.ws, at.network);
    const ended = heir.engine.run();
    // Nobody can know whether a visit happened: it keeps its unit, and the run goes on.
    await until(async () => (await query(bench, 'select 1 from send where maybe')).length === 1);
    heir.engine.drain();
    await ended;
    const [budget] = await query(bench, `select used[1] as used from account_budget where action = 'profile_view'`);
    expect(budget).to.deep.equal({ used: 1 });
    expect(at.network.received).to.have.length(1);
  });

  it('whom an account has met by one, it knows: the next one needs no look-up', async () => {
    const at = await workflowFixture(bench, chain(VIEW, { nodeType: 'network:follow' }));
    await change(bench, UNPACED);
    const { leadId, publicId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    const faults = async (point: FaultPoint): Promise<void> => void seen.push(point);
    await (await openEngine(bench, at.ws, at.network, { faults })).quiet();
    expect(at.network.received.map((one) => one.kind)).to.deep.equal(['profile_view', 'follow']);
    expect(seen.filter((point) => point === 'prepared')).to.have.length(1);
    const sends = await query(
      bench,
      `select state, target ->> 'providerId' as provider from send order by claimed_at, id`,
    );
    const known = { state: 'confirmed', provider: `ACo${publicId}` };
    expect(sends).to.deep.equal([known, known]);
    expect(await query(bench, 'select provider_id as id, state from relation')).to.deep.equal([
      { id: `ACo${publicId}`, state: 'connected' },
    ]);
  });

  it('a send that is settled already, or another workspace’s, is left alone by a plain confirmation', async () => {
    const tools = ledgerTools(() => bench);
    const [at, other] = [await tools.workflowFixture(), await tools.workflowFixture()];
    const account = await addAccount(bench.app, [at.ws, other.ws]);
    await change(bench, UNPACED);
    const [done = '', theirs = ''] = [(await tools.runs(at, 1))[0], (await tools.runs(other, 1))[0]];
    const one = tools.request(done, account, 'profile_view', { atOnce: true });
    const two = tools.request(theirs, account, 'profile_view', { atOnce: true });
    await at.claim.tx((tx) => claimSends(tx, bench.clock.now(), [one]));
    await other.claim.tx((tx) => claimSends(tx, bench.clock.now(), [two]));
    await at.claim.tx((tx) =>
      settleSends(tx, bench.clock.now(), [{ sendId: one.sendId, result: 'failed', outcome: 'failed' }]),
    );
    const plain = [one, two].map(({ sendId }) => ({
      sendId,
      result: 'confirmed' as const,
      outcome: 'done',
      held: true,
      plain: { providerId: null },
    }));
    await at.claim.tx((tx) => settleSends(tx, bench.clock.now(), plain));
    expect(await query(bench, 'select id, state from send order by state')).to.deep.equal([
      { id: two.sendId, state: 'dispatched' },
      { id: one.sendId, state: 'failed' },
    ]);
  });
});

import { expect } from 'chai';
import pg from 'pg';
import { noteRelations, type RelationNote, recordAcceptance } from '../../../pkg/store/inbox/inbox.ts';
import { type Bench, change, enrol, grant, openBench, query } from '../../fixtures/engine/harness.ts';
import { addAccount } from '../../fixtures/engine/rows.ts';
import {
  chain,
  DAY,
  lead,
  type RunView,
  runOf,
  type WorkflowFixture,
  workflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';
import { eventually } from '../../tools/kube.ts';

// Runs first, then relations by account and person, no matter who learns something of them.
describe('what is learnt of relations at one moment', function () {
  this.timeout(60_000);
  let bench: Bench;
  let batch: pg.Client;
  let at: WorkflowFixture;
  let run: RunView;
  before(async () => {
    bench = await openBench();
    at = await workflowFixture(
      bench,
      chain({ nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } }),
    );
  });
  after(() => bench.close());
  /** A batch that holds the run of a person, who goes through the account. */
  beforeEach(async () => {
    batch = new pg.Client({ connectionString: bench.ownerUrl, options: '-c search_path=outrider,app,public' });
    await batch.connect();
    const { leadId } = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [leadId]);
    await change(bench, 'update run set account_id = $2 where lead_id = $1', [leadId, at.account]);
    run = await runOf(bench, leadId);
    await batch.query('begin');
    await batch.query('select 1 from run where id = $1 for no key update', [run.id]);
  });
  afterEach(() => batch.end());

  /** Until `work` is over, or as many wait for a lock. */
  async function untilOverOrWaiting(work: Promise<unknown>, count: number): Promise<void> {
    let over = false;
    const end = (): void => {
      over = true;
    };
    work.then(end, end);
    const text = `select 1 from pg_locks l where not l.granted and l.pid in (
      select a.pid from pg_stat_activity a where a.datname = current_database())`;
    await eventually('it waits', async () => over || (await query(bench, text)).length >= count);
  }
  const stateOf = (account: string): Promise<unknown[]> =>
    query(bench, 'select state from relation where account_id = $1 and person_id = $2', [account, run.person_id]);

  it('an acceptance waits for the batch that holds the run, not the batch for it', async () => {
    const given = { now: 1, accountId: at.account, personId: run.person_id, providerId: 'p', at: 1 };
    const accepted = bench.app.tx({ kind: 'platform' }, (tx) => recordAcceptance(tx, given));
    await untilOverOrWaiting(accepted, 1);
    // As the batch does with what a confirmed view told.
    await batch.query(
      `insert into relation (account_id, person_id, provider_id, state) values ($1, $2, 'p', 'none')
       on conflict (account_id, person_id) do update set provider_id = excluded.provider_id`,
      [at.account, run.person_id],
    );
    await batch.query('commit');
    expect(await accepted).to.equal(1);
    expect(await stateOf(at.account)).to.deep.equal([{ state: 'connected' }]);
  });

  it('two batches of look-ups do not wait for each other, no matter who was found connected', async () => {
    const early = await addAccount(bench.app, [at.ws], { id: `aaa-${run.id.slice(0, 8)}` });
    const other = await runOf(bench, (await another()).leadId);
    const { token } = await grant(bench, at.ws);
    // Not as a claim's transaction: that would be tried again after a deadlock.
    const noted = (notes: RelationNote[]): Promise<void> =>
      bench.executor.tx({ kind: 'claim', token }, (tx) => noteRelations(tx, 1, notes));
    const note = (accountId: string, personId: string, state: RelationNote['state']): RelationNote => ({
      accountId,
      personId,
      providerId: `${accountId}/${personId}`,
      state,
    });
    const first = noted([note(at.account, run.person_id, 'connected'), note(early, other.person_id, 'none')]);
    await untilOverOrWaiting(first, 1);
    const second = noted([note(at.account, run.person_id, 'none'), note(early, other.person_id, 'none')]);
    await untilOverOrWaiting(second, 2);
    await batch.query('commit');
    await Promise.all([first, second]);
    expect(await stateOf(at.account)).to.deep.equal([{ state: 'connected' }]);
    expect((await query<RunView>(bench, 'select * from run where id = $1', [run.id]))[0]?.facts).to.include({
      connected: true,
    });
  });

  async function another(): Promise<{ leadId: string }> {
    const made = await lead(bench, at);
    await enrol(bench, at.ws, at.flow, [made.leadId]);
    return made;
  }
});

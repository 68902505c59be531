import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { readSends } from '../../../pkg/store/ledger/ledger.ts';
import { fill } from '../../bench/engine/fill.ts';
import { START } from '../../bench/engine/settings.ts';
import { testPostgres } from '../../tools/postgres.ts';

const RUNS = 3_000;
/** Effects of a call. */
const MANY = 400;

interface RunRow {
  id: string;
  account_id: string;
  person_id: string;
}

/** A statement that compares each of its rows with each of a table's is quadratic, and it is the size of the table that decides. */
describe('the ledger finds its rows by id, whatever the statistics say', function () {
  this.timeout(120_000);
  let client: pg.Client;
  let token: string;
  let runs: RunRow[];
  /** Plans of all statements, those within functions too. */
  const plans: string[] = [];

  before(async () => {
    const urls = await (await testPostgres()).product();
    const { workspaceId } = await fill(urls.superuserUrl, 'effects', RUNS, {}, { met: true });
    const app = new Database({ url: urls.appUrl, max: 1, applicationName: 'test' });
    const claim = await app.tx({ kind: 'platform' }, (tx) =>
      tx.row<{ token: string }>(`select token from app.take_claim('workspace', $1, 'test', 3600)`, [workspaceId]),
    );
    await app.close();
    token = claim?.token ?? '';
    client = new pg.Client({ connectionString: urls.superuserUrl, options: '-c search_path=outrider,app,public' });
    await client.connect();
    await client.query('vacuum analyze open_send');
    await client.query('vacuum analyze send');
    runs = (await client.query<RunRow>('select id, account_id, person_id from run order by due_at limit $1', [MANY]))
      .rows;
    await client.query(`load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on;
      set auto_explain.log_timing = off; set auto_explain.log_nested_statements = on; set auto_explain.log_parameter_max_length = 0`);
    client.on('notice', (notice) => plans.push(notice.message ?? ''));
    await client.query('set client_min_messages = log');
  });
  afterEach(() => client.query('rollback'));
  after(() => client.end());

  /** Rows that were compared in vain, of the worst statement. */
  const wasted = (): { rows: number; plan: string } => {
    const sums = plans.map((plan) => ({
      rows: [...plan.matchAll(/Rows Removed by (?:Join )?Filter: (\d+)/g)].reduce((sum, [, n]) => sum + Number(n), 0),
      plan,
    }));
    return sums.reduce((worst, one) => (one.rows > worst.rows ? one : worst), { rows: 0, plan: '' });
  };

  /** Begins as an executor does, with these tables empty and known to be. */
  async function enterEmptied(tables: string): Promise<void> {
    await client.query('begin');
    await client.query(`truncate ${tables} cascade`);
    await client.query(`analyze ${tables}`);
    await client.query('select app.find_by_index(), app.enter($1)', [token]);
  }

  async function claimMany(now: number): Promise<string[]> {
    const ids = runs.map(() => randomUUID());
    const requests = runs.map((run, at) => {
      const target = { publicId: 'p', providerId: `ACo${at}` };
      const what = {
        nodeId: 'n2',
        action: 'profile_view',
        budgets: ['profile_view'],
        once: 'node',
        body: null,
        target,
      };
      return { ...what, runId: run.id, sendId: ids[at], accountId: run.account_id };
    });
    const claimed = await client.query(`select granted from app.claim_sends($1, $2) where granted`, [
      now,
      JSON.stringify(requests),
    ]);
    expect(claimed.rowCount).to.equal(MANY);
    const sends = runs.map((run, at) => ({ id: run.id, send: ids[at] }));
    await client.query(
      `update run r set send_id = q.send from jsonb_to_recordset($1) as q (id uuid, send uuid) where r.id = q.id`,
      [JSON.stringify(sends)],
    );
    return ids;
  }

  async function settleMany(now: number, ids: readonly string[]): Promise<void> {
    const dispatched = await client.query(`select 1 from app.dispatch_sends($1, $2::uuid[]) where dispatched`, [
      now,
      ids,
    ]);
    expect(dispatched.rowCount).to.equal(MANY);
    const results = ids.map((sendId) => ({ sendId, result: 'confirmed', outcome: 'done', ref: 'x', held: true }));
    const settled = await client.query(`select 1 from app.settle_sends($1, $2)`, [now, JSON.stringify(results)]);
    expect(settled.rowCount).to.equal(MANY);
  }

  it('when 400 effects are claimed, though nobody has counted the budgets of all accounts of the platform', async () => {
    const now = START + RUNS * 86_400_000;
    await client.query('begin');
    await client.query(
      `insert into account_budget (account_id, action, head_date, limit_day, limit_week)
       select id, 'profile_view', '2026-01-01', 0, 0 from network_account on conflict do nothing`,
    );
    await client.query('select app.enter($1)', [token]);
    plans.length = 0;
    await claimMany(now);
    const worst = wasted();
    expect(worst.rows, worst.plan.slice(0, 2_000)).to.be.lessThan(10 * MANY);
  });

  it('when 400 effects are dispatched and settled, though nearly no send is known of', async () => {
    const now = START + RUNS * 86_400_000;
    await client.query('begin');
    await client.query('select app.enter($1)', [token]);
    const ids = await claimMany(now);
    plans.length = 0;
    await settleMany(now, ids);
    const worst = wasted();
    expect(plans.length).to.be.greaterThan(5);
    expect(worst.rows, worst.plan.slice(0, 2_000)).to.be.lessThan(10 * MANY);
  });

  it('when what is left is counted and when an executor takes over: no statement reads all sends', async () => {
    const now = START + RUNS * 86_400_000;
    await client.query('begin');
    await client.query('select app.enter($1)', [token]);
    await claimMany(now);
    await client.query('analyze send; analyze open_send');
    plans.length = 0;
    await client.query('select * from app.rest($1)', [now]);
    await client.query('select * from app.recover_sends($1, 1000)', [now]);
    expect(plans.join('\n')).to.include('open_send').and.not.include('Seq Scan on send');
  });

  it('when people are looked up by a plan that was made before anybody was known', async () => {
    await enterEmptied('relation, account_wake, conversation');
    const relations = (): Promise<pg.QueryResult> =>
      client.query('select 1 from app.relations_of($1::uuid[])', [runs.map((run) => run.person_id)]);
    expect((await relations()).rowCount).to.equal(0);
    const ids = runs.map((run) => run.id);
    await client.query(
      `insert into relation (account_id, person_id, state) select account_id, person_id, 'none' from run where id = any ($1)`,
      [ids],
    );
    await client.query('insert into account_wake (account_id, due_at) select id, 0 from network_account');
    await client.query(
      `insert into conversation (id, account_id, external_id, person_id, last_message_at)
       select uuidv7(), account_id, id::text, person_id, 1 from run where id = any ($1)`,
      [ids],
    );
    plans.length = 0;
    expect((await relations()).rowCount).to.equal(MANY);
    const worst = wasted();
    expect(worst.rows, worst.plan.slice(0, 4_000)).to.be.lessThan(10 * MANY);
    const all = plans.join('\n');
    expect(all).to.include('using relation_pkey').and.include('using conversation_person');
    expect(all).to.not.include('using relation_account');
  });

  it('when what is left is counted by a plan that was made before anything was sent', async () => {
    const now = START + RUNS * 86_400_000;
    await enterEmptied('send, open_send');
    await client.query('select * from app.rest($1)', [now]);
    await claimMany(now);
    plans.length = 0;
    await client.query('select * from app.rest($1)', [now]);
    const worst = wasted();
    expect(worst.rows, worst.plan.slice(0, 4_000)).to.be.lessThan(10 * MANY);
  });

  it("when an executor reads sends by a plan that was made before anything was sent, not all of its workspace's", async () => {
    const now = START + RUNS * 86_400_000;
    await enterEmptied('send, open_send');
    const ids = await claimMany(now);
    // Its rows are secured by their workspace, and there is an index that knows it.
    await client.query('set local role outrider_executor');
    const query = (_name: string, text: string, values: unknown[]): Promise<unknown[]> =>
      client.query(text, values).then((answer) => answer.rows);
    plans.length = 0;
    expect(await readSends({ named: query } as unknown as Tx, ids.slice(0, 3))).to.have.length(3);
    // A statement is over, and tells, when the next one takes its portal.
    await client.query('select $1::int', [1]);
    expect(plans.join('\n')).to.include('on send');
    const worst = wasted();
    expect(worst.rows, worst.plan.slice(0, 4_000)).to.equal(0);
  });

  it('when it is asked what comes due next: whether a flow is stopped is asked only of those that have a source', async () => {
    await client.query('begin');
    await client.query('select app.find_by_index(), app.enter($1)', [token]);
    plans.length = 0;
    await client.query('select app.own_next_due()');
    expect(plans.join('\n')).to.include('source_feed').and.not.include('on campaign');
  });

  it('and are kept: no table that they write to is vacuumed or analyzed before thousands of its rows changed', async () => {
    const now = START + RUNS * 86_400_000;
    await client.query('begin');
    await client.query('select app.enter($1)', [token]);
    plans.length = 0;
    const ids = await claimMany(now);
    await settleMany(now, ids);
    const written = plans.flatMap((plan) =>
      [...plan.matchAll(/(?:Insert|Update|Delete) on (\w+)/g)].map(([, name]) => name),
    );
    expect(written).to.include.members(['send', 'open_send', 'account_budget', 'network_account', 'run', 'agenda']);
    const eager = await client.query(
      `select c.relname, c.reloptions from pg_class c
         cross join lateral (select coalesce(jsonb_object_agg(o.option_name, o.option_value), '{}') as own
           from pg_options_to_table(c.reloptions) o) t
       where c.relnamespace = 'outrider'::regnamespace and c.relname = any ($1)
         and not (coalesce(own ->> 'autovacuum_vacuum_threshold', '50')::float8 >= 10000
           and coalesce(own ->> 'autovacuum_analyze_threshold', '50')::float8 >= 10000
           -- -1: never for what was inserted alone.
           and coalesce(nullif(own ->> 'autovacuum_vacuum_insert_threshold', '-1'), 'infinity')::float8 >= 10000
           and own ? 'autovacuum_vacuum_insert_threshold')`,
      [written],
    );
    expect(eager.rows).to.deep.equal([]);
  });
});

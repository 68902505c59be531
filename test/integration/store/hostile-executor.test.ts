import { expect } from 'chai';
import pg from 'pg';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { testPostgres } from '../../tools/postgres.ts';

const NOW = Date.UTC(2026, 2, 10);
const OWN = 'ws-own';

/** The one who took over one executor has its login and its claim, and writes any statement that they let through. */
describe('an executor in foreign hands', function () {
  this.timeout(60_000);
  let app: Database;
  let executor: Database;
  let token = '';
  let ownerUrl = '';
  let executorUrl = '';

  before(async () => {
    const urls = await (await testPostgres()).product();
    ({ ownerUrl, executorUrl } = urls);
    app = new Database({ url: urls.appUrl, max: 2, applicationName: 'test' });
    executor = new Database({ url: urls.executorUrl, max: 1, applicationName: 'test' });
    await platform(async (tx) => {
      for (const id of [OWN, 'ws-neighbour']) {
        await tx.exec(
          `insert into workspace (id, uid, name, limits, created_at, updated_at) values ($1, $1, $1, '{"monthlyCredits": 50}', 1, 1)`,
          [id],
        );
      }
      await tx.exec(
        `insert into network_account (id, provider, external_id, display_name, status, status_since, timezone, created_at)
         values ('acc-neighbour', 'sandbox', 'x', 'X', 'ok', 1, 'UTC', 1)`,
      );
      await tx.exec(
        `insert into account_link (account_id, workspace_id, linked_at) values ('acc-neighbour', 'ws-neighbour', 1)`,
      );
      await tx.exec(
        `insert into account_budget (account_id, action, head_date, used, limit_day, limit_week)
         values ('acc-neighbour', 'message', '2026-03-10', '{40,0,0,0,0,0,0}', 40, 200)`,
      );
      const claim = await tx.row<{ token: string }>(`select token from take_claim('workspace', $1, 'pod')`, [OWN]);
      token = claim?.token ?? '';
    });
  });
  after(async () => {
    await app.close();
    await executor.close();
  });

  const platform = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => app.tx({ kind: 'platform' }, work);
  const own = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => executor.tx({ kind: 'claim', token }, work);
  const refusal = (work: (tx: Tx) => Promise<unknown>): Promise<string> =>
    own(work).then(
      () => 'done',
      (error: Error) => error.message,
    );

  it('excludes nobody for the whole platform, nor for an agency: only in its workspace', async () => {
    const exclude = (level: string, agency: string | null) => (tx: Tx) =>
      tx.exec(
        `insert into suppression (id, workspace_id, agency_id, level, kind, value, source, created_at)
         values (gen_random_uuid(), $1, $3, $2, 'keyword', 'ceo', 'manual', 1)`,
        [OWN, level, agency],
      );
    expect(await refusal(exclude('platform', null))).to.match(/row-level security/);
    expect(await refusal(exclude('agency', 'agency-of-others'))).to.match(/row-level security/);
    expect(await refusal(exclude('workspace', null))).to.equal('done');
  });

  it('gives no unit back to an account that its workspace does not use', async () => {
    const send = '00000000-0000-4000-8000-000000000001';
    const write = await refusal((tx) =>
      tx.exec(
        `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, budgets, state, epoch, budget_date, claimed_at)
         values ($1, $2, 'w', 'c', $1, 'n', $1, $1, 'acc-neighbour', 'message', '{message}', 'claimed', 1, '2026-03-10', $3)`,
        [send, OWN, NOW],
      ),
    );
    await refusal((tx) =>
      tx.rows('select * from app.settle_sends($1, $2)', [NOW, JSON.stringify([{ sendId: send, result: 'failed' }])]),
    );
    const budget = await platform((tx) => tx.row<{ used: number[] }>('select used from account_budget'));
    expect([write, budget?.used[0]]).to.deep.equal(['permission denied for table send', 40]);
  });

  it('turns no day of a budget that its workspace does not use, and locks nothing of its account', async () => {
    const run = '00000000-0000-4000-8000-000000000002';
    await platform(async (tx) => {
      await tx.exec(
        `insert into campaign (id, uid, workspace_id, title, state, settings, created_at, updated_at)
         values ('camp-own', 'camp-own', $1, 'X', 'active', '{}', 1, 1)`,
        [OWN],
      );
      await tx.exec(
        `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, entered_at, started_at)
         values ($1, $2, 'w', 'camp-own', $1, $1, 1, 'n', 'queued', 1, 1)`,
        [run, OWN],
      );
    });
    const request = { runId: run, sendId: run, nodeId: 'n', accountId: 'acc-neighbour', action: 'message' };
    const asked = JSON.stringify([{ ...request, budgets: ['message'], once: 'node', body: 'x', target: {} }]);
    const later = NOW + 30 * 86_400_000;
    const locked = await own(async (tx) => {
      await tx.rows('select * from app.claim_sends($1, $2)', [later, asked]);
      return platform((other) =>
        other.rows(`select 1 from account_pacing where account_id = 'acc-neighbour' for update nowait`),
      ).then(
        () => 'free',
        (error: Error) => error.message,
      );
    });
    const budget = await platform((tx) =>
      tx.row(`select used, head_date::text from account_budget where account_id = 'acc-neighbour'`),
    );
    expect(budget).to.deep.equal({ used: [40, 0, 0, 0, 0, 0, 0], head_date: '2026-03-10' });
    expect(locked).to.equal('free');
  });

  it('locks no run of others when it settles what it says are its calls', async () => {
    const [run, call] = ['00000000-0000-4000-8000-000000000005', '00000000-0000-4000-8000-000000000006'];
    await platform((tx) =>
      tx.exec(
        `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, entered_at, started_at)
         values ($1, 'ws-neighbour', 'w', 'c', $1, $1, 1, 'n', 'queued', 1, 1)`,
        [run],
      ),
    );
    const owner = new Database({ url: ownerUrl, max: 1, applicationName: 'test' });
    await owner.tx({ kind: 'none' }, (tx) =>
      tx.exec(
        `insert into node_call (id, workspace_id, workflow_id, campaign_id, run_id, node_id, node_type, lead_id, repeatable, state, epoch, claimed_at)
         values ($1, 'ws-neighbour', 'w', 'c', $2, 'n', 'ai:craft', $2, true, 'dispatched', 1, 1)`,
        [call, run],
      ),
    );
    await owner.close();
    const locked = await own(async (tx) => {
      await tx.rows('select app.settle_calls($1, $2)', [NOW, JSON.stringify([{ callId: call, result: 'settled' }])]);
      return platform((other) => other.rows('select 1 from run where id = $1 for no key update nowait', [run])).then(
        () => 'free',
        (error: Error) => error.message,
      );
    });
    expect(locked).to.equal('free');
  });

  it('turns none of its sends into one of another account, and begins no runs past the functions', async () => {
    expect(await refusal((tx) => tx.exec(`update send set account_id = 'acc-neighbour'`))).to.match(
      /permission denied/,
    );
    expect(await refusal((tx) => tx.exec(`update send set budgets = '{message}', state = 'claimed'`))).to.match(
      /permission denied/,
    );
    const begun = refusal((tx) =>
      tx.exec(
        `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, entered_at, started_at)
         select gen_random_uuid(), $1, 'w', 'c', gen_random_uuid(), gen_random_uuid(), 1, 'n', 'queued', 1, 1`,
        [OWN],
      ),
    );
    expect(await begun).to.match(/permission denied/);
  });

  it('reads no freeze of others, nor why they were frozen', async () => {
    await platform((tx) =>
      tx.exec(
        `insert into send_freeze (id, scope, target, channel, reason, frozen_by, since)
         select gen_random_uuid(), scope, target, '', 'of ' || target, 'admin', 1
         from (values ('workspace', 'ws-neighbour'), ('account', 'acc-neighbour'), ('workspace', '${OWN}'), ('platform', 'all')) f (scope, target)`,
      ),
    );
    const seen = await own((tx) => tx.rows<{ reason: string }>('select reason from send_freeze order by 1'));
    expect(seen.map((row) => row.reason)).to.deep.equal(['of all', `of ${OWN}`]);
  });

  it('takes no lock that others wait for, ends no session of another executor, and keeps nothing past the tables', async () => {
    const pid = await executor.pool.query<{ pid: number }>('select pg_backend_pid() as pid');
    for (const call of [
      `pg_advisory_lock(hashtext('outrider.run_event'))`,
      `pg_advisory_xact_lock_shared(hashtextextended('person:ada', 0))`,
      'pg_try_advisory_lock(1, 2)',
      `pg_terminate_backend(${pid.rows[0]?.pid})`,
      `pg_cancel_backend(${pid.rows[0]?.pid})`,
      'lo_create(0)',
      `lo_from_bytea(0, 'x')`,
    ])
      expect(await refusal((tx) => tx.rows(`select ${call}`)), call).to.match(/permission denied for function/);
  });

  it('ends, cancels and signals no session of its own login from any database that it may enter', async () => {
    const open = await platform((tx) =>
      tx.rows<{ name: string }>(
        `select datname as name from pg_database where datallowconn and has_database_privilege('outrider_executor', oid, 'connect') order by 1`,
      ),
    );
    expect(
      open.map(({ name }) => name).filter((name) => !/^(product_\d+|outrider_template)$/.test(name)),
    ).to.deep.equal([]);
    const elsewhere = new pg.Client({ connectionString: executorUrl.replace(/[^/]+$/, 'postgres') });
    const entered = await elsewhere.connect().then(
      () => 'entered',
      (error: Error) => error.message,
    );
    expect(entered).to.match(/permission denied for database/);
    const roles = await platform((tx) =>
      tx.rows(
        `select r.rolname from pg_auth_members m join pg_roles r on r.oid = m.roleid
         where m.member = 'outrider_executor'::regrole`,
      ),
    );
    expect(roles, 'it is a member of no other role, pg_signal_backend least of all').to.deep.equal([]);
  });

  it('makes no temporary table, in which a function of ours could look for its own', async () => {
    expect(await refusal((tx) => tx.exec('create temp table claim_secret (inner_pad bytea)'))).to.match(
      /permission denied to create temporary tables/,
    );
  });

  it('reads no password, and gives itself no right that it has not', async () => {
    for (const statement of [
      'select rolpassword from pg_authid',
      'alter role outrider_executor superuser',
      'alter role outrider_executor bypassrls',
      'alter role outrider_executor connection limit 1',
      `alter role outrider_executor valid until '2020-01-01'`,
      `alter role outrider_app password 'x'`,
      'alter role outrider_app set statement_timeout = 1',
      'grant outrider_definer to outrider_executor',
      'set role outrider_app',
      'drop role outrider_executor',
    ])
      expect(await refusal((tx) => tx.exec(statement)), statement).to.match(
        /permission denied|must have|cannot be dropped/,
      );
  });

  it('opens the months in which it writes, and no other: each is a table that all plans go through', async () => {
    const now = Date.now();
    const open = (at: number) => (tx: Tx) =>
      tx.row<{ open_event_month: boolean }>('select app.open_event_month($1)', [at]);
    const year = 365 * 86_400_000;
    for (const at of [0, now - 3 * year, now + year, now + 90 * year, 9e15])
      expect((await own(open(at)))?.open_event_month, String(at)).to.equal(false);
    expect((await own(open(now)))?.open_event_month).to.equal(true);
    const stranger = await executor.tx({ kind: 'none' }, open(now + 30 * 86_400_000));
    expect(stranger?.open_event_month).to.equal(false);
  });

  it('keeps its workspace from its successor for two minutes at most', async () => {
    const renewed = await own((tx) =>
      tx.row<{ expires_at: number }>('select expires_at from app.renew_claim($1, $2)', [token, 3_000_000_000 / 2]),
    );
    expect((renewed?.expires_at ?? 0) - Date.now()).to.be.within(1_000, 125_000);
  });

  it('grants itself no credits of months that are to come or were before', async () => {
    const day = 86_400_000;
    const months = await own(async (tx) => {
      for (const now of [0, 1, 2, 3].map((count) => NOW + count * 40 * day)) {
        await tx.rows('select app.grant_monthly_credits($1, $2)', [OWN, now]);
        await tx.rows(
          `select * from app.hold_credits(gen_random_uuid(), $1, 1, 'ai_craft', null, null, null, null, ($2::bigint)::text, 'h', $2::bigint, 60, 60)`,
          [OWN, now],
        );
      }
      return tx.row<{ balance: number }>('select balance from credit_balance');
    });
    expect(months?.balance, 'credits of this month').to.equal(50);
  });
});

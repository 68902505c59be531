import { expect } from 'chai';
import pg from 'pg';
import { Registry } from 'prom-client';
import { executorLogin } from '../../../cmd/operator/executor-login.ts';
import { createLogger } from '../../../pkg/base/log.ts';
import { executorRoleJob } from '../../../pkg/controllers/executor-role.ts';
import type { EventNote } from '../../../pkg/kube/events.ts';
import type { KubeObject } from '../../../pkg/kube/types.ts';
import { createOperatorMetrics } from '../../../pkg/metrics/operator-metrics.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { tryLogin } from '../../../pkg/postgres/try-login.ts';
import { startPostgres, type TestDatabase, type TestPostgres } from '../../tools/postgres.ts';

describe('the login of all executors', function () {
  this.timeout(60_000);
  const registry = new Registry();
  const metrics = createOperatorMetrics(registry);
  const events: string[] = [];
  let server: TestPostgres;
  let urls: TestDatabase;
  let db: Database;
  let foreign: pg.Client;

  // A server of its own: the role is that of all its databases.
  before(async () => {
    server = await startPostgres();
    urls = await server.product();
    db = new Database({ url: urls.appUrl, max: 2, applicationName: 'test' });
  });
  after(async () => {
    await db.close();
    await server.stop();
  });
  beforeEach(async () => {
    events.length = 0;
    registry.resetMetrics();
    foreign = new pg.Client({ connectionString: urls.executorUrl });
    await foreign.connect();
  });
  afterEach(() => foreign.end());

  const job = () =>
    executorRoleJob({
      db,
      runtime: { log: createLogger('test') },
      metrics,
      homeNamespace: 'outrider',
      executorLogin: executorLogin({ DATABASE_URL: urls.appUrl, EXECUTOR_DATABASE_URL: urls.executorUrl }),
      events: {
        record: ({ kind, metadata }: KubeObject, { type, reason }: EventNote) =>
          events.push(`${kind}/${metadata.name} ${type} ${reason}`),
      },
    });
  const look = () => job().run(new AbortController().signal);
  const password = (): string => new URL(urls.executorUrl).password;
  const getsIn = (): Promise<boolean> => tryLogin(urls.appUrl, { user: 'outrider_executor', password: password() });
  const settings = async (): Promise<unknown> => {
    const client = new pg.Client({ connectionString: urls.executorUrl });
    await client.connect();
    const { rows } = await client.query(
      `select current_setting('search_path') as path, current_setting('statement_timeout') as statement,
         current_setting('idle_in_transaction_session_timeout') as idle, current_setting('work_mem') as memory`,
    );
    await client.end();
    return rows[0];
  };

  it('is left alone while it is as it was', async () => {
    const before = await settings();
    await look();
    expect(events).to.deep.equal([]);
    expect(await settings()).to.deep.equal(before);
    expect(await registry.metrics()).to.match(/^outrider_executor_role_restored_total\{what="password"\} 0$/m);
  });

  it('opens three fifths of the connections that the server has at most, and its limit is restored', async () => {
    const admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    const limit = async (): Promise<{ limit: number; fair: number }> => {
      const { rows } = await admin.query(
        `select rolconnlimit as limit, ((m.setting::int - s.setting::int) * 3 / 5) as fair
         from pg_roles, pg_settings m, pg_settings s
         where rolname = 'outrider_executor' and m.name = 'max_connections' and s.name = 'superuser_reserved_connections'`,
      );
      return rows[0];
    };
    const first = await limit();
    await admin.query('alter role outrider_executor connection limit -1');
    await look();
    const restored = await limit();
    await admin.end();
    expect([first.limit, restored.limit]).to.deep.equal([first.fair, first.fair]);
    expect(events).to.deep.equal(['Lease/outrider-operator Warning ExecutorRoleRestored']);
  });

  it('has its password back when one of them changed it, and says so by event and metric', async () => {
    await foreign.query(`alter role outrider_executor password 'mine'`);
    expect(await getsIn()).to.equal(false);
    await look();
    expect(await getsIn()).to.equal(true);
    expect(await tryLogin(urls.appUrl, { user: 'outrider_executor', password: 'mine' })).to.equal(false);
    expect(events).to.deep.equal(['Lease/outrider-operator Warning ExecutorRoleRestored']);
    expect(await registry.metrics()).to.match(/^outrider_executor_role_restored_total\{what="password"\} 1$/m);
  });

  it('has its password back when one of them took it away', async () => {
    await foreign.query('alter role outrider_executor password null');
    expect(await getsIn()).to.equal(false);
    await look();
    expect(await getsIn()).to.equal(true);
  });

  it('has its settings back, those of one database too, and loses what was added', async () => {
    const before = await settings();
    for (const change of [
      'set statement_timeout = 1',
      `set search_path = 'pg_temp'`,
      `set work_mem = '64kB'`,
      `in database ${urls.name} set idle_in_transaction_session_timeout = 1`,
      'reset all',
    ]) {
      const other = new pg.Client({ connectionString: urls.executorUrl, options: '-c statement_timeout=0' });
      await other.connect();
      await other.query(`alter role outrider_executor ${change}`);
      await other.end();
      await look();
      expect(await settings(), change).to.deep.equal(before);
    }
    expect(events).to.have.length(5);
    expect(await registry.metrics()).to.match(/^outrider_executor_role_restored_total\{what="settings"\} 5$/m);
  });

  it('is restored within a minute of real time', () => {
    const { everyMs, withinMs } = job();
    expect(everyMs * 1.1 + withinMs).to.be.at.most(60_000);
  });

  it('is restored by the operator alone: no executor and no text of another form gets through', async () => {
    const refusal = (client: { query(text: string): Promise<unknown> }, call: string): Promise<string> =>
      client.query(`select ${call}`).then(
        () => 'done',
        (error: Error) => error.message,
      );
    expect(await refusal(foreign, `keeper.restore_executor(null, true)`)).to.match(/permission denied/);
    for (const verifier of ['plain', `SCRAM-SHA-256$4096:x' superuser --`])
      expect(await refusal(db.pool, `keeper.restore_executor('${verifier.replaceAll("'", "''")}', false)`)).to.match(
        /no SCRAM-SHA-256 verifier/,
      );
    expect(await getsIn()).to.equal(true);
  });

  it('says so when nobody may restore it', async () => {
    const superuser = new pg.Client({ connectionString: urls.superuserUrl });
    await superuser.connect();
    try {
      await superuser.query('alter function keeper.restore_executor(text, boolean) rename to away');
      await foreign.query(`alter role outrider_executor set work_mem = '64kB'`);
      const said = await look().then(String, (error: Error) => error.message);
      expect(said).to.match(/settings of the role outrider_executor were changed.*SUPERUSER_DATABASE_URL/);
      expect(events).to.deep.equal(['Lease/outrider-operator Warning ExecutorRoleChanged']);
    } finally {
      await superuser.query('alter function keeper.away(text, boolean) rename to restore_executor');
      await superuser.end();
    }
    await look();
    expect(events.at(-1)).to.equal('Lease/outrider-operator Warning ExecutorRoleRestored');
  });
});

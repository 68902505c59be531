import { expect } from 'chai';
import pg from 'pg';
import { testPostgres } from '../../tools/postgres.ts';

const OPTIONS = '-c search_path=outrider,app,public -c app.platform=on';
const MOST = 64;

describe('the locks of identities', function () {
  this.timeout(60_000);
  let one: pg.Client;
  let other: pg.Client;

  before(async () => {
    const { superuserUrl } = await (await testPostgres()).product();
    [one, other] = [1, 2].map(() => new pg.Client({ connectionString: superuserUrl, options: OPTIONS })) as [
      pg.Client,
      pg.Client,
    ];
    for (const client of [one, other]) await client.connect();
    await one.query(`insert into workspace (id, uid, name, created_at, updated_at) values ('acme', 'acme', 'A', 1, 1)`);
  });
  after(async () => {
    for (const client of [one, other]) await client.end();
  });
  afterEach(() => one.query('rollback'));

  const take = (client: pg.Client, from: number, count: number): Promise<unknown> =>
    client.query(
      `select app.try_identities('acme', array_agg('p' || n), array_agg('p' || n || '@a.example'))
       from generate_series($1::int, $2::int) n`,
      [from, from + count - 1],
    );
  const held = async (): Promise<number> => {
    const { rows } = await one.query<{ count: number }>(
      `select count(*)::int as count from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
    );
    return rows[0]?.count ?? -1;
  };

  it('of an import of 10,000 people with mail and profile are 64 at most', async () => {
    await one.query('begin');
    await take(one, 1, 10_000);
    expect(await held()).to.be.within(2, MOST);
  });

  it('are tried and not waited for: who comes second is told that an import is running', async () => {
    await one.query('begin');
    await take(one, 1, 1);
    const error = await take(other, 1, 1).catch((refusal: unknown) => refusal);
    expect(error).to.include({ code: '55P03' });
    expect(String(error)).to.contain('An import is running');
    await one.query('rollback');
    await take(other, 1, 1);
  });

  it('are those that a lead is settled under, however it comes', async () => {
    const lead = 'bbbbbbbb-0000-4000-8000-000000000001';
    await one.query(
      `insert into lead (id, workspace_id, full_name, profile_id, email, created_at, updated_at)
       values ($1, 'acme', 'Ann', 'p1', 'p1@a.example', 1, 1)`,
      [lead],
    );
    await one.query('begin');
    await take(one, 1, 1);
    const before = await held();
    await one.query('select app.resolve_persons($1, 1)', [[lead]]);
    expect(await held()).to.equal(before);
  });
});

import { expect } from 'chai';
import pg from 'pg';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { isDatabaseAway } from '../../../pkg/postgres/database-away.ts';
import { testPostgres } from '../../tools/postgres.ts';

/** Uses after which a statement's plan is kept. */
const OFTEN = 8;

describe('reads that share a packet', function () {
  this.timeout(60_000);
  let db: Database;
  let owner: pg.Client;

  const read = <T>(text: string, values: unknown[] = [], ids = ['ws-a']): Promise<T[]> =>
    db.read({ kind: 'workspaces', ids }, (tx) => tx.rows<T>(text, values));
  const often = async (text: string, values: unknown[] = []): Promise<void> => {
    for (let i = 0; i < OFTEN; i++) await read(text, values);
  };
  const fail = async (reading: Promise<unknown>): Promise<Error & { code?: string }> =>
    reading.then(
      () => expect.fail('did not fail'),
      (error: Error) => error,
    );
  /** Whether a backend waits for the lock of this test. */
  const waits = async (): Promise<boolean> => {
    const found = await owner.query(`select 1 from pg_locks where locktype = 'advisory' and not granted`);
    return found.rowCount !== 0;
  };

  before(async () => {
    const { appUrl, ownerUrl } = await (await testPostgres()).product();
    owner = new pg.Client({ connectionString: ownerUrl });
    await owner.connect();
    db = new Database({ url: appUrl, max: 4, applicationName: 'test', prepare: true, readPipes: 1 });
    await db.tx({ kind: 'platform' }, async (tx) => {
      for (const id of ['ws-a', 'ws-b'])
        await tx.exec('insert into workspace (id, uid, name, created_at, updated_at) values ($1, $1, $1, 1, 1)', [id]);
    });
    await often('select id from workspace order by id');
  });
  after(async () => {
    await db?.close();
    await owner?.end();
  });

  it('each sees what its own scope shows, and nothing of its neighbours', async () => {
    const scopes = [['ws-a'], ['ws-b'], [], ['ws-a', 'ws-b'], ['ws-b'], ['ws-a'], [], ['ws-b']];
    const seen = await Promise.all(
      scopes.map((ids) => read<{ id: string }>('select id from workspace order by id', [], ids)),
    );
    expect(seen.map((rows) => rows.map((row) => row.id))).to.deep.equal(scopes);
  });

  it('one that fails fails alone, and a write is refused', async () => {
    const [before, bad, write, behind] = await Promise.all([
      read<{ n: number }>('select 1 as n'),
      fail(read('select $1::uuid as id', ['no uuid'])),
      fail(read(`update workspace set name = 'x' where id = 'ws-a'`)),
      read<{ n: number }>('select 2 as n'),
    ]);
    expect([before, behind]).to.deep.equal([[{ n: 1 }], [{ n: 2 }]]);
    expect([bad.code, write.code]).to.deep.equal(['22P02', '25006']);
  });

  it('nobody waits behind a read that is not known to be quick', async () => {
    await owner.query('select pg_advisory_lock(77)');
    const slow = read<{ n: number }>('select pg_advisory_xact_lock_shared(77), 4 as n');
    const quick = read('select id from workspace order by id');
    while (!(await waits()));
    expect(await quick).to.deep.equal([{ id: 'ws-a' }]);
    await owner.query('select pg_advisory_unlock(77)');
    expect((await slow).map((row) => row.n)).to.deep.equal([4]);
  });

  it('a kept plan survives a migration that adds a column', async () => {
    await owner.query('create table outrider.kept_plan (id int); insert into outrider.kept_plan values (1)');
    await owner.query('grant select on outrider.kept_plan to outrider_app');
    await often('select * from kept_plan');
    await owner.query('alter table outrider.kept_plan add column more text');
    const found = await Promise.all([1, 2, 3].map(() => read('select * from kept_plan')));
    expect(found).to.deep.equal(Array(3).fill([{ id: 1, more: null }]));
  });

  it('a connection that is cut fails what it had, and another serves', async () => {
    const error = await fail(read('select pg_terminate_backend(pg_backend_pid())'));
    expect(isDatabaseAway(error)).to.equal(true);
    expect(await read('select 5 as n')).to.deep.equal([{ n: 5 }]);
  });

  it('parameters mean what they mean in a transaction', async () => {
    const values = [
      'a "b" \\ {c}, é',
      7.5,
      true,
      null,
      ['x', 'a,"b\\', '', null],
      [1, 2],
      [['n', 'm']],
      { deep: ['"'] },
      Buffer.from([0, 255]),
      new Date(86_400_000),
    ];
    const text =
      'select $1::text a, $2::float8 b, $3::bool c, $4::text d, $5::text[] e, $6::int[] f, $7::text[] g, $8::jsonb h, $9::bytea i, $10::timestamptz j';
    const inTransaction = await db.tx({ kind: 'none' }, (tx: Tx) => tx.rows(text, values));
    expect(await read(text, values)).to.deep.equal(inTransaction);
  });
});

import { expect } from 'chai';
import pg from 'pg';
import { type Migration, migrate } from '../../../pkg/postgres/migrate.ts';
import { testPostgres } from '../../tools/postgres.ts';

const file = (version: number, sql: string, checksum = `sum-${version}`): Migration => ({
  version,
  name: `${String(version).padStart(4, '0')}_test.sql`,
  sql,
  checksum,
});

async function refusal(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => '',
    (error: Error) => error.message,
  );
}

describe('migrations', function () {
  this.timeout(60_000);
  it('are applied once, in order, also when two programs migrate at the same time', async () => {
    const url = await (await testPostgres()).database();
    const files = [file(1, 'create table one (id int)'), file(2, 'create table two (id int)')];
    const both = await Promise.all([migrate(url, files), migrate(url, files)]);
    expect(both.flat().sort()).to.deep.equal(['0001_test.sql', '0002_test.sql']);
    expect(await migrate(url, files)).to.deep.equal([]);
  });

  it('a file that changed after it was applied is refused', async () => {
    const url = await (await testPostgres()).database();
    await migrate(url, [file(1, 'select 1')]);
    expect(await refusal(migrate(url, [file(1, 'select 2', 'other')]))).to.contain(
      'was changed after it had been applied',
    );
  });

  it('a database of a newer version is refused and left alone', async () => {
    const url = await (await testPostgres()).database();
    await migrate(url, [file(1, 'select 1'), file(2, 'select 1')]);
    expect(await refusal(migrate(url, [file(1, 'select 1')]))).to.contain('newer version');
  });

  it('a file that fails leaves nothing behind', async () => {
    const url = await (await testPostgres()).database();
    expect(await refusal(migrate(url, [file(1, 'create table half (id int); select nonsense')]))).to.contain(
      '0001_test.sql failed',
    );
    await migrate(url, [file(1, 'create table half (id int)')]);
  });

  it('a change of a table waits for whoever uses it, and nobody waits behind the change', async () => {
    const url = await (await testPostgres()).database();
    const files = [file(1, 'create table busy (id int)'), file(2, 'alter table busy add column name text')];
    await migrate(url, files.slice(0, 1));
    const [backup, executor] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
    await Promise.all([backup.connect(), executor.connect()]);
    try {
      await backup.query('begin; select * from busy');
      const migrating = migrate(url, files);
      const waits = `select 1 from pg_locks where relation = 'busy'::regclass and not granted`;
      while ((await backup.query(waits)).rows.length === 0);
      await executor.query('insert into busy (id) values (1)');
      await backup.query('commit');
      expect(await migrating).to.deep.equal(['0002_test.sql']);
      expect((await executor.query('select * from busy')).rows).to.deep.equal([{ id: 1, name: null }]);
    } finally {
      await Promise.all([backup.end(), executor.end()]);
    }
  });

  it('a connection that is lost is a failure in words, not the end of the program', async () => {
    const url = await (await testPostgres()).database();
    expect(await refusal(migrate(url, [file(1, 'select pg_terminate_backend(pg_backend_pid())')]))).to.match(
      /0001_test\.sql failed: .*terminat/,
    );
  });
});

import { expect } from 'chai';
import pg from 'pg';
import { migrate } from '../../../pkg/postgres/migrate.ts';
import type { FunctionSet, Migration } from '../../../pkg/postgres/sql-files.ts';
import { testPostgres } from '../../tools/postgres.ts';

const file = (version: number, sql: string, checksum = `sum-${version}`): Migration => {
  const name = `${String(version).padStart(4, '0')}_test.sql`;
  return { version, name, files: [{ name, sql }], checksum };
};

const folder = (version: number, files: Record<string, string>): Migration => ({
  ...file(version, ''),
  files: Object.entries(files).map(([name, sql]) => ({ name, sql })),
});

const functions = (files: Record<string, string>, checksum = JSON.stringify(files)): FunctionSet => ({
  files: Object.entries(files).map(([name, sql]) => ({ name, sql })),
  checksum,
});

async function ask(url: string, question: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return Object.values((await client.query<Record<string, unknown>>(question)).rows[0] ?? {})[0];
  } finally {
    await client.end();
  }
}

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

  it('a change of a table waits for the one who uses it, and nobody waits behind the change', async () => {
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

  it('the files of a folder are applied in the order in which they need each other, all or none', async () => {
    const url = await (await testPostgres()).database();
    const files = {
      'a.sql': 'create table a (b int references b (id))',
      'b.sql': 'create table b (id int primary key)',
      'c.sql': 'create view c as select twice(id) from b',
      'd.sql': `create function twice(int) returns int language sql as 'select 2 * $1'`,
    };
    const lacking = folder(1, { ...files, 'e.sql': 'create table e (x nowhere)' });
    expect(await refusal(migrate(url, [lacking]))).to.contain('type "nowhere" does not exist');
    expect(await ask(url, `select to_regclass('a')`)).to.equal(null);
    await migrate(url, [folder(1, files)]);
    expect(await ask(url, `select to_regclass('c')`)).to.equal('c');
  });

  it('functions are there for the first tables, and those of a table that comes later wait for it', async () => {
    const url = await (await testPostgres()).database();
    const set = functions({
      'kind.sql': `create or replace function kind(t text) returns text language sql immutable as 'select upper(t)'`,
      'later.sql': `create or replace function later() returns setof second language sql stable as 'select * from second'`,
    });
    const first = file(1, 'create table first (t text); create index on first (kind(t))');
    await migrate(url, [first, file(2, 'create table second (id int)')], set);
    expect(await ask(url, 'select count(*)::int from later()')).to.equal(0);
  });

  it('functions are applied again when one was edited, and only then', async () => {
    const url = await (await testPostgres()).database();
    const one = (body: string): FunctionSet =>
      functions({ 'one.sql': `create or replace function one() returns int language sql as 'select ${body}'` });
    await migrate(url, [file(1, 'select 1')], one('1'));
    await migrate(url, [file(1, 'select 1')], one('2'));
    expect(await ask(url, 'select one()')).to.equal(2);
    const written = `select xmin::text from pg_proc where proname = 'one'`;
    const before = await ask(url, written);
    await migrate(url, [file(1, 'select 1')], one('2'));
    expect(await ask(url, written)).to.equal(before);
    // Back to the earlier program: its functions.
    await migrate(url, [file(1, 'select 1')], one('1'));
    expect(await ask(url, 'select one()')).to.equal(1);
  });

  it('a function that fails leaves all others as they were, and names its file', async () => {
    const url = await (await testPostgres()).database();
    const good = `create or replace function good() returns int language sql as 'select 1'`;
    await migrate(url, [file(1, 'select 1')], functions({ 'good.sql': good }));
    const broken = functions({ 'good.sql': good.replace('select 1', 'select 2'), 'worse.sql': 'create nonsense' });
    expect(await refusal(migrate(url, [file(1, 'select 1')], broken))).to.match(/functions failed: worse\.sql: syntax/);
    expect(await ask(url, 'select good()')).to.equal(1);
  });

  it('a function whose body names nothing that is there fails its migration, not its first call', async () => {
    const url = await (await testPostgres()).database();
    const good = `create or replace function good() returns int language sql as 'select later()'`;
    const later = `create or replace function later() returns int language sql as 'select 1'`;
    await migrate(url, [file(1, 'create table t (id int)')], functions({ 'a.sql': good, 'b.sql': later }));
    expect(await ask(url, 'select good()')).to.equal(1);
    const refused: Record<string, [body: string, why: RegExp]> = {
      column: [`language sql as 'select idd from t'`, /functions failed: c\.sql: column "idd" does not exist/],
      call: [`language sql as 'select latter()'`, /functions failed: c\.sql: function latter\(\) does not exist/],
      grammar: [`language plpgsql as 'begin retrun 1; end'`, /functions failed: c\.sql: syntax error/],
      statement: [
        `language plpgsql as 'begin return (select id form t); end'`,
        /functions failed: c\.sql: syntax error/,
      ],
    };
    for (const [name, [body, why]] of Object.entries(refused)) {
      const wrong = `create or replace function wrong() returns int ${body}`;
      const set = functions({ 'a.sql': good, 'b.sql': later.replace('1', '2'), 'c.sql': wrong });
      expect(await refusal(migrate(url, [file(1, 'create table t (id int)')], set)), name).to.match(why);
    }
    expect(await ask(url, 'select good()')).to.equal(1);
  });

  it('a migration that stands for earlier ones is only recorded where they are, and refused where a part of them is', async () => {
    const url = await (await testPostgres()).database();
    const replaces = { count: 2, last: '0002_test.sql', program: 'abc1234' };
    const baseline = { ...file(10, 'create table whole (id int)'), replaces };
    await migrate(url, [file(1, 'create table whole (id int)')]);
    expect(await refusal(migrate(url, [baseline]))).to.match(/0001_test\.sql, 1 of 2 migrations.*commit abc1234/);
    await migrate(url, [file(1, 'create table whole (id int)'), file(2, 'select 1')]);
    expect(await migrate(url, [baseline])).to.deep.equal([]);
    expect(await migrate(url, [baseline, file(11, 'drop table whole')])).to.deep.equal(['0011_test.sql']);
  });
});

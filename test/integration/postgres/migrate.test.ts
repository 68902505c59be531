import { expect } from 'chai';
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

describe('migrations', () => {
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
});

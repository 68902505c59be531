import { expect } from 'chai';
import pg from 'pg';
import { eventually, startTestCluster, type TestCluster } from '../../tools/kube.ts';

describe('an operator of some namespaces', function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  let superuser: pg.Client;
  before(async () => {
    cluster = await startTestCluster();
    superuser = new pg.Client({ connectionString: cluster.superuserUrl, options: '-c search_path=outrider,app' });
    await superuser.connect();
  });
  after(async () => {
    await superuser.end();
    await cluster.stop();
  });

  it('compares a start of Postgres although it may not ask for what it watched before', async () => {
    await superuser.query(
      `insert into workspace (id, uid, generation, name, created_at, updated_at) values ('former.acme', 'uid', 1, 'Acme', 1, 1)`,
    );
    await superuser.query(`update restore_guard set checked_start = pg_postmaster_start_time() - interval '1 day'`);
    cluster.api.fault = (_method, path) =>
      path.includes('/namespaces/former/') ? { code: 403, reason: 'Forbidden', message: 'no right to it' } : undefined;
    await cluster.operator({}, ['team']);
    await eventually('the start was compared, and sends go on', async () => {
      const { rows } = await superuser.query(
        'select checked_start = pg_postmaster_start_time() as compared from restore_guard',
      );
      return rows[0]?.compared === true;
    });
    expect((await superuser.query('select 1 from send_freeze')).rows).to.deep.equal([]);
  });
});

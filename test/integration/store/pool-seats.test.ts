import { expect } from 'chai';
import { Database } from '../../../pkg/postgres/database.ts';
import { allSeats, seat } from '../../../pkg/store/leases/seats.ts';
import { addWorkspace } from '../../fixtures/engine/rows.ts';
import { testPostgres } from '../../tools/postgres.ts';

describe('store: seats of the pool', function () {
  this.timeout(120_000);
  let app: Database;
  before(async () => {
    const { appUrl } = await (await testPostgres()).product();
    app = new Database({ url: appUrl, max: 4, applicationName: 'test' });
  });
  after(() => app.close());

  it('one that was deleted after its move was planned gets no seat back; the others are moved', async () => {
    const stays = await addWorkspace(app);
    const goes = await addWorkspace(app);
    const at = (member: string) => new Map([stays, goes].map((id) => [id, member]));
    await app.tx({ kind: 'platform' }, (tx) => seat(tx, at('ex-pool-0')));
    const seats = await app.tx({ kind: 'platform' }, async (tx) => {
      expect(await allSeats(tx), 'as the planner reads them').to.deep.equal(at('ex-pool-0'));
      await app.tx({ kind: 'platform' }, async (other) => {
        await other.exec('delete from pool_seat where workspace_id = $1', [goes]);
        await other.exec('update workspace set deleted_at = 1 where id = $1', [goes]);
      });
      await seat(tx, at('ex-pool-1'));
      return allSeats(tx);
    });
    expect([...seats]).to.deep.equal([[stays, 'ex-pool-1']]);
  });
});

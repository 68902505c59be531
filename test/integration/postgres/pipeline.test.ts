import { expect } from 'chai';
import { FencedError } from '../../../pkg/base/errors.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { testPostgres } from '../../tools/postgres.ts';

describe('statements of a transaction that leave together', () => {
  for (const pipeline of [true, false]) {
    describe(pipeline ? 'on a connection with a pipeline' : 'on a connection without one, one after the other', () => {
      let db: Database;
      before(async () => {
        const url = await (await testPostgres()).product();
        db = new Database({ url: url.executorUrl, max: 1, applicationName: 'test', pipeline });
      });
      after(() => db.close());

      it('are answered in their order', async () => {
        const answers = await db.tx({ kind: 'none' }, (tx) =>
          Promise.all([1, 2, 3].map((one) => tx.row<{ one: number }>('select $1::int as one', [one]))),
        );
        expect(answers.map((answer) => answer?.one)).to.deep.equal([1, 2, 3]);
      });

      it('fail with the first that fails; the connection serves the next transaction', async () => {
        const failing = db.tx({ kind: 'none' }, (tx) => Promise.all([tx.row('select 1 / 0'), tx.row('select 2')]));
        expect(await failing.catch((error: Error) => error.message)).to.equal('division by zero');
        expect(await db.tx({ kind: 'none' }, (tx) => tx.row('select 1 as one'))).to.deep.equal({ one: 1 });
      });

      it('are refused with a stale claim, for that reason', async () => {
        const scope = { kind: 'claim', token: 'workspace|nobody|1|9999999999|00' } as const;
        const refused = db.tx(scope, (tx) => Promise.all([tx.row('select 1'), tx.row('select 2')]));
        expect(await refused.catch((error: unknown) => error)).to.be.instanceOf(FencedError);
      });
    });
  }
});

import { expect } from 'chai';
import { FencedError } from '../../../pkg/base/errors.ts';
import { Database, LastAnswers, type Tx } from '../../../pkg/postgres/database.ts';
import { testPostgres } from '../../tools/postgres.ts';

describe('statements of a transaction that leave together', () => {
  for (const pipeline of [true, false]) {
    describe(pipeline ? 'on a connection with a pipeline' : 'on a connection without one, one after the other', () => {
      let db: Database;
      before(async () => {
        const url = await (await testPostgres()).product();
        db = new Database({ url: url.ownerUrl, max: 1, applicationName: 'test', pipeline });
        await db.tx({ kind: 'none' }, (tx) => tx.exec('create table public.kept (id int primary key)'));
      });
      after(() => db.close());
      const keep = (tx: Tx, id: number): Promise<number> => tx.exec('insert into public.kept values ($1)', [id]);
      const kept = async (): Promise<number[]> =>
        (await db.tx({ kind: 'none' }, (tx) => tx.rows<{ id: number }>('select id from public.kept order by 1'))).map(
          (row) => row.id,
        );

      it('are answered in their order', async () => {
        const answers = await db.tx({ kind: 'none' }, (tx) =>
          Promise.all([1, 2, 3].map((one) => tx.row<{ one: number }>('select $1::int as one', [one]))),
        );
        expect(answers.map((answer) => answer?.one)).to.deep.equal([1, 2, 3]);
      });

      it('have their own time limit again after those that were given another', async () => {
        const limits = await db.tx({ kind: 'none' }, async (tx) => {
          await tx.exec(`set local statement_timeout = '20s'`);
          const shown = async (inner: Tx): Promise<string | undefined> =>
            (await inner.row<{ limit: string }>(`select current_setting('statement_timeout') as limit`))?.limit;
          return [await tx.limited(7_000, shown), await shown(tx)];
        });
        expect(limits).to.deep.equal(['7s', '20s']);
      });

      it('fail with the first that fails; the connection serves the next transaction', async () => {
        const failing = db.tx({ kind: 'none' }, (tx) => Promise.all([tx.row('select 1 / 0'), tx.row('select 2')]));
        expect(await failing.catch((error: Error) => error.message)).to.equal('division by zero');
        expect(await db.tx({ kind: 'none' }, (tx) => tx.row('select 1 as one'))).to.deep.equal({ one: 1 });
      });

      it('are none of the next transaction, nor kept by themselves, when one before them fails', async () => {
        const failing = db.tx({ kind: 'none' }, (tx) =>
          Promise.all([tx.row('select 1 / 0'), tx.row('select 2'), keep(tx, 7), keep(tx, 8)]),
        );
        expect(await failing.catch((error: Error) => error.message)).to.equal('division by zero');
        await db.tx({ kind: 'none' }, (tx) => tx.row('select 1'));
        expect(await kept())
          .to.not.include(7)
          .and.to.not.include(8);
      });

      it('are refused with a stale claim, for that reason', async () => {
        const scope = { kind: 'claim', token: 'workspace|nobody|1|9999999999|00' } as const;
        const refused = db.tx(scope, (tx) => Promise.all([tx.row('select 1'), tx.row('select 2')]));
        expect(await refused.catch((error: unknown) => error)).to.be.instanceOf(FencedError);
        const last = db.tx(scope, async (tx) => new LastAnswers(keep(tx, 9)));
        expect(await last.catch((error: unknown) => error)).to.be.instanceOf(FencedError);
        expect(await kept()).not.to.include(9);
      });

      it('are committed with the last of them, whose answers are those of the transaction', async () => {
        const rows = await db.tx(
          { kind: 'none' },
          async (tx) => new LastAnswers(Promise.all([keep(tx, 1), keep(tx, 2)])),
        );
        expect([rows, await kept()]).to.deep.equal([
          [1, 1],
          [1, 2],
        ]);
      });

      it('are not committed when one of the last fails, and the transaction fails with it', async () => {
        const failing = db.tx(
          { kind: 'none' },
          async (tx) => new LastAnswers(Promise.all([keep(tx, 3), keep(tx, 1), keep(tx, 4)])),
        );
        expect(await failing.catch((error: Error) => error.message)).to.match(/duplicate key/);
        expect(await kept()).to.deep.equal([1, 2]);
      });

      it('refuse one that comes after the end: it would be outside of the transaction', async () => {
        let ended: Tx | undefined;
        await db.tx({ kind: 'none' }, async (tx) => {
          ended = tx;
        });
        const late = await ended?.exec('insert into public.kept values (5)').catch((error: Error) => error.message);
        expect(late).to.equal('a statement came after the end of its transaction');
        expect(await kept()).to.deep.equal([1, 2]);
      });

      it('refuse one that comes after its work failed', async () => {
        let ended: Tx | undefined;
        const failing = db.tx({ kind: 'none' }, async (tx) => {
          ended = tx;
          throw new Error('the work fails');
        });
        expect(await failing.catch((error: Error) => error.message)).to.equal('the work fails');
        const late = await ended?.exec('insert into public.kept values (5)').catch((error: Error) => error.message);
        expect(late).to.equal('a statement came after the end of its transaction');
        expect(await kept()).to.deep.equal([1, 2]);
      });
    });
  }
});

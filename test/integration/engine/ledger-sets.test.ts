import { expect } from 'chai';
import pg from 'pg';
import type { Tx } from '../../../pkg/postgres/database.ts';
import type { ClaimRequest } from '../../../pkg/store/ledger/ledger.ts';
import { type Bench, openBench, takeClaim } from './harness.ts';
import { LedgerWorld } from './ledger-world.ts';

/** Seeds, and batches for each of them; more by hand. */
const SEEDS = (process.env['LEDGER_SEEDS'] ?? 'one,three').split(',');
const BATCHES = Number(process.env['LEDGER_BATCHES'] ?? 60);

interface Claimed {
  answers: unknown[];
  rows: unknown;
}

describe('claims by sets', function () {
  this.timeout(600_000);
  let bench: Bench;
  before(async () => {
    bench = await openBench();
    const owner = new pg.Client({ connectionString: bench.ownerUrl });
    await owner.connect();
    await owner.query(
      `create function app.ledger_rows() returns jsonb language sql volatile security definer as $$ ${LedgerWorld.ROWS} $$`,
    );
    await owner.query(
      'grant execute on function app.claim_in_turn(bigint, jsonb), app.ledger_rows() to outrider_executor',
    );
    await owner.end();
  });
  after(() => bench.close());

  /** What a function answers, and what it leaves behind; undone unless `keep`. */
  async function claimed(tx: Tx, name: string, now: number, requests: ClaimRequest[], keep: boolean): Promise<Claimed> {
    await tx.exec('savepoint before');
    const answers = await tx.rows(
      `select run_id, granted, refusal, next_at from app.${name}($1, $2) order by run_id, granted, refusal`,
      [now, JSON.stringify(requests)],
    );
    const row = await tx.row<{ rows: unknown }>('select app.ledger_rows() as rows');
    if (!keep) await tx.exec('rollback to savepoint before');
    return { answers, rows: row?.rows };
  }

  for (const seed of SEEDS) {
    it(`answers and rows are those of requests gone through in turn (seed ${seed})`, async () => {
      const world = await LedgerWorld.open(bench.ownerUrl, seed);
      const claim = await takeClaim(bench, world.workspace);
      const seen = new Map<string, number>();
      try {
        for (let count = 0; count < BATCHES; count++) {
          await claim.renew();
          await world.stir();
          const requests = await world.batch();
          await claim.tx(
            async (tx) => {
              const inTurn = await claimed(tx, 'claim_in_turn', world.now, requests, false);
              const bySets = await claimed(tx, 'claim_sends', world.now, requests, true);
              expect(bySets.answers, `batch ${count} at ${world.now}`).to.deep.equal(inTurn.answers);
              expect(bySets.rows, `rows after batch ${count}`).to.deep.equal(inTurn.rows);
              for (const { refusal } of bySets.answers as { refusal: string | null }[])
                seen.set(refusal ?? 'granted', (seen.get(refusal ?? 'granted') ?? 0) + 1);
            },
            { lookups: true },
          );
        }
      } finally {
        claim.stop();
        await world.close();
      }
      if (process.env['LEDGER_BATCHES']) console.log(seed, Object.fromEntries(seen));
      expect([...seen.keys()]).to.include.members([
        'granted',
        'already_sent',
        'budget',
        'claim_held_elsewhere',
        'pacing',
        'suppressed',
      ]);
    });
  }
});

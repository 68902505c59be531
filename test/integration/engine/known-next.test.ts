import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { runBatch } from '../../../pkg/engine/loop/batch.ts';
import { GraphCache } from '../../../pkg/engine/walk/graph-cache.ts';
import { LastAnswers } from '../../../pkg/postgres/database.ts';
import { dispatchSends, settleSends } from '../../../pkg/store/ledger/ledger.ts';
import { type Bench, enrol, openBench } from '../../fixtures/engine/harness.ts';
import { type LedgerWorkflow, ledgerTools } from '../../fixtures/engine/ledger-tools.ts';
import { addAccount, addLead } from '../../fixtures/engine/rows.ts';

const HOUR = 3_600_000;

describe('engine: what a batch says of what comes next', function () {
  this.timeout(60_000);
  let bench: Bench;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());
  const { workflowFixture, runs, request, claim } = ledgerTools(() => bench);
  /** When the workspace has work next, as a batch of at most `limit` runs leaves it. */
  const batch = (at: LedgerWorkflow, now: number, limit = 100): Promise<number | null> =>
    at.claim.tx(async (tx) => {
      const options = {
        workspaceId: at.ws,
        now,
        until: now,
        limit,
        busy: [],
        answered: [],
        atOnce: 0,
        cache: new GraphCache(),
      };
      return new LastAnswers((await runBatch(tx, { ...options, writerIsFree: true, newId: randomUUID })).written);
    });
  const dueAt = (at: LedgerWorkflow, runId: string, ms: number): Promise<unknown> =>
    at.claim.tx((tx) => tx.exec('update run set due_at = $2 where id = $1', [runId, ms]));

  it('tells when the next run of the workspace is due, and only of its own', async () => {
    const [at, other] = [await workflowFixture(), await workflowFixture()];
    const now = bench.clock.now();
    const [first = '', second = ''] = await runs(at, 2);
    await dueAt(at, first, now + 2 * HOUR);
    await dueAt(at, second, now + 3 * HOUR);
    await dueAt(other, (await runs(other, 1))[0] ?? '', now + HOUR);
    expect(await batch(at, now)).to.equal(now + 2 * HOUR);
    expect(await batch(other, now)).to.equal(now + HOUR);
    expect(await batch(await workflowFixture(), now), 'nothing at all').to.equal(null);
  });

  it('counts what the batch itself has moved, and what it left', async () => {
    const at = await workflowFixture();
    const now = bench.clock.now();
    const leads = await Promise.all([1, 2].map(() => addLead(bench.app, at.ws, {})));
    await enrol(bench, at.ws, at.flow, leads);
    expect(await batch(at, now, 1), 'one of two is still due').to.be.at.most(now);
    // Without an account both wait for one.
    const next = await batch(at, now);
    expect(next).to.be.greaterThan(now);
    expect(await batch(at, next ?? 0), 'and are asked again then').to.be.greaterThan(next ?? 0);
  });

  it('units of a send are told as reserved until it is settled', async () => {
    const at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws]);
    const [run = ''] = await runs(at, 1);
    const now = bench.clock.now();
    const reserved = (): Promise<{ action: string; units: number }[]> =>
      bench.app.tx({ kind: 'workspaces', ids: [at.ws] }, (tx) =>
        tx.rows('select action, units from app.open_units($1, $2)', [account, now]),
      );
    const one = request(run, account, 'follow');
    expect((await claim(at, [one]))[0]?.granted).to.equal(true);
    expect(await reserved()).to.deep.equal([{ action: 'follow', units: 1 }]);
    await at.claim.tx((tx) => dispatchSends(tx, now, [one.sendId]));
    expect(await reserved()).to.deep.equal([{ action: 'follow', units: 1 }]);
    await at.claim.tx((tx) => settleSends(tx, now, [{ sendId: one.sendId, result: 'confirmed' }]));
    expect(await reserved()).to.deep.equal([]);
    const stranger = await workflowFixture();
    const theirs = await bench.app.tx({ kind: 'workspaces', ids: [stranger.ws] }, (tx) =>
      tx.rows('select * from app.open_units($1, $2)', [account, now]),
    );
    expect(theirs).to.deep.equal([]);
  });
});

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type BatchResult, runBatch } from '../../../pkg/engine/loop/batch.ts';
import type { TakenRun } from '../../../pkg/engine/loop/continuations.ts';
import { GraphCache } from '../../../pkg/engine/walk/graph-cache.ts';
import { LastAnswers } from '../../../pkg/postgres/database.ts';
import { type Bench, change, openBench, query } from '../../fixtures/engine/harness.ts';
import { type LedgerWorkflow, ledgerTools } from '../../fixtures/engine/ledger-tools.ts';
import { addAccount } from '../../fixtures/engine/rows.ts';

describe('confirmations that a batch commits', () => {
  let bench: Bench;
  let at: LedgerWorkflow;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());
  const { workflowFixture, runs, request, claim } = ledgerTools(() => bench);

  /** Runs whose views were claimed and dispatched together, each as it waits for a batch. */
  async function answered(count: number): Promise<TakenRun[]> {
    at = await workflowFixture();
    const account = await addAccount(bench.app, [at.ws]);
    await change(bench, `update network_account set pacing = '{"maxGapSeconds": 0}'`);
    const requests = (await runs(at, count)).sort().map((id) => request(id, account, 'profile_view', { atOnce: true }));
    await claim(at, requests);
    return requests.map((claim) => {
      const { runId, sendId } = claim;
      const result = { sendId, result: 'confirmed' as const, outcome: 'done', ref: 'seen', held: true };
      return { runId, sendId, confirm: { result: { ...result, plain: { providerId: `ACo-${runId}` } }, claim } };
    });
  }

  /** @param within called in its transaction, when all is written */
  function batch(taken: TakenRun[], within = async (): Promise<void> => undefined): Promise<BatchResult> {
    const now = bench.clock.now();
    const options = { workspaceId: at.ws, now, until: now, limit: 100, busy: [], atOnce: 0, cache: new GraphCache() };
    return at.claim.tx(async (tx) => {
      const result = await runBatch(tx, { ...options, answered: taken, writerIsFree: true, newId: randomUUID });
      await within();
      return new LastAnswers(result.written.then(() => result));
    });
  }

  const states = (): Promise<unknown[]> =>
    query(
      bench,
      `select s.state, s.outcome, s.provider_ref as ref, r.end_reason as ended, r.send_id as at from send s join run r on r.id = s.run_id
       where s.workspace_id = $1 order by s.run_id`,
      [at.ws],
    );
  const WENT_ON = { state: 'confirmed', outcome: 'done', ref: 'seen', ended: 'ended after n0 (done)', at: null };
  const waits = (one: TakenRun | undefined): object => ({
    state: 'dispatched',
    outcome: null,
    ref: null,
    ended: null,
    at: one?.sendId,
  });

  it('are in the ledger with what follows them, and both or neither', async () => {
    const taken = await answered(2);
    const failed = batch(taken, () => Promise.reject(new Error('cut off')));
    expect(await failed.catch((error: Error) => error.message)).to.equal('cut off');
    expect(await states()).to.deep.equal([waits(taken[0]), waits(taken[1])]);
    const { confirmed } = await batch(taken);
    expect([...confirmed]).to.have.members(taken.map((one) => one.runId));
    expect(await states()).to.deep.equal([WENT_ON, WENT_ON]);
    const met = await query(bench, `select provider_id as id from relation where provider_id like 'ACo-%'`);
    expect(met, 'what was learnt of the persons').to.have.length(2);
  });

  it('are left to the one who settles by himself where somebody works on the run, or has stopped it', async () => {
    const taken = await answered(3);
    await change(bench, `update run set state = 'paused' where id = $1`, [taken[2]?.runId]);
    const { confirmed } = await bench.app.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec('select 1 from run where id = $1 for update', [taken[0]?.runId]);
      return batch(taken);
    });
    expect([...confirmed]).to.deep.equal([taken[1]?.runId]);
    expect(await states()).to.deep.equal([waits(taken[0]), WENT_ON, waits(taken[2])]);
  });

  it('are not made of what somebody else has settled meanwhile', async () => {
    const taken = await answered(1);
    await change(bench, `update send set state = 'failed', outcome = 'failed' where id = $1`, [taken[0]?.sendId]);
    await batch(taken);
    expect((await states())[0]).to.include({ state: 'failed', ref: null });
  });
});

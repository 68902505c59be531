import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type BatchResult, runBatch } from '../../../pkg/engine/batch.ts';
import { GraphCache } from '../../../pkg/engine/graph-cache.ts';
import { LastAnswers, type Tx } from '../../../pkg/postgres/database.ts';
import { addAccount, addCampaign, addWorkflow, addWorkspace } from './fixtures.ts';
import { type Bench, change, enrol, keepClaim, openBench, query } from './harness.ts';
import { chain, NO_GAP } from './place.ts';

/** Three parts. */
const RUNS = 800;
const VIEW = { nodeType: 'network:profile_view' };

interface Crowd {
  ws: string;
  accounts: readonly string[];
  /** A batch of all that is due, and how often its transaction had to begin. `seen`: hears of each statement before and after. */
  batch(seen?: (text: string, done: boolean) => Promise<void> | void): Promise<{ result: BatchResult; began: number }>;
}

describe('engine: a batch that is too large for one statement', function () {
  this.timeout(60_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.close());

  /** Runs that stand at a profile view of people who were met, in turn by `accounts` in their order: the first half of them by the first, … */
  async function crowd(accounts: readonly string[], ws: string): Promise<Crowd> {
    const hours = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
    const camp = await addCampaign(bench.app, ws, { businessHours: hours, ...NO_GAP });
    const flow = await addWorkflow(bench.app, ws, camp, chain(VIEW));
    await change(
      bench,
      `insert into lead (id, workspace_id, first_name, last_name, full_name, profile_id, created_at, updated_at)
       select md5($1 || g)::uuid, $1, 'Ada', 'Test', 'Ada Test', $1 || g, 1, g from generate_series(1, ${RUNS}) g`,
      [ws],
    );
    const leads = await query<{ id: string }>(bench, `select id from lead where workspace_id = $1`, [ws]);
    await enrol(
      bench,
      ws,
      flow,
      leads.map((lead) => lead.id),
    );
    await change(
      bench,
      `update run r set node_id = 'n0', due_at = l.updated_at, started_at = l.updated_at, account_id = ($2::text[])[1 + (l.updated_at - 1) * cardinality($2::text[]) / ${RUNS}]
       from lead l where l.id = r.lead_id and r.workspace_id = $1`,
      [ws, accounts],
    );
    const claim = await keepClaim(bench, ws);
    const now = bench.clock.now();
    return {
      ws,
      accounts,
      async batch(seen = () => undefined) {
        let began = 0;
        let result: BatchResult | undefined;
        await claim.tx(
          async (tx) => {
            began++;
            result = await runBatch(watched(tx, seen), {
              workspaceId: ws,
              now,
              until: now,
              limit: RUNS + 1,
              answered: [],
              busy: [],
              cache: new GraphCache(),
              writerIsFree: true,
              newId: randomUUID,
            });
            return new LastAnswers(result.written);
          },
          { lookups: true },
        );
        if (!result) throw new Error('no batch');
        return { result, began };
      },
    };
  }

  function watched(tx: Tx, seen: (text: string, done: boolean) => Promise<void> | void): Tx {
    const watch = async <T>(text: string, run: () => Promise<T>): Promise<T> => {
      await seen(text, false);
      const answer = await run();
      await seen(text, true);
      return answer;
    };
    return {
      rows: (text, values) => watch(text, () => tx.rows(text, values)),
      row: (text, values) => watch(text, () => tx.row(text, values)),
      exec: (text, values) => watch(text, () => tx.exec(text, values)),
      named: (name, text, values) => watch(text, () => tx.named(name, text, values)),
      limited: (ms, work) => tx.limited(ms, work),
    };
  }

  const unpaced = { pacing: { maxGapSeconds: 0 } };
  const isClaim = (text: string): boolean => text.includes('app.claim_sends');

  it('is claimed in parts: each effect once, no unit more than there is, whoever is due first comes first', async () => {
    const ws = await addWorkspace(bench.app);
    // 80 runs of each, due one account after the other, so that some accounts are in two parts.
    const limits = { profile_view: { day: 60 } };
    const accounts: string[] = [];
    while (accounts.length < 10) accounts.push(await addAccount(bench.app, [ws], { ...unpaced, limits }));
    const { batch } = await crowd(accounts, ws);
    let claims = 0;
    const { result } = await batch((text, done) => {
      if (done && isClaim(text)) claims++;
    });
    expect(claims, 'parts').to.be.at.least(3);
    expect(result.runs).to.equal(RUNS);
    expect(new Set(result.granted.map((one) => one.runId)).size).to.equal(600);
    const rows = await query(
      bench,
      `select count(s.id)::int as claimed, max(r.started_at) filter (where s.id is not null)::int as last
       from run r left join send s on s.run_id = r.id where r.workspace_id = $1 group by r.account_id order by 2`,
      [ws],
    );
    expect(rows).to.deep.equal(accounts.map((_account, place) => ({ claimed: 60, last: 80 * place + 60 })));
    const [left] = await query<{ waiting: number; reason: string }>(
      bench,
      `select count(*)::int as waiting, min(wait_reason) as reason from run where workspace_id = $1 and send_id is null and due_at > $2`,
      [ws, bench.clock.now()],
    );
    expect(left).to.deep.equal({ waiting: 200, reason: 'budget' });
  });

  it('batches that share accounts lock them in one order, whatever order their leads are in: none waits for the other in a circle', async () => {
    const [ws, other] = [await addWorkspace(bench.app), await addWorkspace(bench.app)];
    const [a, b] = [
      await addAccount(bench.app, [ws, other], unpaced),
      await addAccount(bench.app, [ws, other], unpaced),
    ];
    const [one, two] = [await crowd([a, b], ws), await crowd([b, a], other)];
    const oneHas = Promise.withResolvers<void>();
    const twoGoes = Promise.withResolvers<void>();
    const [first, second] = await Promise.all([
      one.batch(async (text, done) => {
        if (!isClaim(text) || !done) return;
        oneHas.resolve();
        await twoGoes.promise;
      }),
      two.batch(async (text, done) => {
        // It has an account, or stands in line for all of them.
        if (text.includes('app.lock_accounts') || (isClaim(text) && done)) twoGoes.resolve();
        if (text.includes('app.lock_accounts') || isClaim(text)) await oneHas.promise;
      }),
    ]);
    expect([first.began, second.began], 'transactions begun').to.deep.equal([1, 1]);
    expect(first.result.granted.length + second.result.granted.length).to.be.greaterThan(0);
  });

  it('when a part fails nothing of the batch stays, its own error is the reason, and nothing is sent behind the end', async () => {
    const ws = await addWorkspace(bench.app);
    const { batch } = await crowd([await addAccount(bench.app, [ws], unpaced)], ws);
    const late: string[] = [];
    let failed = false;
    const failing = batch((text, done) => {
      if (failed) late.push(text);
      if (!isClaim(text) || !done) return;
      throw new Error('the second part fails');
    }).catch((error: Error) => error.message);
    expect(await failing).to.equal('the second part fails');
    failed = true;
    await query(bench, 'select 1');
    expect(late).to.deep.equal([]);
    expect(await query(bench, 'select 1 from send')).to.deep.equal([]);
    expect(await query(bench, 'select distinct due_at is null as parked from run')).to.deep.equal([{ parked: false }]);
  });
});

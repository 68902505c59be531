import { expect } from 'chai';
import pg from 'pg';
import { type IdlePlan, planIdle } from '../../../pkg/store/runs/plan-idle.ts';
import { type Bench, change, openBench, query } from '../../fixtures/engine/harness.ts';
import { type LedgerWorkflow, ledgerTools } from '../../fixtures/engine/ledger-tools.ts';
import { addAccount } from '../../fixtures/engine/rows.ts';

/** Runs that the statement which releases an account, or one look of the executor, moves at most. */
const PART = 5_000;
const WAITING = 12_000;
const LATER = 9_000_000_000_000;

describe('engine: a workspace in which many wait for an account', function () {
  this.timeout(120_000);
  let bench: Bench;
  let at: LedgerWorkflow;
  let account: string;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());
  const { workflowFixture } = ledgerTools(() => bench);

  beforeEach(async () => {
    at = await workflowFixture();
    account = await addAccount(bench.app, [at.ws]);
    await change(bench, `update network_account set status = 'credentials_expired' where id = $1`, [account]);
  });

  const wait = (count: number, by: string | null, state = 'blocked', reason = 'account_unhealthy') =>
    change(
      bench,
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, wait_reason, due_at, entered_at, started_at, account_id)
       select gen_random_uuid(), $1, $2, $3, gen_random_uuid(), 1, 'n0', $6, $7, $8, 1, 1, $5 from generate_series(1, $4::int)`,
      [at.ws, at.flow, at.camp, count, by, state, reason, LATER],
    );
  const recover = (id = account) => change(bench, `update network_account set status = 'ok' where id = $1`, [id]);
  const look = (): Promise<IdlePlan> => at.claim.tx((tx) => planIdle(tx, bench.clock.now()), { lookups: true });
  const woken = async (): Promise<number> => {
    const sql = 'select count(*)::int as n from run where workspace_id = $1 and due_at < $2';
    return (await query<{ n: number }>(bench, sql, [at.ws, LATER]))[0]?.n ?? 0;
  };
  /** Looks as an executor does while it is told that there is more. */
  const lookOn = async (): Promise<number[]> => {
    const counts = [await woken()];
    for (let more = true; more; ) {
      const left = await look();
      more = left.unparked > 0;
      if (more) expect(left.nextDue, 'who ends now is followed by another').to.be.at.most(bench.clock.now());
      counts.push(await woken());
      expect(counts.length).to.be.lessThan(20);
    }
    return counts.slice(1).map((count, index) => count - (counts[index] ?? 0));
  };

  it('no statement moves more than some thousand when the account may act again, and all go on', async () => {
    await wait(WAITING, account);
    await recover();
    expect(await woken(), 'by the statement that wrote the state').to.be.at.most(PART);
    const parts = await lookOn();
    expect(Math.max(...parts)).to.be.at.most(PART);
    expect(await woken()).to.equal(WAITING);
  });

  it('nor when another is linked, for whom no account may act', async () => {
    await wait(WAITING, null);
    await addAccount(bench.app, [at.ws]);
    expect(await woken()).to.be.at.most(PART);
    await lookOn();
    expect(await woken()).to.equal(WAITING);
  });

  it('runs are locked in the order of their ids, as executors do', async () => {
    const ids = Array.from({ length: 20 }, (_one, index) => `00000000-0000-4000-8000-0000000000${index + 10}`);
    for (const id of ids.toReversed()) {
      await change(
        bench,
        `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, wait_reason, due_at, entered_at, started_at, account_id)
         values ($1, $2, $3, $4, gen_random_uuid(), 1, 'n0', 'blocked', 'account_unhealthy', $5, 1, 1, $6)`,
        [id, at.ws, at.flow, at.camp, LATER, account],
      );
    }
    const other = new pg.Client({ connectionString: bench.ownerUrl });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('select 1 from outrider.run where id = $1 for update', [ids[0]]);
      const recovered = recover();
      const waiting = 'select 1 from pg_locks where not granted';
      while ((await other.query(waiting)).rowCount === 0) await new Promise((resolve) => setImmediate(resolve));
      await other.query('select 1 from outrider.run where id = $1 for update nowait', [ids[19]]);
      await other.query('commit');
      await recovered;
      expect(await woken()).to.equal(ids.length);
    } finally {
      await other.end();
    }
  });

  it('the one who waits for another account, another reason or a person stays', async () => {
    await wait(PART, account);
    await wait(10, 'another');
    await wait(10, account, 'paused');
    await wait(10, account, 'waiting', 'business_hours');
    await recover();
    await lookOn();
    expect(await woken()).to.equal(PART);
  });

  it('an account that is released while a walk is under way is walked for too', async () => {
    const other = await addAccount(bench.app, [at.ws]);
    await change(bench, `update network_account set status = 'credentials_expired' where id = $1`, [other]);
    await lookOn();
    await wait(WAITING / 2, account);
    await wait(WAITING / 2, other);
    await recover();
    await look();
    await recover(other);
    await lookOn();
    expect(await woken()).to.equal(WAITING);
  });

  const settings = (id = account): Promise<number> =>
    bench.app.tx({ kind: 'platform' }, (tx) => tx.exec('select app.wake_waiting($1)', [id]));
  const SETTINGS = ['budget', 'pacing', 'business_hours'];

  it('a change of settings moves no more in a statement either, of all workspaces that share the account together, and all go on', async () => {
    const others = await Promise.all([workflowFixture(), workflowFixture()]);
    for (const { ws } of others)
      await change(bench, `insert into account_link (workspace_id, account_id, linked_at) values ($1, $2, 1)`, [
        ws,
        account,
      ]);
    for (const reason of SETTINGS) await wait(WAITING / 3, account, 'waiting', reason);
    const first = at;
    for (at of others) await wait(PART - 1000, account, 'waiting', 'pacing');
    await settings();
    let moved = 0;
    for (at of [first, ...others]) moved += await woken();
    expect(moved, 'by the statement of the tool').to.be.at.most(PART);
    for (at of [first, ...others]) {
      const before = await woken();
      expect(Math.max(...(await lookOn()))).to.be.at.most(PART);
      expect(await woken(), `${before} before`).to.equal(at === first ? WAITING : PART - 1000);
    }
  });

  it('where few wait they look again at once; the one who waits for anything else, for another account, or has a send under way stays', async () => {
    for (const reason of SETTINGS) await wait(10, account, 'waiting', reason);
    await wait(10, account);
    await wait(10, account, 'paused', 'budget');
    await wait(10, account, 'replied', 'budget');
    await wait(10, 'another', 'waiting', 'budget');
    await wait(1, account, 'waiting', 'budget');
    await change(
      bench,
      `update run set send_id = gen_random_uuid() where id = (select max(id::text)::uuid from run where workspace_id = $1 and state = 'waiting' and account_id = $2 and wait_reason = 'budget')`,
      [at.ws, account],
    );
    await settings();
    expect(await woken()).to.equal(30);
    // The same of a walk, which lets nobody go on who waits for an account that does not act.
    await change(bench, 'update run set due_at = $2 where workspace_id = $1', [at.ws, LATER]);
    await wait(PART, 'another', 'waiting', 'pacing');
    await wait(10, null);
    await settings();
    expect(await woken()).to.equal(0);
    await lookOn();
    expect(await woken()).to.equal(30);
  });

  it('settings that change and an account that is released while a walk is under way are walked for too', async () => {
    const other = await addAccount(bench.app, [at.ws]);
    await wait(WAITING / 3, account, 'waiting', 'budget');
    await wait(WAITING / 3, other, 'waiting', 'budget');
    await wait(WAITING / 3, account);
    await settings();
    await look();
    await settings(other);
    await recover();
    await lookOn();
    expect(await woken()).to.equal(WAITING);
  });
});

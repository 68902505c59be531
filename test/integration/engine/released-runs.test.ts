import { expect } from 'chai';
import pg from 'pg';
import { type Rest, rest } from '../../../pkg/store/rest.ts';
import { addAccount } from './fixtures.ts';
import { type Bench, change, openBench, query } from './harness.ts';
import { ledgerTools, type Place } from './ledger-tools.ts';

/** Runs that the statement which releases an account, or one look of the executor, moves at most. */
const PART = 5_000;
const WAITING = 12_000;
const LATER = 9_000_000_000_000;

describe('engine: a workspace in which many wait for an account', function () {
  this.timeout(120_000);
  let bench: Bench;
  let at: Place;
  let account: string;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());
  const { place } = ledgerTools(() => bench);

  beforeEach(async () => {
    at = await place();
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
  const look = (): Promise<Rest> => at.claim.tx((tx) => rest(tx, bench.clock.now()), { lookups: true });
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

  it('whoever waits for another account, another reason or a person stays', async () => {
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
});

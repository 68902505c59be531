import { expect } from 'chai';
import pg from 'pg';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { creditUpkeep } from '../../../pkg/controllers/credit-upkeep.ts';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import {
  type CreditHold,
  expireHolds,
  extendHold,
  grantMonthlyCredits,
  type HoldResult,
  holdCredits,
  moveCredits,
  mustSettle,
  releaseHold,
  settleHold,
} from '../../../pkg/store/credits/credits.ts';
import { FakeClock } from '../../tools/fake-clock.ts';
import { ledgersAddUp } from '../../tools/ledger-watch.ts';
import { type TestDatabase, testPostgres } from '../../tools/postgres.ts';

const NOW = Date.UTC(2026, 2, 10);
const FILE = new URL(import.meta.url).pathname;

describe('credit ledger', function () {
  this.timeout(60_000);
  let urls: TestDatabase;
  let app: Database;
  let executor: Database;
  let workspace = '';
  let count = 0;

  before(async () => {
    urls = await (await testPostgres()).product();
    app = new Database({ url: urls.appUrl, max: 8, applicationName: 'test' });
    executor = new Database({ url: urls.executorUrl, max: 1, applicationName: 'test' });
  });
  after(async () => {
    await app.close();
    await executor.close();
  });
  beforeEach(async () => {
    count += 1;
    workspace = `ws-${count}`;
    await platform((tx) =>
      tx.exec(`insert into workspace (id, uid, name, created_at, updated_at) values ($1, $1, $1, 1, 1)`, [workspace]),
    );
  });

  const platform = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => app.tx({ kind: 'platform' }, work);
  const own = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => app.tx({ kind: 'workspaces', ids: [workspace] }, work);
  const grant = (amount: number, key = 'grant'): ReturnType<typeof moveCredits> =>
    platform((tx) =>
      moveCredits(tx, {
        workspaceId: workspace,
        kind: amount > 0 ? 'grant' : 'adjust',
        amount,
        reason: 'test',
        tool: 'test',
        keyPrefix: null,
        idempotencyKey: key,
        now: NOW,
      }),
    );
  const hold = (amount: number, more: Partial<CreditHold> = {}): Promise<HoldResult> =>
    own((tx) =>
      holdCredits(tx, {
        id: systemIds.uuid(),
        workspaceId: workspace,
        amount,
        action: 'ai_craft',
        idempotencyKey: systemIds.uuid(),
        inputHash: 'h',
        now: NOW,
        ...more,
      }),
    );
  const held = async (amount: number, more: Partial<CreditHold> = {}): Promise<string> => {
    const result = await hold(amount, more);
    if (result.kind !== 'held') throw new Error(`not held: ${result.kind}`);
    return result.holdId;
  };
  const settle = (id: string, credits: number) => own((tx) => settleHold(tx, id, credits, NOW));
  const balance = async (): Promise<[number, number]> => {
    const row = await platform((tx) =>
      tx.row<{ balance: number; held: number }>('select balance, held from credit_balance where workspace_id = $1', [
        workspace,
      ]),
    );
    return [row?.balance ?? 0, row?.held ?? 0];
  };
  const age = (id: string) =>
    asOwner(`update outrider.credit_hold set expires_at = clock_timestamp() - interval '1 second' where id = '${id}'`);
  const asOwner = async (sql: string): Promise<void> => {
    const owner = new Database({ url: urls.ownerUrl, max: 1, applicationName: 'test' });
    await owner.pool.query(sql);
    await owner.close();
  };

  it('100 parallel charges on 10 credits give exactly 10', async () => {
    await grant(10);
    const results = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const result = await hold(1);
        if (result.kind === 'held') await settle(result.holdId, 1);
        return result.kind;
      }),
    );
    expect(results.filter((kind) => kind === 'held')).to.have.length(10);
    expect(results.filter((kind) => kind === 'short')).to.have.length(90);
    expect(await balance()).to.deep.equal([0, 0]);
  });

  it('a hold keeps credits from others, settles for what was delivered and gives the rest back', async () => {
    await grant(10);
    const id = await held(8);
    expect(await hold(3)).to.deep.equal({ kind: 'short', available: 2 });
    expect(await settle(id, 5)).to.equal('settled');
    expect(await balance()).to.deep.equal([5, 0]);
    expect(await hold(5)).to.include({ kind: 'held', available: 0 });
  });

  it('a settlement is never above the hold', async () => {
    await grant(10);
    const id = await held(4);
    expect(await settle(id, 5).catch((error: Error) => error.message)).to.match(/not within the hold/);
    expect(await balance()).to.deep.equal([10, 4]);
  });

  it('settling again changes nothing, and with another amount is a fault', async () => {
    await grant(10);
    const id = await held(4);
    expect([await settle(id, 4), await settle(id, 4)]).to.deep.equal(['settled', 'seen']);
    expect(await settle(id, 3).catch((error: Error) => error.message)).to.match(/was settled with 4/);
    expect(await balance()).to.deep.equal([6, 0]);
  });

  it('failure costs nothing: a release gives the whole hold back, and nothing settles it later', async () => {
    await grant(10);
    const id = await held(4);
    await own((tx) => releaseHold(tx, id, NOW, 'provider failed'));
    await own((tx) => releaseHold(tx, id, NOW, 'twice'));
    expect(await balance()).to.deep.equal([10, 0]);
    expect(await settle(id, 4)).to.equal('released');
    expect(await balance()).to.deep.equal([10, 0]);
  });

  it('what is charged for a hold that ended, or was charged before, is not delivered', async () => {
    await grant(10);
    const must = (id: string) =>
      own((tx) => mustSettle(tx, id, 4, NOW, 'the check')).catch((error: Error) => error.message);
    const [charged, ended] = [await held(4), await held(4)];
    await own((tx) => releaseHold(tx, ended, NOW, 'provider failed'));
    expect([await must(charged), await must(charged), await must(ended)]).to.deep.equal([
      undefined,
      'the credits of the check are seen',
      'the credits of the check are released',
    ]);
    expect(await balance()).to.deep.equal([6, 0]);
  });

  it('the same key holds once; another input is refused; a released key may hold again', async () => {
    await grant(10);
    const id = await held(4, { idempotencyKey: 'k' });
    expect(await hold(4, { idempotencyKey: 'k' })).to.deep.include({ kind: 'seen', holdId: id, state: 'held' });
    expect(await hold(4, { idempotencyKey: 'k', inputHash: 'other' })).to.deep.equal({ kind: 'mismatch' });
    expect(await balance()).to.deep.equal([10, 4]);
    await own((tx) => releaseHold(tx, id, NOW, 'failed'));
    const again = await held(4, { idempotencyKey: 'k' });
    await settle(again, 4);
    expect(await hold(4, { idempotencyKey: 'k' })).to.deep.include({ kind: 'seen', state: 'settled', settled: 4 });
    expect(await balance()).to.deep.equal([6, 0]);
  });

  it('a crash between hold and settle costs nothing: the hold expires and its credits are free again', async () => {
    await grant(10);
    const id = await held(10);
    await age(id);
    expect(await hold(10)).to.include({ kind: 'held' });
    expect(await settle(id, 10)).to.equal('expired');
    expect(await balance()).to.deep.equal([10, 10]);
  });

  it('a live job keeps its hold; one that expired is not brought back', async () => {
    await grant(10);
    const [kept, lost] = [await held(2), await held(3)];
    await age(lost);
    expect(await own((tx) => extendHold(tx, kept))).to.equal(true);
    expect(await own((tx) => extendHold(tx, lost))).to.equal(false);
    expect(await platform((tx) => expireHolds(tx, null, NOW))).to.equal(1);
    expect(await balance()).to.deep.equal([10, 2]);
  });

  it('the campaign budget binds before the balance does, and counts what is held', async () => {
    await grant(100);
    await platform((tx) =>
      tx.exec(
        `insert into campaign (id, workspace_id, uid, title, settings, created_at, updated_at) values ($1, $1, $1, 'T', '{"creditBudget": 10}', 1, 1)`,
        [workspace],
      ),
    );
    const of = { campaignId: workspace };
    const first = await held(6, of);
    expect(await hold(5, of)).to.deep.equal({ kind: 'over_budget', available: 4 });
    await settle(first, 2);
    expect(await hold(8, of)).to.include({ kind: 'held' });
    expect(await hold(1, of)).to.deep.equal({ kind: 'over_budget', available: 0 });
    expect(await hold(50)).to.include({ kind: 'held' });
  });

  it('what a hold under a campaign budget reads does not grow with the holds before it', async () => {
    await grant(100);
    await platform((tx) =>
      tx.exec(
        `insert into campaign (id, workspace_id, uid, title, settings, created_at, updated_at) values ($1, $1, $1, 'T', '{"creditBudget": 10}', 1, 1)`,
        [workspace],
      ),
    );
    await settle(await held(6, { campaignId: workspace }), 4);
    await asOwner(
      `insert into outrider.credit_hold (id, workspace_id, campaign_id, amount, state, expires_at, action, idempotency_key, input_hash, created_at)
       select gen_random_uuid(), '${workspace}', '${workspace}', 1, 'settled', now(), 'ai_craft', 'k' || n, 'h', 1 from generate_series(1, 2000) n`,
    );
    const { result, rows } = await own(async (tx) => ({
      result: await holdCredits(tx, {
        id: systemIds.uuid(),
        workspaceId: workspace,
        campaignId: workspace,
        amount: 7,
        action: 'ai_craft',
        idempotencyKey: 'next',
        inputHash: 'h',
        now: NOW,
      }),
      rows: await tx.row<{ count: number }>(
        `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as count from pg_stat_xact_user_tables where relname = 'credit_hold'`,
      ),
    }));
    expect(result).to.deep.equal({ kind: 'over_budget', available: 6 });
    expect(rows?.count).to.be.lessThan(1_000);
  });

  it("a month's credits are granted once a month of product time", async () => {
    await platform((tx) =>
      tx.exec(`update workspace set limits = '{"monthlyCredits": 50}' where id = $1`, [workspace]),
    );
    const month = (now: number) => platform((tx) => grantMonthlyCredits(tx, now));
    expect([await month(NOW), await month(NOW + 1), await month(Date.UTC(2026, 3, 1))]).to.deep.equal([50, 0, 50]);
    expect(await balance()).to.deep.equal([100, 0]);
  });

  it("the operator's upkeep expires holds of every workspace and grants the month", async () => {
    await grant(10);
    await age(await held(4));
    await platform((tx) => tx.exec(`update workspace set limits = '{"monthlyCredits": 7}' where id = $1`, [workspace]));
    const real = new SystemClock();
    await creditUpkeep({ db: app, clocks: { real, product: new FakeClock() as never } });
    expect(await balance()).to.deep.equal([17, 0]);
  });

  it('holds that can not be ended for now keep no workspace from the credits of its month', async () => {
    await platform((tx) => tx.exec(`update workspace set limits = '{"monthlyCredits": 7}' where id = $1`, [workspace]));
    const real = new SystemClock();
    let first = true;
    const tx: Database['tx'] = (scope, work) => {
      if (!first) return app.tx(scope, work);
      first = false;
      return Promise.reject(new Error('a lock was not had in time'));
    };
    const done = await creditUpkeep({
      db: { tx } as Database,
      clocks: { real, product: new FakeClock() as never },
    }).catch((error: Error) => error.message);
    expect(done).to.equal('a lock was not had in time');
    expect(await balance()).to.deep.equal([7, 0]);
  });

  it('credits that nobody entered are seen after the test that made them', async () => {
    await grant(5);
    const root = new pg.Client({ connectionString: urls.superuserUrl });
    await root.connect();
    const cheat = (by: number): Promise<unknown> =>
      root.query('update outrider.credit_balance set balance = balance + $2 where workspace_id = $1', [workspace, by]);
    try {
      await cheat(1);
      const seen = await ledgersAddUp(FILE).catch((error: Error) => error.message);
      expect(seen).to.equal(`the ledger does not add up: ${workspace}: balance 6/0 is not the last entry 5/0`);
    } finally {
      await cheat(-1);
      await root.end();
    }
  });

  it('the platform takes back only what is not held', async () => {
    await grant(10);
    await held(7);
    expect(await grant(-4, 'back')).to.deep.equal({ kind: 'short', available: 3 });
    expect((await grant(-3, 'back-3')).kind).to.equal('moved');
  });

  it('nobody moves credits past the functions, not even in the own workspace', async () => {
    await grant(10);
    for (const sql of [
      `update credit_balance set balance = 1000`,
      `insert into credit_hold (id, workspace_id, amount, state, expires_at) values (gen_random_uuid(), '${workspace}', 1, 'held', now())`,
      `delete from credit_entry`,
    ]) {
      expect(await own((tx) => tx.exec(sql)).catch((error: Error) => error.message)).to.match(/permission denied/);
      expect(await platform((tx) => tx.exec(sql)).catch((error: Error) => error.message)).to.match(/permission denied/);
    }
    const granted = own((tx) =>
      tx.rows('select * from app.move_credits($1, $2, 5, $3, 1, null, null, null)', [workspace, 'grant', 'x']),
    );
    expect(await granted.catch((error: Error) => error.message)).to.match(/only the platform/);
  });

  it('a foreign hold can be neither made, settled nor released', async () => {
    await grant(10);
    const id = await held(4);
    const rival = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
      app.tx({ kind: 'workspaces', ids: ['ws-rival'] }, work);
    const refused = async (work: (tx: Tx) => Promise<unknown>): Promise<void> => {
      expect(await rival(work).catch((error: Error) => error.message)).to.match(/no such hold|no access/);
    };
    await refused((tx) => settleHold(tx, id, 4, NOW));
    await refused((tx) => releaseHold(tx, id, NOW, 'x'));
    await refused((tx) =>
      holdCredits(tx, {
        id: systemIds.uuid(),
        workspaceId: workspace,
        amount: 1,
        action: 'x',
        idempotencyKey: 'x',
        inputHash: 'x',
        now: NOW,
      }),
    );
    expect(await rival((tx) => expireHolds(tx, workspace, NOW))).to.equal(0);
    expect(await balance()).to.deep.equal([10, 4]);
  });

  it('an executor holds and settles in the workspace that its claim proves, and in no other', async () => {
    await grant(10);
    const taken = await platform((tx) =>
      tx.row<{ token: string }>(`select token from app.take_claim('workspace', $1, 'test')`, [workspace]),
    );
    const asExecutor = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
      executor.tx({ kind: 'claim', token: taken?.token ?? '' }, work);
    const input = {
      id: systemIds.uuid(),
      amount: 2,
      action: 'ai_craft',
      idempotencyKey: 'e',
      inputHash: 'h',
      now: NOW,
    };
    const result = await asExecutor((tx) => holdCredits(tx, { ...input, workspaceId: workspace }));
    expect(result.kind).to.equal('held');
    expect(await asExecutor((tx) => settleHold(tx, input.id, 2, NOW))).to.equal('settled');
    const foreign = asExecutor((tx) => holdCredits(tx, { ...input, workspaceId: 'ws-other' }));
    expect(await foreign.catch((error: Error) => error.message)).to.match(/no access/);
    expect(await balance()).to.deep.equal([8, 0]);
  });

  /** Holds of one credit each whose time is over, with the entries of the ledger that made them. */
  const expired = (count: number, campaign: string | null = null): Promise<void> => {
    const of = campaign === null ? 'null' : `'${campaign}'`;
    return asOwner(
      `set role outrider_definer; set search_path = outrider;
       insert into credit_hold (id, workspace_id, amount, state, expires_at, action, campaign_id)
         select gen_random_uuid(), '${workspace}', 1, 'held', clock_timestamp() - interval '1 hour' + g * interval '1 ms', 'ai_craft', ${of} from generate_series(1, ${count}) g;
       insert into credit_entry (id, workspace_id, kind, amount, balance_after, held_after, hold_id, campaign_id, idempotency_key, at)
         select gen_random_uuid(), '${workspace}', 'hold', 1, b.balance, b.held + h.n, h.id, ${of}, 'hold:' || h.id, 1
         from (select id, row_number() over (order by expires_at) as n from credit_hold where workspace_id = '${workspace}' and expires_at < clock_timestamp() - interval '1 minute') h
           join credit_balance b on b.workspace_id = '${workspace}' order by h.n;
       update credit_balance set held = held + ${count} where workspace_id = '${workspace}';
       insert into campaign_credit (campaign_id, workspace_id, used) select ${of}, '${workspace}', ${count} where ${of} is not null;`,
    );
  };
  const live = async (): Promise<number> =>
    (
      await platform((tx) =>
        tx.row<{ n: number }>(
          `select count(*)::int as n from credit_hold where workspace_id = $1 and state = 'held' and expires_at < clock_timestamp()`,
          [workspace],
        ),
      )
    )?.n ?? -1;

  it('who holds credits ends a few of the expired holds, more where their credits are missing, and never more than 5,000 at once', async () => {
    await grant(8_000);
    await expired(7_000);
    expect(await hold(500)).to.deep.include({ kind: 'held', available: 700 });
    expect(await live()).to.equal(6_800);
    // 800 credits are missing: four parts.
    expect(await hold(1_500)).to.deep.include({ kind: 'held', available: 0 });
    expect(await live()).to.equal(6_000);
    expect(await hold(6_000)).to.deep.equal({ kind: 'short', available: 5_000 });
    expect(await live()).to.equal(1_000);
    expect(await hold(6_000)).to.deep.include({ kind: 'held', available: 0 });
    expect(await balance()).to.deep.equal([8_000, 8_000]);
  });

  it('what a campaign may spend is not kept from it by expired holds of its own', async () => {
    await grant(5_000);
    await platform((tx) =>
      tx.exec(
        `insert into campaign (id, uid, workspace_id, title, state, settings, created_at, updated_at) values ($1, $1, $1, 'C', 'active', '{"creditBudget": 1000}', 1, 1)`,
        [workspace],
      ),
    );
    await expired(1_000, workspace);
    expect(await hold(600, { campaignId: workspace })).to.include({ kind: 'held' });
    expect(await live()).to.equal(400);
    expect(await hold(401, { campaignId: workspace })).to.deep.equal({ kind: 'over_budget', available: 400 });
  });

  it('a key whose hold expired is used anew, however many others are over before it', async () => {
    await grant(2_000);
    const id = await held(1, { idempotencyKey: 'again' });
    await expired(1_000);
    await age(id);
    expect(await hold(1, { idempotencyKey: 'again' })).to.include({ kind: 'held' });
    expect(await settle(id, 1)).to.equal('expired');
    expect(await live()).to.equal(800);
  });

  it('upkeep ends all expired holds, a thousand a transaction', async () => {
    await grant(2_500);
    await expired(2_500);
    expect(await own((tx) => expireHolds(tx, workspace, NOW))).to.equal(1_000);
    const clocks = { real: new SystemClock(), product: new FakeClock() as never };
    await creditUpkeep({ db: app, clocks });
    expect(await live()).to.equal(0);
    const parts = await platform((tx) =>
      tx.rows<{ n: number }>(`select count(*)::int as n from credit_hold where workspace_id = $1 group by xmin::text`, [
        workspace,
      ]),
    );
    expect(parts).to.have.length.of.at.least(3);
    expect(Math.max(...parts.map((part) => part.n))).to.equal(1_000);
    expect(await balance()).to.deep.equal([2_500, 0]);
  });
});

import { expect } from 'chai';
import pg from 'pg';
import { Database } from '../../../pkg/postgres/database.ts';
import { type IdlePlan, planIdle } from '../../../pkg/store/runs/plan-idle.ts';
import { type Bench, change, openBench, query } from '../../fixtures/engine/harness.ts';
import { type LedgerWorkflow, ledgerTools } from '../../fixtures/engine/ledger-tools.ts';
import { rowsRead } from '../../fixtures/store/rows-read.ts';

const PARKED = 12_000;
/** Runs that a look lets go on at most. */
const PART = 5_000;
const FREEZE = `insert into send_freeze (id, scope, target, reason, frozen_by, since) values (gen_random_uuid(), $1, $2, 'test', 'test', 1)`;

describe('engine: a workspace with many parked runs', function () {
  this.timeout(120_000);
  let bench: Bench;
  let at: LedgerWorkflow;
  let other: LedgerWorkflow;
  let reader: pg.Client;
  before(async () => {
    bench = await openBench();
    reader = new pg.Client({ connectionString: bench.ownerUrl, options: '-c search_path=outrider,app,public' });
    await reader.connect();
  });
  after(async () => {
    await reader.end();
    await bench.close();
  });
  const { workflowFixture } = ledgerTools(() => bench);

  beforeEach(async () => {
    at = await workflowFixture();
    other = await workflowFixture();
    // A second workflow of the same workspace, in a campaign that goes on.
    await change(bench, `update campaign set workspace_id = $1 where id = $2`, [at.ws, other.camp]);
    await change(bench, `update workflow set workspace_id = $1 where id = $2`, [at.ws, other.flow]);
    await change(bench, `update campaign set state = 'paused' where id = $1`, [at.camp]);
    await park(at, PARKED);
  });

  afterEach(() => change(bench, 'delete from send_freeze'));

  const park = (where: LedgerWorkflow, count: number): Promise<number> =>
    change(
      bench,
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, wait_reason, entered_at, started_at, account_id)
       select gen_random_uuid(), $1, $2, $3, gen_random_uuid(), 1, 'n0', 'waiting', 'send_freeze', 1, 1, 'account-' || g % 2 from generate_series(1, $4::int) g`,
      [at.ws, where.flow, where.camp, count],
    );
  const look = (): Promise<IdlePlan> =>
    at.claim.tx(
      async (tx) => {
        const left = await planIdle(tx, bench.clock.now());
        await tx.exec('select pg_stat_force_next_flush()');
        return left;
      },
      { lookups: true },
    );
  const parked = async (where: LedgerWorkflow): Promise<number> => {
    const rows = await query<{ count: number }>(
      bench,
      'select count(*)::int as count from run where workflow_id = $1 and due_at is null',
      [where.flow],
    );
    return rows[0]?.count ?? -1;
  };
  /** How many runs a part after the other let go on, until nobody is left who may. */
  const parts = async (): Promise<number[]> => {
    for (const found: number[] = []; ; ) {
      const { unparked } = await look();
      if (unparked === 0) return found;
      found.push(unparked);
    }
  };
  /** As the release before this one wrote them: in the lanes of accounts. */
  const asBefore = async (): Promise<void> => {
    const owner = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
    await owner.tx({ kind: 'none' }, (tx) =>
      tx.exec('update outrider.agenda set lane = 0 where workspace_id = $1 and due_at = app.parked_at()', [at.ws]),
    );
    await owner.close();
  };

  it('looks at those only who may go on: neither at those who wait in a paused campaign nor at those who are under way', async () => {
    await park(other, PARKED / 2);
    await parts();
    expect(await parked(other)).to.equal(0);
    const before = await rowsRead(reader);
    for (let looks = 0; looks < 5; looks++) expect((await look()).unparked).to.equal(0);
    expect((await rowsRead(reader)) - before).to.be.within(1, PARKED / 10);
    expect(await parked(at)).to.equal(PARKED);
  });

  it('lets them go on in parts when the campaign goes on, each once', async () => {
    await change(bench, `update campaign set state = 'active' where id = $1`, [at.camp]);
    const found = await parts();
    expect(Math.max(...found)).to.be.at.most(PART);
    expect(found.reduce((sum, one) => sum + one, 0)).to.equal(PARKED);
    expect(await parked(at)).to.equal(0);
  });

  it('finds those too who were parked before their workflows had places of their own', async () => {
    await asBefore();
    await park(other, 300);
    await parts();
    expect(await parked(other)).to.equal(0);
    expect(await parked(at)).to.equal(PARKED);
    await change(bench, `update campaign set state = 'active' where id = $1`, [at.camp]);
    await parts();
    expect(await parked(at)).to.equal(0);
  });

  it('lets nobody go on during a freeze, and behind those who are frozen or held by themselves the others', async () => {
    const freeze = `insert into send_freeze (id, scope, target, reason, frozen_by, since) values (gen_random_uuid(), $1, $2, 'test', 'test', 1)`;
    await change(bench, freeze, ['workspace', at.ws]);
    await change(bench, `update campaign set state = 'active' where id = $1`, [at.camp]);
    expect(await parts()).to.deep.equal([]);
    await change(bench, 'delete from send_freeze');
    await change(bench, freeze, ['account', 'account-0']);
    await parts();
    expect(await parked(at)).to.equal(PARKED / 2);
    await change(bench, 'delete from send_freeze');
    await parts();
    expect(await parked(at)).to.equal(0);
  });

  it('an account that is frozen without an end: who waits for it is put into its places once, and not looked at again until it is let go', async () => {
    const accounts = ['account-0', 'account-1'];
    for (const account of accounts) await change(bench, FREEZE, ['account', account]);
    await change(bench, `update campaign set state = 'active' where id = $1`, [at.camp]);
    await parts();
    const before = await rowsRead(reader);
    for (let looks = 0; looks < 5; looks++) expect((await look()).unparked).to.equal(0);
    expect((await rowsRead(reader)) - before).to.be.within(1, PARKED / 10);
    // Who comes meanwhile goes on, where the account is another one; who is given another one, too.
    await park(other, 100);
    const moved = await change(
      bench,
      `update run set account_id = 'account-2' where id in (select id from run where workspace_id = $1 order by id limit 30)`,
      [at.ws],
    );
    await parts();
    expect((await parked(at)) + (await parked(other))).to.equal(PARKED + 100 - moved);
    // A freeze that is given an end holds until then, one that is released no longer.
    const end = bench.clock.now() + 3_600_000;
    await change(bench, `update send_freeze set until = $1 where target = 'account-0'`, [end]);
    await change(bench, `delete from send_freeze where target = 'account-1'`);
    const found = await parts();
    expect(Math.max(...found)).to.be.at.most(PART);
    const due = await query<{ account_id: string; due_at: number }>(
      bench,
      'select distinct account_id, due_at from run where workspace_id = $1 order by 1',
      [at.ws],
    );
    const now = bench.clock.now();
    expect(due).to.deep.equal([
      { account_id: 'account-0', due_at: end },
      { account_id: 'account-1', due_at: now },
      { account_id: 'account-2', due_at: now },
    ]);
    expect(
      await query(bench, 'select 1 from agenda where workspace_id = $1 and frozen_account is not null', [at.ws]),
    ).to.deep.equal([]);
  });

  it('of a frozen account whose campaign is paused meanwhile: neither the end of the one nor of the other is waited for in vain', async () => {
    await change(bench, FREEZE, ['account', 'account-0']);
    await change(bench, `update campaign set state = 'active' where id = $1`, [at.camp]);
    await parts();
    expect(await parked(at)).to.equal(PARKED / 2);
    await change(bench, `update campaign set state = 'paused' where id = $1`, [at.camp]);
    await change(bench, 'delete from send_freeze');
    await parts();
    expect(await parked(at)).to.equal(PARKED / 2);
    await change(bench, `update campaign set state = 'active' where id = $1`, [at.camp]);
    await parts();
    expect(await parked(at)).to.equal(0);
  });
});

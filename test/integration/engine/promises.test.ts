import { expect } from 'chai';
import { PromiseKeeper } from '../../../pkg/engine/loop/promise-keeper.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { FakeNetwork } from '../../fixtures/engine/fake-network.ts';
import { type Bench, change, enrol, openBench, openEngine, query } from '../../fixtures/engine/harness.ts';
import { addAccount, addCampaign, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';
import {
  chain,
  DAY,
  HOUR,
  lead,
  MINUTE,
  message,
  type WorkflowFixture,
} from '../../fixtures/engine/workflow-fixture.ts';

/** 2,000 in `make test-long`. */
const PEOPLE = Number(process.env.PROMISE_PEOPLE ?? 40);
const PER_ACCOUNT = 20;
const OFFICE = { days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18 };
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo', null];

/** Every time that a waiting run was given. */
const REMEMBER = `
  create table outrider.told (id bigserial, run_id uuid, node_id text, due_at bigint, reason text);
  create function outrider.remember() returns trigger language plpgsql security definer as $$
    begin
      insert into outrider.told (run_id, node_id, due_at, reason) values (new.id, new.node_id, new.due_at, new.wait_reason);
      return null;
    end $$;
  create trigger remember after update on outrider.run for each row
    when (new.ended_at is null and new.send_id is null and new.wait_reason in ('pacing', 'budget', 'business_hours'))
    execute function outrider.remember();
  grant select on outrider.told to outrider_app`;

describe('promises: a run that waits says when it acts', () => {
  let bench: Bench;

  before(async () => {
    bench = await openBench();
    const owner = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
    await owner.tx({ kind: 'none' }, (tx) => tx.exec(REMEMBER));
    await owner.close();
  });
  after(() => bench.close());

  async function campaign(accounts: number, limits: object): Promise<WorkflowFixture & { accounts: string[] }> {
    const network = new FakeNetwork();
    const ws = await addWorkspace(bench.app);
    const camp = await addCampaign(bench.app, ws, {
      businessHours: { ...OFFICE, timezoneMode: 'lead' },
      contactPolicy: { minDaysBetweenTouches: 1 },
    });
    const made: string[] = [];
    for (let index = 0; index < accounts; index++) {
      made.push(await addAccount(bench.app, [ws], { limits, hours: { ...OFFICE, timezoneMode: 'account' } }));
    }
    const graph = chain(
      { nodeType: 'network:profile_view' },
      message('One'),
      { nodeType: 'network:follow' },
      message('Two'),
    );
    const flow = await addWorkflow(bench.app, ws, camp, graph);
    const handle = await openEngine(bench, ws, network);
    return { ws, camp, flow, account: made[0] ?? '', accounts: made, network, handle };
  }

  async function people(at: WorkflowFixture, count: number): Promise<void> {
    const leads = await Promise.all(Array.from({ length: count }, () => lead(bench, at)));
    for (const [index, { leadId }] of leads.entries()) {
      await change(bench, 'update lead set timezone = $2 where id = $1', [leadId, ZONES[index % ZONES.length]]);
    }
    await enrol(
      bench,
      at.ws,
      at.flow,
      leads.map(({ leadId }) => leadId),
    );
    await at.handle.quiet();
  }

  const nextDue = async (at: WorkflowFixture): Promise<number | null> => {
    const [row] = await query<{ due: number | null }>(
      bench,
      'select min(due_at) as due from run where workspace_id = $1 and ended_at is null and due_at > $2',
      [at.ws, bench.clock.now()],
    );
    return row?.due ?? null;
  };

  /** Jumps from one due time to the next until nobody waits, or until `end`. */
  async function playUntil(at: WorkflowFixture, end = Number.POSITIVE_INFINITY): Promise<void> {
    for (let due = await nextDue(at); due !== null && due < end; due = await nextDue(at)) {
      await bench.clock.advance(due - bench.clock.now());
      await at.handle.quiet();
    }
  }

  interface Told {
    told: number;
    acted: number;
    reason: string;
  }
  const toldAndActed = (at: WorkflowFixture): Promise<Told[]> =>
    query<Told>(
      bench,
      `select t.due_at as told, s.claimed_at as acted, t.reason from told t join send s on s.run_id = t.run_id and s.node_id = t.node_id
       where s.workspace_id = $1`,
      [at.ws],
    );

  it('the action happens within its stated minute, no matter who came later, in every zone, over budgets, pace and hours', async function () {
    this.timeout(60_000 + PEOPLE * 500);
    const at = await campaign(Math.ceil(PEOPLE / PER_ACCOUNT), {
      message: { day: 12, week: 45 },
      profile_view: { day: 20 },
      follow: { day: 9 },
    });
    await people(at, Math.ceil(PEOPLE / 2));
    await playUntil(at, bench.clock.now() + DAY);
    await people(at, Math.floor(PEOPLE / 2));
    await playUntil(at);
    const rows = await toldAndActed(at);
    const sends = await query(bench, "select 1 from send where workspace_id = $1 and state = 'confirmed'", [at.ws]);
    expect(sends).to.have.length(4 * PEOPLE);
    expect(rows.length, 'nearly every action was waited for').to.be.greaterThan(2 * PEOPLE);
    const late = rows.filter(({ told, acted }) => Math.abs(acted - told) > MINUTE);
    expect(late.slice(0, 5), `${late.length} of ${rows.length} promises not kept`).to.deep.equal([]);
    for (const reason of ['pacing', 'budget', 'business_hours']) {
      expect(
        rows.some((row) => row.reason === reason),
        reason,
      ).to.equal(true);
    }
  });

  it('people of one company are promised moments of different days, and act at them', async () => {
    const at = await campaign(1, {});
    await people(at, 10);
    await change(bench, "update lead set company_key = 'acme', timezone = 'UTC' where workspace_id = $1", [at.ws]);
    await playUntil(at);
    const rows = await toldAndActed(at);
    expect(rows.filter(({ told, acted }) => Math.abs(acted - told) > MINUTE)).to.deep.equal([]);
    const perDay = await query<{ people: number }>(
      bench,
      `select count(distinct lead_id)::int as people from send where workspace_id = $1 and action = 'message' group by claimed_at / 86400000`,
      [at.ws],
    );
    expect(perDay.length).to.be.at.least(4);
    expect(Math.max(...perDay.map((day) => day.people))).to.equal(3);
  });

  it('when leads leave, those behind them are brought forward, and no day stays unused', async () => {
    const at = await campaign(1, { profile_view: { day: 5 } });
    await people(at, 20);
    const last = `select max(due_at) as last from run where workspace_id = $1 and ended_at is null`;
    const [before] = await query<{ last: number }>(bench, last, [at.ws]);
    await change(
      bench,
      `update run set ended_at = $2, state = 'stopped', due_at = null where id in (
         select id from run where workspace_id = $1 and ended_at is null order by due_at limit 8)`,
      [at.ws, bench.clock.now()],
    );
    await new PromiseKeeper(at.handle.deps).keep();
    await at.handle.quiet();
    const [after] = await query<{ last: number }>(bench, last, [at.ws]);
    expect((before?.last ?? 0) - (after?.last ?? 0)).to.be.at.least(20 * HOUR);
    await bench.clock.advance(HOUR);
    await at.handle.quiet();
    await playUntil(at, after?.last ?? 0);
  });

  it('an account that can not be planned keeps nobody from the others, however many there are', async () => {
    const at = await campaign(3, { profile_view: { day: 5 } });
    await people(at, 60);
    const [bad = '', ...good] = [...at.accounts].sort();
    const last = async (): Promise<Map<string, number>> =>
      new Map(
        (
          await query<{ id: string; last: number }>(
            bench,
            `select account_id as id, max(due_at) as last from run where workspace_id = $1 and ended_at is null group by 1`,
            [at.ws],
          )
        ).map((row) => [row.id, row.last]),
      );
    await change(
      bench,
      `update run set ended_at = $2, state = 'stopped', due_at = null where id in (select id from (
         select id, row_number() over (partition by account_id order by due_at) as place from run where workspace_id = $1 and ended_at is null) x where place <= 8)`,
      [at.ws, bench.clock.now()],
    );
    // More accounts with promises than one look takes, all before the last of these.
    const owner = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
    await owner.tx({ kind: 'none' }, async (tx) => {
      await tx.exec(
        `insert into outrider.network_account (id, external_id, status_since, created_at) select '0' || n, '0' || n, 1, 1 from generate_series(1, 600) n`,
      );
      await tx.exec(
        `insert into outrider.account_link (account_id, workspace_id, linked_at) select '0' || n, $1, 1 from generate_series(1, 600) n`,
        [at.ws],
      );
      await tx.exec(
        `insert into outrider.account_slot (account_id, heavy, at, free_at, workspace_id, run_id, budgets) select '0' || n, false, $2, $2, $1, gen_random_uuid(), '{follow}' from generate_series(1, 600) n`,
        [at.ws, bench.clock.now() + DAY],
      );
    });
    await owner.close();
    await change(bench, `update network_account set business_hours = '{"days": 7}' where id = $1`, [bad]);
    const before = await last();
    const keeper = new PromiseKeeper(at.handle.deps);
    for (let turns = 0; turns < 60; turns++) await keeper.keep();
    await at.handle.quiet();
    const after = await last();
    for (const id of good) expect((before.get(id) ?? 0) - (after.get(id) ?? 0), id).to.be.at.least(20 * HOUR);
  });

  it('a promise that an executor missed is kept when it is back, one by one and in its pace', async () => {
    const at = await campaign(1, { profile_view: { day: 40 }, message: { day: 40 } });
    await people(at, 20);
    const first = await nextDue(at);
    await bench.clock.advance((first ?? 0) - bench.clock.now() + HOUR);
    await at.handle.quiet();
    await playUntil(at);
    const times = await query<{ at: number }>(
      bench,
      "select claimed_at as at from send where workspace_id = $1 and action = 'profile_view' order by 1",
      [at.ws],
    );
    expect(times).to.have.length(20);
    const gaps = times.slice(1).map((time, index) => time.at - (times[index]?.at ?? 0));
    expect(Math.min(...gaps)).to.be.at.least(20_000);
  });
});

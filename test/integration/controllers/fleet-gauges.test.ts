import { expect } from 'chai';
import pg from 'pg';
import { Registry } from 'prom-client';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { measureFleet } from '../../../pkg/controllers/fleet-gauges.ts';
import { seededRandom } from '../../../pkg/domain/random.ts';
import { createOperatorMetrics } from '../../../pkg/metrics/operator-metrics.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { accountBudgets } from '../../../pkg/tools/network-accounts/account-budgets.ts';
import { ACCOUNT_COLUMNS, type AccountRow } from '../../../pkg/tools/network-accounts/account-row.ts';
import { TestProductClock } from '../../tools/kube.ts';
import { testPostgres } from '../../tools/postgres.ts';

const NOW = Date.UTC(2026, 2, 10, 12);
const HOUR = 3_600_000;
const NIL = '00000000-0000-0000-0000-000000000000';

describe('figures of the fleet', function () {
  this.timeout(60_000);
  const registry = new Registry();
  const metrics = createOperatorMetrics(registry);
  const clock = new TestProductClock();
  let db: Database;
  let owner: pg.Client;

  before(async () => {
    const { appUrl, superuserUrl } = await (await testPostgres()).product();
    db = new Database({ url: appUrl, max: 2, applicationName: 'test' });
    owner = new pg.Client({ connectionString: superuserUrl });
    await owner.connect();
    clock.at = NOW;
    await owner.query(`set search_path = outrider`);
    // The figures know no foreign keys, and of triggers only that of open sends.
    await owner.query(`set session_replication_role = replica`);
  });
  after(async () => {
    await owner.end();
    await db.close();
  });

  const measured = async (): Promise<string> => {
    await measureFleet({ db, clocks: { real: new SystemClock(), product: clock }, metrics });
    return registry.metrics();
  };
  const send = async (id: number, state: string, letter: string | null): Promise<void> => {
    // A trigger keeps the table of open sends.
    await owner.query(`set session_replication_role = origin`);
    await owner.query(
      `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, claimed_at, dead_letter_state)
       values ($1, 'acme', 'w', 'c', $2, 'n', $2, $2, 'a', 'message', $3, 1, $4, $5)`,
      [`00000000-0000-0000-0000-00000000000${id}`, NIL, state, NOW, letter],
    );
    await owner.query(`set session_replication_role = replica`);
  };

  it('a kind of which there is none has no series; what alerts wait for is 0: freezes, and late, failing and lost schedules', async () => {
    const text = await measured();
    for (const what of ['late_seconds', 'failing', 'lost'])
      for (const kind of ['sync_crm', 'signal_agent'])
        expect(text).to.contain(`outrider_schedules_${what}{kind="${kind}"} 0`);
    expect(text).to.not.match(/^outrider_dead_letters_open\{/m);
    expect(text).to.contain('outrider_send_freezes{scope="platform"} 0');
    expect(text).to.contain('outrider_credits{state="available"} 0');
  });

  it('tells of schedules that are late, that failed and that were given up, and of actions that wait', async () => {
    await owner.query(
      `insert into workspace (id, uid, name, operating_mode, created_at, updated_at)
       values ('works', 'works', 'works', 'Running', 1, 1), ('rests', 'rests', 'rests', 'Suspended', 1, 1)`,
    );
    const schedule = async (n: number, ws: string, kind: string, nextAt: number, ended: [string, string][]) => {
      const id = `00000000-0000-0000-0000-0000000001${String(n).padStart(2, '0')}`;
      await owner.query(
        `insert into schedule (id, workspace_id, kind, name, cron, timezone, enabled, next_for, next_at, created_at)
         values ($1, $2, $3, 'x', '0 8 * * *', 'UTC', true, $4, $4, 1)`,
        [id, ws, kind, nextAt],
      );
      for (const [at, [state, error]] of ended.entries())
        await owner.query(
          `insert into scheduled_run (id, schedule_id, workspace_id, scheduled_for, state, due_at, error, finished_at)
           values (gen_random_uuid(), $1, $2, $3, $4, 1, $5, 1)`,
          [id, ws, at, state, error],
        );
    };
    await schedule(1, 'works', 'send_report', NOW - HOUR, [['failed', 'the list is gone']]);
    await schedule(2, 'works', 'send_report', NOW + HOUR, [
      ['failed', 'the list is gone'],
      ['succeeded', ''],
    ]);
    await schedule(3, 'works', 'rescore_leads', NOW + HOUR, [['failed', 'lost: each executor ended']]);
    await schedule(4, 'rests', 'rescore_leads', NOW - HOUR, []);
    await owner.query(
      `insert into action (id, workspace_id, lead_id, person_id, account_id, action, budgets, once_key, due_at, made_by, created_at)
       values ($1, 'works', $1, $1, 'a', 'withdraw_request', '{withdraw_request}', 'k', 1, 'engine', 1)`,
      [NIL],
    );
    const text = await measured();
    expect(text).to.contain('outrider_schedules_late_seconds{kind="send_report"} 3600');
    expect(text).to.contain('outrider_schedules_late_seconds{kind="rescore_leads"} 0');
    expect(text).to.contain('outrider_schedules_failing{kind="send_report"} 1');
    expect(text).to.contain('outrider_schedules_lost{kind="rescore_leads"} 1');
    expect(text).to.contain('outrider_schedules_lost{kind="send_report"} 0');
    expect(text).to.contain('outrider_actions_open{action="withdraw_request"} 1');
    for (const table of ['scheduled_run', 'schedule', 'action', 'workspace']) await owner.query(`delete from ${table}`);
  });

  it('tells of signal agents by state, of those that found nobody for a week, and of their sources that fail', async () => {
    const DAY = 24 * HOUR;
    const agent = async (n: number, of: { enabled?: boolean; changed?: number; runs?: number; found?: string }) => {
      const id = `00000000-0000-0000-0000-0000000002${String(n).padStart(2, '0')}`;
      const { enabled = true, changed = NOW - 30 * DAY, runs = 3, found } = of;
      await owner.query(
        `insert into schedule (id, workspace_id, kind, name, cron, timezone, enabled, next_for, next_at, created_at)
         values ($1, 'works', 'signal_agent', 'x', '0 6 * * *', 'UTC', $2, $3, $3, 1)`,
        [id, enabled, NOW + HOUR],
      );
      await owner.query(
        `insert into signal_agent (id, workspace_id, signal_types, created_at, updated_at) values ($1, 'works', '{new_post}', 1, $2)`,
        [id, changed],
      );
      for (let run = 0; run < runs; run++)
        await owner.query(
          `insert into scheduled_run (id, schedule_id, workspace_id, scheduled_for, state, due_at, finished_at)
           values (gen_random_uuid(), $1, 'works', $2, 'succeeded', 1, 1)`,
          [id, NOW - DAY * (run + 1)],
        );
      if (found)
        await owner.query(
          `insert into signal_agent_day (agent_id, day, workspace_id, leads) values ($1, $2, 'works', 1)`,
          [id, found],
        );
      return id;
    };
    const idle = await agent(1, {});
    await agent(2, { found: '2026-02-01' });
    await agent(3, { found: '2026-03-09' });
    await agent(4, { runs: 2 });
    await agent(5, { changed: NOW - DAY });
    const paused = await agent(6, { enabled: false });
    for (const [of, url, faults] of [
      [idle, 'https://a.example/', 3],
      [idle, 'https://b.example/', 2],
      [paused, 'https://a.example/', 9],
    ])
      await owner.query(
        `insert into signal_source (id, agent_id, workspace_id, kind, url, faults, created_at)
         values (gen_random_uuid(), $1, 'works', 'feed', $2, $3, 1)`,
        [of, url, faults],
      );
    const text = await measured();
    expect(text).to.contain('outrider_signal_agents{state="active"} 5');
    expect(text).to.contain('outrider_signal_agents{state="paused"} 1');
    expect(text).to.contain('outrider_signal_agents{state="finds_nobody"} 2');
    expect(text).to.contain('outrider_signal_sources_failing{kind="feed"} 1');
    expect(text).to.contain('outrider_signal_sources_failing{kind="site"} 0');
    const left = ['signal_source', 'signal_agent_day', 'signal_agent', 'scheduled_run', 'schedule'];
    for (const table of left) await owner.query(`delete from ${table}`);
  });

  it('counts dead letters, unknown outcomes, reviews, budgets, credits, freezes and accounts of all workspaces', async () => {
    await send(1, 'unknown', 'open');
    await send(2, 'unknown', null);
    await send(3, 'confirmed', 'resolved');
    await send(4, 'unknown', 'discarded');
    await send(5, 'unknown', null);
    await owner.query(`update send set maybe = true where id = '00000000-0000-0000-0000-000000000005'`);
    for (const [name, monthly, balance] of [
      ['rich', 100, 50],
      ['short', 1_000, 99],
      ['gone', 1_000, 0],
      // Without a monthly grant the event says low below 100, and so does the metric.
      ['near', 0, 99],
      ['calm', 0, 100],
    ] as const) {
      await owner.query(
        `insert into workspace (id, uid, name, limits, created_at, updated_at, deleted_at) values ($1, $1, $1, $2, 1, 1, $3)`,
        [name, { monthlyCredits: monthly }, name === 'gone' ? 2 : null],
      );
      await owner.query(`insert into credit_balance (workspace_id, balance, held) values ($1, 0, 0)`, [name]);
      if (balance > 0)
        await owner.query(
          `select app.move_credits($1, 'grant', $2, 'g', 1, 'test', null, 'test') from set_config('app.platform', 'on', false)`,
          [name, balance],
        );
    }
    await owner.query(
      `insert into review_item (id, workspace_id, workflow_id, campaign_id, run_id, lead_id, node_id, send_node_id, channel, body, original_body, created_at, expires_at)
       values ($1, 'acme', 'w', 'c', $1, $1, 'n', 'n', 'network', 'x', 'x', $2, $2)`,
      [NIL, NOW - 2 * HOUR],
    );
    await owner.query(
      `insert into network_account (id, external_id, status, status_since, created_at) values ('a', 'a', 'ok', 1, 1), ('b', 'b', 'checkpoint', 1, 1)`,
    );
    await owner.query(
      `insert into account_link (account_id, workspace_id, linked_at) values ('a', 'rich', 1), ('b', 'rich', 1)`,
    );
    await owner.query(
      `insert into account_budget (account_id, action, head_date, used, limit_day, limit_week)
       values ('a', 'message', '2026-03-10', '{7,9,9,9,9,9,9}', 10, 50), ('b', 'message', '2026-03-01', '{9,0,0,0,0,0,0}', 20, 50)`,
    );
    await owner.query(
      `insert into send_freeze (id, scope, target, reason, frozen_by, since, until) values (gen_random_uuid(), 'platform', '', 'x', 'me', 1, null),
       (gen_random_uuid(), 'workspace', 'acme', 'over', 'me', 1, $1)`,
      [NOW - 1],
    );
    const text = await measured();
    for (const line of [
      'outrider_dead_letters_open{action="message"} 1',
      'outrider_sends_unknown{action="message"} 2',
      'outrider_review_queue_items{channel="network"} 1',
      'outrider_review_queue_oldest_age_seconds{channel="network"} 7200',
      // Of two basic accounts that sent nothing yet: a fifth of 40 each, whatever their rows say.
      'outrider_budget_limit{action="message"} 16',
      // The row of the first of March was not touched since: nothing of it is of today.
      'outrider_budget_used{action="message"} 7',
      'outrider_credits{state="available"} 348',
      'outrider_workspaces_low_on_credits{state="low"} 2',
      'outrider_send_freezes{scope="platform"} 1',
      'outrider_send_freezes{scope="workspace"} 0',
      'outrider_network_accounts{status="checkpoint"} 1',
    ])
      expect(text).to.contain(`${line}\n`);
  });

  it('an account that was unlinked, or whose workspace was deleted, troubles nobody and gives nobody a budget', async () => {
    await owner.query(`update account_link set workspace_id = 'gone' where account_id = 'b'`);
    for (let round = 0; round < 2; round++) {
      const text = await measured();
      expect(text).to.not.contain('outrider_network_accounts{status="checkpoint"}');
      expect(text).to.contain('outrider_network_accounts{status="ok"} 1\n');
      expect(text).to.contain('outrider_budget_limit{action="message"} 8\n');
      await owner.query(`delete from account_link where account_id = 'b'`);
    }
  });

  it('an account is unread when it was due long ago, or when its rounds of sync fail, while a workspace runs that it is linked to', async () => {
    const unread = async (): Promise<string[]> =>
      [...(await measured()).matchAll(/^outrider_accounts_unread\{kind="(\w+)"\} (\d+)$/gm)].map(
        ([, kind, count]) => `${kind} ${count}`,
      );
    const MINUTE = 60_000;
    expect(await unread()).to.deep.equal(['network 0', 'mail 0']);
    await owner.query(
      `insert into network_account (id, kind, external_id, status, status_since, created_at) values ('box', 'mail', 'box', 'ok', 1, 1)`,
    );
    await owner.query(`insert into account_link (account_id, workspace_id, linked_at) values ('box', 'rich', 1)`);
    await owner.query(
      `insert into account_wake (account_id, due_at, last_synced_at) values ('a', $1, $2), ('box', $1, null)`,
      [NOW - 29 * MINUTE, NOW - 12 * HOUR],
    );
    expect(await unread(), 'due for less than half an hour').to.deep.equal(['network 0', 'mail 0']);
    await owner.query(`update account_wake set due_at = $1`, [NOW - 31 * MINUTE]);
    expect((await unread()).sort()).to.deep.equal(['mail 1', 'network 1']);
    await owner.query(`update workspace set operating_mode = 'Suspended' where id = 'rich'`);
    expect(await unread(), 'nobody is to come').to.deep.equal(['network 0', 'mail 0']);
    await owner.query(`update workspace set operating_mode = 'Running' where id = 'rich'`);
    // Due at once (0), and read a moment ago.
    await owner.query(`update account_wake set due_at = 0, last_synced_at = $1`, [NOW - MINUTE]);
    expect(await unread()).to.deep.equal(['network 0', 'mail 0']);
    // Each failure puts the next try off.
    await owner.query(
      `update account_wake set due_at = $1, sync_state = jsonb_build_object('failingSince', $2::bigint) where account_id = 'box'`,
      [NOW + 5 * MINUTE, NOW - 31 * MINUTE],
    );
    expect((await unread()).sort()).to.deep.equal(['mail 1', 'network 0']);
    await owner.query(`delete from account_wake`);
    await owner.query(`delete from account_link where account_id = 'box'`);
  });

  it('a day is that of the account: it is over at its midnight, and its morning at its noon', async () => {
    await owner.query(
      `insert into account_link (account_id, workspace_id, linked_at) values ('b', 'rich', 1);
       update network_account set timezone = 'Europe/Berlin' where id = 'a';
       update network_account set timezone = 'America/Los_Angeles' where id = 'b';
       update account_budget set head_date = '2026-03-10', used = '{8,0,0,0,0,0,0}' where account_id = 'b'`,
    );
    const figures = async (time: string): Promise<string[]> => {
      clock.at = Date.parse(time);
      const text = await measured();
      return ['used', 'morning_used', 'morning_limit'].map(
        (name) => text.match(new RegExp(`^outrider_budget_${name}\\{action="message"\\} (\\d+)$`, 'm'))?.[1] ?? '',
      );
    };
    // Berlin's evening and Los Angeles' morning, both of the tenth.
    expect(await figures('2026-03-10T18:00:00Z')).to.deep.equal(['15', '8', '8']);
    // Berlin has the eleventh, and did nothing in it; in Los Angeles it is the evening of the tenth.
    expect(await figures('2026-03-11T00:15:00Z')).to.deep.equal(['8', '0', '8']);
    expect(await figures('2026-03-11T14:00:00Z')).to.deep.equal(['0', '0', '8']);
    clock.at = NOW;
  });

  it('over a home of many accounts the metric tells what the tools tell: tiers, settings, ramps, health, weekends, zones', async () => {
    const random = seededRandom('fleet', 23);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    await owner.query('delete from account_link; delete from network_account; delete from account_budget');
    for (let index = 0; index < 40; index++) {
      await owner.query(
        `insert into network_account (id, external_id, status, status_since, created_at, tier, timezone, limits, pacing,
           ramp_enabled, ramp_days, ramp_start_share, first_send_at, health)
         values ($1, $1, 'ok', 1, 1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          `many-${index}`,
          pick(['basic', 'premium', 'sales', 'recruiter']),
          pick(['UTC', 'Pacific/Auckland', 'America/Los_Angeles', 'Asia/Kolkata']),
          pick([{}, { message: { day: 7 } }, { message: { day: 900, week: 20 }, like: { day: 0 } }]),
          pick([null, { weekendFactor: 0.3 }, { weekendFactor: 0 }, { minGapSeconds: 60 }]),
          random() < 0.7,
          pick([0, 14, 30]),
          pick([0.1, 0.2]),
          pick([null, NOW - 40 * 24 * HOUR, NOW - 5 * 24 * HOUR, NOW - HOUR]),
          pick([0, 0.35, 0.7, 1, 1]),
        ],
      );
      const workspaces = pick([['rich'], ['rich', 'short'], ['gone'], []]);
      for (const workspace of workspaces)
        await owner.query(`insert into account_link (account_id, workspace_id, linked_at) values ($1, $2, 1)`, [
          `many-${index}`,
          workspace,
        ]);
    }
    // A row that is there says no more than one that is not.
    await owner.query(
      `insert into account_budget (account_id, action, head_date, used, limit_day, limit_week)
       values ('many-0', 'message', '2026-03-10', '{1,0,0,0,0,0,0}', 3, 9), ('many-1', 'message', '2026-01-01', '{9,0,0,0,0,0,0}', 999, 9)`,
    );
    for (const time of ['2026-03-10T12:00:00Z', '2026-03-14T09:30:00Z', '2026-03-15T22:10:00Z']) {
      const at = Date.parse(time);
      clock.at = at;
      const told = new Map<string, number>();
      await db.tx({ kind: 'platform' }, async (tx) => {
        const accounts = await tx.rows<AccountRow>(
          `select ${ACCOUNT_COLUMNS} where exists (select 1 from account_link l join workspace w on w.id = l.workspace_id
             where l.account_id = a.id and w.deleted_at is null)`,
          [''],
        );
        expect(accounts.length).to.be.greaterThan(15);
        for (const account of accounts)
          for (const { window, action, effectiveLimit = 0 } of await accountBudgets(tx, account, at))
            if (window === 'day') told.set(action, (told.get(action) ?? 0) + effectiveLimit);
      });
      const shown = [...(await measured()).matchAll(/^outrider_budget_limit\{action="(\w+)"\} (\d+)$/gm)];
      expect(Object.fromEntries(shown.map(([, action, units]) => [action, Number(units)])), time).to.deep.equal(
        Object.fromEntries(told),
      );
    }
    clock.at = NOW;
  });

  it('what is over disappears, so that no alert goes on', async () => {
    await owner.query(`delete from send; delete from send_freeze; delete from review_item`);
    const text = await measured();
    expect(text).to.not.match(/^outrider_(dead_letters_open|sends_unknown|review_queue_items)\{/m);
    expect(text).to.contain('outrider_send_freezes{scope="platform"} 0');
  });
});

import { expect } from 'chai';
import pg from 'pg';
import { Database } from '../../../pkg/postgres/database.ts';
import { dropQueued, eraseLeadRows } from '../../../pkg/store/erasure/erasure.ts';
import { purgeDeleted } from '../../../pkg/store/erasure/purge-deleted.ts';
import { metricRows } from '../../../pkg/store/figures/metric-rows.ts';
import { fill } from '../../bench/engine/fill.ts';
import { rowsRead } from '../../fixtures/store/rows-read.ts';
import { testPostgres } from '../../tools/postgres.ts';

const RUNS = 3_000;
/** Rows that may be read for a lead with its run, its sends and what is queued about it. */
const PER_LEAD = 500;
const YEAR = 365 * 86_400_000;

/** What old workspaces have of each lead: sends, a draft, a notification, a profile that was read, a find of an agent, signals. */
const HISTORY = [
  `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, body, claimed_at, dispatched_at, settled_at)
     select gen_random_uuid(), r.workspace_id, r.workflow_id, r.campaign_id, r.id, 'n' || g, r.lead_id, r.person_id, r.account_id, 'message', 'confirmed', 1, 'Hello', 1, 1, 2
     from run r, generate_series(1, 3) g`,
  `insert into review_item (id, workspace_id, workflow_id, campaign_id, run_id, lead_id, node_id, send_node_id, channel, body, original_body, state, created_at, expires_at)
     select gen_random_uuid(), workspace_id, workflow_id, campaign_id, id, lead_id, 'n1', 'n2', 'network', 'Hi', 'Hi', 'sent', 1, 1 from run`,
  `insert into app_user (id, email, created_at) values ('018f0000-0000-7000-8000-000000000001', 'one@x.example', 1)`,
  `insert into notification (id, workspace_id, user_id, kind, title, text, data, origin, created_at)
     select gen_random_uuid(), workspace_id, '018f0000-0000-7000-8000-000000000001', 'reply', 'T', 'T', jsonb_build_object('leadId', lead_id), id, 1 from run`,
  `insert into background_job (id, workspace_id, kind, status, created_at) select md5(id)::uuid, id, 'lead_scrape', 'completed', 1 from workspace`,
  `insert into lead_scrape_item (job_id, place, workspace_id, profile_id, lead_id, state)
     select md5(workspace_id)::uuid, row_number() over (order by id), workspace_id, profile_id, id, 'found' from lead`,
  `insert into signal_queue (workspace_id, signal_agent_id, lead_id, enqueued_at, settled_at) select workspace_id, 'agent', id, 1, 2 from lead`,
  `insert into signal (id, workspace_id, type, lead_id, occurred_at, detected_at, expires_at) select gen_random_uuid(), workspace_id, 'new_post', id, 1, 1, 1 from lead`,
  `insert into signal (id, workspace_id, type, company_id, occurred_at, detected_at, expires_at)
     select gen_random_uuid(), 'old', 'funding_round', gen_random_uuid(), 1, 1, 1 from generate_series(1, 1200)`,
  `insert into company (id, workspace_id, name, company_key, created_at, updated_at) select gen_random_uuid(), 'old', 'C' || g, 'c' || g, 1, 1 from generate_series(1, 1200) g`,
];

describe('in a database with years of history', function () {
  this.timeout(120_000);
  let db: Database;
  let client: pg.Client;

  before(async () => {
    const urls = await (await testPostgres()).product();
    for (const workspaceId of ['old', 'neighbour'])
      await fill(urls.superuserUrl, 'plain', RUNS, { workspaceId }, { settle: false });
    client = new pg.Client({ connectionString: urls.superuserUrl, options: '-c search_path=outrider,app,public' });
    await client.connect();
    for (const statement of HISTORY) await client.query(statement);
    await client.query('vacuum analyze');
    db = new Database({ url: urls.appUrl, max: 1, applicationName: 'test' });
  });
  after(async () => {
    await db.close();
    await client.end();
  });

  /** Rows that `work` reads. */
  async function reads(work: () => Promise<unknown>): Promise<number> {
    const told = (): Promise<unknown> =>
      db.tx({ kind: 'platform' }, (tx) => tx.exec('select pg_stat_force_next_flush()'));
    await told();
    const before = await rowsRead(client);
    await work();
    await told();
    return (await rowsRead(client)) - before;
  }
  const one = async <T>(sql: string): Promise<T> => (await client.query(sql)).rows[0];

  it('metrics read what was sent once, whatever they count of it', async () => {
    const { rows } = await client.query<{ sends: number; runs: number }>(
      `select (select count(*)::int from send where workspace_id = 'old') as sends, (select count(*)::int from run where workspace_id = 'old') as runs`,
    );
    const { sends, runs } = rows[0] ?? { sends: 0, runs: 0 };
    const query = { workspaceId: 'old', group: 'campaign', from: 0, to: YEAR, after: null, limit: 26 } as const;
    const read = await reads(() =>
      db.tx({ kind: 'workspaces', ids: ['old'] }, async (tx) => {
        const [campaign] = await metricRows(tx, query);
        expect(campaign).to.include({ key: 'old', contacted: RUNS, requested: 0 });
      }),
    );
    expect(read).to.be.within(1, sends + 5 * runs);
  });

  it('the erasure of a person reads what there is of that person', async () => {
    const lead = await one<{ id: string; profile: string }>(
      `select id, profile_id as profile from lead where workspace_id = 'old' limit 1`,
    );
    const read = await reads(() =>
      db.tx({ kind: 'workspaces', ids: ['old'] }, async (tx) => {
        await dropQueued(tx, 'old', { leadIds: [lead.id], profileIds: [lead.profile] });
        await eraseLeadRows(tx, { workspaceId: 'old', leadId: lead.id, now: 1, keep: true });
      }),
    );
    expect(read).to.be.within(1, PER_LEAD);
    const left = await one(
      `select (select count(*)::int from send where lead_id = '${lead.id}' and body is not null) as sends, (select count(*)::int from review_item where lead_id = '${lead.id}' and body <> '') as drafts,
         (select count(*)::int from notification where data ->> 'leadId' = '${lead.id}') as notifications, (select count(*)::int from lead_scrape_item where profile_id = '${lead.profile}' and workspace_id = 'old') as profiles`,
    );
    expect(left).to.deep.equal({ sends: 0, drafts: 0, notifications: 0, profiles: 0 });
  });

  it('two persons become one by reading what there is of them', async () => {
    const both = await client.query<{ id: string }>(
      `select person_id as id from run where workspace_id = 'old' order by id limit 2`,
    );
    const [from, into] = both.rows.map((row) => row.id);
    await client.query(`update run set state = 'completed', ended_at = 1, due_at = null where person_id = $1`, [from]);
    const read = await reads(() => client.query('select app.merge_person($1, $2)', [from, into]));
    expect(read).to.be.within(1, PER_LEAD);
    const left = await client.query(
      `select (select count(*)::int from send where person_id = $1) as sends, (select count(*)::int from run where person_id = $1) as runs,
         (select count(*)::int from send where person_id = $2) as "all"`,
      [from, into],
    );
    expect(left.rows).to.deep.equal([{ sends: 0, runs: 0, all: 6 }]);
  });

  it('whether an account expects news is known from what it sent', async () => {
    await client.query(`select set_config('app.platform', 'on', false)`);
    const expects = async (accountId: string): Promise<boolean> =>
      (await one<{ expects: boolean }>(`select app.account_expects('${accountId}') as expects`)).expects;
    const account = 'neighbour-1';
    const sent = await one<{ sends: number }>(
      `select count(*)::int as sends from send where account_id = '${account}'`,
    );
    expect(await reads(async () => expect(await expects(account)).to.equal(false))).to.be.within(
      1,
      sent.sends * 10 + 10,
    );
    await client.query(
      `update run set facts = '{"lastTouchAt": 1}' where id = (select id from run where account_id = '${account}' order by id desc limit 1)`,
    );
    expect([await expects(account), await expects('neighbour-2')]).to.deep.equal([true, false]);
  });

  it('words that others exclude are not read, those that apply are', async () => {
    const word = `insert into suppression (id, workspace_id, level, kind, value, source, created_at) select gen_random_uuid(), $1, $2, 'keyword', $3 || g, 'manual', 1 from generate_series(1, $4::int) g`;
    await client.query(word, ['neighbour', 'workspace', 'widgets', 20_000]);
    await client.query('analyze suppression');
    const { rows } = await client.query<{ id: string }>(
      `select id from lead where workspace_id = 'old' order by id limit 20`,
    );
    const leads = rows.map((row) => row.id);
    await client.query(`update lead set company = 'Widgets1 and more' where id = any ($1)`, [leads.slice(1, 3)]);
    const barred = (): Promise<string[]> =>
      db.tx({ kind: 'workspaces', ids: ['old'] }, async (tx) =>
        (
          await tx.rows<{ id: string }>(
            `select lead_id as id from app.suppressed_leads('old', 'c', $1, 1) order by 1`,
            [leads],
          )
        ).map((row) => row.id),
      );
    const read = await reads(async () => expect(await barred()).to.deep.equal([]));
    expect(read).to.be.within(1, 1_000);
    for (const [level, workspaceId] of [
      ['platform', null],
      ['workspace', 'old'],
    ] as const) {
      await client.query(word, [workspaceId, level, 'widgets', 1]);
      expect(await barred(), level).to.include.members(leads.slice(1, 3));
      await client.query(`delete from suppression where level = $1 and workspace_id is not distinct from $2`, [
        level,
        workspaceId,
      ]);
      expect(await barred()).to.deep.equal([]);
    }
  });

  it('a deleted workspace goes in parts, none of which takes more than was said, and nothing of a neighbour is read for it', async () => {
    const most = 500;
    const counts = (): Promise<Record<string, number>> =>
      one(
        `select (select count(*)::int from lead where workspace_id = 'old' and erased_at is null) as leads, (select count(*)::int from signal where workspace_id = 'old') as signals,
           (select count(*)::int from company where workspace_id = 'old') as companies, (select count(*)::int from notification where workspace_id = 'old') as notifications`,
      );
    await client.query(
      `insert into notification (id, workspace_id, user_id, kind, title, text, origin, created_at)
       select gen_random_uuid(), 'old', '018f0000-0000-7000-8000-000000000001', 'note', 'T', 'T', 'more' || g, 1 from generate_series(1, 1200) g`,
    );
    await client.query(
      `update workspace set deleted_at = 1, settings = settings || '{"retentionDays": 30}' where id = 'old'`,
    );
    let before = await counts();
    for (let parts = 0; ; parts++) {
      let kind: string | null = null;
      const read = await reads(async () => {
        kind = await db.tx({ kind: 'platform' }, (tx) => purgeDeleted(tx, YEAR, most));
      });
      if (kind === null) break;
      const after = await counts();
      for (const [what, count] of Object.entries(after)) {
        // What belongs to leads goes with them.
        const allowed = before['leads'] === 0 || what === 'leads' ? most : RUNS;
        expect((before[what] ?? 0) - count, `${what} of a part`).to.be.at.most(allowed);
      }
      expect(read, 'rows read for a part').to.be.below(most * PER_LEAD);
      expect(parts).to.be.below(100);
      before = after;
    }
    expect(before).to.deep.equal({ leads: 0, signals: 0, companies: 0, notifications: 0 });
    const neighbour = await one(
      `select count(*)::int as leads from lead where workspace_id = 'neighbour' and erased_at is null`,
    );
    expect(neighbour).to.deep.equal({ leads: RUNS });
  });

  it('a deleted workflow goes in parts of a few runs, since each has its history', async () => {
    await client.query(`update workspace set settings = settings || '{"retentionDays": 30}' where id = 'neighbour'`);
    await client.query(`update workflow set deleted_at = 1 where id = 'neighbour'`);
    const withText = async (): Promise<number> =>
      (
        await one<{ runs: number }>(
          `select count(distinct run_id)::int as runs from send where workflow_id = 'neighbour' and body is not null`,
        )
      ).runs;
    const left = [await withText()];
    for (let kind: string | null = ''; kind !== null && left.length < 20; ) {
      kind = await db.tx({ kind: 'platform' }, (tx) => purgeDeleted(tx, YEAR));
      left.push(await withText());
    }
    const parts = left.slice(1).map((runs, part) => (left[part] ?? 0) - runs);
    expect(Math.max(...parts)).to.be.at.most(500);
    expect(left.at(-1)).to.equal(0);
  });
});

import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Database } from '../../../pkg/postgres/database.ts';
import { enrolLeads } from '../../../pkg/store/runs/enrol.ts';
import { addCampaign, addWorkflow, addWorkspace } from '../../fixtures/engine/rows.ts';
import { chain } from '../../fixtures/engine/workflow-fixture.ts';
import { testPostgres } from '../../tools/postgres.ts';

/** Leads of a large batch, and rows that its statements may read for each, of tables and of indexes. */
const MANY = 1_500;
const READS_PER_LEAD = 60;

describe('batches of leads on tables that were never analyzed', function () {
  this.timeout(60_000);
  let db: Database;
  let ws: string;
  let flow: string;
  let made = 0;

  before(async () => {
    const urls = await (await testPostgres()).product();
    // One connection: what it has planned for small batches it would use again for large ones.
    db = new Database({ url: urls.appUrl, max: 1, applicationName: 'test' });
    ws = await addWorkspace(db);
    flow = await addWorkflow(db, ws, await addCampaign(db, ws), chain({ nodeType: 'flow:end' }));
  });
  after(() => db.close());

  /** New leads, each with a profile, an address and a company. */
  async function leads(count: number): Promise<string[]> {
    const from = made;
    made += count;
    const rows = await db.tx({ kind: 'platform' }, (tx) =>
      tx.rows<{ id: string }>(
        `insert into lead (id, workspace_id, full_name, profile_id, email, company, company_key, company_domain, created_at, updated_at)
         select gen_random_uuid(), $1, 'Person ' || i, 'p-' || i, 'p' || i || '@c' || i % 50 || '.example', 'C' || i % 50, 'c' || i % 50, 'c' || i % 50 || '.example', 1, 1
         from generate_series($2::int, $3::int) i returning id`,
        [ws, from, made - 1],
      ),
    );
    return rows.map((row) => row.id);
  }
  const complete = (ids: readonly string[]): Promise<unknown> =>
    db.tx({ kind: 'workspaces', ids: [ws] }, (tx) => tx.exec('select app.complete_leads($1, 1)', [ids]));
  const enrol = (ids: readonly string[]): Promise<unknown> =>
    db.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
      enrolLeads(tx, {
        workspaceId: ws,
        workflowId: flow,
        now: 1,
        leads: ids.map((leadId) => ({ leadId, runId: randomUUID() })),
        source: 'trigger',
      }),
    );

  /** Rows that were read so far, of tables and of their indexes. */
  async function reads(): Promise<number> {
    await db.tx({ kind: 'platform' }, (tx) => tx.exec('select pg_stat_force_next_flush()'));
    const row = await db.tx({ kind: 'platform' }, (tx) =>
      tx.row<{ reads: number }>(
        `select (select sum(seq_tup_read) from pg_stat_user_tables where schemaname = 'outrider')
           + (select sum(idx_tup_read) from pg_stat_user_indexes where schemaname = 'outrider') as reads`,
      ),
    );
    return Number(row?.reads);
  }

  for (const [what, work] of [
    ['completing them', complete],
    ['enrolling them', enrol],
  ] as const) {
    it(`${what} reads a bounded number of rows for each, also when small batches came before`, async () => {
      for (let small = 0; small < 8; small++) await work(await leads(1));
      for (const batch of ['first', 'second']) {
        const ids = await leads(MANY);
        if (work === enrol) await complete(ids);
        const before = await reads();
        await work(ids);
        expect(((await reads()) - before) / MANY, `${batch} large batch`).to.be.within(1, READS_PER_LEAD);
      }
    });
  }

  it('exclusions are looked up: fifteen thousand of them add nothing to what a batch reads', async () => {
    const exclude = (count: number): Promise<unknown> =>
      db.tx({ kind: 'platform' }, (tx) =>
        tx.exec(
          `insert into suppression (id, workspace_id, level, kind, value, source, created_at)
           select gen_random_uuid(), $1, 'workspace', k.kind, k.value || i || k.rest, 'customer', 1
           from generate_series(1, $2::int) i,
             (values ('mail', 'x', '@x.example'), ('domain', 'x', '.example'), ('company', 'x ', ''),
               ('profile', 'x-', ''), ('name_company', 'x', '@x')) k (kind, value, rest)`,
          [ws, count],
        ),
      );
    const check = async (): Promise<number> => {
      const ids = await leads(500);
      const ask = (asked: readonly string[]): Promise<unknown> =>
        db.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
          tx.rows('select * from app.suppressed_leads($1, null, $2, 2)', [ws, asked]),
        );
      await ask(ids.slice(0, 1));
      const before = await reads();
      await ask(ids);
      return (await reads()) - before;
    };
    await exclude(2);
    const few = await check();
    await exclude(3_000);
    expect(await check()).to.be.at.most(few * 1.05);
  });
});

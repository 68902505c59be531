import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { Database } from '../../../pkg/postgres/database.ts';
import { readEvents, workspacesToRead } from '../../../pkg/store/events/read-events.ts';
import { dropOldEvents, dropOldNumbers, openEventMonth } from '../../../pkg/store/runs/event-months.ts';
import { appendEvents } from '../../../pkg/store/runs/run-events.ts';
import { type TestDatabase, testPostgres } from '../../tools/postgres.ts';

const at = (text: string): number => Date.parse(`${text}T00:00:00Z`);

describe('history in months', function () {
  this.timeout(60_000);
  let urls: TestDatabase;
  let app: Database;
  let owner: pg.Client;
  const run = randomUUID();

  const append = (time: number): Promise<unknown> =>
    app.tx({ kind: 'workspaces', ids: ['ws-a'] }, (tx) =>
      appendEvents(tx, 'ws-a', [
        {
          runId: run,
          at: time,
          kind: 'run.step_done',
          nodeId: 'n0',
          actor: 'engine',
          text: 'a "b", c\\d',
          data: { n: 1 },
        },
      ]),
    );
  const open = (time: number): Promise<boolean> => app.tx({ kind: 'none' }, (tx) => openEventMonth(tx, time));
  const history = (workspace: string): Promise<{ at: number; text: string }[]> =>
    app.tx({ kind: 'workspaces', ids: [workspace] }, (tx) =>
      tx.rows('select at, text from run_event where run_id = $1 order by seq', [run]),
    );
  const months = async (): Promise<string[]> => {
    const { rows } = await owner.query(
      `select tableoid::regclass::text as name, count(*)::int as n from outrider.run_event group by 1 order by 1`,
    );
    return rows.map((row) => `${row.name.replace('outrider.', '')}: ${row.n}`);
  };

  before(async () => {
    urls = await (await testPostgres()).product();
    app = new Database({ url: urls.appUrl, max: 2, applicationName: 'test' });
    owner = new pg.Client({ connectionString: urls.superuserUrl });
    await owner.connect();
  });

  after(async () => {
    await app.close();
    await owner.end();
  });

  it('what came before its month was opened moves into it, in order, and stays its tenant’s', async () => {
    for (const day of ['2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01']) await append(at(day));
    expect([await open(at('2026-02-15')), await open(at('2026-02-20'))]).to.deep.equal([true, false]);
    await append(at('2026-02-10'));
    expect(await months()).to.deep.equal(['run_event_2026_02: 3', 'run_event_default: 2']);
    expect((await history('ws-a')).map((row) => row.at)).to.deep.equal(
      ['2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01', '2026-02-10'].map(at),
    );
    expect((await history('ws-a'))[0]?.text).to.equal('a "b", c\\d');
    expect(await history('ws-b')).to.deep.equal([]);
  });

  it('months are dropped whole when their time is over, by the platform only and never below 30 days', async () => {
    const now = at('2026-04-01');
    await append(at('2026-03-05'));
    const drop = (kind: 'platform' | 'none', days: number): Promise<number> =>
      app.tx({ kind }, (tx) => dropOldEvents(tx, now, days));
    expect([await drop('none', 30), await drop('platform', 29), await drop('platform', 31)]).to.deep.equal([0, 0, 0]);
    // A backup reads the history; who writes it must not wait behind a lock that waits for the backup.
    await owner.query('begin; select 1 from outrider.run_event limit 1');
    const failure = await drop('platform', 30).catch((error: { code?: string }) => error.code);
    expect(failure).to.equal('55P03');
    await owner.query('commit');
    expect(await drop('platform', 30)).to.equal(1);
    expect(await months()).to.deep.equal(['run_event_default: 1']);
  });

  it('numbers of events go with their months, some at a time, and a reader that never came so far passes over them', async () => {
    const now = at('2026-04-15');
    await owner.query(
      `insert into outrider.event_number (workspace_id, number, seq, at, kind)
       select 'ws-numbers', n, 900000 + n, $1::bigint + n * 86400000::bigint, 'lead.created' from generate_series(1, 60) n`,
      [at('2026-01-31')],
    );
    await owner.query(`insert into outrider.event_head (workspace_id, last) values ('ws-numbers', 60)`);
    const drop = (limit: number): Promise<number> =>
      app.tx({ kind: 'platform' }, (tx) => dropOldNumbers(tx, now, limit, 30));
    // The month of 16 March stays.
    expect([await drop(20), await drop(20), await drop(20)]).to.deep.equal([20, 8, 0]);
    const kept = await owner.query(
      `select min(number)::int as first from outrider.event_number where workspace_id = 'ws-numbers'`,
    );
    expect(kept.rows[0].first).to.equal(29);
    const read = (): Promise<unknown[]> =>
      app.tx({ kind: 'platform' }, (tx) => readEvents(tx, 'deliveries', 'ws-numbers', 1, 100));
    const waits = async (): Promise<boolean> =>
      (await app.tx({ kind: 'platform' }, (tx) => workspacesToRead(tx, 'deliveries', 100))).includes('ws-numbers');
    await owner.query(`delete from outrider.event_number where workspace_id = 'ws-numbers'`);
    expect(await waits()).to.equal(true);
    expect(await read()).to.deep.equal([]);
    expect(await waits()).to.equal(false);
  });
});

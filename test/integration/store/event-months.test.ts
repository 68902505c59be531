import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { Database } from '../../../pkg/postgres/database.ts';
import { dropOldEvents, openEventMonth } from '../../../pkg/store/runs/event-months.ts';
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
});

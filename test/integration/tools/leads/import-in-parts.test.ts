import { expect } from 'chai';
import type { Database } from '../../../../pkg/postgres/database.ts';
import { startToolCalls, type ToolCalls, workspaceKey } from '../../../tools/tool-calls.ts';

interface Import {
  importId: string;
  status: string;
  created: number;
  updated: number;
  skipped: number;
  suppressed: number;
  errors: { row: number; field: string | null; message: string }[];
}

const HEAD = 'email,linkedin url,full name,company';
/** People of a file, from `from` on: each with a mail address and a profile of their own. */
const people = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => {
    const i = from + n;
    return `p${i}@parts.example,https://www.linkedin.com/in/parts-${i},Ann P${i},Acme ${i % 50}`;
  });
/** 2,400 people in three parts, of whom some are named twice: in a part, over parts, and in a row that is broken. */
const ROWS = [...people(1_200), people(1, 7)[0], 'no mail,,,', ...people(1_200, 1_200), people(1, 1_500)[0]];
const CSV = `${HEAD}\n${ROWS.join('\n')}\n`;

describe('svc_import_leads_csv of a large file', function () {
  this.timeout(180_000);
  let tools: ToolCalls;
  let plain: Database['tx'];

  before(async () => {
    tools = await startToolCalls();
    plain = tools.cluster.db.tx.bind(tools.cluster.db);
  });
  after(() => tools.stop());
  afterEach(() => {
    tools.cluster.db.tx = plain;
  });

  const load = (csv: string, key: string, ws = 'acme'): Promise<Import> =>
    tools.call<Import>('svc_import_leads_csv', { csv, idempotencyKey: key }, workspaceKey(ws));
  const count = async (sql: string, ws: string): Promise<number> =>
    (await tools.rows<{ count: number }>(`select count(*)::int as count from ${sql} where workspace_id = $1`, [ws]))[0]
      ?.count ?? -1;

  /** The process dies before or after its n-th transaction that writes: nothing it would do then is done. */
  function dies(place: 'before' | 'after', nth: number): void {
    let left = nth;
    tools.cluster.db.tx = (async (...given: Parameters<Database['tx']>) => {
      left--;
      if (left < 0 || (left === 0 && place === 'before')) throw new Error('the process died');
      const result = await plain(...given);
      if (left === 0) throw new Error('the process died');
      return result;
    }) as Database['tx'];
  }

  it('goes on after a crash between parts where it was: nothing twice, and the counts are those of one that was never broken', async () => {
    const whole = await load(CSV, 'whole', 'rival');
    expect(whole).to.include({ status: 'completed', created: 2_400, updated: 0, skipped: 3 });
    for (const [place, nth] of [
      ['before', 2],
      ['after', 2],
      ['before', 1],
      ['after', 1],
    ] as const) {
      dies(place, nth);
      await tools.refusal('svc_import_leads_csv', { csv: CSV, idempotencyKey: 'broken' });
      tools.cluster.db.tx = plain;
    }
    expect(await count('lead', 'acme'), 'what was stored before it broke').to.be.within(1_000, 2_400);
    const { importId, errors, ...counts } = await load(CSV, 'broken');
    const { importId: _, errors: wholeErrors, ...wholeCounts } = whole;
    expect(counts).to.deep.equal(wholeCounts);
    expect(errors.map(({ row }) => row)).to.deep.equal(wholeErrors.map(({ row }) => row));
    expect([await count('lead', 'acme'), await count('lead_import', 'acme')]).to.deep.equal([2_400, 1]);
    expect((await load(CSV, 'broken')).importId, 'made again it answers the same').to.equal(importId);
    expect(await count('lead_import', 'acme')).to.equal(1);
  });

  it('that is under way under a key refuses another file under it, and the same call twice at once is one import', async () => {
    const csv = `${HEAD}\n${people(2_100, 10_000).join('\n')}\n`;
    dies('after', 1);
    await tools.refusal('svc_import_leads_csv', { csv, idempotencyKey: 'mine' });
    tools.cluster.db.tx = plain;
    const other = `${HEAD}\n${people(1_100, 20_000).join('\n')}\n`;
    expect(await tools.refusal('svc_import_leads_csv', { csv: other, idempotencyKey: 'mine' })).to.contain(
      'idempotencyKey: was used with other input',
    );
    const before = await count('lead_import', 'acme');
    const [one, two] = await Promise.all([load(csv, 'mine'), load(csv, 'mine')]);
    expect(one).to.deep.equal(two);
    expect(one).to.include({ created: 2_100, updated: 0, skipped: 0 });
    expect(await count('lead_import', 'acme')).to.equal(before);
  });

  it('says that it was interrupted, and how it goes on, while nobody makes the call again', async () => {
    const csv = `${HEAD}\n${people(1_500, 30_000).join('\n')}\n`;
    dies('after', 1);
    await tools.refusal('svc_import_leads_csv', { csv, idempotencyKey: 'left' });
    tools.cluster.db.tx = plain;
    const latest = async (): Promise<Import | undefined> =>
      (await tools.call<{ imports: Import[] }>('svc_get_import_progress', { limit: 100 })).imports.find(
        ({ created }) => created === 1_000,
      );
    expect((await latest())?.status).to.equal('running');
    await tools.rows(`update lead_import set touched_at = touched_at - interval '10 minutes' where status = 'running'`);
    const told = await latest();
    expect(told?.status).to.equal('failed');
    expect(told?.errors[0]?.message).to.match(/^interrupted after 1000 rows: call svc_import_leads_csv a/);
    expect(await load(csv, 'left')).to.include({ created: 1_500 });
  });

  it('four at once of one workspace take turns: each is imported, none waits for a lock with a connection', async () => {
    const files = Array.from({ length: 4 }, (_, n) => `${HEAD}\n${people(1_100, 40_000 + n * 2_000).join('\n')}\n`);
    const done = await Promise.all(files.map((csv, n) => load(csv, `turn-${n}`)));
    expect(done.map(({ created }) => created)).to.deep.equal([1_100, 1_100, 1_100, 1_100]);
  });

  it('tells each part once it is stored, and where it was broken goes on telling from there', async () => {
    const csv = `${HEAD}\n${people(2_400, 50_000).join('\n')}\n`;
    const parts = ['1000 rows stored', '2000 rows stored', '2400 rows stored'];
    await load(csv, 'told');
    expect(tools.heard()).to.deep.equal(
      ['2400 rows read', ...parts, 'done'].map((message, at) => ({ done: at + 1, of: at === 0 ? 4 : 5, message })),
    );
    const other = `${HEAD}\n${people(2_400, 60_000).join('\n')}\n`;
    dies('before', 2);
    await tools.refusal('svc_import_leads_csv', { csv: other, idempotencyKey: 'told again' });
    tools.cluster.db.tx = plain;
    expect(tools.heard().map(({ message }) => message)).to.deep.equal(['2400 rows read', parts[0]]);
    await load(other, 'told again');
    expect(tools.heard().map(({ message }) => message)).to.deep.equal(['2400 rows read', ...parts.slice(1), 'done']);
  });

  it('a row of a later part whose cell is left out is imported, and named as the spreadsheet counts it', async () => {
    const rows = people(2_400, 70_000).map((row, at) => `${row},${[1_499, 2_299].includes(at) ? 'call me' : ''}`);
    const { created, skipped, errors } = await load(`${HEAD},phone\n${rows.join('\n')}\n`, 'notes');
    expect({ created, skipped }).to.deep.equal({ created: 2_400, skipped: 0 });
    expect(errors.map(({ row, field }) => ({ row, field }))).to.deep.equal([
      { row: 1_501, field: 'phone' },
      { row: 2_301, field: 'phone' },
    ]);
  });
});

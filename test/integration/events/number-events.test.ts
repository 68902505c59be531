import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { seededRandom } from '../../../pkg/domain/random.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { numberEvents } from '../../../pkg/store/events/number-events.ts';
import { addWorkspace } from '../../fixtures/engine/rows.ts';
import { testPostgres } from '../../tools/postgres.ts';

describe('numbers of events', function () {
  this.timeout(60_000);
  let db: Database;
  let superuserUrl: string;
  const writers: pg.Client[] = [];

  before(async () => {
    const urls = await (await testPostgres()).product();
    superuserUrl = urls.superuserUrl;
    db = new Database({ url: urls.appUrl, max: 2, applicationName: 'test' });
    for (let at = 0; at < 4; at++) {
      const writer = new pg.Client({ connectionString: superuserUrl });
      await writer.connect();
      await writer.query('set search_path = outrider, app');
      writers.push(writer);
    }
  });
  after(async () => {
    for (const writer of writers) await writer.end();
    await db.close();
  });

  const number = (limit?: number): Promise<number> => db.tx({ kind: 'platform' }, (tx) => numberEvents(tx, limit));
  const write = (writer: pg.Client, ws: string, name: string, kind = 'lead.created'): Promise<unknown> =>
    writer.query(`insert into run_event (workspace_id, at, kind, actor, data) values ($1, 1, $2, 'test', $3)`, [
      ws,
      kind,
      JSON.stringify({ name }),
    ]);
  const read = (ws: string, after = 0): Promise<Array<{ number: number; name: string }>> =>
    db.tx({ kind: 'workspaces', ids: [ws] }, (tx) =>
      tx.rows<{ number: number; name: string }>(
        `select n.number, e.data ->> 'name' as name
         from event_number n join run_event e using (seq)
         where n.workspace_id = $1 and n.number > $2
         order by n.number`,
        [ws, after],
      ),
    );
  function writer(at: number): pg.Client {
    const found = writers[at];
    if (found === undefined) throw new Error(`no writer ${at}`);
    return found;
  }

  it('no reader sees a hole that is filled later: what is committed later comes later, wherever its place was drawn', async () => {
    const ws = await addWorkspace(db);
    await writer(0).query('begin');
    await write(writer(0), ws, 'early place, late commit');
    await write(writer(1), ws, 'late place, early commit');
    await number();
    expect(await read(ws)).deep.equal([{ number: 1, name: 'late place, early commit' }]);
    for (let round = 0; round < 3; round++) await number();
    await writer(0).query('commit');
    await number();
    expect(await read(ws, 1)).deep.equal([{ number: 2, name: 'early place, late commit' }]);
  });

  it('what was rolled back leaves no hole', async () => {
    const ws = await addWorkspace(db);
    await write(writer(0), ws, 'a');
    await writer(1).query('begin');
    await write(writer(1), ws, 'never');
    await writer(1).query('rollback');
    await write(writer(0), ws, 'b');
    while ((await number(1)) > 0);
    expect(await read(ws)).deep.equal([
      { number: 1, name: 'a' },
      { number: 2, name: 'b' },
    ]);
  });

  it('lines of plain steps get none', async () => {
    const ws = await addWorkspace(db);
    await write(writer(0), ws, 'step', 'run.step_done');
    await write(writer(0), ws, 'told');
    await number();
    expect((await read(ws)).map((event) => event.name)).deep.equal(['told']);
  });

  it('two that number at once number nothing twice', async () => {
    const ws = await addWorkspace(db);
    for (let at = 0; at < 20; at++) await write(writer(0), ws, `${at}`);
    await writer(1).query('begin');
    await writer(1).query('select from event_numberer for update');
    expect(await number()).equal(0);
    await writer(1).query('rollback');
    expect(await number()).equal(20);
    expect((await read(ws)).map((event) => event.number)).deep.equal(Array.from({ length: 20 }, (_, at) => at + 1));
  });

  it('after a restore into a cluster whose transaction ids are lower it goes on', async () => {
    const ws = await addWorkspace(db);
    await writer(0).query(`update event_numberer set mark_xid = '900000000000', mark_seq = floor_seq + 5`);
    await write(writer(0), ws, 'after the restore');
    for (let round = 0; round < 3; round++) await number();
    await write(writer(0), ws, 'and later');
    await number();
    expect((await read(ws)).map((event) => event.name)).deep.equal(['after the restore', 'and later']);
  });

  /** Writers that open, write, commit and roll back as chance says; `open[at]`: what writer `at` has not committed yet. */
  async function deed(at: number, open: Array<string[] | undefined>, ws: string, chance: number): Promise<string[]> {
    const names = open[at];
    if (names === undefined) {
      await writer(at).query('begin');
      open[at] = [];
      return [];
    }
    if (chance < 0.6) {
      const name = randomUUID();
      await write(writer(at), ws, name);
      names.push(name);
      return [];
    }
    open[at] = undefined;
    await writer(at).query(chance < 0.9 ? 'commit' : 'rollback');
    return chance < 0.9 ? names : [];
  }

  async function follow(seen: Map<string, string[]>): Promise<void> {
    for (const [ws, had] of seen) {
      const fresh = await read(ws, had.length);
      expect(fresh.map((event) => event.number)).deep.equal(fresh.map((_, at) => had.length + at + 1));
      had.push(...fresh.map((event) => event.name));
    }
  }

  for (let seed = 1; seed <= 12; seed++) {
    it(`each committed event has one number, dense and rising as readers see it (seed ${seed})`, async () => {
      const random = seededRandom(seed);
      const pick = (below: number): number => Math.floor(random() * below);
      const spaces = [await addWorkspace(db), await addWorkspace(db)];
      const seen = new Map(spaces.map((ws) => [ws, [] as string[]]));
      const open = writers.map((): string[] | undefined => undefined);
      const committed: string[] = [];
      for (let step = 0; step < 60; step++) {
        committed.push(...(await deed(pick(writers.length), open, spaces[pick(2)] ?? '', random())));
        if (random() < 0.4) await number(1 + pick(8));
        if (random() < 0.3) await follow(seen);
      }
      for (const each of writers) await each.query('rollback');
      while ((await number()) > 0);
      await follow(seen);
      expect([...seen.values()].flat().sort()).deep.equal(committed.sort());
    });
  }

  it('the floor follows, so that a look reads little', async () => {
    for (let round = 0; round < 4; round++) await number();
    const { rows } = await writer(0).query<{ behind: string }>(
      'select (select last_value from run_event_order) - floor_seq as behind from event_numberer',
    );
    expect(Number(rows[0]?.behind)).equal(0);
  });
});

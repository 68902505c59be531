import { expect } from 'chai';
import { Database } from '../../../pkg/postgres/database.ts';
import { numberEvents } from '../../../pkg/store/events/number-events.ts';
import { readEvents, workspacesToRead } from '../../../pkg/store/events/read-events.ts';
import { addWorkspace } from '../../fixtures/engine/rows.ts';
import { testPostgres } from '../../tools/postgres.ts';

describe('readers of events', function () {
  this.timeout(60_000);
  let db: Database;

  before(async () => {
    const urls = await (await testPostgres()).product();
    db = new Database({ url: urls.appUrl, max: 3, applicationName: 'test' });
  });
  after(() => db.close());

  async function happen(workspaceId: string, ...names: string[]): Promise<void> {
    await db.tx({ kind: 'platform' }, async (tx) => {
      for (const name of names)
        await tx.exec(
          `insert into run_event (workspace_id, at, kind, actor, data) values ($1, 1, 'lead.created', 'test', $2)`,
          [workspaceId, JSON.stringify({ name })],
        );
    });
    await db.tx({ kind: 'platform' }, (tx) => numberEvents(tx));
  }
  const read = (workspaceId: string, limit?: number): Promise<unknown[]> =>
    db.tx({ kind: 'platform' }, async (tx) => {
      const events = await readEvents(tx, 'deliveries', workspaceId, 1, limit);
      return events.map(({ number, data }) => [number, data['name']]);
    });
  const waiting = (): Promise<string[]> =>
    db.tx({ kind: 'platform' }, (tx) => workspacesToRead(tx, 'deliveries', 1_000));

  it('each event is read once, in order, and by each reader for itself', async () => {
    const ws = await addWorkspace(db);
    await happen(ws, 'a', 'b', 'c');
    expect(await waiting()).include(ws);
    expect(await read(ws, 2)).deep.equal([
      [1, 'a'],
      [2, 'b'],
    ]);
    expect(await read(ws)).deep.equal([[3, 'c']]);
    expect(await read(ws)).deep.equal([]);
    expect(await waiting()).not.include(ws);
    const other = await db.tx({ kind: 'platform' }, (tx) => readEvents(tx, 'notifications', ws, 1));
    expect(other).length(3);
  });

  it('a reader that dies before its transaction ended goes on where it stood', async () => {
    const ws = await addWorkspace(db);
    await happen(ws, 'a');
    const died = await db
      .tx({ kind: 'platform' }, async (tx) => {
        await readEvents(tx, 'deliveries', ws, 1);
        throw new Error('died');
      })
      .catch((error: Error) => error.message);
    expect(died).equal('died');
    expect(await read(ws)).deep.equal([[1, 'a']]);
  });

  it('two processes do not read the same events: the second one leaves', async () => {
    const ws = await addWorkspace(db);
    await happen(ws, 'a');
    await read(ws, 0);
    await db.tx({ kind: 'platform' }, async (tx) => {
      expect(await readEvents(tx, 'deliveries', ws, 1)).length(1);
      expect(await read(ws)).deep.equal([]);
    });
    expect(await read(ws)).deep.equal([]);
  });

  it('what retention took is passed over', async () => {
    const ws = await addWorkspace(db);
    await happen(ws, 'old', 'new');
    await db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(`delete from run_event where workspace_id = $1 and data ->> 'name' = 'old'`, [ws]),
    );
    expect(await read(ws, 1)).deep.equal([]);
    expect(await read(ws, 1)).deep.equal([[2, 'new']]);
  });
});

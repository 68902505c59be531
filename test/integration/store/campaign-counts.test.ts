import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { testPostgres } from '../../tools/postgres.ts';

const CHILDREN = {
  lead_lists: [
    'lead_list',
    `(id, workspace_id, campaign_id, name, type, created_at) values ($1, $2, $3, 'l', 'static', 1)`,
  ],
  icps: ['icp', '(id, workspace_id, campaign_id, created_at) values ($1, $2, $3, 1)'],
  workflows: [
    'workflow',
    `(id, workspace_id, campaign_id, uid, name, created_at, updated_at) values ($1, $2, $3, 'u', 'w', 1, 1)`,
  ],
  personas: ['persona', `(id, workspace_id, campaign_id, name, created_at, updated_at) values ($1, $2, $3, 'p', 1, 1)`],
  phases: [
    'phase',
    `(id, workspace_id, campaign_id, name, phase_type, position, created_at, updated_at) values ($1, $2, $3, 'p', 'x', 1, 1, 1)`,
  ],
} as const;
type Kind = keyof typeof CHILDREN;

describe('counts that a campaign keeps', function () {
  this.timeout(60_000);
  let db: Database;

  const inside = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.tx({ kind: 'workspaces', ids: ['ws-a'] }, work);
  const campaign = async (): Promise<string> => {
    const id = randomUUID();
    await inside((tx) =>
      tx.exec(
        `insert into campaign (id, workspace_id, uid, title, created_at, updated_at) values ($1, 'ws-a', $1, 'C', 1, 1)`,
        [id],
      ),
    );
    return id;
  };
  const add = async (tx: Tx, kind: Kind, campaignId: string): Promise<string> => {
    const [table, rest] = CHILDREN[kind];
    const id = randomUUID();
    await tx.exec(`insert into ${table} ${rest}`, [id, 'ws-a', campaignId]);
    return id;
  };
  const kept = async (kind: Kind, id: string): Promise<number | undefined> =>
    (await inside((tx) => tx.row<{ n: number }>(`select ${kind} as n from campaign where id = $1`, [id])))?.n;

  before(async () => {
    const { appUrl } = await (await testPostgres()).product();
    db = new Database({ url: appUrl, max: 4, applicationName: 'test' });
    await db.tx({ kind: 'platform' }, (tx) =>
      tx.exec(`insert into workspace (id, uid, name, created_at, updated_at) values ('ws-a', 'u', 'A', 1, 1)`),
    );
  });
  after(() => db?.close());

  for (const kind of Object.keys(CHILDREN) as Kind[]) {
    const [table] = CHILDREN[kind];
    it(`${kind}: those that are there, no matter who adds, moves and removes them`, async () => {
      const [first, second] = [await campaign(), await campaign()];
      const ids = await Promise.all([1, 2, 3, 4].map(() => inside((tx) => add(tx, kind, first))));
      expect(await kept(kind, first), 'added at once').to.equal(4);
      await inside((tx) => tx.exec(`update ${table} set campaign_id = $2 where id = $1`, [ids[0], second]));
      await inside((tx) => tx.exec(`delete from ${table} where id = $1`, [ids[1]]));
      expect([await kept(kind, first), await kept(kind, second)], 'moved and deleted').to.deep.equal([2, 1]);
      const failed = await inside(async (tx) => {
        await add(tx, kind, first);
        throw new Error('rolled back');
      }).catch((error: Error) => error.message);
      expect([failed, await kept(kind, first)]).to.deep.equal(['rolled back', 2]);
    });
  }

  it('a tombstoned row does not count, and counts again when it is taken back', async () => {
    const id = await campaign();
    for (const kind of ['lead_lists', 'icps', 'workflows'] as const) {
      const child = await inside((tx) => add(tx, kind, id));
      const mark = (at: number | null): Promise<number> =>
        inside((tx) => tx.exec(`update ${CHILDREN[kind][0]} set deleted_at = $2 where id = $1`, [child, at]));
      await mark(5);
      await mark(6);
      expect(await kept(kind, id), kind).to.equal(0);
      await inside((tx) => tx.exec(`delete from ${CHILDREN[kind][0]} where id = $1`, [child]));
      expect(await kept(kind, id), `${kind}, removed for good`).to.equal(0);
      const other = await inside((tx) => add(tx, kind, id));
      await inside((tx) => tx.exec(`update ${CHILDREN[kind][0]} set deleted_at = 5 where id = $1`, [other]));
      await inside((tx) => tx.exec(`update ${CHILDREN[kind][0]} set deleted_at = null where id = $1`, [other]));
      expect(await kept(kind, id), `${kind}, taken back`).to.equal(1);
    }
  });
});

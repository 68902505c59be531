import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { sleepReal } from '../../../pkg/base/clock.ts';
import { seededRandom } from '../../../pkg/domain/random.ts';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { applyScores } from '../../../pkg/store/scoring/lead-scores.ts';
import { testPostgres } from '../../tools/postgres.ts';

/** Sums of floats in another order differ in their last digits. */
const rounded = (row: object | undefined): unknown =>
  JSON.parse(
    JSON.stringify(row, (_, value: unknown) => (typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value)),
  );

describe('leads in the pool of a campaign, counted by the one who writes scores', function () {
  this.timeout(60_000);
  let db: Database;
  const leads = Array.from({ length: 40 }, () => randomUUID()).sort();

  const inside = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.tx({ kind: 'workspaces', ids: ['ws-a'] }, work);
  /** A campaign with two ICPs. */
  const campaign = async (): Promise<{ id: string; icps: [string, string] }> => {
    const made = { id: randomUUID(), icps: [randomUUID(), randomUUID()] as [string, string] };
    await inside(async (tx) => {
      await tx.exec(
        `insert into campaign (id, workspace_id, uid, title, created_at, updated_at) values ($1, 'ws-a', $1, 'C', 1, 1)`,
        [made.id],
      );
      for (const icp of made.icps)
        await tx.exec(`insert into icp (id, workspace_id, campaign_id, created_at) values ($1, 'ws-a', $2, 1)`, [
          icp,
          made.id,
        ]);
    });
    return made;
  };
  const score = (tx: Tx, campaignId: string, icpId: string, scores: readonly (readonly [string, number])[]) =>
    applyScores(
      tx,
      'ws-a',
      1,
      scores.map(([leadId, icp]) => ({ campaignId, icpId, leadId, icp, signals: 0, reasons: [] })),
    );
  const drop = (tx: Tx, icpId: string, leadIds: readonly string[]): Promise<number> =>
    tx.exec('delete from lead_score where icp_id = $1 and lead_id = any ($2::uuid[])', [icpId, leadIds]);
  const demand = (tx: Tx, id: string, least: number): Promise<number> =>
    tx.exec(`update campaign set settings = jsonb_build_object('scoreMin', $2::float8) where id = $1`, [id, least]);
  /** The kept count, and the count of what is there. */
  const counts = (id: string): Promise<{ kept: number; there: number } | undefined> =>
    inside((tx) =>
      tx.row<{ kept: number; there: number }>(
        `select coalesce((select p.leads from campaign_pool p where p.campaign_id = c.id), 0) as kept,
           (select count(distinct s.lead_id)::int from lead_score s where s.campaign_id = c.id and s.total >= coalesce((c.settings ->> 'scoreMin')::float8, 50)) as there
         from campaign c where c.id = $1`,
        [id],
      ),
    );

  before(async () => {
    const { appUrl } = await (await testPostgres()).product();
    db = new Database({ url: appUrl, max: 6, applicationName: 'test' });
    await db.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec(`insert into workspace (id, uid, name, created_at, updated_at) values ('ws-a', 'u', 'A', 1, 1)`);
      await tx.exec(
        `insert into lead (id, workspace_id, full_name, created_at, updated_at) select id, 'ws-a', 'L', 1, 1 from unnest($1::uuid[]) id`,
        [leads],
      );
    });
  });
  after(() => db?.close());

  it('counts a lead once, under whichever ICPs it reaches the scoreMin', async () => {
    const { id, icps } = await campaign();
    const [one, two] = leads as [string, string];
    const kept = async (): Promise<number | undefined> => (await counts(id))?.kept;
    await inside((tx) =>
      score(tx, id, icps[0], [
        [one, 60],
        [two, 49.9],
      ]),
    );
    expect(await kept(), 'one of two').to.equal(1);
    await inside((tx) =>
      score(tx, id, icps[1], [
        [one, 80],
        [two, 50],
      ]),
    );
    expect(await kept(), 'the other under the second ICP').to.equal(2);
    await inside((tx) =>
      score(tx, id, icps[0], [
        [one, 10],
        [two, 55],
      ]),
    );
    expect(await kept(), 'still held by the second').to.equal(2);
    await inside((tx) => demand(tx, id, 55.5));
    expect(await kept(), 'another scoreMin').to.equal(1);
    await inside((tx) => drop(tx, icps[1], leads));
    expect(await kept(), 'without the second ICP').to.equal(0);
    await inside((tx) => demand(tx, id, 0));
    expect(await kept(), 'everybody').to.equal(2);
  });

  it('is exact while scores and the scoreMin change side by side, and some of it is rolled back', async () => {
    const { id, icps } = await campaign();
    const random = seededRandom('leads in the pool');
    const writer = async (icp: string, parity: number): Promise<void> => {
      const mine = leads.filter((_, place) => place % 2 === parity);
      for (let step = 0; step < 25; step++) {
        const some = mine.filter(() => random() < 0.5);
        await inside(async (tx) => {
          if (random() < 0.25) await drop(tx, icp, some);
          else
            await score(
              tx,
              id,
              icp,
              some.map((lead) => [lead, random() * 100] as const),
            );
          if (random() < 0.2) throw new Error('rolled back');
        }).catch((error: Error) => expect(error.message).to.equal('rolled back'));
      }
    };
    const setter = async (): Promise<void> => {
      for (let step = 0; step < 25; step++) await inside((tx) => demand(tx, id, Math.round(random() * 90)));
    };
    await Promise.all([writer(icps[0], 0), writer(icps[0], 1), writer(icps[1], 0), writer(icps[1], 1), setter()]);
    const { kept, there } = (await counts(id)) ?? { kept: -1, there: -2 };
    expect(kept).to.equal(there);
  });

  it('counts by the scoreMin that is written while the first scores of the campaign are', async () => {
    const first = await campaign();
    const second = await campaign();
    const [one, two] = leads as [string, string];
    const scores = [
      [one, 60],
      [two, 90],
    ] as const;
    const demanded = await inside(async (tx) => {
      await score(tx, first.id, first.icps[0], scores);
      const demanding = inside((other) => demand(other, first.id, 80));
      await Promise.race([demanding, sleepReal(200)]);
      return { demanding };
    });
    await demanded.demanding;
    const scored = await inside(async (tx) => {
      await demand(tx, second.id, 80);
      const scoring = inside((other) => score(other, second.id, second.icps[0], scores));
      await Promise.race([scoring, sleepReal(200)]);
      return { scoring };
    });
    await scored.scoring;
    expect(await counts(first.id), 'first the scores').to.deep.equal({ kept: 1, there: 1 });
    expect(await counts(second.id), 'first the scoreMin').to.deep.equal({ kept: 1, there: 1 });
  });

  it('tells how the scores of an ICP are spread, as counting them all would', async () => {
    const { id, icps } = await campaign();
    const random = seededRandom('spread');
    const stats = (query: string): Promise<Record<string, number | number[]> | undefined> =>
      inside((tx) => tx.row(query, [icps[0]]));
    const check = async (): Promise<void> => {
      const told = await stats('select * from app.icp_score_stats($1, 50)');
      const counted = await stats(
        `select count(*)::int as count, avg(total)::float8 as mean, count(*) filter (where total >= 50)::int as in_campaign,
           percentile_cont(array[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]) within group (order by total) as deciles
         from lead_score where icp_id = $1`,
      );
      expect(rounded(told)).to.deep.equal(rounded(counted));
    };
    await check();
    for (const known of [1, 2, 11, 40]) {
      await inside((tx) =>
        score(
          tx,
          id,
          icps[0],
          leads.slice(0, known).map((lead) => [lead, Math.round(random() * 50) * 2] as const),
        ),
      );
      await inside((tx) =>
        score(
          tx,
          id,
          icps[1],
          leads.slice(0, known).map((lead) => [lead, 7] as const),
        ),
      );
      await check();
    }
    const foreign = await db.tx({ kind: 'workspaces', ids: ['ws-b'] }, (tx) =>
      tx.row<{ count: number }>('select * from app.icp_score_stats($1, 50)', [icps[0]]),
    );
    expect(foreign?.count, 'of another workspace').to.equal(0);
  });
});

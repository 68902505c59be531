import { expect } from 'chai';
import pg from 'pg';
import { idAt } from '../../../bench/search/seed.ts';
import { testPostgres } from '../../../tools/postgres.ts';

/** Scores that the first step of a search looks at. */
const WALKED = 300;

describe('a search for leads by score', function () {
  this.timeout(60_000);
  let client: pg.Client;

  before(async () => {
    const { superuserUrl } = await (await testPostgres()).product();
    client = new pg.Client({
      connectionString: superuserUrl,
      options: '-c search_path=outrider,app,public -c app.platform=on',
    });
    await client.connect();
    await client.query(
      `insert into workspace (id, uid, name, created_at, updated_at) values ('acme', 'acme', 'Acme', 1, 1);
       insert into campaign (id, workspace_id, uid, title, created_at, updated_at) values ('c', 'acme', 'c', 'C', 1, 1);
       insert into icp (id, workspace_id, campaign_id, created_at)
         select ('00000000-0000-7000-8000-00000000000' || i)::uuid, 'acme', 'c', 1 from generate_series(1, 2) i`,
    );
  });
  after(() => client.end());
  beforeEach(() => client.query('delete from lead_score; delete from lead'));

  const score = (lead: number, icp: number, total: number): Promise<unknown> =>
    client.query(
      `insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
       values ('acme', 'c', ('00000000-0000-7000-8000-00000000000' || $2)::uuid, $1, $3, 0, $3, 1)`,
      [idAt(lead), icp, total],
    );

  for (const [order, scores] of [
    ['the lower first', [10, 90]],
    ['the higher first', [90, 10]],
  ] as const) {
    it(`finds who has a score of two ICPs, of which the first step sees one (${order})`, async () => {
      for (let lead = 1; lead <= WALKED; lead++) {
        await client.query(
          `insert into lead (id, workspace_id, full_name, created_at, updated_at) values ($1, 'acme', 'Ada', 1, 1)`,
          [idAt(lead)],
        );
        if (lead > 1) await score(lead, 1, 10);
      }
      await score(1, 1, scores[0]);
      await score(1, 2, scores[1]);
      const { rows } = await client.query<{ ids: string[] }>(
        `select app.find_leads('acme', '{"visibility": "all", "campaignId": "c", "minScore": 50}', null, 26) as ids`,
      );
      expect(rows[0]?.ids).to.deep.equal([idAt(1)]);
    });
  }
});

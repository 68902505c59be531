import { expect } from 'chai';
import pg from 'pg';
import { fill } from '../../bench/engine/fill.ts';
import { rowsRead } from '../../fixtures/store/rows-read.ts';
import { testPostgres } from '../../tools/postgres.ts';

/** So many more than the 5,000 that are looked at at once that a plan may hope to find them on its way. */
const RUNS = 100_000;

describe('accounts that are linked', function () {
  this.timeout(120_000);
  let client: pg.Client;
  before(async () => {
    const { superuserUrl } = await (await testPostgres()).product();
    await fill(superuserUrl, 'plain', 5_000, { workspaceId: 'small' });
    await fill(superuserUrl, 'plain', RUNS, { workspaceId: 'large' });
    client = new pg.Client({ connectionString: superuserUrl, options: '-c search_path=outrider,app,public' });
    await client.connect();
  });
  after(() => client.end());

  const ADDED = [
    `insert into workspace (id, uid, name, created_at, updated_at) values ('new', 'new', 'new', 1, 1)`,
    `insert into campaign (id, workspace_id, uid, title, state, settings, created_at, updated_at) values ('new', 'new', 'new', 'C', 'active', '{}', 1, 1)`,
    `insert into workflow (id, workspace_id, campaign_id, uid, name, enabled, graph_version, node_count, created_at, updated_at)
       values ('new', 'new', 'new', 'new', 'W', true, 1, 1, 1, 1)`,
    `insert into network_account (id, external_id, display_name, tier, status_since, limits, created_at) select 'new-' || g, 'new-' || g, 'S', 'sales', 1, '{}', 1 from generate_series(1, 10) g`,
  ];

  it('read nothing of the runs of other workspaces', async () => {
    for (const statement of ADDED) await client.query(statement);
    const before = await rowsRead(client);
    await client.query(
      `insert into account_link (account_id, workspace_id, linked_at) select 'new-' || g, 'new', 1 from generate_series(1, 10) g`,
    );
    expect((await rowsRead(client)) - before).to.be.below(200);
  });
});

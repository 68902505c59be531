import { expect } from 'chai';
import pg from 'pg';
import { rowsRead } from '../../../fixtures/store/rows-read.ts';
import { startToolCalls, type ToolCalls, workspaceKey } from '../../../tools/tool-calls.ts';

const SCORES = 6_000;

describe('lists by score, where many have one', function () {
  this.timeout(60_000);
  let tools: ToolCalls;
  let superuser: pg.Client;
  let campaignId: string;
  let leadListId: string;

  before(async () => {
    tools = await startToolCalls();
    campaignId = (await tools.call<{ campaignId: string }>('svc_create_campaign', { title: 'T' })).campaignId;
    const { icpId } = await tools.call<{ icpId: string }>('svc_create_icp', { campaignId, titles: ['CEO'] });
    superuser = new pg.Client({ connectionString: tools.cluster.superuserUrl, options: '-c search_path=outrider' });
    await superuser.connect();
    await superuser.query(
      `with l as (insert into lead (id, workspace_id, full_name, created_at, updated_at) select gen_random_uuid(), 'acme', 'L', 1, 1 from generate_series(1, $3::int) returning id)
       insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
       select 'acme', $1, $2, l.id, 90, 0, 90, 1 from l`,
      [campaignId, icpId, SCORES],
    );
    await superuser.query('analyze lead, lead_score');
    const made = await tools.call<{ leadListId: string }>('svc_create_query_lead_list', {
      name: 'Best',
      predicate: { campaignId, minScore: 80 },
    });
    leadListId = made.leadListId;
    await enter('first');
  });
  after(async () => {
    await superuser?.end();
    await tools.stop();
  });

  const enter = (name: string): Promise<unknown> =>
    tools.call(
      'svc_upsert_lead',
      { firstName: name, lastName: 'L', company: 'Firm', email: `${name}@firm.example` },
      workspaceKey('acme'),
    );
  const members = async (): Promise<number> =>
    (await superuser.query('select count(*)::int as n from lead_list_member where lead_list_id = $1', [leadListId]))
      .rows[0].n;

  it('a lead that is entered costs what changed, not what there is', async () => {
    expect(await members()).to.equal(SCORES);
    await superuser.query(`set app.platform = 'on'`);
    const reads: number[] = [];
    for (let look = 0; look < 3; look++) {
      await superuser.query(`update lead set title = $1 where full_name = 'first L'`, [`T${look}`]);
      const read = await rowsRead(superuser);
      await superuser.query('select app.materialise_list($1, 1)', [leadListId]);
      reads.push((await rowsRead(superuser)) - read);
    }
    // What other connections have read before may be counted in between.
    expect(Math.min(...reads)).to.be.within(1, SCORES / 10);
  });

  it('scores that change move who is in all the same', async () => {
    await superuser.query(
      `update lead_score set total = 10 where lead_id = any (array(select lead_id from lead_score limit 100))`,
    );
    await enter('third');
    expect(await members()).to.equal(SCORES - 100);
    await superuser.query(
      'delete from lead_score where lead_id = any (array(select lead_id from lead_score where total = 90 limit 50))',
    );
    await enter('fourth');
    expect(await members()).to.equal(SCORES - 150);
    await superuser.query('update lead_score set total = 90');
    await enter('fifth');
    expect(await members()).to.equal(SCORES - 50);
  });
});

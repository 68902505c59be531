import { expect } from 'chai';
import pg from 'pg';
import { forgetLeftScores } from '../../../../pkg/store/scoring/scoring-pass.ts';
import { startToolCalls, type ToolCalls } from '../../../tools/tool-calls.ts';

const SCORES = 25_000;
/** Scores that one transaction takes away at most. */
const PART = 10_000;

describe('an ICP by which many have scores', function () {
  this.timeout(60_000);
  let tools: ToolCalls;
  let icpId: string;
  let superuser: pg.Client;

  beforeEach(async () => {
    tools = await startToolCalls();
    const { campaignId } = await tools.call<{ campaignId: string }>('svc_create_campaign', { title: 'T' });
    icpId = (await tools.call<{ icpId: string }>('svc_create_icp', { campaignId, titles: ['CEO'] })).icpId;
    superuser = new pg.Client({ connectionString: tools.cluster.superuserUrl, options: '-c search_path=outrider' });
    await superuser.connect();
    await addScores();
    await superuser.query(
      `create function outrider.refuse_many() returns trigger language plpgsql security definer as $$
       begin
         if (select count(*) from old_rows) > ${PART} then raise exception 'too many at once'; end if;
         return null;
       end $$`,
    );
    await superuser.query(
      `create trigger refuse_many after delete on outrider.lead_score referencing old table as old_rows for each statement execute function outrider.refuse_many()`,
    );
  });
  afterEach(async () => {
    await superuser.end();
    await tools.stop();
  });

  /** Scores of who is no candidate. */
  const addScores = async (): Promise<void> => {
    await superuser.query(
      `with l as (insert into lead (id, workspace_id, full_name, created_at, updated_at) select gen_random_uuid(), 'rival', 'L', 1, 1 from generate_series(1, $2::int) returning id)
       insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
       select 'acme', i.campaign_id, i.id, l.id, 90, 0, 90, 1 from icp i, l where i.id = $1`,
      [icpId, SCORES],
    );
    await superuser.query('analyze lead_score');
  };
  const left = async (): Promise<number> =>
    (await superuser.query('select count(*)::int as n from lead_score where icp_id = $1', [icpId])).rows[0].n;

  it('a pass takes scores of who is no candidate any more away in parts', async () => {
    const { status } = await tools.call<{ status: string }>('svc_trigger_icp_scoring', { icpId });
    expect(status).to.equal('completed');
    expect(await left()).to.equal(0);
    const pool = await superuser.query('select leads from campaign_pool');
    expect(pool.rows).to.deep.equal([{ leads: 0 }]);
  });

  it('it is deleted in parts, and what a deletion has left goes without it', async () => {
    expect(await tools.call('svc_delete_icp', { icpId })).to.deep.equal({
      icpId,
      deleted: true,
      leadsLeavingPool: SCORES,
    });
    expect(await left()).to.equal(0);
    await addScores();
    while (await tools.cluster.db.tx({ kind: 'platform' }, forgetLeftScores));
    expect(await left()).to.equal(0);
  });
});

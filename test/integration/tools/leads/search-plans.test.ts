import { expect } from 'chai';
import pg from 'pg';
import { companyFilter } from '../../../../pkg/store/company-search.ts';
import { leadFilter } from '../../../../pkg/store/lead-search.ts';
import { COMPANY_MIXES, LEAD_MIXES } from '../../../bench/search/mixes.ts';
import { idAt, SEEDED, seed } from '../../../bench/search/seed.ts';
import { testPostgres } from '../../../tools/postgres.ts';

/** As the search functions set it for themselves. */
const SETTINGS =
  'set random_page_cost = 1.1; set jit = off; set enable_seqscan = off; set enable_sort = off; set max_parallel_workers_per_gather = 0';
/** Criteria that only together with others are rare enough to be gathered: no index of their own is promised. */
const WITHOUT_INDEX = ['visibility', 'leadListId', 'minScore', 'campaignId'];

const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Workspace, filter and position to the statement that gathers. */
const GATHER = `select app.lead_gather_sql($1, $2::jsonb, $3::uuid, 26, app.lead_sample($1, $2::jsonb, $3::uuid, 500)) as text`;
const SCORED = 'select app.lead_scored_gather_sql($1, $2::jsonb, $3::uuid, 26) as text';

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: Plan[];
}

/** The plans that keep a page cheap however many leads there are; the times are measured by `make bench-search`. */
describe('plans of the search, for every mix of filters that is promised', function () {
  this.timeout(120_000);
  let client: pg.Client;

  before(async () => {
    const { superuserUrl } = await (await testPostgres()).product();
    client = new pg.Client({ connectionString: superuserUrl, options: '-c search_path=outrider,app,public' });
    await client.connect();
    await seed(client, { shared: 12_000, privates: 3_000, companies: 1_500 });
    await client.query(`set role outrider_definer; ${SETTINGS}`);
  });
  after(() => client.end());

  const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];
  const planOf = async (statement: string, values: unknown[]): Promise<Plan[]> => {
    const made = await client.query<{ text: string }>(statement, values);
    const explained = await client.query(`explain (format json) ${made.rows[0]?.text}`);
    return nodes(explained.rows[0]['QUERY PLAN'][0].Plan);
  };
  const walk = (kind: string, filter: object): Promise<Plan[]> =>
    planOf(`select app.${kind}_walk_sql($1, $2::jsonb, null, 26, 300) as text`, [
      SEEDED.workspaceId,
      JSON.stringify(filter),
    ]);
  const scans = (plan: Plan[]): string[] =>
    plan.filter((node) => node['Node Type'] === 'Seq Scan').map((node) => node['Relation Name'] ?? '');

  for (const { name, criteria } of LEAD_MIXES) {
    it(`walks ${name} in the order of an index, with a bound`, async () => {
      const plan = await walk('lead', leadFilter(criteria));
      expect(scans(plan)).to.deep.equal([]);
      // Nothing is sorted below the walk's bound.
      const sorted = plan.filter((node) => node['Node Type'] === 'Sort');
      for (const node of sorted)
        expect(
          nodes(node).map((one) => one['Node Type']),
          name,
        ).to.include('Limit');
      const ordered = plan.filter((node) => /^Index (Only )?Scan$/.test(node['Node Type']));
      expect(ordered.map((node) => node['Index Name'])).to.include.oneOf([
        'lead_shared',
        'lead_private_scored',
        'lead_list_member_pkey',
        'lead_overlay_pkey',
        'lead_score_page',
      ]);
    });
    if (Object.keys(criteria).every((one) => WITHOUT_INDEX.includes(one))) continue;
    it(`gathers ${name} by index`, async () => {
      const plan = await planOf(GATHER, [SEEDED.workspaceId, JSON.stringify(leadFilter(criteria)), LAST]);
      expect(scans(plan)).to.deep.equal([]);
      const indexes = plan.map((node) => node['Index Name']).filter((index) => index?.startsWith('lead'));
      expect(indexes.filter((index) => index !== 'lead_pkey')).to.include.oneOf([
        'lead_criteria',
        'lead_overlay_tag_keys',
      ]);
    });
  }

  it('finds for every mix the newest of all that match, whichever step finds them', async () => {
    await client.query(`select set_config('app.platform', 'on', false)`);
    const ids = async (sql: string, values: unknown[]): Promise<string[]> =>
      (await client.query<{ ids: string[] }>(sql, values)).rows[0]?.ids ?? [];
    for (const { name, criteria } of LEAD_MIXES) {
      const filter = JSON.stringify(leadFilter(criteria));
      for (const before of [LAST, idAt(12_400)]) {
        const values = [SEEDED.workspaceId, filter, before];
        const every = await ids(
          'select array(select l.id from lead l where l.id < $3 and l.id = any (app.match_leads($1, $2::jsonb, array(select id from lead))) order by l.id desc limit 26) as ids',
          values,
        );
        expect(await ids('select app.find_leads($1, $2::jsonb, $3, 26) as ids', values), name).to.deep.equal(every);
        const gathers = before !== LAST ? [] : [GATHER, ...(criteria.minScore === undefined ? [] : [SCORED])];
        for (const gather of gathers) {
          const made = await client.query<{ text: string }>(gather, values);
          const found = await ids(`select array(${made.rows[0]?.text}) as ids`, []);
          expect(found, `${name}, ${gather}`).to.deep.equal(every);
        }
      }
    }
  });

  for (const { name, criteria } of COMPANY_MIXES) {
    it(`walks ${name} in the order of an index, with a bound`, async () => {
      const plan = await walk('company', companyFilter(criteria));
      expect(scans(plan)).to.deep.equal([]);
      expect(plan.map((node) => node['Index Name'])).to.include.oneOf(['company_shared', 'company_private']);
    });
  }
});

import { expect } from 'chai';
import pg from 'pg';
import { companyFilter } from '../../../../pkg/store/companies/company-search.ts';
import { leadFilter } from '../../../../pkg/store/leads/lead-search.ts';
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
const GATHER = `select app.lead_gather_sql($1, $2::jsonb, $3::uuid, 26, app.lead_sample($1, $2::jsonb, $3::uuid, 500), null) as text`;
/** The same for the leads of the last 65 s before the position. */
const GATHER_WINDOW = `select app.lead_gather_sql($1, $2::jsonb, $3::uuid, 26, app.lead_sample($1, $2::jsonb, $3::uuid, 500), app.lead_window($3::uuid, 65000)) as text`;
/** To the statement that looks at all leads with a tag or a score. */
const few = (kind: string): string => `select app.lead_few_sql('${kind}', $1, $2::jsonb, $3::uuid, 26) as text`;

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
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
    if ('tags' in criteria) continue;
    it(`gathers a window of ${name} by the time of the ids in the same index`, async () => {
      const plan = await planOf(GATHER_WINDOW, [
        SEEDED.workspaceId,
        JSON.stringify(leadFilter(criteria)),
        idAt(12_400),
      ]);
      expect(scans(plan)).to.deep.equal([]);
      const bitmaps = plan.filter((node) => node['Index Name'] === 'lead_criteria');
      expect(bitmaps).to.not.deep.equal([]);
      for (const node of bitmaps) expect(node['Index Cond'], name).to.match(/^\(+ARRAY\[\('t:'/);
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
        const gathers =
          before !== LAST ? [] : [GATHER, ...['tags', 'minScore'].filter((kind) => kind in criteria).map(few)];
        for (const gather of gathers) {
          const made = await client.query<{ text: string }>(gather, values);
          const found = await ids(`select array(${made.rows[0]?.text}) as ids`, []);
          expect(found, `${name}, ${gather}`).to.deep.equal(every);
        }
      }
    }
  });

  it('has in a window every id from its start to its end, however long it is', async () => {
    const until = 12_400_000;
    const minute = 60_000;
    for (const span of [0, 1, minute, 20 * minute, 26 * 60 * minute, 90_000 * minute]) {
      const ids = Array.from({ length: 60 }, (_, n) => idAt(until - Math.floor((span * n) / 59)));
      const { rows } = await client.query<{ start: string; parts: number; missed: string[] }>(
        `select app.window_start(w) as start, cardinality(w) as parts, array(select i from unnest($3::uuid[]) i where not app.lead_times(i) && w) as missed
         from app.lead_window($1::uuid, $2) w`,
        [idAt(until), span, ids],
      );
      expect(rows[0]?.missed, `${span} ms`).to.deep.equal([]);
      expect(rows[0]?.parts).to.be.at.most(16);
      expect(String(rows[0]?.start) <= String(ids.at(-1)), `${span} ms`).to.equal(true);
      const before = idAt(
        Number.parseInt(String(rows[0]?.start).replaceAll('-', '').slice(0, 12), 16) - 1 - 1_700_000_000_000,
      );
      const outside = await client.query('select app.lead_times($1::uuid) && app.lead_window($2::uuid, $3) as inside', [
        before,
        idAt(until),
        span,
      ]);
      expect(outside.rows[0].inside, `${span} ms`).to.equal(false);
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

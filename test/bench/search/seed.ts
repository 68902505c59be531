import type pg from 'pg';

/** Sizes of a seeded database. */
export interface SeedSize {
  shared: number;
  privates: number;
  companies: number;
}

/** What a search can name in a seeded database. */
export const SEEDED = {
  workspaceId: 'bench',
  campaignId: 'bench-campaign',
  /** The first company. */
  companyId: '018bcfe5-6801-7c4c-8a42-38a0b923820d',
  bigList: '018f0000-0000-7000-8000-00000000b161',
  smallList: '018f0000-0000-7000-8000-0000000051a1',
} as const;

/** Id of the lead or company with this number. Its order is the numbers' own; only the row with this prefix is behind it. */
export function idAt(number: number): string {
  const stamp = (1_700_000_000_000 + number).toString(16).padStart(12, '0');
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7000-8000-000000000000`;
}

/** Indexes that are cheaper to build after the rows. */
const LATE = `select indexname, indexdef from pg_indexes where schemaname = 'outrider' and tablename in ('lead', 'company', 'lead_overlay')
  and indexdef ~ 'USING gin'`;

/**
 * Fills a database with invented people: common and rare words, uneven places and industries, a workspace with tags, two
 * lists and scores. The same every time.
 * @param client a superuser's connection, search_path outrider, app, public
 */
export async function seed(client: pg.Client, size: SeedSize): Promise<void> {
  await client.query(`set synchronous_commit = off; set maintenance_work_mem = '512MB'`);
  const late = (await client.query<{ indexname: string; indexdef: string }>(LATE)).rows;
  for (const { indexname } of late) await client.query(`drop index outrider.${indexname}`);
  await client.query(HELPERS);
  await client.query(
    `insert into workspace (id, uid, name, created_at, updated_at) values ('bench', 'bench', 'Bench', 1, 1)`,
  );
  await client.query(
    `insert into campaign (id, workspace_id, uid, title, created_at, updated_at) values ('bench-campaign', 'bench', 'c', 'Bench', 1, 1)`,
  );
  await client.query(COMPANIES, [size.companies]);
  await client.query(LEADS, [0, size.shared, null, size.companies]);
  await client.query(LEADS, [size.shared, size.privates, 'bench', size.companies]);
  await client.query(OVERLAYS);
  await client.query(LISTS, [SEEDED.bigList, SEEDED.smallList]);
  await client.query(SCORES);
  for (const { indexdef } of late) await client.query(indexdef);
  await client.query('analyze');
}

/** Picks from a list, the first entries far more often; ids in the order of their numbers. */
const HELPERS = `
  create function pg_temp.pick(p_list text[], p_i bigint, p_salt int) returns text language sql immutable as $$
    select p_list[1 + floor(power(((hashint8extended(p_i, p_salt) & 1048575)::float8 / 1048576), 2.2) * array_length(p_list, 1))::int] $$;
  create function pg_temp.id_of(p_i bigint) returns uuid language sql immutable as $$
    select (lpad(to_hex(1700000000000 + p_i), 12, '0') || '7' || substr(md5(p_i::text), 1, 3) || '8' || substr(md5(p_i::text), 4, 15))::uuid $$`;

const FIRST = `array['Anna','Ben','Clara','David','Emma','Felix','Greta','Hugo','Ida','Jonas','Karin','Leo','Mia','Noah','Olga','Paul','Quentin','Rosa','Sven','Tara','Ugo','Vera','Wim','Xenia','Yara','Zoltan']`;
const LAST = `array['Miller','Schmidt','Garcia','Rossi','Dubois','Jensen','Nowak','Silva','Kim','Sato','Okafor','Haddad','Ivanov','Larsen','Murphy','Costa','Weber','Moreau','Conti','Horvat','Lindqvist','Papadopoulos','Vanderbilt','Zygmunt']`;
const TITLES = `array['Software Engineer','Sales Manager','Account Executive','Marketing Manager','Product Manager','VP Sales','Head of Marketing','Chief Executive Officer','Founder','Director of Operations','HR Manager','Data Analyst','Chief Technology Officer','VP Marketing','Head of Growth','Chief Revenue Officer','Procurement Lead','Legal Counsel','Chief of Staff','Beekeeper']`;
const INDUSTRIES = `array['Software','Financial Services','Healthcare','Manufacturing','Retail','Logistics','Education','Energy','Real Estate','Media','Biotechnology','Insurance','Food Production','Aviation','Mining','Shipbuilding']`;
const PLACES = `array['London','New York','Berlin','Paris','Madrid','Amsterdam','Munich','Zurich','Vienna','Warsaw','Lisbon','Dublin','Oslo','Helsinki','Prague','Budapest','Athens','Riga','Valletta','Reykjavik','Nuuk']`;
const COUNTRIES = `array['United Kingdom','United States','Germany','France','Spain','Netherlands','Switzerland','Austria','Poland','Portugal','Ireland','Norway','Finland']`;

const COMPANIES = `
  insert into company (id, workspace_id, name, company_key, domain, industry, company_size, headcount_growth_pct, last_funding_at, location, created_at, updated_at)
  select pg_temp.id_of(i), null, pg_temp.pick(${LAST}, i, 11) || ' ' || pg_temp.pick(${INDUSTRIES}, i, 12) || ' ' || i, 'firm' || i, 'firm' || i || '.example',
    pg_temp.pick(${INDUSTRIES}, i, 13), (array['1-10','11-50','51-200','201-500','1001-5000','10001+'])[1 + i % 6], (i % 97) - 20,
    case when i % 5 = 0 then 1700000000000 + i * 1000 end, pg_temp.pick(${PLACES}, i, 14), 1, 1
  from generate_series(1, $1::bigint) i`;

const LEADS = `
  insert into lead (id, workspace_id, first_name, last_name, full_name, title, headline, seniority, company, company_key, company_domain, company_id, industry, company_size,
    location, country, email, created_at, updated_at)
  select pg_temp.id_of(i), $3::text, n.first, n.last, n.first || ' ' || n.last || case when i % 50021 = 0 then ' Quetzal' else '' end, n.title,
    n.title || case when i % 1009 = 0 then ' | zeppelin pilot' else ' at Firm' end,
    case when n.title like 'VP%' then 'vp' when n.title like 'Chief%' then 'c_suite' when n.title = 'Founder' then 'owner' when n.title like 'Head%' then 'head'
      when n.title like '%Manager' then 'manager' when n.title like 'Director%' then 'director' else 'entry' end,
    'Firm ' || (i % $4::bigint), 'firm' || (i % $4::bigint), 'firm' || (i % $4::bigint) || '.example', pg_temp.id_of(1 + i % $4::bigint), pg_temp.pick(${INDUSTRIES}, i, 5),
    (array['8','35','120','340','2400','12000'])[1 + (i % 6)], pg_temp.pick(${PLACES}, i, 6), case when $3::text is null then n.country else replace(n.country, 'Finland', 'Norway') end,
    case when i % 3 > 0 then 'p' || i || '@firm' || (i % $4::bigint) || '.example' end, 1700000000000 + i, 1700000000000 + i
  from (select i, pg_temp.pick(${FIRST}, i, 1) as first, pg_temp.pick(${LAST}, i, 2) as last, pg_temp.pick(${TITLES}, i, 3) as title, pg_temp.pick(${COUNTRIES}, i, 7) as country
        from generate_series($1::bigint + 1, $1::bigint + $2::bigint) i) n`;

const OVERLAYS = `
  insert into lead_overlay (workspace_id, lead_id, tags)
  select 'bench', id, array_remove(array[case when n % 2 = 0 then 'contacted' end, case when n % 100 = 0 then 'vip' end, case when n % 1999 = 0 then 'gold' end], null)
  from (select id, row_number() over (order by id) as n from lead where workspace_id = 'bench') l`;

const LISTS = `
  with made as (insert into lead_list (id, workspace_id, name, type, created_at) values ($1::uuid, 'bench', 'Big', 'static', 1), ($2::uuid, 'bench', 'Small', 'static', 1))
  insert into lead_list_member (workspace_id, lead_list_id, lead_id, added_at)
    select 'bench', $1::uuid, id, 1 from (select id, row_number() over (order by id) as n from lead where workspace_id = 'bench') l where n % 5 = 0
    union all select 'bench', $2::uuid, id, 1 from (select id, row_number() over (order by id) as n from lead where workspace_id = 'bench') l where n % 2003 = 0`;

const SCORES = `
  with made as (insert into icp (id, workspace_id, campaign_id, created_at) values ('018f0000-0000-7000-8000-00000000001c', 'bench', 'bench-campaign', 1))
  insert into lead_score (workspace_id, campaign_id, icp_id, lead_id, icp_score, signal_score, total, computed_at)
    select 'bench', 'bench-campaign', '018f0000-0000-7000-8000-00000000001c', id, n * 37 % 101, 0, n * 37 % 101, 1
    from (select id, row_number() over (order by id) as n from lead where workspace_id = 'bench') l`;

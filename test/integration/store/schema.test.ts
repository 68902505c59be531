import { readFile, writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import pg from 'pg';
import { readSchema } from '../../../pkg/store/migrations.ts';
import { testPostgres } from '../../tools/postgres.ts';
import { dumpSchema } from '../../tools/schema-dump.ts';

const SNAPSHOT = new URL('../../contract/schema.txt', import.meta.url);
const REWRITE = 'SNAPSHOT=write mocha test/integration/store/schema.test.ts';

/** Variables that are never used where a table with that column is read. */
const KNOWN_CLASHES = ['settle_sends: failed'];

/** The first lines that differ, each with the thing it belongs to; undefined when the texts are equal. */
function firstDifference(expected: string, actual: string): string | undefined {
  if (expected === actual) return undefined;
  const [before, after] = [expected.split('\n'), actual.split('\n')];
  const at = before.findIndex((line, index) => line !== after[index]);
  const from = at < 0 ? before.length : at;
  const thing = after.slice(0, from + 1).findLast((line) => line !== '' && !line.startsWith(' '));
  return [
    `The schema differs from test/contract/schema.txt at line ${from + 1} (${thing}):`,
    ...before.slice(from, from + 3).map((line) => `- ${line}`),
    ...after.slice(from, from + 3).map((line) => `+ ${line}`),
    `When a migration means it: ${REWRITE}`,
  ].join('\n');
}

describe('the schema that the migrations make', function () {
  this.timeout(60_000);
  let dump: string;
  let ownerUrl: string;

  before(async () => {
    ({ ownerUrl } = await (await testPostgres()).product());
    const owner = new pg.Client({ connectionString: ownerUrl });
    await owner.connect();
    try {
      dump = await dumpSchema(owner);
    } finally {
      await owner.end();
    }
    if (process.env['SNAPSHOT'] === 'write') await writeFile(SNAPSHOT, dump);
  });

  it('is the one of test/contract/schema.txt: a change shows in a review', async () => {
    const difference = firstDifference(await readFile(SNAPSHOT, 'utf8'), dump);
    if (difference !== undefined) expect.fail(difference);
  });

  it('a definer function pins its search_path, and nobody but those named may execute it', () => {
    const functions = dump.split('\n\n').filter((thing) => /^function (app|outrider)\./.test(thing.trim()));
    expect(functions.length).to.be.greaterThan(50);
    const loose = functions.filter(
      (thing) => thing.includes('security definer') && !thing.includes('set search_path='),
    );
    const open = functions.filter((thing) => thing.includes('security definer') && /grant public:/.test(thing));
    const names = (things: string[]): (string | undefined)[] => things.map((thing) => thing.trim().split('\n')[0]);
    expect(names(loose)).to.deep.equal([]);
    expect(names(open)).to.deep.equal([]);
  });

  it('the search_path of a definer function ends with pg_temp: no table of the caller stands before ours', async () => {
    const owner = new pg.Client({ connectionString: ownerUrl });
    await owner.connect();
    const { rows } = await owner.query<{ name: string; path: string | null }>(
      `select p.oid::regprocedure::text as name,
         (select c from unnest(p.proconfig) c where c like 'search_path=%') as path
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where p.prosecdef and n.nspname not in ('pg_catalog', 'information_schema')`,
    );
    await owner.end();
    expect(rows.length).to.be.greaterThan(150);
    expect(rows.filter(({ path }) => !path?.endsWith(', pg_temp'))).to.deep.equal([]);
  });

  it('a function that takes names for columns declares no variable with the name of one', async () => {
    const owner = new pg.Client({ connectionString: ownerUrl });
    await owner.connect();
    const { rows } = await owner.query<{ name: string; body: string }>(
      `select proname as name, prosrc as body from pg_proc where pronamespace = 'app'::regnamespace and prosrc like '%variable_conflict use_column%' order by proname`,
    );
    const columns = await owner.query<{ name: string }>(
      `select distinct attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'outrider'::regnamespace and c.relkind in ('r', 'p') and attnum > 0`,
    );
    await owner.end();
    const taken = new Set(columns.rows.map((row) => row.name));
    const clashes = rows.flatMap(({ name, body }) => {
      const declared = /declare(.*?)\bbegin\b/s.exec(body)?.[1] ?? '';
      const variables = [...declared.matchAll(/^\s*(?:declare\s+)?([a-z_]+) [a-z]/gm)].map((match) => match[1] ?? '');
      return variables.filter((one) => taken.has(one)).map((one) => `${name}: ${one}`);
    });
    expect(rows.length).to.be.greaterThan(5);
    expect(clashes).to.deep.equal(KNOWN_CLASHES);
  });

  it('each function and each table stands in the file of its name', async () => {
    const { functions, migrations } = await readSchema();
    const made = (sql: string, pattern: RegExp): string[] => [...sql.matchAll(pattern)].map((match) => match[1] ?? '');
    const nameOf = (path: string): string => path.replace(/^.*\//, '').replace(/\.sql$/, '');
    for (const { name, sql } of functions.files) {
      expect([...new Set(made(sql, /^create or replace function app\.(\w+)/gm))], name).to.deep.equal([nameOf(name)]);
    }
    const here = dump.split('\n').flatMap((line) => made(line, /^function app\.(\w+)/g));
    expect(functions.files.map(({ name }) => nameOf(name)).sort()).to.deep.equal([...new Set(here)].sort());
    for (const { name, sql } of migrations[0]?.files ?? []) {
      const [table] = made(sql, /^create (?:unlogged )?table \w+\.(\w+)/gm);
      expect(table ?? nameOf(name), name).to.equal(nameOf(name));
    }
  });
});

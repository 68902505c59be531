import { expect } from 'chai';
import pg from 'pg';
import { Database, type DatabaseOptions } from '../../../pkg/postgres/database.ts';
import { EXECUTOR_SESSION } from '../../../pkg/postgres/executor-role.ts';
import { OWN_SETTINGS, OWNER_SESSION, SINCE_17 } from '../../../pkg/postgres/session-settings.ts';
import { migrateSchema } from '../../../pkg/store/migrations.ts';
import { HOSTILE } from '../../fixtures/hostile-settings.ts';
import { startBouncer } from '../../tools/pgbouncer.ts';
import { type TestDatabase, testPostgres } from '../../tools/postgres.ts';

const WANTED = { ...OWN_SETTINGS, ...SINCE_17 };
const SHOWN = `select name, current_setting(name) as value from unnest($1::text[]) name`;

describe('a database whose defaults were made for others', function () {
  this.timeout(60_000);
  let urls: TestDatabase;

  before(async () => {
    urls = await (await testPostgres()).product();
    await asSuperuser(async (client) => {
      for (const [name, value] of Object.entries(HOSTILE)) {
        await client.query(`alter database ${urls.name} set ${name} = '${value}'`);
        for (const role of ['outrider_app', 'outrider_owner'])
          await client.query(`alter role ${role} in database ${urls.name} set ${name} = '${value}'`);
      }
    });
  });

  async function asSuperuser(work: (client: pg.Client) => Promise<void>): Promise<void> {
    const server = new URL(urls.superuserUrl);
    server.pathname = '/postgres';
    const client = new pg.Client({ connectionString: server.href });
    await client.connect();
    await work(client).finally(() => client.end());
  }

  /** What of the settings a way of asking sees otherwise than it should. */
  const wrong = (
    rows: { name: string; value: string }[],
    own: Readonly<Record<string, string | undefined>> = {},
  ): string[] =>
    rows
      .filter(({ name, value }) => plain(value) !== plain({ ...WANTED, ...own }[name] ?? ''))
      .map(({ name, value }) => `${name} is ${value}`);
  const plain = (value: string): string =>
    value
      .toLowerCase()
      .replace(/[\s"]/g, '')
      .replace(/^0(ms|min)?$/, '0');

  it('is met: each setting that a session brings has a hostile default here', () => {
    expect(Object.keys(HOSTILE).sort()).to.deep.equal(Object.keys(WANTED).sort());
    for (const [name, value] of Object.entries(HOSTILE))
      expect(plain(value), name).to.not.equal(plain(WANTED[name] ?? ''));
  });

  const WAYS: readonly (readonly [string, Partial<DatabaseOptions>])[] = [
    ['as most do', {}],
    ['with kept statements and shared pipes', { prepare: true, readPipes: 2 }],
    ['in a pipeline', { pipeline: true, prepare: true }],
    ['that listens', { listen: { channel: 'test', heard: () => undefined, onGap: () => undefined } }],
  ];
  for (const [how, options] of WAYS) {
    it(`changes nothing of a session that is opened ${how}`, async () => {
      const db = new Database({ url: urls.appUrl, max: 2, applicationName: 'test', ...options });
      const names = [Object.keys(WANTED)];
      const scope = { kind: 'workspaces', ids: ['acme'] } as const;
      try {
        expect(wrong(await db.tx(scope, (tx) => tx.rows(SHOWN, names)))).to.deep.equal([]);
        // The second and third read go through the pipes where there are some.
        for (let round = 0; round < 3; round++) {
          const seen = await db.read(scope, (tx) => tx.named<{ name: string; value: string }>('shown', SHOWN, names));
          expect(wrong(seen, { statement_timeout: '15s' })).to.deep.equal([]);
        }
        const [row] = await db.read(scope, (tx) =>
          tx.rows<{ at: number; none: boolean; nulls: (string | null)[]; bytes: Buffer; long: number }>(
            `select timestamptz '2026-11-28 04:00:00+00' as at, null = $1::text as none, '{a,NULL}'::text[] as nulls,
               '\\x00ff'::bytea as bytes, 0.1::float8 + 0.2::float8 as long`,
            [null],
          ),
        );
        expect(row).to.deep.equal({
          at: Date.UTC(2026, 10, 28, 4),
          none: null,
          nulls: ['a', null],
          bytes: Buffer.from([0, 255]),
          long: 0.1 + 0.2,
        });
      } finally {
        await db.close();
      }
    });
  }

  it('changes nothing of an executor, nor of one behind a pooler in transaction mode', async () => {
    const own = { ...EXECUTOR_SESSION };
    const direct = new Database({ url: urls.executorUrl, max: 1, applicationName: 'test', settings: EXECUTOR_SESSION });
    const names = [Object.keys(WANTED)];
    expect(wrong(await direct.tx({ kind: 'none' }, (tx) => tx.rows(SHOWN, names)), own)).to.deep.equal([]);
    await direct.close();
    const bouncer = await startBouncer(urls.executorUrl);
    if (!bouncer) return;
    const pooled = new Database({
      ...{ url: bouncer.url, max: 1, applicationName: 'test', pooled: true },
      settings: EXECUTOR_SESSION,
    });
    try {
      const rows = await pooled.tx({ kind: 'none' }, async (tx) => {
        const isolation = await tx.row<{ level: string; readonly: string }>(
          `select current_setting('transaction_isolation') as level, current_setting('transaction_read_only') as readonly`,
        );
        expect(isolation).to.deep.equal({ level: 'read committed', readonly: 'off' });
        return tx.rows<{ name: string; value: string }>(SHOWN, [MEANING]);
      });
      expect(wrong(rows, own)).to.deep.equal([]);
    } finally {
      await pooled.close();
      await bouncer.stop();
    }
  });

  it('is migrated from nothing', async () => {
    await asSuperuser(async (client) => {
      await client.query(`create database ${urls.name}_empty owner outrider_owner`);
      for (const [name, value] of Object.entries(HOSTILE)) {
        await client.query(`alter database ${urls.name}_empty set ${name} = '${value}'`);
        await client.query(`alter role outrider_owner in database ${urls.name}_empty set ${name} = '${value}'`);
      }
    });
    const url = urls.ownerUrl.replace(urls.name, `${urls.name}_empty`);
    await migrateSchema(url);
    const owner = new Database({ url, max: 1, applicationName: 'test', settings: OWNER_SESSION });
    const [row] = await owner.tx({ kind: 'none' }, (tx) =>
      tx.rows<{ count: number }>('select count(*) from workspace'),
    );
    expect(row?.count).to.equal(0);
    await owner.close();
  });
});

/** Those that a transaction behind a pooler sets for itself. */
const MEANING = [
  'search_path',
  'row_security',
  'array_nulls',
  'transform_null_equals',
  'standard_conforming_strings',
  'DateStyle',
  'IntervalStyle',
  'TimeZone',
  'bytea_output',
  'extra_float_digits',
  'synchronous_commit',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
];

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { Registry } from 'prom-client';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { Sealer } from '../../../pkg/base/sealer.ts';
import { examine } from '../../../pkg/engine/doctor/doctor.ts';
import { createMcpMetrics } from '../../../pkg/metrics/mcp-metrics.ts';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { openHome } from '../../../pkg/standalone/home.ts';
import { type Resealed, resealAll } from '../../../pkg/store/secrets/reseal.ts';
import { SEALED_TABLES } from '../../../pkg/store/secrets/sealed-rows.ts';
import { sealedSecretsJob } from '../../../pkg/tools/integrations/sealed-secrets-job.ts';
import { testPostgres } from '../../tools/postgres.ts';

const CLI = new URL('../../../cmd/outrider/main.ts', import.meta.url).pathname;
const FIRST = 'the first key, of 32 characters .';
const SECOND = 'the second key, of 32 characters.';
const LETTER = '00000000-0000-4000-8000-000000000001';
/** Sealed under other keys than the installation's. */
const NOT_OURS: Record<string, string> = {
  stream_event: 'under the token of its session, which only the client has; gone after two days',
  oauth_state: 'lives for ten minutes, until a member is back from the vendor; who comes later begins anew',
};

describe('outrider reseal', function () {
  this.timeout(60_000);
  let urls: { ownerUrl: string; appUrl: string };
  let owner: pg.Client;
  let db: Database;
  let app: Database;
  beforeEach(async () => {
    urls = await (await testPostgres()).product();
    owner = new pg.Client({ connectionString: urls.ownerUrl });
    await owner.connect();
    db = new Database({ url: urls.ownerUrl, max: 1, applicationName: 'test' });
    app = new Database({ url: urls.appUrl, max: 1, applicationName: 'test' });
    await owner.query(
      `insert into workspace (id, uid, name, created_at, updated_at) values ('acme', 'acme', 'Acme', 1, 1)`,
    );
  });
  afterEach(async () => {
    await Promise.all([owner.end(), db.close(), app.close()]);
  });

  const platform = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.tx({ kind: 'platform' }, work);
  const plainOf = (id: string): string => `the token of ${id}`;

  /** Integrations, a mailbox and a calendar, each with a secret of its own. */
  async function store(sealer: Sealer, integrations: number, prefix = 'int'): Promise<void> {
    for (let at = 0; at < integrations; at++) await integration(sealer, `${prefix}-${String(at).padStart(3, '0')}`);
    await owner.query(
      `insert into network_account (id, external_id, status_since, created_at) values ('${prefix}-box', '${prefix}-box', 1, 1)`,
    );
    await owner.query(
      `insert into mailbox (account_id, address, smtp_host, smtp_port, smtp_tls, imap_host, imap_port, imap_tls, username, sealed)
       values ($1, 'a@x.example', 'h', 1, 'none', 'h', 1, 'none', 'u', $2)`,
      [`${prefix}-box`, sealer.seal(plainOf(`${prefix}-box`), `mailbox:${prefix}-box`)],
    );
    await owner.query(
      `insert into mail_outbox (id, idempotency_key, kind, recipient, params, sealed, created_at, expires_at)
       values ($1::uuid, 'letter', 'invitation', 'a@x.example', '{}', $2, 1, 2)`,
      [LETTER, sealer.seal(plainOf(LETTER), `mail_outbox/${LETTER}`)],
    );
    await owner.query(
      `insert into calendar_account (id, workspace_id, url, sealed, created_at) values ($1, 'acme', 'https://x.example', $2, 1)`,
      [`${prefix}-cal`, sealer.seal(plainOf(`${prefix}-cal`), `calendar:${prefix}-cal`)],
    );
  }

  async function integration(sealer: Sealer | null, id: string): Promise<void> {
    await owner.query(
      `insert into integration (id, workspace_id, provider, kind, sealed, created_at) values ($1, 'acme', 'p', 'crm', $2, 1)`,
      [id, sealer?.seal(plainOf(id), `integration:${id}`) ?? null],
    );
  }

  /** What a sealer opens of all that is stored, by id; '' where it does not. */
  async function openedBy(sealer: Sealer): Promise<Record<string, string>> {
    const texts: Record<string, string> = {};
    for (const { table, key, ownerOf } of SEALED_TABLES) {
      const { rows } = await owner.query<{ id: string; sealed: Buffer }>(
        `select ${key} as id, sealed from ${table} where sealed is not null`,
      );
      for (const { id, sealed } of rows)
        texts[id] = sealer.sealedBy(sealed, ownerOf(id)) === 'current' ? sealer.open(sealed, ownerOf(id)) : '';
    }
    return texts;
  }

  const run = (args: string[], env: Record<string, string>): Promise<{ code: number; text: string }> =>
    new Promise((resolve) => {
      const { PATH: path = '' } = process.env;
      execFile(process.execPath, [CLI, 'reseal', ...args], { env: { PATH: path, ...env } }, (error, out, err) =>
        resolve({ code: error ? Number(error.code) : 0, text: out + err }),
      );
    });
  const sum = (found: Resealed[], of: 'current' | 'old' | 'resealed' | 'unknown'): number =>
    found.reduce((all, one) => all + one[of], 0);

  it('knows every column of the schema that holds sealed secrets', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `select table_name as name from information_schema.columns
       where table_schema in ('outrider', 'app') and column_name like '%sealed%' order by 1`,
    );
    const known = [...SEALED_TABLES.map(({ table }) => table), ...Object.keys(NOT_OURS)].sort();
    expect(rows.map(({ name }) => name)).to.deep.equal(known);
  });

  it('step by step: counts, seals anew, and afterwards the old key is needed no more', async () => {
    const before = new Sealer(FIRST);
    await store(before, 3);
    await integration(null, 'int-without');
    const env = { OWNER_DATABASE_URL: urls.ownerUrl, OUTRIDER_SECRETS_KEY: SECOND, OUTRIDER_SECRETS_OLD_KEYS: FIRST };
    const after = new Sealer(SECOND);

    const counted = await run(['--dry-run'], env);
    expect(counted.code).to.equal(2);
    expect(counted.text).to.contain(`The key that seals is ${after.keyId}.`);
    expect(counted.text).to.contain('integration: 0 by this key; 3 by an old key, to be sealed anew');
    expect(Object.values(await openedBy(before)), 'a dry run changes nothing').not.to.include('');

    const done = await run([], env);
    expect(done).to.deep.include({ code: 0 });
    expect(done.text).to.contain('integration: 0 by this key; 3 sealed anew');
    expect(done.text).to.contain('mailbox: 0 by this key; 1 sealed anew');
    expect(done.text).to.contain('calendar_account: 0 by this key; 1 sealed anew');
    expect(done.text).to.contain('mail_outbox: 0 by this key; 1 sealed anew');
    for (const [id, text] of Object.entries(await openedBy(after))) expect(text, id).to.equal(plainOf(id));
    for (const secret of [FIRST, SECOND, 'the token of']) expect(counted.text + done.text).not.to.contain(secret);

    const alone = await run([], { OWNER_DATABASE_URL: urls.ownerUrl, OUTRIDER_SECRETS_KEY: SECOND });
    expect(alone).to.deep.include({ code: 0 });
    expect(alone.text).to.contain('integration: 3 by this key; 0 sealed anew');
  });

  it('ended in the middle it goes on when it is run again, in batches of a bounded size', async () => {
    await store(new Sealer(FIRST), 25);
    const sealer = new Sealer(SECOND, [FIRST]);
    let batches = 0;
    const ends = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
      if (++batches > 2) throw new Error('killed');
      return platform(async (tx) => {
        const rows: Tx['rows'] = async (text, values) => {
          const found = await tx.rows(text, values);
          expect(found.length).to.be.at.most(10);
          return found as never;
        };
        return work({ ...tx, rows });
      });
    };
    const ended = await resealAll(ends, sealer, { dryRun: false, batch: 10 }).then(
      String,
      (error: Error) => error.message,
    );
    expect(ended).to.equal('killed');
    expect(sum(await resealAll(platform, sealer, { dryRun: true }), 'current')).to.equal(20);
    const again = await resealAll(platform, sealer, { dryRun: false, batch: 10 });
    expect([sum(again, 'current'), sum(again, 'resealed'), sum(again, 'old')]).to.deep.equal([20, 8, 0]);
    for (const [id, text] of Object.entries(await openedBy(new Sealer(SECOND)))) expect(text, id).to.equal(plainOf(id));
  });

  it('what somebody connects anew meanwhile stays theirs', async () => {
    await store(new Sealer(FIRST), 2);
    const sealer = new Sealer(SECOND, [FIRST]);
    const mine = new Sealer(FIRST).seal('another token', 'integration:int-000');
    let read = false;
    const meanwhile = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
      platform((tx) => {
        const rows: Tx['rows'] = async (text, values) => {
          const found = await tx.rows(text, values);
          if (!read && text.includes('from integration')) {
            read = true;
            await owner.query(`update integration set sealed = $1 where id = 'int-000'`, [mine]);
          }
          return found as never;
        };
        return work({ ...tx, rows });
      });
    const [integrations] = await resealAll(meanwhile, sealer, { dryRun: false });
    expect(integrations).to.deep.include({ table: 'integration', resealed: 1, old: 1 });
    const { rows } = await owner.query<{ sealed: Buffer }>(`select sealed from integration where id = 'int-000'`);
    expect(sealer.open(rows[0]?.sealed ?? Buffer.alloc(0), 'integration:int-000')).to.equal('another token');
  });

  it('what no key opens stays as it is, is named, and fails the command; doctor and metric say the same', async () => {
    await store(new Sealer(FIRST), 1);
    await integration(new Sealer('a key that nobody has any more, alas'), 'int-lost');
    await owner.query(
      `insert into integration (id, workspace_id, provider, kind, sealed, created_at) values ('int-odd', 'acme', 'p', 'crm', 'x', 1)`,
    );
    const env = { OWNER_DATABASE_URL: urls.ownerUrl, OUTRIDER_SECRETS_KEY: SECOND, OUTRIDER_SECRETS_OLD_KEYS: FIRST };
    const sealer = new Sealer(SECOND, [FIRST]);
    const doctor = async (): Promise<string[]> => {
      const now = new SystemClock().now();
      const { findings } = await examine(db, { product: now, real: now, sealer });
      return findings.filter(({ check }) => check.endsWith('_secrets')).map(({ level, text }) => `${level} ${text}`);
    };
    expect(await doctor()).to.deep.equal([
      'problem 2 secrets of integration are opened by no key that is given: int-lost, int-odd.',
      'notice 1 secrets of integration are sealed by an old key.',
      'notice 1 secrets of mailbox are sealed by an old key.',
      'notice 1 secrets of calendar_account are sealed by an old key.',
      'notice 1 secrets of mail_outbox are sealed by an old key.',
    ]);
    const { code, text } = await run([], env);
    expect(code).to.equal(2);
    expect(text).to.contain('1 sealed anew; 2 by no key that is given (int-lost, int-odd)');
    const registry = new Registry();
    const { sealedSecrets } = createMcpMetrics(registry);
    await sealedSecretsJob(app, sealer, sealedSecrets).run(new AbortController().signal);
    const told = await registry.getSingleMetricAsString('outrider_sealed_secrets');
    expect(told).to.contain('{sealed_by="current"} 4');
    expect(told).to.contain('{sealed_by="old"} 0');
    expect(told).to.contain('{sealed_by="unknown"} 2');
  });

  it('a home takes its next key at its next start, goes on opening by the old one, and forgets it when nothing needs it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'outrider-keys-'));
    try {
      const start = async (): Promise<{ sealingKey: string; oldSealingKeys: string[] }> => {
        const home = await openHome(folder);
        await home.release();
        const { sealingKey, oldSealingKeys = [] } = home.secrets;
        return { sealingKey, oldSealingKeys };
      };
      const command = (...args: string[]) => run(args, { OUTRIDER_HOME: folder, OWNER_DATABASE_URL: urls.ownerUrl });
      const first = await start();
      await store(new Sealer(first.sealingKey), 1);
      const given = { OUTRIDER_HOME: folder, OUTRIDER_SECRETS_KEY: FIRST };
      expect((await run(['--drop-old-keys'], given)).text).to.contain('comes by environment');
      expect((await command('--new-key')).text).to.contain('from the next start of the home on');
      expect((await command('--new-key')).text).to.contain('waits for the next start of the home already');
      const second = await start();
      expect(second.sealingKey).not.to.equal(first.sealingKey);
      expect(second.oldSealingKeys).to.deep.equal([first.sealingKey]);
      expect((await command('--drop-old-keys')).text).to.contain('The old keys are gone');
      expect(await start()).to.deep.equal({ sealingKey: second.sealingKey, oldSealingKeys: [] });
      for (const [id, text] of Object.entries(await openedBy(new Sealer(second.sealingKey))))
        expect(text, id).to.equal(plainOf(id));
      const kept = JSON.parse(await readFile(join(folder, 'secrets.json'), 'utf8')) as object;
      expect(kept).to.include.keys('roles', 'sessionSecret', 'controlToken');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

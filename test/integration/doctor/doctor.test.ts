import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { transactionsOpenFor } from '../../../pkg/engine/doctor/database-checks.ts';
import { type Diagnosis, examine } from '../../../pkg/engine/doctor/doctor.ts';
import { Database } from '../../../pkg/postgres/database.ts';
import { freePort } from '../../../pkg/standalone/free-port.ts';
import { eventually } from '../../tools/kube.ts';
import { type McpTools, startMcpTools } from '../../tools/mcp-tools.ts';
import { type TestDatabase, testPostgres } from '../../tools/postgres.ts';

const CLI = new URL('../../../cmd/outrider/main.ts', import.meta.url).pathname;
const { PATH: path = '' } = process.env;
const MINUTE = 60_000;

describe('outrider doctor', function () {
  this.timeout(60_000);
  let urls: TestDatabase;
  let db: Database;
  let owner: pg.Client;
  const real = new SystemClock();
  beforeEach(async () => {
    urls = await (await testPostgres()).product();
    db = new Database({ url: urls.ownerUrl, max: 1, applicationName: 'test' });
    owner = new pg.Client({ connectionString: urls.ownerUrl });
    await owner.connect();
    await run(`insert into workspace (id, uid, name, created_at, updated_at) values ('acme', 'acme', 'Acme', 1, 1)`);
    await run(`insert into network_account (id, external_id, status_since, created_at) values ('acc', 'acc', 1, 1)`);
    await run(`insert into account_link (account_id, workspace_id, linked_at) values ('acc', 'acme', 1)`);
  });
  afterEach(async () => {
    await db.close();
    await owner.end();
  });

  async function run(statement: string, values: unknown[] = []): Promise<void> {
    await owner.query(statement, values);
  }
  const askAll = (ahead = 0): Promise<Diagnosis> => examine(db, { product: real.now() + ahead, real: real.now() });
  /** Without what is true of the server of all tests, which nothing has to outlive: it runs with fsync off. */
  async function look(ahead = 0): Promise<Diagnosis> {
    const { findings, sound } = await askAll(ahead);
    return { findings: findings.filter(({ text }) => !text.startsWith('The server runs with fsync = off')), sound };
  }
  /** The one finding, as `level check: text remedy`. */
  async function only(ahead = 0): Promise<string> {
    const { findings } = await look(ahead);
    expect(findings.map((finding) => `${finding.check}: ${finding.text}`)).to.have.length(1);
    const [finding] = findings;
    return `${finding?.level} ${finding?.check}: ${finding?.text} ${finding?.remedy}`;
  }
  const addSend = (state: string, set: Record<string, unknown> = {}): Promise<void> => {
    const columns = {
      id: randomUUID(),
      workspace_id: 'acme',
      workflow_id: 'w',
      campaign_id: 'c',
      run_id: randomUUID(),
      node_id: 'n',
      lead_id: randomUUID(),
      person_id: randomUUID(),
      account_id: 'acc',
      action: 'message',
      state,
      epoch: 1,
      claimed_at: 1,
      ...set,
    };
    const names = Object.keys(columns);
    return run(
      `insert into send (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
      Object.values(columns),
    );
  };

  it('has nothing to say of a sound installation', async () => {
    const { findings, sound } = await look();
    expect(findings).to.deep.equal([]);
    expect(sound).to.have.length.of.at.least(11);
  });

  it('names settings of the server, the database and its roles that could harm, and how each goes', async () => {
    expect((await askAll()).findings.map(({ level, check, text }) => `${level} ${check}: ${text}`)).to.deep.equal([
      'notice unsafe_setting: The server runs with fsync = off: what was committed may be lost in a power cut, and with it who was messaged already.',
    ]);
    const server = new pg.Client({ connectionString: urls.superuserUrl });
    await server.connect();
    const orders = [
      `database ${urls.name} set default_transaction_isolation = serializable`,
      `database ${urls.name} set work_mem = '8MB'`,
      `role outrider_app in database ${urls.name} set session_replication_role = replica`,
      `role outrider_owner in database ${urls.name} set statement_timeout = '1s'`,
    ];
    for (const order of orders) await server.query(`alter ${order}`);
    const settings = (await look()).findings;
    expect(settings.map(({ level, text }) => `${level} ${text.split(/[:.]/, 1)}`)).to.deep.equal([
      `problem For role outrider_app in database ${urls.name} is set session_replication_role = replica`,
      `notice For database ${urls.name} is set default_transaction_isolation = serializable`,
      `notice For role outrider_owner in database ${urls.name} is set statement_timeout = 1s`,
    ]);
    for (const { remedy } of settings) await server.query(/: (alter [^;]*);/.exec(remedy)?.[1] ?? remedy);
    expect((await look()).findings).to.deep.equal([]);
    await server.end();
  });

  it('finds claims that nobody took over', async () => {
    await addSend('claimed');
    await run(
      `insert into claim (kind, key, epoch, holder, expires_at) values ('workspace', 'acme', 3, 'pod', now() - interval '10 minutes')`,
    );
    expect(await only()).to.match(
      /^problem stuck_claims: 1 actions of workspace acme .*10 min.*kubectl describe ows acme/,
    );
    await run(`update claim set expires_at = now() + interval '20 seconds'`);
    expect((await look()).findings).to.deep.equal([]);
  });

  it('misses nobody where nobody comes: a workspace that is stopped, or gone', async () => {
    await addSend('claimed');
    await run(`update workspace set operating_mode = 'Suspended'`);
    expect((await look()).findings).to.deep.equal([]);
    await run(`update workspace set operating_mode = 'Running'`);
    await run(
      `insert into hold (kind, id, workspace_id, reason, held_by, created_at) values ('workspace', 'acme', 'acme', 'audit', 'ann', 1)`,
    );
    expect((await look()).findings).to.deep.equal([]);
    await addSend('dispatched', { dispatched_real: new Date(real.now() - 30 * MINUTE) });
    expect(await only(), 'what may have left is found out as soon as it is not stopped').to.match(
      /^problem stuck_claims: 1 /,
    );
    await addSend('unknown', { dispatched_real: new Date(real.now() - 200 * MINUTE) });
    await run('update workspace set deleted_at = 1');
    expect((await look()).findings).to.deep.equal([]);
  });

  it('gives orders that work as they stand, for workspaces of every namespace', async () => {
    await run(
      `insert into workspace (id, uid, name, created_at, updated_at) values ('team.acme', 'team', 'Acme', 1, 1)`,
    );
    await addSend('claimed', { workspace_id: 'team.acme' });
    expect(await only()).to.contain('kubectl describe ows acme -n team,');
    await run(`update send set state = 'unknown', dispatched_real = now() - interval '2 hours'`);
    expect(await only()).to.contain('outrider doctor network_account acc --workspace team.acme.');
  });

  it('finds outcomes that stay unknown', async () => {
    await addSend('unknown', { dispatched_real: new Date(real.now() - 30 * MINUTE) });
    expect((await look()).findings).to.deep.equal([]);
    await addSend('unknown', { dispatched_real: new Date(real.now() - 200 * MINUTE) });
    expect(await only()).to.match(
      /^problem unknown_outcomes: .* 1 sends of account acc .*3 h 20 min.*doctor network_account acc/,
    );
  });

  it('finds dead letters that wait for a person', async () => {
    await addSend('unknown', { dead_letter_state: 'open', dead_letter_at: real.now() - 90 * MINUTE });
    expect(await only()).to.match(/^problem dead_letters: 1 actions .*1 h 30 min.*svc_admin_resolve_dead_letter/);
  });

  it('finds pushes: open ones without an executor, unknown ones and dead letters', async () => {
    const push = (set: Record<string, unknown>): Promise<void> => {
      const columns = {
        id: randomUUID(),
        workspace_id: 'acme',
        workflow_id: 'w',
        campaign_id: 'c',
        run_id: randomUUID(),
        node_id: 'n',
        node_type: 'crm:push',
        lead_id: randomUUID(),
        repeatable: false,
        epoch: 1,
        claimed_at: 1,
        dispatched_real: new Date(real.now() - 200 * MINUTE),
        ...set,
      };
      const names = Object.keys(columns);
      const places = names.map((_, index) => `$${index + 1}`);
      return run(`insert into node_call (${names.join(', ')}) values (${places.join(', ')})`, Object.values(columns));
    };
    await push({ state: 'dispatched' });
    expect(await only()).to.match(/^problem stuck_claims: 1 actions of workspace acme/);
    await run(`update node_call set state = 'unknown', error = 'socket hang up'`);
    expect(await only()).to.match(
      /^problem unknown_outcomes: .* 1 pushes of workspace acme .*3 h 20 min.*socket hang up.*svc_list_integrations/,
    );
    const letter = { dead_letter_state: 'open', dead_letter_at: real.now() - 90 * MINUTE };
    await run(`update node_call set state = 'settled'`);
    await push({ state: 'settled', ...letter });
    expect(await only()).to.match(/^problem dead_letters: 1 actions .*1 h 30 min/);
  });

  it('finds accounts that nobody reads, and those whose reading fails, with why', async () => {
    await run(`insert into account_wake (account_id, due_at, last_synced_at) values ('acc', $1, $2)`, [
      real.now() - 20 * MINUTE,
      real.now() - 300 * MINUTE,
    ]);
    expect((await look()).findings).to.deep.equal([]);
    await run(`update account_wake set due_at = $1`, [real.now() - 90 * MINUTE]);
    expect(await only()).to.match(/^problem unread_accounts: Account acc .* read for 1 h 30 min\. .*ex-accounts/);
    await run(`update account_wake set due_at = $1, sync_state = $2`, [
      real.now() + 5 * MINUTE,
      { failingSince: real.now() - 40 * MINUTE, failure: 'socket hang up' },
    ]);
    expect(await only()).to.match(
      /^problem unread_accounts: Account acc .* for 40 min: socket hang up\. .*doctor network_account acc --workspace acme\.$/,
    );
    await run(`update workspace set operating_mode = 'Suspended'`);
    expect((await look()).findings).to.deep.equal([]);
  });

  it('finds due work without an executor', async () => {
    await run(`insert into workspace_wake (workspace_id, due_at) values ('acme', $1)`, [real.now() - 7 * MINUTE]);
    expect(await only()).to.match(/^problem ageing_wakes: Workspace acme .*7 min.*lease outrider-operator/);
    await run(`update workspace set operating_mode = 'Suspended'`);
    expect((await look()).findings).to.deep.equal([]);
  });

  it('finds work that was to be done at once, and that nobody has come for', async () => {
    const woken = (minutes: number): Promise<void> =>
      run(
        `insert into workspace_wake (workspace_id, due_at, woken_at) values ('acme', 0, clock_timestamp() - make_interval(mins => $1))
        on conflict (workspace_id) do update set woken_at = excluded.woken_at`,
        [minutes],
      );
    await woken(1);
    expect((await look()).findings).to.deep.equal([]);
    await woken(7);
    expect(await only()).to.match(/^problem ageing_wakes: Workspace acme .* due for 7 min /);
  });

  it('objects that are gone and whose rows rest, and those that bear the name of another', async () => {
    await run(
      `insert into held_deletion (kind, id, workspace_id, uid, reason, held_at) values ('Workflow', 'flow', 'acme', 'u', 'all at once', 1)`,
    );
    expect(await only()).to.match(
      /^problem held_deletions: .*acme 1 objects .*Workflow flow: all at once.*outrider deletions/,
    );
    await run('delete from held_deletion');
    await run(
      `insert into adoption (workspace_id, uid, owner, refused_at) values ('acme', 'u', 'new@other.example', 1)`,
    );
    expect(await only()).to.match(/^problem name_taken: .* acme of new@other.example .*outrider adopt acme/);
  });

  it('finds freezes, and tells those of a restore from those of an admin', async () => {
    const freeze = `insert into send_freeze (id, scope, target, reason, frozen_by, since) values (gen_random_uuid(), $1, $2, $3, $4, $5)`;
    await run(freeze, ['platform', 'restore', 'older', 'outrider', real.now() - MINUTE]);
    expect(await only()).to.match(/^problem restore_freeze: All sends are frozen .*outrider reconcile --dry-run/);
    await run('delete from send_freeze');
    await run(freeze, ['workspace', 'acme', 'audit', 'ann@acme.example', real.now()]);
    expect(await only()).to.match(
      /^problem freeze: The workspace acme .*ann@acme\.example: audit .*svc_admin_set_send_freeze/,
    );
    await run(`update send_freeze set channel = 'mail'`);
    expect(await only()).to.match(
      /The workspace acme is, on the channel mail alone, frozen .* '\{"frozen":false,"workspaceId":"acme","channel":"mail","reason":"…"\}'\.$/,
    );
    await run(`update send_freeze set scope = 'platform', target = ''`);
    expect(await only()).to.match(
      /All sends are, on the channel mail alone, frozen .* '\{"frozen":false,"channel":"mail",/,
    );
  });

  it('finds clocks that do not agree, and real accounts in a rehearsal', async () => {
    expect(await only(3 * 60 * MINUTE)).to.match(/^notice clock_ahead: .*3 h 0 min ahead/);
    const late = await examine(db, { product: real.now() - MINUTE, real: real.now() - MINUTE });
    expect(late.findings[0]?.text).to.match(/clock of Postgres is (59|60|61) s ahead of this machine/);
    await run('update installation set rehearsal = true');
    expect((await look()).findings).to.deep.equal([]);
    await run(`update network_account set provider = 'unipile'`);
    expect(await only()).to.match(/^problem rehearsal: .*1 real provider accounts.*svc_admin_link_account/);
  });

  it('finds transactions that anybody left open, a superuser too, and says when it may not see them', async () => {
    const look = transactionsOpenFor(0);
    const sessions = async (): Promise<string[]> => {
      const found = await db.tx({ kind: 'platform' }, (tx) => look.run({ tx, product: 1, real: 1 }));
      return found.map((finding) => `${finding.level} ${finding.check}: ${finding.text} ${finding.remedy}`);
    };
    expect(await sessions()).to.deep.equal([]);
    const left = [urls.appUrl, urls.executorUrl, urls.superuserUrl].map(
      (connectionString, index) => new pg.Client({ connectionString, application_name: `left ${index}` }),
    );
    try {
      for (const client of left) {
        await client.connect();
        await client.query('begin');
      }
      const found = (await sessions()).join('\n');
      for (const index of [0, 1, 2])
        expect(found).to.match(
          new RegExp(`^problem old_transaction: Session \\d+ \\(left ${index}, idle in transaction\\)`, 'm'),
        );
    } finally {
      for (const client of left) await client.end();
    }
    const other = new Database({ url: urls.appUrl, max: 1, applicationName: 'test' });
    const hidden = await other.tx({ kind: 'platform' }, (tx) => look.run({ tx, product: 1, real: 1 }));
    await other.close();
    expect(hidden.map(({ level, check, remedy }) => `${level} ${check}: ${remedy}`)).to.include(
      'notice hidden_sessions: As a superuser run: grant pg_read_all_stats to outrider_app.',
    );
  });

  it('finds tables full of dead rows', async () => {
    await run('alter table workspace_wake set (autovacuum_enabled = false)');
    const die = async (rows: number) => {
      await run(
        `insert into workspace_wake (workspace_id, due_at) select 'w' || n, 0 from generate_series(1, ${rows}) n`,
      );
      await run('delete from workspace_wake');
      await run('select pg_stat_force_next_flush()');
      await run('select 1');
    };
    // Autovacuum waits for 10,000 dead rows in this table.
    await die(15_000);
    expect((await look()).findings).to.deep.equal([]);
    await die(9_000);
    expect(await only()).to.match(
      /^problem bloat: outrider\.workspace_wake holds 24000 dead rows .*never.*vacuum \(analyze\) outrider\.workspace_wake/,
    );
  });

  it('finds due runs that are looked for without the index, and an index that was not built to its end', async () => {
    await run(
      `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, graph_version, node_id, state, due_at, entered_at, started_at)
       select gen_random_uuid(), 'ws' || n % 50, 'f', 'c', gen_random_uuid(), 1, 'n', 'waiting', n, 1, 1 from generate_series(1, 20000) n`,
    );
    await run('analyze run');
    expect((await look()).findings).to.deep.equal([]);
    const superuser = new pg.Client({ connectionString: urls.superuserUrl });
    await superuser.connect();
    await superuser.query(`update pg_index set indisvalid = false where indexrelid = 'outrider.run_lead'::regclass`);
    const broken = (await look()).findings.map((finding) => `${finding.check}: ${finding.text} ${finding.remedy}`);
    await superuser.end();
    expect(broken.join('\n')).to.match(
      /invalid_index: .*outrider\.run_lead.*reindex index concurrently outrider\.run_lead/,
    );
    await run('drop index run_lead');
    await run('drop index agenda_due');
    expect(await only()).to.match(/^problem due_plan: .*whole table agenda .*analyze outrider\.agenda/);
    await run('create index agenda_other on agenda (workspace_id)');
    expect(await only()).to.match(/^problem due_plan: .*sorts all that is due.*analyze outrider\.agenda/);
  });

  it('says of an index that is being built nothing, of one that was left behind that it can go', async () => {
    const [holder, builder] = [urls.superuserUrl, urls.ownerUrl].map(
      (connectionString) => new pg.Client({ connectionString }),
    );
    if (!holder || !builder) throw new Error('two were made');
    await Promise.all([holder.connect(), builder.connect()]);
    try {
      await holder.query('begin; lock table outrider.run in row exclusive mode');
      const building = builder.query('reindex index concurrently outrider.run_lead');
      const state = (): Promise<unknown> =>
        eventually('the index is built beside the old one', async () => {
          const { rows } = await owner.query(
            `select 1 from pg_index i where i.indexrelid = to_regclass('outrider.run_lead_ccnew') and not i.indisvalid`,
          );
          return rows.length > 0;
        });
      await state();
      expect((await look()).findings).to.deep.equal([]);
      await holder.query(
        `select pg_cancel_backend(pid) from pg_stat_activity where query like 'reindex index concurrently%' and pid <> pg_backend_pid()`,
      );
      await building.catch(() => undefined);
      await holder.query('rollback');
      expect(await only()).to.match(/^problem invalid_index: .*drop index concurrently outrider\.run_lead_ccnew\.$/);
      await run('drop index concurrently outrider.run_lead_ccnew');
      expect((await look()).findings).to.deep.equal([]);
    } finally {
      await Promise.all([holder.end(), builder.end()]);
    }
  });

  it('finds history that lies outside its months', async () => {
    await run(
      `insert into run_event (workspace_id, run_id, at, kind, node_id, actor, text, data)
       select 'acme', gen_random_uuid(), n, 'run.step_done', 'n', 'engine', '', '{}' from generate_series(1, 10000) n`,
    );
    expect(await only()).to.match(/^problem event_months: 10000 or more lines of history.*not open yet/);
  });

  it('finds migrations that failed, changed, or are of a newer program', async () => {
    await run('delete from public.outrider_migration where version = 600');
    expect(await only()).to.match(/^problem migrations: .*not applied: 0600_baseline.*outrider migrate/);
    await run(`insert into public.outrider_migration (version, name, checksum) values (600, '0600_baseline', 'other')`);
    expect(await only()).to.match(/another one than was applied/);
    const { rows } = await owner.query<{ checksum: string }>(
      'select checksum from public.outrider_migration where version = 600',
    );
    expect(rows[0]?.checksum).to.equal('other');
    await run(`insert into public.outrider_migration (version, name, checksum) values (9999, '9999_later.sql', 'x')`);
    const texts = (await look()).findings.map((finding) => `${finding.text} ${finding.remedy}`).join('\n');
    expect(texts).to.match(/9999_later\.sql, which this program does not know\. Run the newer version/);
  });

  it('finds functions of another version', async () => {
    await run(
      `insert into public.outrider_function_set (checksum, applied_at) values ('other', now() + interval '1 s')`,
    );
    expect(await only()).to.match(/^problem migrations: .*functions .* another version .*outrider migrate/);
  });

  it('finds accounts that were not compared after a start of Postgres', async () => {
    await run(`update restore_guard set checked_start = pg_postmaster_start_time() - interval '1 day'`);
    await run(
      `insert into claim (kind, key, epoch, holder, expires_at) values ('workspace', 'acme', 3, 'pod', now() + interval '10 minutes')`,
    );
    // A server that has just started is given ten minutes.
    expect((await look()).findings).to.deep.equal([]);
  });

  it('finds databases that any login may enter, and what executors could do there to each other', async () => {
    const server = new pg.Client({ connectionString: urls.superuserUrl });
    await server.connect();
    try {
      await server.query(`grant connect on database ${urls.name} to public`);
      expect(await only()).to.match(/^problem open_database: .*revoke all on database "product_\d+" from public;/);
      await server.query(`revoke all on database ${urls.name} from public`);
      await server.query('create database of_others');
      expect(await only()).to.match(/^notice open_databases: .* of_others\. .*"of_others"/);
      await server.query('drop database of_others');
      await server.query(`grant temporary on database ${urls.name} to outrider_executor`);
      await server.query('grant execute on function pg_terminate_backend(int, bigint) to outrider_executor');
      const { findings } = await look();
      expect(findings.map(({ check, text }) => `${check}: ${text}`)).to.deep.equal([
        'executor_temp: Executors may make temporary tables.',
        'executor_reach: An executor may reach the others, which are of the same login: pg_terminate_backend.',
      ]);
    } finally {
      await server.query('drop database if exists of_others');
      await server.query(`revoke temporary on database ${urls.name} from outrider_executor`);
      await server.end();
    }
  });

  it('finds a login of executors that was changed, and an operator who may not restore it', async () => {
    const server = new pg.Client({ connectionString: urls.superuserUrl });
    await server.connect();
    try {
      await server.query(`alter role outrider_executor in database ${urls.name} set work_mem = '64kB'`);
      expect(await only()).to.match(/^problem executor_role: .*outrider_executor.*ExecutorRoleChanged/);
      await server.query(`alter role outrider_executor in database ${urls.name} reset all`);
      await server.query('drop schema keeper cascade');
      expect(await only()).to.match(/^notice executor_keeper: .*SUPERUSER_DATABASE_URL/);
    } finally {
      await server.query(`alter role outrider_executor in database ${urls.name} reset all`);
      await server.end();
    }
  });

  it('says once that the database can not be reached, and nothing of what it could not ask', async () => {
    const [nowhere, refused] = [new URL(urls.ownerUrl), new URL(urls.ownerUrl)];
    nowhere.port = String(await freePort());
    refused.password = 'rotated';
    for (const [url, why] of [
      [nowhere, /ECONNREFUSED/],
      [refused, /password authentication failed/],
    ] as const) {
      const gone = new Database({ url: url.href, max: 1, applicationName: 'test' });
      const { findings, sound } = await examine(gone, { product: real.now(), real: real.now() });
      await gone.close();
      expect(findings.map(({ check }) => check)).to.deep.equal(['database_away']);
      expect(findings[0]?.text).to.match(why);
      expect(findings[0]?.remedy).to.contain('PostgresUnreachable');
      expect(sound).to.deep.equal([]);
    }
  });

  it('says it on the command line, and by its exit code', async () => {
    const cli = (): Promise<{ code: number; output: string }> =>
      new Promise((resolve) => {
        const env = { PATH: path, OWNER_DATABASE_URL: urls.ownerUrl };
        execFile(process.execPath, [CLI, 'doctor'], { env }, (error, stdout, stderr) =>
          resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
        );
      });
    const sound = await cli();
    expect(sound.output).to.match(/^ok {3}the schema is up to date$/m);
    expect(sound.code).to.equal(0);
    await addSend('unknown', { dead_letter_state: 'open', dead_letter_at: real.now() });
    const ill = await cli();
    expect(ill.output).to.match(/^BAD {2}dead_letters: 1 actions/m);
    expect(ill.code).to.equal(2);
  });
});

describe('outrider doctor of a workspace', function () {
  this.timeout(60_000);
  let tools: McpTools;
  before(async () => {
    tools = await startMcpTools();
  });
  after(() => tools.stop());

  it('diagnoses the one that is named, with no home on this machine', async () => {
    const userId = await tools.mcp.user({ member: 'rival', role: 'owner' });
    const { plaintext } = await tools.mcp.key({ userId });
    await tools.force(`update workspace set operating_mode = 'Suspended' where id = 'rival'`);
    const env = { PATH: path, OUTRIDER_HOME: '/nowhere', OUTRIDER_URL: tools.mcp.url, OUTRIDER_KEY: plaintext };
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, [CLI, 'doctor', 'workspace', 'rival'], { env }, (_error, stdout, stderr) =>
        resolve(stdout + stderr),
      );
    });
    expect(output).to.match(/^BAD {2}workspace_running: The workspace is suspended/m);
  });
});

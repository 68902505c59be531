import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { type TestDatabase, testPostgres } from '../../tools/postgres.ts';

/** Tables without forced row-level security on purpose, with the reason. */
const NOT_TENANT: Record<string, string> = {
  'app.claim_secret': 'no login has a right on it; the definer role alone reads it, to check claim tokens',
  'app.erasure_salt': 'no login has a right on it; the definer role alone reads it, to hash what was erased',
  'public.outrider_function_set':
    'checksums of the functions that were applied; the owner writes it, programs only read it',
  'public.outrider_migration': 'names and checksums of migrations; the owner writes it, programs only read it',
};

describe('tenancy in Postgres', function () {
  this.timeout(60_000);
  let urls: TestDatabase;
  let app: Database;
  let executor: Database;

  before(async () => {
    urls = await (await testPostgres()).product();
    app = new Database({ url: urls.appUrl, max: 3, applicationName: 'test' });
    executor = new Database({ url: urls.executorUrl, max: 2, applicationName: 'test' });
    await app.tx({ kind: 'platform' }, async (tx) => {
      for (const id of ['ws-a', 'ws-b']) {
        await tx.exec(`insert into workspace (id, uid, name, created_at, updated_at) values ($1, $1, $1, 1, 1)`, [id]);
        await tx.exec(
          `insert into campaign (id, workspace_id, uid, title, created_at, updated_at) values ($1, $2, $1, 'T', 1, 1)`,
          [`camp-${id}`, id],
        );
      }
    });
  });

  after(async () => {
    await app.close();
    await executor.close();
  });

  it('row-level security is enabled and forced on every table but the named ones', async () => {
    const owner = new pg.Client({ connectionString: urls.ownerUrl });
    await owner.connect();
    const open = await owner.query<{ name: string }>(`select nspname || '.' || relname as name
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname in ('outrider', 'app', 'public') and relkind in ('r', 'p') and not (relrowsecurity and relforcerowsecurity)
      order by 1`);
    const roles = await owner.query(
      `select rolname from pg_roles where rolname like 'outrider%' and (rolbypassrls or rolsuper)`,
    );
    await owner.end();
    expect(open.rows.map((row) => row.name)).to.deep.equal(Object.keys(NOT_TENANT).sort());
    expect(roles.rows).to.deep.equal([]);
  });

  it('how many workspaces share an account is told to those that use it', async () => {
    await app.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec(
        `insert into network_account (id, external_id, status_since, created_at) values ('acc-b', 'acc-b', 1, 1)`,
      );
      await tx.exec(`insert into account_link (account_id, workspace_id, linked_at) values ('acc-b', 'ws-b', 1)`);
    });
    const links = async (scope: Parameters<Database['tx']>[0]): Promise<number | undefined> =>
      (await app.tx(scope, (tx) => tx.row<{ links: number }>(`select app.link_count('acc-b') as links`)))?.links;
    expect(await links({ kind: 'workspaces', ids: ['ws-b'] })).to.equal(1);
    expect(await links({ kind: 'platform' })).to.equal(1);
    expect(await links({ kind: 'workspaces', ids: ['ws-a'] })).to.equal(0);
  });

  it('workspaces of the same members change side by side: their users are locked in one order', async () => {
    const [low, high] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
    await app.tx({ kind: 'platform' }, async (tx) => {
      // Made in another order than that of their ids.
      for (const id of [high, low]) {
        await tx.exec(`insert into app_user (id, email, created_at) values ($1, $1::uuid::text, 1)`, [id]);
        await tx.exec(
          `insert into member (id, workspace_id, user_id, role, joined_at) values (gen_random_uuid(), 'ws-a', $1, 'admin', 1)`,
          [id],
        );
      }
    });
    const other = new pg.Client({ connectionString: urls.ownerUrl });
    await other.connect();
    try {
      await other.query('begin');
      await other.query('select 1 from outrider.app_user where id = $1 for update', [low]);
      const renamed = app.tx({ kind: 'platform' }, (tx) =>
        tx.exec(`update workspace set name = 'Renamed' where id = 'ws-a'`),
      );
      const waiting = 'select 1 from pg_locks where not granted';
      while ((await other.query(waiting)).rowCount === 0) await new Promise((resolve) => setImmediate(resolve));
      await other.query('select 1 from outrider.app_user where id = $1 for update nowait', [high]);
      await other.query('commit');
      await renamed;
    } finally {
      await other.end();
    }
  });

  it('what only other functions may call is closed to every login, with a claim or without', async () => {
    for (const login of [app, executor]) {
      for (const call of [
        `app.return_sends(array[gen_random_uuid()])`,
        `app.merge_person(gen_random_uuid(), gen_random_uuid())`,
      ]) {
        const refused = await login
          .tx({ kind: 'none' }, (tx) => tx.exec(`select ${call}`))
          .then(
            () => 'done',
            (error: Error) => error.message,
          );
        expect(refused, call).to.contain('permission denied for function');
      }
    }
  });

  it('a query that forgets the workspace sees only the rows of the caller', async () => {
    const seen = await app.tx({ kind: 'workspaces', ids: ['ws-a'] }, (tx) =>
      tx.rows<{ id: string }>('select id from campaign'),
    );
    expect(seen.map((row) => row.id)).to.deep.equal(['camp-ws-a']);
  });

  it('what a text of another workspace says, and where its nodes stand, is told to nobody else', async () => {
    await app.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec(
        `insert into network_account (id, external_id, status_since, created_at) values ('acc-texts', 'acc-texts', 1, 1)`,
      );
      await tx.exec(`insert into account_link (account_id, workspace_id, linked_at) values ('acc-texts', 'ws-b', 1)`);
      await tx.exec(
        `insert into workflow (id, workspace_id, campaign_id, uid, name, created_at, updated_at) values ('wf-b', 'ws-b', 'camp-ws-b', 'u', 'W', 1, 1)`,
      );
      await tx.exec(
        `insert into workflow_graph (workspace_id, workflow_id, version, graph, node_types_version, created_at) values ('ws-b', 'wf-b', 1, $1, '1', 1)`,
        [
          {
            nodes: [{ nodeId: 'n0', nodeType: 'network:message', config: { text: 'Good morning {{lead:firstName}}' } }],
          },
        ],
      );
    });
    const told = (workspace: string): Promise<unknown> =>
      app.tx({ kind: 'workspaces', ids: [workspace] }, (tx) =>
        tx.row(
          `select array(select n.node_id from app.nodes_of_text('acc-texts', 'message', 'Good morning Anna') n) as nodes, app.node_position('wf-b', 'n0') as position`,
        ),
      );
    expect(await told('ws-b')).to.deep.equal({ nodes: ['n0'], position: 1 });
    expect(await told('ws-a')).to.deep.equal({ nodes: [], position: null });
  });

  it('a workspace learns nothing of a lead of another one by its own exclusions', async () => {
    const lead = randomUUID();
    await app.tx({ kind: 'platform' }, async (tx) => {
      await tx.exec(
        `insert into lead (id, workspace_id, full_name, company, created_at, updated_at) values ($1, 'ws-b', 'Anna', 'Secret Works', 1, 1)`,
        [lead],
      );
      await tx.exec(
        `insert into suppression (id, workspace_id, level, kind, value, source, created_at)
         select gen_random_uuid(), id, 'workspace', 'keyword', 'secret', 'manual', 1 from unnest(array['ws-a', 'ws-b']) id`,
      );
    });
    const met = (workspace: string): Promise<unknown[]> =>
      app.tx({ kind: 'workspaces', ids: [workspace] }, (tx) =>
        tx.rows('select source from app.suppressed_leads($1, null, array[$2::uuid], 2)', [workspace, lead]),
      );
    expect(await met('ws-b')).to.deep.equal([{ source: 'manual' }]);
    expect(await met('ws-a')).to.deep.equal([]);
  });

  it('who may not unsubscribe anybody leaves no trace at the address of a mail', async () => {
    await app.tx({ kind: 'platform' }, (tx) =>
      tx.exec(
        `insert into unsubscribe_token (token_hash, workspace_id, person_id, account_id, created_at) values ('\\x01', 'ws-b', $1, 'acc-b', 1)`,
        [randomUUID()],
      ),
    );
    const done = await app.tx({ kind: 'workspaces', ids: ['ws-a'] }, (tx) =>
      tx.row(`select app.unsubscribe(2, '\\x01') as done`),
    );
    expect(done).to.deep.equal({ done: false });
    const used = await app.tx({ kind: 'platform' }, (tx) => tx.rows('select used_at from unsubscribe_token'));
    expect(used).to.deep.equal([{ used_at: null }]);
  });

  it('a write into a foreign workspace is refused', async () => {
    const write = app.tx({ kind: 'workspaces', ids: ['ws-a'] }, (tx) =>
      tx.exec(
        `insert into campaign (id, workspace_id, uid, title, created_at, updated_at) values ('x', 'ws-b', 'x', 'T', 1, 1)`,
      ),
    );
    const refused = await write.then(
      () => undefined,
      (error: Error) => error,
    );
    expect(refused?.message).to.contain('row-level security');
  });

  it('without a scope nothing is visible', async () => {
    const seen = await app.tx({ kind: 'none' }, (tx) => tx.rows('select id from campaign'));
    expect(seen).to.deep.equal([]);
  });

  it('the executor login opens nothing without a claim token', async () => {
    expect(await executor.tx({ kind: 'none' }, (tx) => tx.rows('select id from campaign'))).to.deep.equal([]);
    const forged = await executor.tx({ kind: 'none' }, async (tx) => {
      await tx.exec(`select set_config('app.workspaces', 'ws-a', true), set_config('app.platform', 'on', true)`);
      return tx.rows('select id from campaign');
    });
    expect(forged).to.deep.equal([]);
  });

  it('a claim opens its own workspace, and a stale epoch neither reads nor writes', async () => {
    const take = (holder: string): Promise<{ token: string; epoch: number } | undefined> =>
      app.tx({ kind: 'platform' }, (tx) => tx.row(`select * from take_claim('workspace', 'ws-a', $1)`, [holder]));
    const first = await take('pod-1');
    const rows = await executor.tx({ kind: 'claim', token: first?.token ?? '' }, (tx) =>
      tx.rows<{ id: string }>('select id from campaign'),
    );
    expect(rows.map((row) => row.id)).to.deep.equal(['camp-ws-a']);
    expect(await take('pod-2')).to.equal(undefined);
    const again = await take('pod-1');
    expect(again?.epoch).to.equal((first?.epoch ?? 0) + 1);
    const stale = await executor
      .tx({ kind: 'claim', token: first?.token ?? '' }, (tx) => tx.rows('select 1'))
      .then(
        () => undefined,
        (error: Error) => error,
      );
    expect(stale?.name).to.equal('FencedError');
  });

  it('a token whose bytes were changed proves nothing', async () => {
    const claim = await app.tx({ kind: 'platform' }, (tx) =>
      tx.row<{ token: string }>(`select * from take_claim('workspace', 'ws-b', 'pod')`),
    );
    const forged = (claim?.token ?? '').replace('ws-b', 'ws-a');
    const seen = await executor.tx({ kind: 'none' }, async (tx) => {
      await tx.exec(`select set_config('app.claim_token', $1, true)`, [forged]);
      return tx.rows('select id from campaign');
    });
    expect(seen).to.deep.equal([]);
  });

  it('what a transaction proved when it entered is its own: another token proves nothing in it, nor the same one in a later transaction', async () => {
    const take = (): Promise<{ token: string } | undefined> =>
      app.tx({ kind: 'platform' }, (tx) => tx.row(`select token from take_claim('workspace', 'ws-b', 'pod')`));
    const token = (await take())?.token ?? '';
    const seen = (tx: Tx, as: string): Promise<string[]> =>
      tx
        .exec(`select set_config('app.entered', 'on', true), set_config('app.claim_token', $1, true)`, [as])
        .then(() => tx.rows<{ id: string }>('select id from campaign'))
        .then((rows) => rows.map((row) => row.id));
    await executor.tx({ kind: 'claim', token }, async (tx) => {
      expect(await seen(tx, token.replace('ws-b', 'ws-a'))).to.deep.equal([]);
      expect(await seen(tx, token)).to.deep.equal(['camp-ws-b']);
    });
    await take();
    // On the same connection, with a number of its own.
    const later = await executor.tx({ kind: 'none' }, async (tx) => {
      await tx.exec('select pg_current_xact_id()');
      return seen(tx, token);
    });
    expect(later).to.deep.equal([]);
  });

  it('an executor does not write its own proof', async () => {
    const error = await executor
      .tx({ kind: 'none' }, (tx) => tx.exec(`select setval('app.claim_proof', 1)`))
      .catch((failure: Error) => failure);
    expect(String(error)).to.match(/permission denied/);
  });

  it('what one executor presents is shown to no other: the list of sessions names no token', async () => {
    const claim = await app.tx({ kind: 'platform' }, (tx) =>
      tx.row<{ token: string }>(`select token from take_claim('workspace', 'ws-b', 'pod')`),
    );
    const token = claim?.token ?? '';
    const neighbour = new pg.Client({ connectionString: urls.executorUrl });
    await neighbour.connect();
    const shown = async (): Promise<string[]> => {
      const { rows } = await neighbour.query<{ query: string }>(
        'select query from pg_stat_activity where query is not null',
      );
      return rows.map((row) => row.query).filter((query) => query.includes(token.slice(-64)));
    };
    try {
      for (const pipeline of [true, false]) {
        const own = new Database({ url: urls.executorUrl, max: 1, applicationName: 'test', pipeline });
        try {
          for (const lookups of [true, false]) {
            // On a connection with a pipeline the work begins before the answer of the beginning.
            await own.tx({ kind: 'claim', token, lookups }, async (tx) => tx.exec('select'));
            expect(await own.tx({ kind: 'claim', token, lookups }, shown)).to.deep.equal([]);
          }
        } finally {
          await own.close();
        }
      }
    } finally {
      await neighbour.end();
    }
  });
});

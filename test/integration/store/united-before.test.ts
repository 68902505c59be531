import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { testPostgres } from '../../tools/postgres.ts';

/** What the version before left: one person over all workspaces. */
describe('persons that the version before united over agencies', function () {
  this.timeout(60_000);
  let db: pg.Client;
  let app: pg.Client;
  let united: string;

  before(async () => {
    const { superuserUrl, ownerUrl, appUrl } = await (await testPostgres()).product();
    db = await opened(superuserUrl);
    app = await opened(appUrl);
    await harm();
    const owner = await opened(ownerUrl);
    await owner.query('select app.settle_scopes()');
    await owner.end();
  });
  after(async () => {
    await db.end();
    await app.end();
  });

  async function opened(url: string): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: url,
      options: '-c search_path=outrider,app,public -c app.platform=on',
    });
    await client.connect();
    return client;
  }
  const rows = async <T extends object>(sql: string, values: unknown[] = []): Promise<T[]> =>
    (await db.query(sql, values)).rows as T[];
  const one = async <T extends object>(sql: string, values: unknown[] = []): Promise<T> => {
    const [row] = await rows<T>(sql, values);
    if (!row) throw new Error(`no row: ${sql}`);
    return row;
  };
  const lead = (name: string): Promise<{ id: string; person: string; scope: string }> =>
    one(
      `select l.id, l.person_id as person, p.scope from lead l join person p on p.id = l.person_id where l.full_name = $1`,
      [name],
    );

  /** Two agencies and four leads of three profiles, all of them one person; what each did is written for that person. */
  async function harm(): Promise<void> {
    united = randomUUID();
    await db.query(`insert into person (id, created_at) values ($1, 1)`, [united]);
    for (const [id, agency] of [
      ['w-one', 'one'],
      ['w-two', 'two'],
    ]) {
      await db.query(
        'insert into workspace (id, uid, name, agency_id, created_at, updated_at) values ($1, $1, $1, $2, 1, 1)',
        [id, agency],
      );
      await db.query(
        `insert into campaign (id, workspace_id, uid, title, state, created_at, updated_at) values ('c-' || $1::text, $1::text, 'c-' || $1::text, 'T', 'active', 1, 1)`,
        [id],
      );
      await db.query(
        `insert into workflow (id, workspace_id, campaign_id, uid, name, enabled, graph_version, node_count, created_at, updated_at)
         values ('f-' || $1::text, $1::text, 'c-' || $1::text, 'f-' || $1::text, 'W', true, 1, 1, 1, 1)`,
        [id],
      );
    }
    await db.query(`insert into network_account (id, external_id, display_name, tier, status_since, timezone, created_at)
                    values ('acc', 'acc', 'Sender', 'sales', 1, 'UTC', 1)`);
    await db.query(`insert into account_link (account_id, workspace_id, linked_at) values ('acc', 'w-one', 1)`);
    for (const [ws, name, profile, mail, end] of [
      ['w-one', 'Anna', 'anna', 'anna@invented.example', null],
      ['w-one', 'Ben', 'ben', null, 'unsubscribed'],
      ['w-one', 'Cleo', 'cleo', null, null],
      ['w-two', 'Anna of two', 'anna', 'anna@invented.example', null],
    ] as const) {
      await db.query(
        `insert into lead (id, workspace_id, full_name, profile_id, email, person_id, created_at, updated_at) values (gen_random_uuid(), $1, $2, $3, $4, $5, 1, 1)`,
        [ws, name, profile, mail, united],
      );
      await db.query(
        `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, entered_at, started_at, ended_at, end_reason)
         select gen_random_uuid(), $1::text, 'f-' || $1::text, 'c-' || $1::text, id, person_id, 1, 'n', $3::text, 1, 1, $4::bigint, $5::text from lead where full_name = $2::text`,
        [ws, name, end ? 'suppressed' : 'completed', end ? 500 : 600, end],
      );
    }
    for (const [kind, value] of [
      ['profile', 'anna'],
      ['profile', 'ben'],
      ['profile', 'cleo'],
      ['mail', null],
    ])
      await db.query(
        `insert into person_alias (kind, value, person_id) values ($1, coalesce($2, app.mail_hash('anna@invented.example')), $3)`,
        [kind, value, united],
      );
    for (const [name, node, at] of [
      ['Anna', 'n0', 100],
      ['Ben', 'n1', 200],
      ['Anna of two', 'n0', 300],
    ] as const) {
      const key = (
        await one<{ key: string }>(
          `select 'm:' || person_id || ':' || workflow_id || ':' || $2::text as key from run where lead_id = (select id from lead where full_name = $1)`,
          [name, node],
        )
      ).key;
      const { id } = await one<{ id: string }>(
        `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, send_key, state, epoch, target, claimed_at, dispatched_at)
         select gen_random_uuid(), r.workspace_id, r.workflow_id, r.campaign_id, r.id, $2::text, r.lead_id, r.person_id, 'acc', 'message', $3::text, 'confirmed', 1,
           jsonb_build_object('publicId', l.profile_id, 'providerId', 'ACo' || l.profile_id), $4::bigint, $4::bigint
         from run r join lead l on l.id = r.lead_id where l.full_name = $1 returning id`,
        [name, node, key, at],
      );
      await db.query(
        `insert into send_key (key, person_id, workspace_id, send_id, taken_at) select $1, person_id, workspace_id, id, 1 from send where id = $2`,
        [key, id],
      );
    }
    for (const ws of ['w-one', 'w-two']) {
      await db.query(
        `insert into contact_log (person_id, workspace_id, campaign_id, workflow_id, account_id, last_at, touches) values ($1::uuid, $2::text, 'c-' || $2::text, 'f-' || $2::text, 'acc', 300, 2)`,
        [united, ws],
      );
      await db.query(
        `insert into contact_claim (scope_key, person_id, workspace_id, run_id, taken_at)
         select 'workspace:' || $2::text, $1::uuid, $2::text, r.id, 1 from run r join lead l on l.id = r.lead_id where r.workspace_id = $2::text and l.profile_id = 'anna'`,
        [united, ws],
      );
    }
    await db.query(
      `insert into suppression (id, workspace_id, level, kind, value, person_id, source, removable, created_at)
       values (gen_random_uuid(), 'w-one', 'workspace', 'person', $1::text, $1::uuid, 'unsubscribe', false, 500)`,
      [united],
    );
    await db.query(
      `insert into relation (account_id, person_id, provider_id, state) values ('acc', $1, 'ACoanna', 'connected')`,
      [united],
    );
  }

  it('are a person of each agency, and those whom different profiles disprove are several', async () => {
    const people = [await lead('Anna'), await lead('Ben'), await lead('Cleo'), await lead('Anna of two')];
    expect(people.map(({ scope }) => scope)).to.deep.equal(['agency:one', 'agency:one', 'agency:one', 'agency:two']);
    expect(new Set(people.map(({ person }) => person)).size).to.equal(4);
    const aliases = await rows<{ scope: string; value: string }>(
      `select scope, value from person_alias where kind = 'profile' order by 1, 2`,
    );
    expect(aliases.map(({ scope, value }) => `${scope} ${value}`)).to.deep.equal([
      'agency:one anna',
      'agency:one ben',
      'agency:one cleo',
      'agency:two anna',
    ]);
  });

  it('send keys, claims and contacts stay with the agency that wrote them: nothing is sent again', async () => {
    for (const [name, nodes] of [
      ['Anna', ['n0']],
      ['Ben', ['n1']],
      ['Cleo', []],
      ['Anna of two', ['n0']],
    ] as const) {
      const { person } = await lead(name);
      const keys = await rows<{ key: string }>(
        `select k.key from send_key k join send s on s.id = k.send_id and s.person_id = k.person_id and s.send_key = k.key
         where k.person_id = $1`,
        [person],
      );
      const ws = name === 'Anna of two' ? 'w-two' : 'w-one';
      expect(keys.map(({ key }) => key)).to.deep.equal(nodes.map((node) => `m:${person}:f-${ws}:${node}`));
    }
    const claims = await rows<{ scope_key: string; person: string }>(
      'select scope_key, person_id as person from contact_claim order by 1',
    );
    expect(claims).to.deep.equal([
      { scope_key: 'workspace:w-one', person: (await lead('Anna')).person },
      { scope_key: 'workspace:w-two', person: (await lead('Anna of two')).person },
    ]);
    for (const name of ['Anna', 'Ben', 'Anna of two'])
      expect(
        await rows('select 1 from contact_log where person_id = $1', [(await lead(name)).person]),
        name,
      ).to.have.length(1);
  });

  it('who asked to stop is excluded where he asked, and nobody else is', async () => {
    const barred = async (ws: string): Promise<string[]> =>
      (
        await app.query<{ full_name: string }>(
          `select l.full_name from app.suppressed_leads($1, null, array(select id from lead where workspace_id = $1), 1000) s
           join lead l on l.id = s.lead_id order by 1`,
          [ws],
        )
      ).rows.map((row) => row.full_name);
    expect(await barred('w-one')).to.deep.equal(['Ben']);
    expect(await barred('w-two')).to.deep.equal([]);
  });

  it('what the account knows is of the one to whom it was proven', async () => {
    expect(await rows('select person_id, provider_id, state from relation')).to.deep.equal([
      { person_id: (await lead('Anna')).person, provider_id: 'ACoanna', state: 'connected' },
    ]);
  });

  it('settling again changes nothing', async () => {
    const before = await rows('select id, scope from person order by 1');
    expect(await one('select app.settle_scopes() as n')).to.deep.equal({ n: 0 });
    expect(await rows('select id, scope from person order by 1')).to.deep.equal(before);
  });
});

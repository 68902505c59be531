import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../../tools/kube.ts';
import { testPostgres } from '../../tools/postgres.ts';

const OPTIONS = '-c search_path=outrider,app,public -c app.platform=on';

describe('persons who turn out to be one while others find so too', function () {
  this.timeout(60_000);
  let first: pg.Client;
  let second: pg.Client;
  let watch: pg.Client;
  let ws: string;
  /** Three persons of one human and a lead of each, oldest id first. */
  let persons: string[];
  let leads: string[];

  before(async () => {
    const { superuserUrl } = await (await testPostgres()).product();
    [first, second, watch] = [1, 2, 3].map(
      () => new pg.Client({ connectionString: superuserUrl, options: OPTIONS }),
    ) as [pg.Client, pg.Client, pg.Client];
    for (const client of [first, second, watch]) await client.connect();
  });
  after(async () => {
    for (const client of [first, second, watch]) await client.end();
  });
  beforeEach(async () => {
    ws = `ws-${randomUUID()}`;
    persons = [randomUUID(), randomUUID(), randomUUID()].sort();
    leads = [randomUUID(), randomUUID(), randomUUID()];
    await watch.query('insert into person (id, scope, created_at) select unnest($1::uuid[]), $2, 1', [
      persons,
      `workspace:${ws}`,
    ]);
    await watch.query(
      `insert into lead (id, workspace_id, full_name, profile_id, person_id, created_at, updated_at) select l, $3, 'Ada', l::text, p, 1, 1 from unnest($1::uuid[], $2::uuid[]) u (l, p)`,
      [leads, persons, ws],
    );
    await watch.query(
      `insert into person_alias (scope, kind, value, person_id) select $3, 'profile', l::text, p from unnest($1::uuid[], $2::uuid[]) u (l, p)`,
      [leads, persons, `workspace:${ws}`],
    );
  });

  const merge = (client: pg.Client, from: number, into: number): Promise<unknown> =>
    client.query('select app.merge_person($1, $2)', [persons[from], persons[into]]);

  /** Does the second while the first is not committed yet. */
  async function meanwhile(one: () => Promise<unknown>, other: () => Promise<unknown>): Promise<void> {
    await first.query('begin');
    await one();
    let over = false;
    const running = other().finally(() => {
      over = true;
    });
    await eventually('it waits, or is over', async () => over || (await watch.query(WAITING)).rows.length > 0);
    await first.query('commit');
    await running;
  }

  async function expectOne(): Promise<void> {
    const known = await watch.query<{ of: string; person: string }>(
      `select 'lead' as of, person_id as person from lead where id = any ($1::uuid[]) union all select 'alias', person_id from person_alias where value = any ($1::text[])
       union all select 'now', app.person_now(p) from unnest($2::uuid[]) p`,
      [leads, persons],
    );
    expect(known.rows.filter(({ person }) => person !== persons[0])).to.deep.equal([]);
  }

  it('are one: the second is found to be the first while the third is found to be the second', async () => {
    await meanwhile(
      () => merge(first, 2, 1),
      () => merge(second, 1, 0),
    );
    await expectOne();
  });

  it('are one: the third is found to be the second while the second is found to be the first', async () => {
    await meanwhile(
      () => merge(first, 1, 0),
      () => merge(second, 2, 1),
    );
    await expectOne();
  });

  it('are one for a lead, too, that becomes known as the second meanwhile', async () => {
    const lead = randomUUID();
    leads.push(lead);
    await watch.query(
      `insert into lead (id, workspace_id, full_name, email, created_at, updated_at) values ($1::uuid, $2, 'Ada', $1 || '@x.example', 1, 1)`,
      [lead, ws],
    );
    await watch.query(
      `insert into person_alias (scope, kind, value, person_id) values ($3, 'mail', app.mail_hash($1 || '@x.example'), $2)`,
      [lead, persons[1], `workspace:${ws}`],
    );
    await meanwhile(
      () => first.query('select app.resolve_persons($1, 1)', [[lead]]),
      () => merge(second, 1, 0),
    );
    await merge(second, 2, 0);
    await expectOne();
  });

  it('are one for a lead whose company is found meanwhile', async () => {
    await watch.query(`update lead set company = 'Acme', company_key = 'acme' where id = $1`, [leads[1]]);
    await watch.query('update lead set profile_id = null where id = $1', [leads[1]]);
    await meanwhile(
      () => merge(first, 1, 0),
      () => second.query('select app.complete_leads($1, 1)', [[leads[1]]]),
    );
    await merge(second, 2, 0);
    await expectOne();
  });
});

const WAITING = `select 1 from pg_locks l where not l.granted and l.pid in (select a.pid from pg_stat_activity a where a.datname = current_database())`;

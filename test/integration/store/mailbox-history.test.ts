import { expect } from 'chai';
import pg from 'pg';
import { rowsRead } from '../../fixtures/store/rows-read.ts';
import { testPostgres } from '../../tools/postgres.ts';

const SENT = 50_000;
/** Mails of a mailbox that are looked through, the newest first. */
const NEWEST = 20_000;

/** Mail g went to person g, at `p<g>@c<g>.example`, in run g, which has ended; the higher the newer. */
const HISTORY = [
  `insert into send (id, workspace_id, workflow_id, campaign_id, run_id, node_id, lead_id, person_id, account_id, action, state, epoch, target, claimed_at, dispatched_at, settled_at)
     select md5('send' || g)::uuid, 'ws', 'flow', 'camp', md5('run' || g)::uuid, 'n0', md5('lead' || g)::uuid, md5('person' || g)::uuid, 'box', 'mail', 'confirmed', 1,
       jsonb_build_object('to', 'p' || g || '@c' || g || '.example', 'subject', 'Hello', 'givenId', '<' || g || '@given>'), g, g, g from generate_series(1, $1::int) g`,
  `insert into run (id, workspace_id, workflow_id, campaign_id, lead_id, person_id, graph_version, node_id, state, entered_at, started_at, account_id, ended_at)
     select md5('run' || g)::uuid, 'ws', 'flow', 'camp', md5('lead' || g)::uuid, md5('person' || g)::uuid, 1, 'n0', 'completed', 1, 1, 'box', 5 from generate_series(1, $1::int) g`,
];

describe('a mailbox that sent for years', function () {
  this.timeout(120_000);
  let client: pg.Client;

  before(async () => {
    const urls = await (await testPostgres()).product();
    client = new pg.Client({ connectionString: urls.superuserUrl, options: '-c search_path=outrider,app,public' });
    await client.connect();
    for (const statement of HISTORY) await client.query(statement, [SENT]);
    await client.query(
      `insert into person (id, created_at) select md5('person' || g)::uuid, 1 from generate_series(1, 2) g`,
    );
    await client.query(
      `insert into person_alias (kind, value, person_id) select 'mail', app.mail_hash('p1@c1.example'), md5('person1')::uuid`,
    );
    await client.query('vacuum analyze send, run');
    await client.query(`select set_config('app.platform', 'on', false)`);
  });
  after(() => client.end());

  async function reads<T>(work: () => Promise<T>): Promise<{ read: number; found: T }> {
    const before = await rowsRead(client);
    const found = await work();
    return { read: (await rowsRead(client)) - before, found };
  }
  const expects = async (): Promise<boolean> =>
    (await client.query<{ expects: boolean }>(`select app.mailbox_expects('box') as expects`)).rows[0]?.expects ??
    false;
  /** Which mail this one answers, by its number; null: none. */
  const answered = async (mail: object): Promise<{ to: number | null; named: boolean | null }> => {
    const asked = {
      uid: 1,
      sendIds: [],
      mentions: [],
      from: 'x@elsewhere.example',
      domain: null,
      subject: '',
      ...mail,
    };
    const { rows } = await client.query<{ at: string; named: boolean }>(
      `select s.claimed_at as at, m.named from app.match_mails('box', $1) m join send s on s.id = m.send_id`,
      [JSON.stringify([asked])],
    );
    return { to: rows[0] ? Number(rows[0].at) : null, named: rows[0]?.named ?? null };
  };
  const sendId = async (mail: number): Promise<string> =>
    (await client.query<{ id: string }>(`select md5('send' || $1::int)::uuid as id`, [mail])).rows[0]?.id ?? '';
  const end = (mail: number, at: number | null): Promise<unknown> =>
    client.query(`update run set ended_at = $2 where id = md5('run' || $1::int)::uuid`, [mail, at]);

  it('whether it expects news is known from its newest mails', async () => {
    await end(1, null);
    const none = await reads(expects);
    expect(none.found, 'only its first mail is of a live run').to.equal(false);
    expect(none.read).to.be.within(1, 2.5 * NEWEST);
    await end(SENT, null);
    const one = await reads(expects);
    expect(one.found).to.equal(true);
    expect(one.read, 'the newest first').to.be.below(1_000);
  });

  it('a mail by hand and an invitation of the last days wait for an answer too', async () => {
    await end(1, 5);
    await end(SENT, 5);
    const made = `update send set run_id = null, action_id = gen_random_uuid(), action = $2, dispatched_at = $3 where id = md5('send' || $1::int)::uuid`;
    const back = `update send set run_id = md5('run' || $1::int)::uuid, action_id = null, action = 'mail', dispatched_at = $1 where id = md5('send' || $1::int)::uuid`;
    await client.query(`select set_config('app.now', '2000000000000', false)`);
    const found: boolean[] = [];
    for (const [action, days] of [
      ['mail', 13],
      ['invitation', 13],
      ['mail', 15],
      ['message', 1],
    ] as const) {
      await client.query(made, [SENT, action, 2_000_000_000_000 - days * 86_400_000]);
      found.push(await expects());
    }
    expect(found).to.deep.equal([true, true, false, false]);
    await client.query(back, [SENT]);
  });

  it('a mail is matched with the newest, by whatever says that it answers', async () => {
    const { read, found } = await reads(() => answered({ from: `p${SENT}@c${SENT}.example` }));
    expect(found).to.deep.equal({ to: SENT, named: false });
    expect(read).to.be.within(1, 1.5 * NEWEST);
    const colleague = { from: `q@c${SENT}.example`, domain: `c${SENT}.example`, subject: 'hello' };
    expect(await answered(colleague)).to.deep.equal({ to: SENT, named: false });
    expect(await answered({ mentions: [`<${SENT}@given>`] })).to.deep.equal({ to: SENT, named: true });
  });

  it('and however old it is, by our Message-ID and by the address of a person that is known by it', async () => {
    expect(await answered({ sendIds: [await sendId(2)] })).to.deep.equal({ to: 2, named: true });
    expect(await answered({ from: 'P1@c1.example' })).to.deep.equal({ to: 1, named: false });
    expect((await answered({ mentions: ['<2@given>'] })).to, 'another Message-ID').to.equal(null);
  });
});

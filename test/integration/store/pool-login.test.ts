import { expect } from 'chai';
import { Database, type Tx } from '../../../pkg/postgres/database.ts';
import { renewClaims } from '../../../pkg/store/leases/renewals.ts';
import { addCampaign, addLead, addWorkspace } from '../../fixtures/engine/rows.ts';
import { testPostgres } from '../../tools/postgres.ts';

/** All workspaces of a pool share the connections of one login: what a transaction sees is what its own claim proves, and nothing else. */
describe('the login of a process that serves many workspaces', function () {
  this.timeout(60_000);
  let app: Database;
  /** One connection: every transaction follows another workspace's on the same session. */
  let executor: Database;
  const tokens = new Map<string, string>();

  before(async () => {
    const urls = await (await testPostgres()).product();
    app = new Database({ url: urls.appUrl, max: 2, applicationName: 'test' });
    executor = new Database({ url: urls.executorUrl, max: 1, applicationName: 'test', prepare: true, pipeline: true });
    for (const id of ['ws-a', 'ws-b', 'ws-sleeps']) {
      await addWorkspace(app, { id });
      await addCampaign(app, id, {}, `camp-of-${id}`);
      await addLead(app, id, { firstName: id });
    }
    for (const id of ['ws-a', 'ws-b']) tokens.set(id, await claimed(id));
  });
  after(async () => {
    await app.close();
    await executor.close();
  });

  const claimed = async (id: string, holder = 'pool-pod'): Promise<string> => {
    const row = await app.tx({ kind: 'platform' }, (tx) =>
      tx.row<{ token: string }>(`select token from take_claim('workspace', $1, $2)`, [id, holder]),
    );
    return row?.token ?? '';
  };
  const as = <T>(id: string, work: (tx: Tx) => Promise<T>): Promise<T> =>
    executor.tx({ kind: 'claim', token: tokens.get(id) ?? '' }, work);
  const seen = async (tx: Tx): Promise<string[]> => {
    const campaigns = await tx.rows<{ id: string }>('select id from campaign order by id');
    const leads = await tx.rows<{ id: string }>('select workspace_id as id from lead where workspace_id is not null');
    return [...campaigns, ...leads].map((row) => row.id);
  };

  it('sees one workspace per transaction, whichever came before on the connection, also with many at once', async () => {
    for (const id of ['ws-a', 'ws-b', 'ws-b', 'ws-a']) expect(await as(id, seen)).to.deep.equal([`camp-of-${id}`, id]);
    const turns = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? 'ws-a' : 'ws-b'));
    const all = await Promise.all(turns.map((id) => as(id, seen)));
    for (const [index, id] of turns.entries()) expect(all[index]).to.deep.equal([`camp-of-${id}`, id]);
  });

  it('reads and writes nothing of another workspace of its own process within a transaction of one', async () => {
    const refused = (work: (tx: Tx) => Promise<unknown>): Promise<string> =>
      as('ws-a', work).then(String, (error: Error) => error.message);
    expect(await as('ws-a', (tx) => tx.rows(`select 1 from campaign where workspace_id = 'ws-b'`))).to.deep.equal([]);
    await app.tx({ kind: 'platform' }, (tx) =>
      tx.exec(`insert into workspace_wake (workspace_id, due_at) values ('ws-b', 5)`),
    );
    expect(
      await as('ws-a', (tx) => tx.exec(`update workspace_wake set due_at = 9 where workspace_id = 'ws-b'`)),
    ).to.equal(0);
    expect(await refused((tx) => tx.exec(`update lead set first_name = 'x' where workspace_id = 'ws-b'`))).to.match(
      /permission denied/,
    );
    const insert = (tx: Tx): Promise<number> =>
      tx.exec(`insert into workspace_wake (workspace_id, due_at) values ('ws-sleeps', 0)`);
    expect(await refused(insert)).to.match(/row-level security/);
  });

  it('a setting that a workspace leaves on the connection, or the proof of another, opens nothing', async () => {
    const token = tokens.get('ws-a') ?? '';
    await as('ws-a', (tx) =>
      tx.exec(`select set_config('app.claim_token', $1, false), set_config('app.entered', 'on', false)`, [token]),
    );
    expect(await as('ws-b', seen)).to.deep.equal(['camp-of-ws-b', 'ws-b']);
    // The token of a workspace is its own permission; without one that holds there is none.
    const forged = token.replace('ws-a', 'ws-b');
    const none = await executor.tx({ kind: 'none' }, async (tx) => {
      await tx.exec(`select set_config('app.claim_token', $1, true), set_config('app.entered', 'on', true)`, [forged]);
      return seen(tx);
    });
    expect(none).to.deep.equal([]);
    await executor.tx({ kind: 'none' }, (tx) =>
      tx.exec(`select set_config('app.claim_token', '', false), set_config('app.entered', '', false)`),
    );
    expect(await executor.tx({ kind: 'none' }, seen)).to.deep.equal([]);
  });

  it('reaches nobody whom it has not claimed, and nothing of seats and members', async () => {
    const forged = (tokens.get('ws-a') ?? '').replace('ws-a', 'ws-sleeps');
    const refused = await executor
      .tx({ kind: 'claim', token: forged }, seen)
      .then(String, (error: Error) => error.name);
    expect(refused).to.equal('FencedError');
    for (const table of ['pool_seat', 'pool_member', 'claim'])
      expect(
        await as('ws-a', (tx) => tx.rows(`select * from ${table}`)).then(String, (error: Error) => error.message),
      ).to.equal(`permission denied for table ${table}`);
  });

  it('is fenced in the workspace that another took over, and in no other', async () => {
    await app.tx({ kind: 'platform' }, (tx) =>
      tx.exec(`update claim set expires_at = clock_timestamp() - interval '1 s' where key = 'ws-b'`),
    );
    await claimed('ws-b', 'another-pod');
    expect(await as('ws-b', seen).then(String, (error: Error) => error.name)).to.equal('FencedError');
    expect(await as('ws-a', seen)).to.deep.equal(['camp-of-ws-a', 'ws-a']);
  });

  it('renews many at once: each answer is of its own token, what is lost or forged gets none and spoils no other', async () => {
    const lost = tokens.get('ws-b') ?? '';
    const token = tokens.get('ws-a') ?? '';
    const renew = (all: string[]) => executor.tx({ kind: 'none' }, (tx) => renewClaims(tx, all, 30));
    const [none, mine, forged, garbage] = await renew([lost, token, token.replace('ws-a', 'ws-sleeps'), 'workspace|x']);
    expect([none, forged, garbage]).to.deep.equal([undefined, undefined, undefined]);
    expect(mine).to.include({ drain: false });
    expect(mine?.token).to.match(/^workspace\|ws-a\|1\|/);
    await app.tx({ kind: 'platform' }, (tx) => tx.exec(`update claim set drain_epoch = epoch where key = 'ws-a'`));
    expect((await renew([token]))[0]).to.include({ drain: true });
    // A transaction that renewed proves nothing for what comes after it.
    const after = await executor.tx({ kind: 'none' }, async (tx) => {
      await renewClaims(tx, [token], 30);
      return seen(tx);
    });
    expect(after, 'the token is set, and it is its own').to.deep.equal(['camp-of-ws-a', 'ws-a']);
    expect(await executor.tx({ kind: 'none' }, seen)).to.deep.equal([]);
  });
});

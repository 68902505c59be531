import { expect } from 'chai';
import { systemIds } from '../../../pkg/base/ids.ts';
import { verifyAudit } from '../../../pkg/store/audit/verify-audit.ts';
import { keepPasskey, passkeysOf } from '../../../pkg/store/console/passkeys.ts';
import { giveUserKey } from '../../../pkg/store/tenancy/give-user-key.ts';
import { ConsoleClient, claimToken } from '../../fixtures/console/console-client.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';

const ADA = { email: 'ada@example.com', name: 'Ada Admin' };
const CLAIM = '/console/api/sign-in/claim';

describe('signing in to the console', () => {
  let mcp: Harness;

  before(async () => {
    mcp = await startMcp();
    await mcp.workspace('acme');
  });
  after(() => mcp?.stop());

  const claimed = async (about: object = {}): Promise<ConsoleClient> => {
    const client = new ConsoleClient(mcp.url);
    const token = await claimToken(mcp, ['acme']);
    const answer = await client.ask(CLAIM, { body: { token, ...ADA, ...about } });
    expect(answer.status, answer.text).to.equal(200);
    return client;
  };

  it('makes whoever has the claim link an admin of the platform and of the workspaces that it names', async () => {
    const { json } = await (await claimed()).ask('/console/api/me');
    expect(json['user']).to.include({ email: ADA.email, name: ADA.name, admin: true });
    const [workspace] = json['workspaces'] as { workspaceId: string; role: string; scopes: string[] }[];
    expect(workspace).to.include({ workspaceId: 'acme', role: 'admin' });
    expect(workspace?.scopes).to.include('workflows:write').and.include('admin:write');
  });

  it('takes a claim link once, also of two who use it at the same moment', async () => {
    const token = await claimToken(mcp);
    const [one, other] = [new ConsoleClient(mcp.url), new ConsoleClient(mcp.url)];
    const both = await Promise.all([one, other].map((client) => client.ask(CLAIM, { body: { token, ...ADA } })));
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 410]);
    expect((await new ConsoleClient(mcp.url).ask(CLAIM, { body: { token, ...ADA } })).status).to.equal(410);
  });

  it('takes no claim link that is an hour old, and none once another was used', async () => {
    const [old, open, used] = [await claimToken(mcp), await claimToken(mcp), await claimToken(mcp)];
    const client = new ConsoleClient(mcp.url);
    await mcp.platform((tx) =>
      tx.exec(
        `update console_link set expires_at = clock_timestamp() - interval '1 second'
         where token_hash = sha256(convert_to($1, 'UTF8'))`,
        [old],
      ),
    );
    expect((await client.ask(CLAIM, { body: { token: old, ...ADA } })).status).to.equal(410);
    expect((await client.ask(CLAIM, { body: { token: used, ...ADA } })).status).to.equal(200);
    expect((await client.ask(CLAIM, { body: { token: open, ...ADA } })).status).to.equal(410);
  });

  it('a GET of a link burns nothing', async () => {
    const token = await claimToken(mcp);
    const client = new ConsoleClient(mcp.url);
    for (const method of ['GET', 'HEAD']) await client.ask(`/console/claim/${token}`, { method });
    expect((await client.ask(CLAIM, { method: 'GET' })).status).to.equal(404);
    expect((await client.ask(CLAIM, { body: { token, ...ADA } })).status).to.equal(200);
  });

  it('refuses a claim without an address or a name, and burns nothing by it', async () => {
    const token = await claimToken(mcp);
    const client = new ConsoleClient(mcp.url);
    for (const wrong of [{ email: 'nobody' }, { name: '' }, { name: 'a\u0000b' }, { more: 1 }, { token: 7 }])
      expect((await client.ask(CLAIM, { body: { token, ...ADA, ...wrong } })).status).to.equal(400);
    expect((await client.ask(CLAIM, { body: { token, ...ADA } })).status).to.equal(200);
  });

  it('sets a cookie that no script, no neighbour and no other path gets', async () => {
    const client = new ConsoleClient(mcp.url);
    const { headers } = await client.ask(CLAIM, { body: { token: await claimToken(mcp), ...ADA } });
    expect(headers.getSetCookie()).to.have.length(1);
    expect(headers.getSetCookie()[0]).to.match(
      /^__Host-outrider=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
  });

  it('keeps no token: the database has hashes only', async () => {
    const client = await claimed();
    const token = client.cookie?.split('=')[1] ?? '';
    const found = await mcp.platform((tx) =>
      tx.row(`select 1 from console_session s where s::text like '%' || $1 || '%'`, [token]),
    );
    expect(found).to.equal(undefined);
  });

  it('gives a new session at each sign-in, and ends the one that the browser had', async () => {
    const client = await claimed();
    const before = client.cookie ?? '';
    expect((await client.ask(CLAIM, { body: { token: await claimToken(mcp), ...ADA } })).status).to.equal(200);
    expect(client.cookie).not.to.equal(before);
    client.cookie = before;
    expect((await client.ask('/console/api/me')).status).to.equal(401);
  });

  it('never takes a session that somebody else chose', async () => {
    const client = new ConsoleClient(mcp.url);
    const planted = `__Host-outrider=${'A'.repeat(43)}`;
    client.cookie = planted;
    await client.ask(CLAIM, { body: { token: await claimToken(mcp), ...ADA } });
    expect(client.cookie).not.to.equal(planted);
    client.cookie = planted;
    expect((await client.ask('/console/api/me')).status).to.equal(401);
  });

  it('takes no cookie of another name, and none of two', async () => {
    const client = await claimed();
    const own = client.cookie ?? '';
    const token = own.split('=')[1] ?? '';
    for (const cookie of [
      `outrider=${token}`,
      `__host-outrider=${token}`,
      `${own}; __Host-outrider=${'A'.repeat(43)}`,
      `__Host-outrider=${'A'.repeat(43)}; ${own}`,
      `__Host-outrider="${token}"`,
      '__Host-outrider=',
    ]) {
      client.cookie = cookie;
      expect((await client.ask('/console/api/me')).status, cookie).to.equal(401);
    }
    client.cookie = `theme=dark; ${own}; x=y`;
    expect((await client.ask('/console/api/me')).status).to.equal(200);
  });

  it('tells who is signed out how they could sign in', async () => {
    const { status, json } = await new ConsoleClient(mcp.url).ask('/console/api/me');
    expect(status).to.equal(401);
    expect(json['signIn']).to.deep.equal({ mail: false, oidc: null, passkey: false });
  });

  it('signs out: one browser, or all of the user', async () => {
    const user = await mcp.user({ member: 'acme' });
    const [one, two, three] = [
      await ConsoleClient.signedIn(mcp, user),
      await ConsoleClient.signedIn(mcp, user),
      await ConsoleClient.signedIn(mcp, user),
    ];
    const kept = one.cookie;
    expect((await one.ask('/console/api/sign-out', { body: {} })).status).to.equal(204);
    expect(one.cookie).to.equal(undefined);
    one.cookie = kept;
    expect((await one.ask('/console/api/me')).status).to.equal(401);
    expect((await two.ask('/console/api/me')).status).to.equal(200);
    await two.ask('/console/api/sign-out', { body: { everywhere: true } });
    expect((await three.ask('/console/api/me')).status).to.equal(401);
  });

  it('ends after 12 hours without use and after 30 days with it, and each use moves the 12 hours on', async () => {
    const user = await mcp.user({ member: 'acme' });
    const client = await ConsoleClient.signedIn(mcp, user);
    const back = (hours: number, column = 'seen_at = seen_at - $2::interval, expires_at = expires_at - $2::interval') =>
      mcp.platform((tx) =>
        tx.exec(`update console_session set ${column} where user_id = $1`, [user, `${hours} hours`]),
      );
    for (let time = 0; time < 3; time++) {
      await back(11);
      const answer = await client.ask('/console/api/me');
      expect(answer.status).to.equal(200);
      expect(answer.headers.getSetCookie()[0]).to.include('Max-Age=43200');
    }
    await back(12);
    expect((await client.ask('/console/api/me')).status).to.equal(401);
    const busy = await ConsoleClient.signedIn(mcp, user);
    await back(31 * 24, 'signed_in_at = signed_in_at - $2::interval');
    expect((await busy.ask('/console/api/me')).status).to.equal(401);
  });

  it('ends everywhere, passkeys too, when the platform gives another key to who lost theirs', async () => {
    const user = await mcp.user({ member: 'acme' });
    const client = await ConsoleClient.signedIn(mcp, user);
    const credential = { credentialId: Buffer.from('c'), publicKey: Buffer.from('k'), counter: 0, transports: [] };
    await mcp.platform((tx) => keepPasskey(tx, { id: systemIds.uuid(), userId: user, name: 'Laptop', ...credential }));
    const asked = { email: `${user}@test.example`, id: systemIds.uuid(), now: 1 };
    await mcp.platform((tx) => giveUserKey(tx, { ...asked, revokeOthers: false }));
    expect((await client.ask('/console/api/me')).status).to.equal(200);
    await mcp.platform((tx) => giveUserKey(tx, { ...asked, id: systemIds.uuid(), revokeOthers: true }));
    expect((await client.ask('/console/api/me')).status).to.equal(401);
    expect(await mcp.platform((tx) => passkeysOf(tx, user))).to.deep.equal([]);
  });

  it('is on record with the ways in and out', async () => {
    const client = await claimed({ email: 'audited@example.com' });
    await client.ask('/console/api/sign-out', { body: {} });
    const named = async (): Promise<string[]> =>
      (
        await mcp.platform((tx) =>
          tx.rows<{ tool: string }>(
            `select e.tool from audit_event e join app_user u on u.id::text = e.actor_id
             where u.email = 'audited@example.com' order by e.seq`,
          ),
        )
      ).map(({ tool }) => tool);
    while ((await named()).length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await named()).to.deep.equal(['console_sign_in_by_claim', 'console_sign_out']);
    const kept = await mcp.platform((tx) =>
      tx.rows<{ tool: string; logged: boolean }>(
        `select w.tool, exists (select 1 from audit_event e where e.id = w.id and e.outcome = 'ok') as logged
         from audit_write w join app_user u on u.id::text = w.actor_id
         where u.email = 'audited@example.com' order by w.id`,
      ),
    );
    expect(kept, 'each was committed with its record').to.deep.equal([
      { tool: 'console_sign_in_by_claim', logged: true },
      { tool: 'console_sign_out', logged: true },
    ]);
    expect(await verifyAudit(mcp.db)).to.deep.include({ broken: null });
  });

  it('ends with the last membership, and for a user who is none any more', async () => {
    const user = await mcp.user({ member: 'acme' });
    const client = await ConsoleClient.signedIn(mcp, user);
    await mcp.platform((tx) => tx.exec('delete from member where user_id = $1', [user]));
    expect((await client.ask('/console/api/me')).status).to.equal(401);
    const other = await mcp.user({ member: 'acme' });
    const unproven = await ConsoleClient.signedIn(mcp, other);
    await mcp.platform((tx) => tx.exec('update app_user set unproven = true where id = $1', [other]));
    expect((await unproven.ask('/console/api/me')).status).to.equal(401);
  });
});

import { expect } from 'chai';
import { Events, OAuth2Server } from 'oauth2-mock-server';
import { SystemClock } from '../../../../pkg/base/clock.ts';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { Sealer } from '../../../../pkg/base/sealer.ts';
import { refreshTokenOf } from '../../../../pkg/tools/integrations/oauth/granted-credentials.ts';
import { type RenewalDeps, renewNext } from '../../../../pkg/tools/integrations/oauth/renew-grants.ts';
import type { Connections } from '../../../../pkg/tools/tool-context.ts';
import { MONDAY } from '../../../fixtures/tools/mcp-fixture.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

interface Connected {
  integrationId: string;
  status: string;
  authUrl: string;
}
interface Stored {
  status: string;
  url: string;
  text: string;
  sealed: Buffer | null;
  ends: number | null;
}

/** A token request as the vendor got it. */
type Form = Record<string, string>;

describe('tools: integrations by OAuth, against a server that speaks it', function () {
  this.timeout(60_000);
  const { signal } = new AbortController();
  const sealer = new Sealer('an installation key of at least 32 characters');
  let vendor: OAuth2Server;
  let connections: Connections;
  let tools: McpTools;
  let acme: ToolUser;
  let member: ToolUser;
  let asked: Form[];

  before(async () => {
    vendor = new OAuth2Server();
    await vendor.issuer.keys.generate('RS256');
    await vendor.start(0, '127.0.0.1');
    const url = vendor.issuer.url ?? '';
    const client = {
      authorizeUrl: `${url}/authorize`,
      tokenUrl: `${url}/token`,
      clientId: 'outrider',
      clientSecret: 'the-secret-of-this-installation',
      scope: 'openid',
      clientAuth: 'body' as const,
    };
    connections = {
      sealer,
      reachOf: (address) => (address.startsWith(url) ? 'any' : 'public'),
      oauth: { hubspot: client, pipedrive: { ...client, clientAuth: 'basic' } },
    };
    let issued = 0;
    vendor.service.on(Events.BeforeResponse, (response, request) => {
      asked.push({ ...(request.body as unknown as Form) });
      Object.assign(response.body as object, { refresh_token: `refresh-${++issued}`, expires_in: 1_800 });
    });
    tools = await startMcpTools(undefined, connections);
    tools.cluster.clock.at = MONDAY;
    acme = await tools.as({ workspace: 'acme' });
    member = await tools.as({ memberOf: ['acme'] });
  });
  after(async () => {
    await tools.stop();
    await vendor.stop();
  });
  beforeEach(() => {
    asked = [];
  });

  const begin = (user = acme, more: object = {}): Promise<Connected> =>
    user.call<Connected>('svc_connect_integration', {
      provider: 'hubspot',
      workspaceId: 'acme',
      name: systemIds.uuid(),
      ...more,
    });
  /** The member allows it: the vendor sends them back. @returns where to */
  async function allow(authUrl: string): Promise<string> {
    const answer = await fetch(authUrl, { redirect: 'manual' });
    return answer.headers.get('location') ?? '';
  }
  const open = (address: string, method = 'GET'): Promise<Response> => fetch(address, { method });
  async function stored(id: string): Promise<Stored> {
    const [row] = await tools.rows<Stored>(
      `select status, url, row_to_json(i)::text as text, sealed, extract(epoch from token_expires_at - clock_timestamp())::int as ends
       from integration i where id = $1`,
      [id],
    );
    if (!row) throw new Error('no integration');
    return row;
  }
  async function connected(): Promise<string> {
    const { integrationId, authUrl } = await begin();
    expect((await open(await allow(authUrl), 'POST')).status).to.equal(200);
    return integrationId;
  }
  async function refreshTokenIn(id: string): Promise<string> {
    const [row] = await tools.rows<{ sealed: Buffer }>(
      'select sealed from integration_grant where integration_id = $1',
      [id],
    );
    return row ? refreshTokenOf(sealer, id, row.sealed) : '';
  }
  const deps = (): RenewalDeps => ({
    db: tools.cluster.db,
    clocks: { product: tools.cluster.clock, real: new SystemClock() },
    ids: systemIds,
    connections,
  });

  it('sends the member to the vendor and takes them back: GET only asks, POST connects, once, with PKCE', async () => {
    const { integrationId, status, authUrl } = await begin(member);
    expect(status).to.equal('needs_auth');
    const query = new URL(authUrl).searchParams;
    expect(query.get('code_challenge_method')).to.equal('S256');
    expect(query.get('redirect_uri')).to.match(/\/oauth\/return$/);
    const back = await allow(authUrl);
    expect(new URL(back).searchParams.get('state')).to.equal(query.get('state'));
    const shown = await (await open(back)).text();
    expect(shown).to.contain('Connect hubspot?').and.contain('acme');
    expect([asked.length, (await stored(integrationId)).status], 'nothing is done by looking').to.deep.equal([
      0,
      'needs_auth',
    ]);
    expect((await open(back, 'POST')).status).to.equal(200);
    const row = await stored(integrationId);
    expect([row.status, row.sealed !== null]).to.deep.equal(['connected', true]);
    expect(row.ends).to.be.within(1_700, 1_800);
    expect(asked[0]).to.include({ grant_type: 'authorization_code', client_id: 'outrider' });
    expect(asked[0]?.['code_verifier']).to.have.length.of.at.least(43);
    expect((await open(back, 'POST')).status, 'a second time').to.equal(410);
    expect(asked).to.have.length(1);
  });

  it('nothing that opens a door stands in a row, or in an answer of a tool', async () => {
    const id = await connected();
    const { text } = await stored(id);
    const credentials = JSON.parse(sealer.open((await stored(id)).sealed ?? Buffer.alloc(0), `integration:${id}`));
    expect(Object.keys(credentials), 'executors get no refresh token').to.have.members(['token', 'oauth']);
    expect(text).not.to.contain(credentials.token).and.not.to.contain('refresh-');
    const listed = JSON.stringify(await acme.call('svc_list_integrations', { limit: 100 }));
    expect(listed).not.to.contain(credentials.token).and.not.to.contain('refresh-');
  });

  it('a way that took longer than ten minutes has ended, and so has one of a state that nobody gave out', async () => {
    const { authUrl } = await begin();
    const back = await allow(authUrl);
    await tools.rows(`update oauth_state set expires_at = clock_timestamp() - interval '1 second'`);
    expect((await open(back, 'POST')).status).to.equal(410);
    const forged = new URL(back);
    forged.searchParams.set('state', 'x'.repeat(43));
    expect((await open(forged.href, 'POST')).status).to.equal(410);
    expect(asked).to.deep.equal([]);
  });

  it('a state is bound to the member: who is none any more, or whose key was revoked, connects nothing', async () => {
    const leaver = await tools.as({ memberOf: ['acme'] });
    const { user } = await leaver.call<{ user: { id: string } }>('svc_whoami');
    const back = await allow((await begin(leaver)).authUrl);
    await tools.force('delete from member where user_id = $1', [user.id]);
    expect((await open(back, 'POST')).status).to.equal(410);
    const revoked = await tools.as({ workspace: 'acme' });
    const other = await allow((await begin(revoked)).authUrl);
    await tools.force(
      `update api_key set revoked_at = 1 where id::text = (select key_id from oauth_state where key_id <> 'internal' order by expires_at desc limit 1)`,
    );
    expect((await open(other, 'POST')).status).to.equal(410);
    expect(asked).to.deep.equal([]);
  });

  it('who says no at the vendor connects nothing; a refused code is told without what was sent', async () => {
    const denied = await begin();
    const state = new URL(denied.authUrl).searchParams.get('state');
    const no = await open(
      `${new URL(denied.authUrl).searchParams.get('redirect_uri')}?error=access_denied&state=${state}`,
    );
    expect([no.status, await no.text()]).to.satisfy(
      ([status, text]: [number, string]) => status === 400 && text.includes('Nothing was connected'),
    );
    const { authUrl, integrationId } = await begin();
    vendor.service.once(Events.BeforeResponse, (response) => {
      response.statusCode = 400;
      response.body = { error: 'invalid_grant', error_description: 'the-secret-of-this-installation' };
    });
    const refused = await open(await allow(authUrl), 'POST');
    expect(refused.status).to.equal(502);
    expect(await refused.text())
      .to.contain('invalid_grant')
      .and.not.contain('the-secret');
    expect((await stored(integrationId)).status).to.equal('needs_auth');
  });

  it('two processes use one refresh token once', async () => {
    const id = await connected();
    const before = await refreshTokenIn(id);
    await tools.rows(
      `update integration set token_expires_at = clock_timestamp() + interval '5 minutes' where id = $1`,
      [id],
    );
    asked = [];
    const did = await Promise.all(Array.from({ length: 6 }, () => renewNext(deps(), signal)));
    expect(did.filter(Boolean)).to.have.length(1);
    expect(asked.map((form) => [form['grant_type'], form['refresh_token']])).to.deep.equal([['refresh_token', before]]);
    expect(await refreshTokenIn(id)).not.to.equal(before);
    expect((await stored(id)).ends).to.be.within(1_700, 1_800);
  });

  it('a refresh token that is worth nothing asks for new credentials; a vendor that is away is asked again later', async () => {
    const id = await connected();
    const soon = (): Promise<unknown> =>
      tools.rows(`update integration set token_expires_at = clock_timestamp() + interval '5 minutes' where id = $1`, [
        id,
      ]);
    await soon();
    vendor.service.once(Events.BeforeResponse, (response) => {
      response.statusCode = 503;
      response.body = {};
    });
    expect(await renewNext(deps(), signal)).to.equal(true);
    expect((await stored(id)).status).to.equal('connected');
    expect(await renewNext(deps(), signal), 'it rests').to.equal(false);
    await tools.rows('update integration_grant set lease_until = null');
    vendor.service.once(Events.BeforeResponse, (response) => {
      response.statusCode = 400;
      response.body = { error: 'invalid_grant' };
    });
    expect(await renewNext(deps(), signal)).to.equal(true);
    expect((await stored(id)).status).to.equal('needs_auth');
    const renewed = await begin(acme, { integrationId: id });
    expect((await open(await allow(renewed.authUrl), 'POST')).status).to.equal(200);
    expect((await stored(id)).status).to.equal('connected');
  });

  it('the secret of the client goes where the vendor wants it', async () => {
    const { authUrl } = await begin(acme, { provider: 'pipedrive' });
    expect((await open(await allow(authUrl), 'POST')).status).to.equal(200);
    expect(asked[0]).not.to.have.property('client_secret');
  });
});

import { expect } from 'chai';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { BareClient, type Choice, Person, pkce, tokensOf } from '../../fixtures/sign-in/person.ts';

const READS: Choice = { workspaces: ['acme'], scopes: { workspace: 'read', campaigns: 'read' } };
const MISSING = 'Send a valid user key (csu_…) or workspace key (cs_…) as Authorization: Bearer <API_KEY>.';
const INVALID = 'This API key is invalid or revoked. Create a new one in the settings of the user or workspace.';

describe('sign-in of chat clients', function () {
  this.timeout(120_000);
  let mcp: Harness;
  let base: string;
  let owner: string;
  let person: Person;

  before(async () => {
    mcp = await startMcp({ signIn: { maxGrants: 50 } });
    base = mcp.url.replace('/mcp', '');
    await mcp.workspace('acme');
    await mcp.workspace('other');
    owner = await mcp.user({ member: 'acme', role: 'owner' });
    person = await Person.signedIn(mcp, owner);
  });
  after(() => mcp.stop());

  const call = async (token: string, name: string, input: object = {}): Promise<{ text: string; isError: boolean }> => {
    const session = await mcp.initialize(token);
    const params = { name, arguments: input };
    const answer = await mcp.post(
      token,
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params },
      {
        'mcp-session-id': session,
      },
    );
    const result = answer.json.result as { content: { text: string }[]; isError?: boolean } | undefined;
    return { text: result?.content[0]?.text ?? answer.text, isError: result?.isError === true };
  };
  /** A call in a session of its own, as a client makes it that was connected before. */
  const opened = async (token: string): Promise<() => Promise<number>> => {
    const session = { 'mcp-session-id': await mcp.initialize(token) };
    const params = { name: 'svc_whoami', arguments: {} };
    return async () => (await mcp.post(token, { jsonrpc: '2.0', id: 2, method: 'tools/call', params }, session)).status;
  };

  describe('what a client finds that knows the address alone', () => {
    it('401 keeps its specified texts and says where the metadata is', async () => {
      const told = `resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`;
      const missing = await mcp.post(undefined, {});
      expect(missing.status).to.equal(401);
      expect(missing.json.error?.message).to.equal(MISSING);
      expect(missing.headers.get('www-authenticate')).to.equal(`Bearer ${told}`);
      const wrong = await mcp.post(`csu_${'0'.repeat(32)}`, {});
      expect(wrong.json.error?.message).to.equal(INVALID);
      expect(wrong.headers.get('www-authenticate')).to.equal(
        `Bearer error="invalid_token", error_description="${INVALID}", ${told}`,
      );
    });

    it('the metadata of resource and server name each other', async () => {
      for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
        const found = (await (await fetch(`${base}${path}`)).json()) as Record<string, unknown>;
        expect(found['resource']).to.equal(mcp.url);
        expect(found['authorization_servers']).to.deep.equal([base]);
      }
      const server = (await (await fetch(`${base}/.well-known/oauth-authorization-server`)).json()) as object;
      expect(server).to.include({ issuer: base, token_endpoint: `${base}/oauth/token` });
      expect(server).to.deep.include({ code_challenge_methods_supported: ['S256'] });
    });

    it('keys work as before', async () => {
      const key = await mcp.key({ workspaceId: 'acme' });
      expect(JSON.parse((await call(key.plaintext, 'svc_whoami')).text)).to.include({ keyType: 'workspace' });
    });
  });

  describe('a person lets a client in', () => {
    it('what it gets is a user key: whoami, the list of keys, and what was not chosen is refused', async () => {
      const client = await BareClient.registered(mcp.url, undefined, 'Listed Chat');
      const tokens = await client.connect(person, READS);
      expect(tokens.scope.split(' ').sort()).to.deep.equal(['campaigns:read', 'workspace:read']);
      const who = JSON.parse((await call(tokens.access, 'svc_whoami')).text);
      expect(who).to.include({ keyType: 'user' });
      expect(who.user.id).to.equal(owner);
      expect(who.workspaces.map((one: { workspaceId: string }) => one.workspaceId)).to.deep.equal(['acme']);
      const keys = JSON.parse(
        (await call(tokens.access, 'svc_list_api_keys', { workspaceId: 'acme', keyType: 'user', detail: 'full' })).text,
      );
      const [listed] = keys.apiKeys.filter((key: { name: string }) => key.name === 'Listed Chat');
      expect(listed).to.include({ keyType: 'user', keyPrefix: who.keyPrefix });
      const refused = await call(tokens.access, 'svc_list_lead_lists', { workspaceId: 'acme' });
      expect(refused.isError).to.equal(true);
      expect(refused.text).to.contain('lead_lists:read');
    });

    it('is ended at once by svc_revoke_api_key, with its renewal', async () => {
      const client = await BareClient.registered(mcp.url);
      const tokens = await client.connect(person, READS);
      const who = await opened(tokens.access);
      expect(await who()).to.equal(200);
      const keyId = await mcp.platform(async (tx) => {
        const row = await tx.row<{ id: string }>('select id from api_key where client_id = $1', [client.clientId]);
        return row?.id ?? '';
      });
      const own = await mcp.key({ userId: owner });
      expect((await call(own.plaintext, 'svc_revoke_api_key', { apiKeyId: keyId })).isError).to.equal(false);
      expect(await who()).to.equal(401);
      expect((await client.renew(tokens.refresh)).json['error']).to.equal('invalid_grant');
    });

    it('does not reach people or spend until the person ticks that, and a refused call says how to get it', async () => {
      const all: Choice = { workspaces: ['acme'], scopes: { campaigns: 'write', workspace: 'write' } };
      const prepares = await (await BareClient.registered(mcp.url)).connect(person, all);
      const input = { workspaceId: 'acme', name: 'a key', scopes: ['campaigns:read'] };
      const refused = await call(prepares.access, 'svc_create_api_key', input);
      expect(refused.isError).to.equal(true);
      expect(refused.text).to.contain('reaches people or spends').and.to.contain('tick');
      for (const [name, scope, given] of [
        ['svc_upsert_lead', 'leads', { workspaceId: 'acme', firstName: 'Cy', addTags: ['go'] }],
        ['svc_update_brand_identity', 'content', { workspaceId: 'acme', description: 'other words' }],
      ] as const) {
        const quiet: Choice = { workspaces: ['acme'], scopes: { [scope]: 'write' } };
        const { access } = await (await BareClient.registered(mcp.url)).connect(person, quiet);
        expect((await call(access, name, given)).text).to.contain(`${name} reaches people or spends`);
      }
      const reaches = await (await BareClient.registered(mcp.url)).connect(person, { ...all, reach: true });
      expect((await call(reaches.access, 'svc_create_api_key', input)).isError).to.equal(false);
    });

    it('who is not signed in goes to the console and comes back to the same page', async () => {
      const client = await BareClient.registered(mcp.url);
      const stranger = new Person(mcp.url);
      const asked = client.authorizeUrl(pkce().challenge);
      const first = await stranger.open(asked);
      expect(first.location?.href).to.equal(`${base}/console/`);
      const pending = (first.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '';
      expect((await stranger.open('/console/', { cookie: pending })).location).to.equal(undefined);
      const back = await person.open('/console/', { cookie: `${person.cookie}; ${pending}` });
      expect(back.location?.href).to.equal(asked);
      expect(back.headers.getSetCookie()[0]).to.contain('__Host-outrider-next=; Max-Age=0');
      expect((await person.open('/console/')).location).to.equal(undefined);
    });

    it('who says no sends the client a refusal with state and issuer', async () => {
      const client = await BareClient.registered(mcp.url);
      const page = await person.open(client.authorizeUrl(pkce().challenge, { state: 'ä &=#' }));
      const { location } = await person.send(page, { ...READS, answer: 'deny' });
      expect(location?.origin).to.equal('https://chat.example');
      expect(Object.fromEntries(location?.searchParams ?? [])).to.include({
        error: 'access_denied',
        state: 'ä &=#',
        iss: base,
      });
    });

    it('the page runs no script, can not be framed, and shows where the answer goes as unverified', async () => {
      const client = await BareClient.registered(mcp.url, undefined, '<img src=x onerror=alert(1)>\u202egnp');
      const page = await person.open(client.authorizeUrl(pkce().challenge));
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).to.contain("default-src 'none'").and.to.contain("frame-ancestors 'none'");
      expect(policy).to.contain("form-action 'self' https://chat.example;");
      expect(page.text).to.not.contain('<img').and.not.contain('\u202e').and.not.contain('<script');
      expect(page.text).to.contain('&lt;img').and.to.contain('chat.example').and.to.contain('unverified');
    });

    it('tokens are renewed, and a narrower scope may be asked for, never a wider one', async () => {
      const client = await BareClient.registered(mcp.url);
      const first = await client.connect(person, READS);
      const wider = await client.renew(first.refresh, { scope: 'campaigns:read campaigns:write' });
      expect(wider.json['error']).to.equal('invalid_scope');
      const narrow = tokensOf((await client.renew(first.refresh, { scope: 'campaigns:read' })).json);
      expect(narrow.scope).to.equal('campaigns:read');
      expect(JSON.parse((await call(narrow.access, 'svc_whoami')).text).scopes).to.deep.equal(['campaigns:read']);
      const whole = tokensOf((await client.renew(narrow.refresh)).json);
      expect(whole.scope.split(' ')).to.have.length(2);
    });

    it('a client gives back: an access token alone, or with its refresh token the whole', async () => {
      const client = await BareClient.registered(mcp.url);
      const first = await client.connect(person, READS);
      const { clientId } = client;
      const wasOpen = await opened(first.access);
      expect(await wasOpen()).to.equal(200);
      expect((await client.post('/oauth/revoke', { token: first.access, client_id: clientId })).status).to.equal(200);
      expect(await wasOpen()).to.equal(401);
      const second = tokensOf((await client.renew(first.refresh)).json);
      const isOpen = await opened(second.access);
      expect(await isOpen()).to.equal(200);
      expect((await client.post('/oauth/revoke', { token: second.refresh, client_id: clientId })).status).to.equal(200);
      expect(await isOpen()).to.equal(401);
      expect((await client.post('/oauth/revoke', { token: 'nothing', client_id: clientId })).status).to.equal(200);
    });

    it('grants have a bound of their own beside the keys', async () => {
      const few = await startMcp({ db: mcp.db, signIn: { maxGrants: 1 }, maxKeys: 2 });
      try {
        const user = await mcp.user({ member: 'acme' });
        const [one, two] = [await BareClient.registered(few.url), await BareClient.registered(few.url)];
        const someone = await Person.signedIn(few, user);
        await one.connect(someone, READS);
        const sent = await someone.send(await someone.open(two.authorizeUrl(pkce().challenge)), READS);
        expect(sent.location).to.equal(undefined);
        expect(sent.text).to.contain('You have allowed 1 clients already');
      } finally {
        await few.stop();
      }
    });
  });
});

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { expect } from 'chai';
import { SystemClock } from '../../../pkg/base/clock.ts';
import type { AskOutside } from '../../../pkg/mcp/sign-in/client-documents.ts';
import { signInJob } from '../../../pkg/mcp/sign-in/sign-in-job.ts';
import { exchange } from '../../../pkg/providers/outside-http.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { BareClient, type Choice, formOf, Person, pkce, type Tokens, tokensOf } from '../../fixtures/sign-in/person.ts';

const READS: Choice = { workspaces: ['acme'], scopes: { workspace: 'read', campaigns: 'read' } };

/** A clock that a test sets forward. */
class LateClock extends SystemClock {
  late = 0;

  override now(): number {
    return super.now() + this.late;
  }
}

describe('hostile sign-ins', function () {
  this.timeout(120_000);
  let mcp: Harness;
  let base: string;
  let owner: string;
  let person: Person;
  let client: BareClient;

  before(async () => {
    mcp = await startMcp({ signIn: { maxGrants: 50 } });
    base = mcp.url.replace('/mcp', '');
    await mcp.workspace('acme');
    await mcp.workspace('other');
    owner = await mcp.user({ member: 'acme', role: 'owner', admin: true });
    person = await Person.signedIn(mcp, owner);
    client = await BareClient.registered(mcp.url);
  });
  after(() => mcp.stop());

  const calls = async (token: string, name = 'svc_whoami', input: object = {}): Promise<() => Promise<string>> => {
    const session = { 'mcp-session-id': await mcp.initialize(token) };
    const body = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: input } };
    return async () => {
      const answer = await mcp.post(token, body, session);
      const result = answer.json.result as { content: { text: string }[] } | undefined;
      return answer.status === 200 ? (result?.content[0]?.text ?? answer.text) : String(answer.status);
    };
  };
  const codeOf = async (challenge: string, of = client): Promise<string> =>
    (await person.allow(of.authorizeUrl(challenge), READS)).searchParams.get('code') ?? '';

  describe('the authorization endpoint', () => {
    for (const [what, more] of [
      ['no challenge', { code_challenge: undefined }],
      ['no method, which would mean plain', { code_challenge_method: undefined }],
      ['the method plain', { code_challenge_method: 'plain' }],
      ['a challenge that is no SHA-256', { code_challenge: 'short' }],
      ['an implicit grant', { response_type: 'token' }],
      ['an answer in a fragment', { response_mode: 'fragment' }],
      ['a resource of somebody else', { resource: 'https://evil.example/mcp' }],
      ['a resource that only begins like ours', { resource: 'http://127.0.0.1.evil.example/mcp' }],
      ['a state that is too long', { state: 's'.repeat(2_001) }],
    ] as const) {
      it(`${what}: no consent, and nobody is sent anywhere unasked`, async () => {
        const page = await person.open(client.authorizeUrl(pkce().challenge, more));
        expect(page.status).to.equal(400);
        expect(page.location).to.equal(undefined);
        expect(formOf(page)).to.equal('');
      });
    }

    for (const uri of [
      'https://evil.example/callback',
      'https://chat.example/callback/../steal',
      'https://chat.example/callback?x=1',
      'https://chat.example:8443/callback',
      'https://chat.example.evil.example/callback',
      'https://chat.example@evil.example/callback',
      'HTTPS://chat.example/callback',
      'https://chat.example/callback#x',
      '//evil.example',
    ]) {
      it(`the redirect ${uri} is not the registered one: a page without a way there`, async () => {
        const page = await person.open(client.authorizeUrl(pkce().challenge, { redirect_uri: uri }));
        expect([page.status, page.location]).to.deep.equal([400, undefined]);
        expect(page.text).to.not.contain('href');
      });
    }

    it('of a program on the own machine the port is free, and nothing else', async () => {
      const native = await BareClient.registered(mcp.url, 'http://127.0.0.1:1/done');
      const open = async (uri: string): Promise<number> =>
        (await person.open(native.authorizeUrl(pkce().challenge, { redirect_uri: uri }))).status;
      expect(await open('http://127.0.0.1:54321/done')).to.equal(200);
      expect(await open('http://127.0.0.1/done')).to.equal(200);
      for (const uri of ['http://127.0.0.1:5/other', 'http://localhost:5/done', 'http://127.0.0.1:5@evil.example/done'])
        expect([uri, await open(uri)]).to.deep.equal([uri, 400]);
    });

    it('a parameter that stands there twice is refused', async () => {
      const url = `${client.authorizeUrl(pkce().challenge)}&redirect_uri=https%3A%2F%2Fevil.example`;
      expect((await person.open(url)).status).to.equal(400);
    });

    it('an answer names its issuer, so that a client notices mixed-up servers', async () => {
      const at = await person.allow(client.authorizeUrl(pkce().challenge), READS);
      expect(at.searchParams.get('iss')).to.equal(base);
      expect(at.searchParams.get('state')).to.equal('a state');
    });

    it('what waits for a sign-in leads to the page of consent alone', async () => {
      for (const query of ['//evil.example', 'a\r\nlocation: https://evil.example', '@evil.example']) {
        const cookie = `__Host-outrider-next=${Buffer.from(query).toString('base64url')}`;
        const { location } = await person.open('/console/', { cookie: `${person.cookie}; ${cookie}` });
        expect((location ?? new URL(base)).origin).to.equal(base);
      }
    });
  });

  describe('the form of consent', () => {
    it('belongs to its session: neither another person, nor another site, nor a change of it gets through', async () => {
      const page = await person.open(client.authorizeUrl(pkce().challenge));
      const other = await Person.signedIn(mcp, await mcp.user({ member: 'acme' }));
      expect((await other.send(page, READS)).status).to.equal(403);
      expect((await new Person(mcp.url).send(page, READS)).status).to.equal(403);
      expect((await person.send(page, READS, { origin: 'http://localhost:1' })).status).to.equal(403);
      const [text = '', mac = ''] = formOf(page).split('.');
      const form = JSON.parse(Buffer.from(text, 'base64url').toString());
      const changed = Buffer.from(JSON.stringify({ ...form, redirectUri: 'https://evil.example' })).toString(
        'base64url',
      );
      const forged = new URLSearchParams({ form: `${changed}.${mac}`, answer: 'allow', workspace: 'acme' });
      expect((await person.post('/oauth/authorize', forged)).status).to.equal(403);
      expect((await person.send(page, READS)).location?.origin).to.equal('https://chat.example');
    });

    it('sent twice it makes one code', async () => {
      const page = await person.open(client.authorizeUrl(pkce().challenge));
      const sent = await Promise.all([person.send(page, READS), person.send(page, READS)]);
      expect(sent.map(({ location }) => location !== undefined).filter(Boolean)).to.have.length(1);
    });

    it('two consents at once stay apart: each answer goes to its own client', async () => {
      const second = await BareClient.registered(mcp.url, 'https://second.example/cb', 'Second');
      const [a, b] = [pkce(), pkce()];
      const first = await person.open(client.authorizeUrl(a.challenge, { state: 'one' }));
      const next = await person.open(second.authorizeUrl(b.challenge, { state: 'two' }));
      const [two, one] = [await person.send(next, READS), await person.send(first, READS)];
      expect([one.location?.host, one.location?.searchParams.get('state')]).to.deep.equal(['chat.example', 'one']);
      expect([two.location?.host, two.location?.searchParams.get('state')]).to.deep.equal(['second.example', 'two']);
      const crossed = await client.exchange(two.location?.searchParams.get('code') ?? '', b.verifier);
      expect(crossed.json['error']).to.equal('invalid_grant');
    });

    it('gives nothing that was not offered: no foreign workspace, no scope of the platform', async () => {
      const page = await person.open(client.authorizeUrl(pkce().challenge));
      const foreign = await person.send(page, { ...READS, workspaces: ['other'] });
      expect(foreign.location).to.equal(undefined);
      expect(foreign.text).to.contain('Choose at least one workspace');
      const tokens = await client.connect(person, {
        workspaces: ['acme', 'other'],
        scopes: { admin: 'write', '*': 'write', workspace: 'read' },
      });
      expect(tokens.scope).to.equal('workspace:read');
      const who = JSON.parse(await (await calls(tokens.access))());
      expect(who.workspaces.map((one: { workspaceId: string }) => one.workspaceId)).to.deep.equal(['acme']);
      expect(await (await calls(tokens.access, 'svc_admin_list_workspaces'))()).to.contain('admin:read');
    });
  });

  describe('the token endpoint', () => {
    it('a code that was shown again ends what came of it', async () => {
      const { verifier, challenge } = pkce();
      const code = await codeOf(challenge);
      const tokens = tokensOf((await client.exchange(code, verifier)).json);
      const who = await calls(tokens.access);
      expect(await who()).to.contain('keyType');
      expect((await client.exchange(code, verifier)).json['error']).to.equal('invalid_grant');
      expect(await who()).to.equal('401');
      expect((await client.renew(tokens.refresh)).json['error']).to.equal('invalid_grant');
    });

    it('shown twice at once, a code gives at most one grant, and none is left', async () => {
      const { verifier, challenge } = pkce();
      const code = await codeOf(challenge);
      const both = await Promise.all([client.exchange(code, verifier), client.exchange(code, verifier)]);
      expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 400]);
      const given = both.find(({ status }) => status === 200);
      const { refresh } = tokensOf(given?.json ?? {});
      expect((await client.renew(refresh)).json['error']).to.equal('invalid_grant');
    });

    it('a code that was injected into another sign-in is refused, and spent', async () => {
      const mine = pkce();
      const code = await codeOf(mine.challenge);
      expect((await client.exchange(code, pkce().verifier)).json['error']).to.equal('invalid_grant');
      expect((await client.exchange(code, mine.verifier)).json['error']).to.equal('invalid_grant');
    });

    for (const [what, more] of [
      ['without a verifier', { code_verifier: undefined }],
      ['with the redirect of another client', { redirect_uri: 'https://evil.example' }],
      ['by another client', { client_id: 'somebody' }],
      ['without a client', { client_id: undefined }],
      ['for a resource of somebody else', { resource: 'https://evil.example/mcp' }],
      ['as a grant that is none', { grant_type: 'password' }],
      ['with a field that is too long', { redirect_uri: `https://${'x'.repeat(2_001)}` }],
    ] as const) {
      it(`no tokens ${what}`, async () => {
        const { verifier, challenge } = pkce();
        const { status, json } = await client.exchange(await codeOf(challenge), verifier, more);
        expect(status).to.equal(400);
        expect(json).to.not.have.property('access_token');
      });
    }

    it('a body that is too large or no form is refused', async () => {
      expect((await client.post('/oauth/token', { a: 'x'.repeat(20_000) })).status).to.equal(413);
      const json = await fetch(`${base}/oauth/token`, { method: 'POST', body: '{}' });
      expect(json.status).to.equal(415);
    });

    it('a refresh token that is shown again after its successor was used ends the grant', async () => {
      const first = await client.connect(person, READS);
      const second = tokensOf((await client.renew(first.refresh)).json);
      const who = await calls(second.access);
      expect(await who()).to.contain('keyType');
      expect((await client.renew(first.refresh)).json['error']).to.equal('invalid_grant');
      expect(await who()).to.equal('401');
      expect((await client.renew(second.refresh)).json['error']).to.equal('invalid_grant');
    });

    it('a renewal whose answer was lost is made again; who had that answer after all has a copy', async () => {
      const first = await client.connect(person, READS);
      const lost = tokensOf((await client.renew(first.refresh)).json);
      const again = tokensOf((await client.renew(first.refresh)).json);
      const next = tokensOf((await client.renew(again.refresh)).json);
      const who = await calls(next.access);
      expect(await who()).to.contain('keyType');
      expect((await client.renew(lost.refresh)).json['error']).to.equal('invalid_grant');
      expect(await who()).to.equal('401');
      expect((await client.renew(next.refresh)).json['error']).to.equal('invalid_grant');
    });

    it('a client that renews twice at once keeps its grant by either answer, and a copy still ends it', async () => {
      for (let at = 0; at < 8; at++) {
        const first = await client.connect(person, READS);
        const both = await Promise.all([client.renew(first.refresh), client.renew(first.refresh)]);
        expect(both.map(({ status }) => status)).to.deep.equal([200, 200]);
        for (const { json } of both) expect(await (await calls(tokensOf(json).access))()).to.contain('keyType');
        const [kept, other] = at % 2 === 0 ? both : both.toReversed();
        const next = await client.renew(tokensOf(kept?.json ?? {}).refresh);
        expect(next.status, JSON.stringify(next.json)).to.equal(200);
        const who = await calls(tokensOf(next.json).access);
        expect(await who()).to.contain('keyType');
        const copy = at < 4 ? first.refresh : tokensOf(other?.json ?? {}).refresh;
        expect((await client.renew(copy)).json['error']).to.equal('invalid_grant');
        expect(await who()).to.equal('401');
      }
    });

    it('a grant is renewed so often in a minute, and goes on after that', async () => {
      let tokens = await client.connect(person, READS);
      const answers: number[] = [];
      for (let at = 0; at < 31; at++) {
        const { status, headers, json } = await client.renew(tokens.refresh);
        answers.push(status);
        if (status === 200) tokens = tokensOf(json);
        else expect(headers.get('retry-after')).to.equal('60');
      }
      expect(answers.filter((status) => status === 200)).to.have.length(29);
      expect(answers.at(-1)).to.equal(429);
      expect(await (await calls(tokens.access))()).to.contain('keyType');
    });

    it('who answers very often in a day waits for the next', async () => {
      const busy = await mcp.user({ member: 'acme' });
      await mcp.platform((tx) =>
        tx.exec(
          `insert into sign_in_code (code_hash, consent_id, client_id, client_name, redirect_uri, challenge, user_id,
             scopes, workspaces, may_reach, expires_at)
           select sha256(n::text::bytea), gen_random_uuid(), 'c', 'c', 'r', 'c', $1, '{}', '{}', false, now()
           from generate_series(1, 100) n`,
          [busy],
        ),
      );
      const asked = await Person.signedIn(mcp, busy);
      const sent = await asked.send(await asked.open(client.authorizeUrl(pkce().challenge)), READS);
      expect(sent.text).to.contain('very often today');
    });

    it('an access token is remembered no longer than it is good', async () => {
      const clock = new LateClock();
      const late = await startMcp({ db: mcp.db, real: clock, signIn: { maxGrants: 50 } });
      const ends = (ms: number): Promise<number> =>
        mcp.platform((tx) =>
          tx.exec(
            `update sign_in_token set expires_at = clock_timestamp() + make_interval(secs => $1) where kind = 'access'`,
            [ms / 1_000],
          ),
        );
      try {
        const { access } = await client.connect(person, READS);
        await ends(2_000);
        expect(await late.initialize(access)).to.not.equal('');
        await ends(-1);
        // Two seconds later, where a key would be remembered for five.
        clock.late = 2_001;
        expect(await late.initialize(access)).to.equal('');
      } finally {
        await late.stop();
      }
    });

    it('an access token ends by its time, remembered or not, and a resting grant by the job', async () => {
      const tokens = await client.connect(person, READS);
      expect(await (await calls(tokens.access))()).to.contain('keyType');
      await mcp.platform((tx) =>
        tx.exec(`update sign_in_token set expires_at = clock_timestamp() - interval '1 second'`),
      );
      mcp.server.forgetKeys();
      const again = await mcp.post(tokens.access, {});
      expect(again.status).to.equal(401);
      expect((await client.renew(tokens.refresh)).json['error']).to.equal('invalid_grant');
      const clock = new SystemClock();
      await signInJob({ db: mcp.db, clocks: { real: clock, product: clock } }).run(new AbortController().signal);
      const live = await mcp.platform((tx) =>
        tx.rows('select 1 from api_key where client_id is not null and revoked_at is null'),
      );
      expect(live).to.deep.equal([]);
    });
  });

  describe('a grant never has more than the member has now', () => {
    let user: string;
    let tokens: Tokens;

    beforeEach(async () => {
      user = await mcp.user({ member: 'acme' });
      const choice: Choice = { workspaces: ['acme'], scopes: { campaigns: 'write', workspace: 'write' }, reach: true };
      tokens = await client.connect(await Person.signedIn(mcp, user), choice);
    });

    it('a role that was lowered holds at the next call', async () => {
      const create = await calls(tokens.access, 'svc_create_persona', { campaignId: 'x', name: 'y' });
      expect(await create()).to.contain('svc_list_campaigns');
      await mcp.platform((tx) => tx.exec(`update member set role = 'reviewer' where user_id = $1`, [user]));
      expect(await create()).to.contain('Your role in workspace "acme" is reviewer');
    });

    it('who was removed opens nothing, and their client is not renewed', async () => {
      const read = await calls(tokens.access, 'svc_list_campaigns', { workspaceId: 'acme' });
      await mcp.platform((tx) => tx.exec('delete from member where user_id = $1', [user]));
      expect(await read()).to.contain('You are not a member of workspace');
      expect((await client.renew(tokens.refresh)).json['error']).to.equal('invalid_grant');
    });
  });

  describe('registration', () => {
    for (const uri of [
      'http://evil.example/cb',
      'javascript:alert(1)',
      'data:text/html,x',
      'ms-msdt:/id',
      'https://a;script-src%20*/cb',
      'https://user:pass@chat.example/cb',
      'https://chat.example/cb#part',
      'https://chat.example/c\nb',
      '/cb',
      `https://chat.example/${'x'.repeat(2_000)}`,
    ]) {
      it(`refuses the redirect ${JSON.stringify(uri).slice(0, 60)}`, async () => {
        const { status, json } = await client.register({ redirect_uris: [uri] });
        expect([status, json['error']]).to.deep.equal([400, 'invalid_redirect_uri']);
      });
    }

    it('refuses what is no JSON, has no redirect or too many, and what is too large', async () => {
      const many = Array.from({ length: 11 }, (_, at) => `https://chat.example/${at}`);
      for (const wrong of ['no json', '[]', {}, { redirect_uris: [] }, { redirect_uris: many }])
        expect((await client.register(wrong)).status).to.equal(400);
      expect((await client.register('x'.repeat(20_000))).status).to.equal(413);
    });

    it('gives no secret, whatever a client asks for', async () => {
      const asked = { redirect_uris: ['https://chat.example/cb'], token_endpoint_auth_method: 'client_secret_post' };
      const { status, json } = await client.register(asked);
      expect(status).to.equal(201);
      expect(json).to.include({ token_endpoint_auth_method: 'none' }).and.not.have.property('client_secret');
    });

    it('an address registers so many in an hour, and those that nobody used are forgotten', async () => {
      const few = await startMcp({ db: mcp.db, signIn: { maxGrants: 50 } });
      try {
        const flood = new BareClient(few.url);
        const answers = [];
        for (let at = 0; at < 61; at++)
          answers.push(await flood.register({ redirect_uris: ['https://chat.example/cb'] }));
        expect(answers.filter(({ status }) => status === 201)).to.have.length(60);
        expect(answers.at(-1)?.status).to.equal(429);
        expect(Number(answers.at(-1)?.headers.get('retry-after'))).to.be.greaterThan(0);
      } finally {
        await few.stop();
      }
      await mcp.platform((tx) =>
        tx.exec(`update sign_in_client set registered_at = registered_at - interval '2 days' where used_at is null`),
      );
      const clock = new SystemClock();
      await signInJob({ db: mcp.db, clocks: { real: clock, product: clock } }).run(new AbortController().signal);
      const left = await mcp.platform((tx) => tx.rows('select 1 from sign_in_client where used_at is null'));
      expect(left).to.deep.equal([]);
    });
  });

  describe('clients that are known by an address', () => {
    let server: Server;
    let port: number;
    let hits: string[];
    let connections = 0;
    let answer: (path: string) => { status: number; body: string; location?: string };
    let documents: Harness;
    const ID = 'https://client.example/oauth/metadata.json';

    before(async () => {
      hits = [];
      server = createServer((request, response) => {
        hits.push(request.url ?? '');
        const { status, body, location } = answer(request.url ?? '');
        response.writeHead(status, location === undefined ? {} : { location }).end(body);
      });
      server.on('connection', () => connections++);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      port = (server.address() as AddressInfo).port;
      // What stands at client.example stands here; all else goes the guarded way as it is.
      const ask: AskOutside = (call) =>
        exchange(
          call.url.startsWith('https://client.example/')
            ? { ...call, reach: 'any', url: call.url.replace('https://client.example', `http://127.0.0.1:${port}`) }
            : call,
        );
      documents = await startMcp({ db: mcp.db, signIn: { maxGrants: 50, ask } });
    });
    after(async () => {
      await documents.stop();
      server.close();
    });

    const document = (more: object = {}): string =>
      JSON.stringify({
        client_id: ID,
        client_name: 'By Address',
        redirect_uris: ['https://client.example/cb'],
        ...more,
      });
    const someone = async (): Promise<Person> => Person.signedIn(documents, await mcp.user({ member: 'acme' }));
    const byAddress = (id: string): BareClient => {
      const known = new BareClient(documents.url, 'https://client.example/cb');
      known.clientId = id;
      return known;
    };

    it('is let in as one that registered, and its document is read once', async () => {
      answer = () => ({ status: 200, body: document() });
      const asking = await someone();
      const tokens = await byAddress(ID).connect(asking, READS);
      expect(tokens.access).to.match(/^cso_/);
      await byAddress(ID).connect(asking, READS);
      expect(hits).to.have.length(1);
    });

    for (const [what, path, body] of [
      ['names another client', 'other', document({ client_id: 'https://evil.example/x' })],
      ['is no JSON', 'html', '<html>'],
      ['is too long', 'long', document({ padding: 'x'.repeat(17_000) })],
      ['has a secret', 'secret', document({ client_id: 'https://client.example/secret', client_secret: 'x' })],
      [
        'leads to a foreign place',
        'place',
        document({ client_id: 'https://client.example/place', redirect_uris: ['http://evil.example'] }),
      ],
    ] as const) {
      it(`a document that ${what} lets nobody in`, async () => {
        answer = () => ({ status: 200, body });
        const page = await (await someone()).open(
          byAddress(`https://client.example/${path}`).authorizeUrl(pkce().challenge),
        );
        expect(page.status).to.equal(400);
        expect(formOf(page)).to.equal('');
      });
    }

    it('a redirect of a document is not followed', async () => {
      answer = (path) =>
        path === '/moved' ? { status: 302, body: '', location: '/there' } : { status: 200, body: document() };
      const page = await (await someone()).open(
        byAddress('https://client.example/moved').authorizeUrl(pkce().challenge),
      );
      expect(page.status).to.equal(400);
      expect(hits).to.not.include('/there');
    });

    it('addresses that lead to this machine or its network are never connected', async () => {
      const seen = connections;
      const asking = await someone();
      for (const host of ['127.0.0.1', 'localhost', '[::1]', '169.254.169.254', hostname(), '2130706433', '0x7f.1']) {
        const page = await asking.open(byAddress(`https://${host}:${port}/x`).authorizeUrl(pkce().challenge));
        expect([host, page.status]).to.deep.equal([host, 400]);
      }
      expect(connections).to.equal(seen);
    });

    it('an id that is no https address with a path is none', async () => {
      const asking = await someone();
      for (const id of [
        `http://127.0.0.1:${port}/x`,
        'https://client.example/',
        'https://client.example/a#b',
        'https://client.example/a/../b',
      ]) {
        const page = await asking.open(byAddress(id).authorizeUrl(pkce().challenge));
        expect([id, page.status]).to.deep.equal([id, 400]);
      }
    });

    it('strangers make the server fetch nothing', async () => {
      const seen = hits.length;
      await new Person(documents.url).open(byAddress('https://client.example/stranger').authorizeUrl(pkce().challenge));
      expect(hits).to.have.length(seen);
    });
  });
});

import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { z } from 'zod';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import { tool } from '../../../pkg/tools/tool.ts';
import { type Harness, type HttpAnswer, postTo, RUNNER_SECRET, startMcp } from '../../fixtures/mcp/harness.ts';

/** A tool that reports how far it is, and one that breaks. */
const progressing = tool({
  name: 'svc_whoami',
  domain: 'Search & Diagnostics',
  title: 'Progress',
  description: 'Reports progress.',
  example: { input: {} },
  scope: 'none',
  category: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  workspace: 'none',
  input: z.strictObject({ breaks: z.boolean().default(false) }),
  output: z.object({ done: z.boolean() }),
  run: async (ctx, input) => {
    if (input.breaks) throw new Error('secret detail');
    ctx.progress(1, 2, 'half');
    return { done: true };
  },
});

const call = (name: string, input: object = {}, id: number | string = 7): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

describe('MCP face', () => {
  let mcp: Harness;
  let owner: string;
  let userKey: string;
  let workspaceKey: string;

  before(async () => {
    mcp = await startMcp();
    await mcp.workspace('acme');
    await mcp.workspace('other');
    owner = await mcp.user({ member: 'acme', role: 'owner' });
    userKey = (await mcp.key({ userId: owner })).plaintext;
    workspaceKey = (await mcp.key({ workspaceId: 'acme' })).plaintext;
  });
  after(() => mcp.stop());

  const base = (): string => mcp.url.replace('/mcp', '');

  describe('authentication', () => {
    it('asks for a key when there is none, and says so of an unknown one', async () => {
      const missing = await mcp.post(undefined, LIST);
      expect(missing.status).to.equal(401);
      expect(missing.headers.get('www-authenticate')).to.equal('Bearer');
      expect(missing.json.error?.message).to.contain('user key').and.contain('workspace key').and.contain('Bearer');
      for (const wrong of [`csu_${'0'.repeat(32)}`, 'nonsense', `cs_${'g'.repeat(32)}`]) {
        const answer = await mcp.post(wrong, LIST);
        expect(answer.status, wrong).to.equal(401);
        expect(answer.json.error?.message).to.contain('invalid or revoked').and.contain('new one');
      }
    });

    it('refuses a stranger before the first byte of the body, and closes the connection', async () => {
      const { hostname, port } = new URL(mcp.url);
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), hostname);
        let text = '';
        socket.on('data', (chunk) => {
          text += chunk.toString();
        });
        socket.on('error', reject);
        socket.on('close', () => resolve(text));
        // Announces a megabyte and never sends it.
        socket.write(
          `POST /mcp HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 1000000\r\n\r\n`,
        );
      });
      expect(answer)
        .to.contain('401 Unauthorized')
        .and.match(/connection: close/i);
    });

    it('cuts who neither sends nor reads', async () => {
      const hasty = await startMcp({ db: mcp.db, bounds: { idleTimeout: 50 } });
      const { hostname, port } = new URL(hasty.url);
      const socket = connect(Number(port), hostname);
      socket.write('POST /mcp HTTP/1.1\r\n');
      await once(socket, 'close');
      await hasty.stop();
    });

    it('checks Host and Origin on every route', async () => {
      for (const [path, method] of [
        ['/mcp', 'GET'],
        ['/mcp', 'DELETE'],
        ['/health', 'GET'],
      ] as const) {
        const answer = await fetch(`${base()}${path}`, { method, headers: { origin: 'https://evil.example' } });
        expect(answer.status, path).to.equal(403);
      }
      const allowed = await fetch(`${base()}/health`, { headers: { origin: 'http://localhost:1234' } });
      expect(allowed.status).to.equal(200);
    });

    it('answers internal callers on the internal listener only', async () => {
      const headers = { 'x-runner-secret': RUNNER_SECRET, 'x-workspace-id': 'acme', 'x-user-id': owner };
      expect((await postTo(mcp.url, undefined, LIST, headers)).status).to.equal(401);
      expect(
        (await postTo(mcp.internalUrl, undefined, LIST, { ...headers, 'x-runner-secret': 'wrong' })).status,
      ).to.equal(401);
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
      const opened = await postTo(
        mcp.internalUrl,
        undefined,
        { jsonrpc: '2.0', id: 1, method: 'initialize', params },
        headers,
      );
      const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      const answer = await postTo(mcp.internalUrl, undefined, call('svc_get_workspace'), session);
      expect(answer.text).to.contain('Name of acme');
    });

    it('the secret of internal callers opens nothing without a workspace and a user that are known', async () => {
      const whole = { 'x-runner-secret': RUNNER_SECRET, 'x-workspace-id': 'acme', 'x-user-id': owner };
      const ask = async (headers: Record<string, string>, key?: string): Promise<[number, string | undefined]> => {
        const answer = await postTo(mcp.internalUrl, key, call('svc_whoami'), headers);
        return [answer.status, answer.json.error?.message];
      };
      expect((await ask(whole))[0], 'known, and without a session').to.equal(400);
      await mcp.workspace('gone');
      await mcp.platform((tx) => tx.exec(`update workspace set deleted_at = 1 where id = 'gone'`));
      for (const [header, values] of [
        ['x-workspace-id', ['', 'nowhere', 'gone']],
        ['x-user-id', ['', 'nobody', '018f0000-0000-7000-8000-0000000000ff', owner.toUpperCase()]],
      ] as const) {
        const { [header]: _, ...rest } = whole;
        for (const headers of [rest, ...values.map((value) => ({ ...whole, [header]: value }))]) {
          for (const key of [undefined, userKey]) {
            const [status, text] = await ask(headers, key);
            expect(status, JSON.stringify(headers)).to.equal(401);
            expect(text).to.contain(
              `X-Runner-Secret needs x-workspace-id and x-user-id beside it: ${header} names no `,
            );
          }
        }
      }
    });

    it('internal callers of a workspace that is marked for deletion learn why nothing works, and of one that is gone nothing', async () => {
      await mcp.workspace('marked');
      const headers = { 'x-runner-secret': RUNNER_SECRET, 'x-workspace-id': 'marked', 'x-user-id': owner };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
      const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
      const opened = await postTo(mcp.internalUrl, undefined, initialize, headers);
      const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      const ask = (name: string, input: object): Promise<HttpAnswer> =>
        postTo(mcp.internalUrl, undefined, call(name, input), session);
      const set = (change: string): Promise<unknown> =>
        mcp.platform((tx) => tx.exec(`update workspace set ${change} where id = 'marked'`));
      const calls: [string, object][] = [
        ['svc_get_workspace', {}],
        ['svc_list_campaigns', { workspaceId: 'marked' }],
        ['svc_upsert_lead', { firstName: 'Ada', email: 'ada@acme.example' }],
        ['svc_create_api_key', { name: 'k', scopes: ['leads:read'], keyType: 'user' }],
      ];
      expect((await ask('svc_get_workspace', {})).text).to.contain('Name of marked');
      await set('erase_at = 4102444800000');
      for (const [name, input] of calls) expect((await ask(name, input)).text, name).to.contain('marked for deletion');
      await set('erase_at = null');
      expect((await ask('svc_get_workspace', {})).text).to.contain('Name of marked');
      await set('deleted_at = 1');
      for (const [name, input] of calls) expect((await ask(name, input)).status, name).to.equal(401);
    });

    it("a key has the platform's scopes only while its user is a platform admin, also one that an internal caller makes", async () => {
      const headers = { 'x-runner-secret': RUNNER_SECRET, 'x-workspace-id': 'acme', 'x-user-id': owner };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
      const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
      const opened = await postTo(mcp.internalUrl, undefined, initialize, headers);
      const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      const make = (scopes: string[]): Promise<HttpAnswer> =>
        postTo(
          mcp.internalUrl,
          undefined,
          call('svc_create_api_key', { name: 'made inside', keyType: 'user', scopes }),
          session,
        );
      expect((await make(['leads:read', 'admin:write'])).text).to.contain('only platform admins can give it');
      expect((await make(['leads:read'])).text).to.match(/csu_[0-9a-f]{32}/);
      // One that was made before: with all scopes, of a user who is no admin.
      const opens = { 'mcp-session-id': await mcp.initialize(userKey) };
      const shown = (await mcp.post(userKey, call('svc_whoami'), opens)).text;
      expect(shown).to.contain('leads:read');
      expect(shown).to.not.contain('admin:');
    });

    it('keys of a workspace that was deleted are refused at the next call, on every replica, until it comes back', async () => {
      const replica = await startMcp({ db: mcp.db });
      await mcp.workspace('short-lived');
      const { plaintext } = await mcp.key({ workspaceId: 'short-lived' });
      const session = { 'mcp-session-id': await mcp.initialize(plaintext) };
      const statuses = async (): Promise<number[]> => [
        (await mcp.post(plaintext, call('svc_whoami'), session)).status,
        (await replica.post(plaintext, call('svc_whoami'), session)).status,
      ];
      const deleted = (at: number | null): Promise<number> =>
        mcp.platform((tx) => tx.exec(`update workspace set deleted_at = $1 where id = 'short-lived'`, [at]));
      expect(await statuses()).to.deep.equal([200, 200]);
      await deleted(1);
      expect(await statuses()).to.deep.equal([401, 401]);
      expect((await mcp.post(plaintext, LIST)).json.error?.message).to.contain('invalid or revoked');
      await deleted(null);
      expect(await statuses()).to.deep.equal([200, 200]);
      await replica.stop();
    });

    it('revocation, scopes, role and membership hold at the next call, on every replica', async () => {
      const replica = await startMcp({ db: mcp.db });
      const user = await mcp.user({ member: 'acme', role: 'owner' });
      const key = await mcp.key({ userId: user });
      const clients = [await mcp.client(key.plaintext), await replica.client(key.plaintext)];
      const texts = async (name: string, input: Record<string, unknown>): Promise<string[]> =>
        Promise.all(
          clients.map(async (client) => {
            const answer = (await client.callTool({ name, arguments: input })) as { content: { text: string }[] };
            return answer.content[0]?.text ?? '';
          }),
        );
      const workspace = { workspaceId: 'acme' };
      for (const text of await texts('svc_get_workspace', workspace)) expect(text).to.contain('"workspace":');
      await mcp.platform((tx) => tx.exec(`update member set role = 'member' where user_id = $1`, [user]));
      const minting = { ...workspace, name: 'x', scopes: ['leads:read'] };
      for (const text of await texts('svc_create_api_key', minting))
        expect(text).to.contain('Only the workspace owner');
      await mcp.platform((tx) => tx.exec(`update api_key set scopes = '{leads:read}' where id = $1`, [key.apiKeyId]));
      for (const text of await texts('svc_get_workspace', workspace))
        expect(text).to.contain('Scope workspace:read is required');
      await mcp.platform((tx) =>
        tx.exec(`update api_key set scopes = '{workspace:read}' where id = $1`, [key.apiKeyId]),
      );
      await mcp.platform((tx) => tx.exec('delete from member where user_id = $1', [user]));
      for (const text of await texts('svc_get_workspace', workspace))
        expect(text).to.contain('not a member of workspace "acme"');
      await mcp.platform((tx) => tx.exec('update api_key set revoked_at = 1 where id = $1', [key.apiKeyId]));
      for (const client of clients) {
        const refused = await client.callTool({ name: 'svc_whoami', arguments: {} }).then(
          () => '',
          (error: Error) => error.message,
        );
        expect(refused).to.contain('invalid or revoked');
      }
      await replica.stop();
    });
  });

  describe('sessions', () => {
    it('negotiates the versions that are spoken, else the newest', async () => {
      for (const [wanted, spoken] of [
        ['2025-03-26', '2025-03-26'],
        ['2025-06-18', '2025-06-18'],
        ['2025-11-25', '2025-11-25'],
        ['1999-01-01', '2025-11-25'],
      ]) {
        const params = { protocolVersion: wanted, capabilities: {}, clientInfo: { name: 't', version: '1' } };
        const answer = await mcp.post(userKey, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
        expect(answer.json.result?.['protocolVersion']).to.equal(spoken);
      }
    });

    it('begin only for a client that says version, capabilities and who it is, and not too much of it', async () => {
      const whole = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
      const answer = (params: unknown): Promise<HttpAnswer> =>
        mcp.post(
          userKey,
          JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }).replace('"deep"', deep),
        );
      const long = 'x'.repeat(70_000);
      const deep = `${'[1,'.repeat(40_000)}1${']'.repeat(40_000)}`;
      for (const [path, params] of [
        ['protocolVersion', { ...whole, protocolVersion: undefined }],
        ['protocolVersion', { ...whole, protocolVersion: 20_250_326 }],
        ['protocolVersion', { ...whole, protocolVersion: long }],
        ['capabilities', { ...whole, capabilities: undefined }],
        ['capabilities', { ...whole, capabilities: [] }],
        ['capabilities', { ...whole, capabilities: { long } }],
        ['capabilities', { ...whole, capabilities: { x: 'deep' } }],
        ['clientInfo', { ...whole, clientInfo: 'me' }],
        ['clientInfo', { ...whole, clientInfo: { name: 't', version: '1', long } }],
        ['clientInfo.name', { ...whole, clientInfo: { version: '1' } }],
        ['clientInfo.name', { ...whole, clientInfo: { name: 'x'.repeat(257), version: '1' } }],
        ['clientInfo.version', { ...whole, clientInfo: { name: 't' } }],
        ['clientInfo.version', { ...whole, clientInfo: { name: 't', version: 1 } }],
        ['protocolVersion', undefined],
      ] as const) {
        const { json, headers } = await answer(params);
        expect(json.error?.code, path).to.equal(-32_602);
        expect(json.error?.message).to.match(new RegExp(`^Invalid params: ${path} must `));
        expect(headers.get('mcp-session-id')).to.equal(null);
      }
      const icon = { src: `data:image/png;base64,${'A'.repeat(30_000)}` };
      const full = { name: 't', version: '1', title: 'T', icons: [icon], websiteUrl: 'https://t.example' };
      expect((await answer({ ...whole, clientInfo: full })).headers.get('mcp-session-id')).to.be.a('string');
    });

    it('are required after initialize, unknown ones are gone, and so are those of another key', async () => {
      const session = await mcp.initialize(userKey);
      expect((await mcp.post(userKey, LIST)).status).to.equal(400);
      expect((await mcp.post(userKey, LIST, { 'mcp-session-id': `${session}x` })).status).to.equal(404);
      expect((await mcp.post(workspaceKey, LIST, { 'mcp-session-id': session })).status).to.equal(404);
      const theirs = { authorization: `Bearer ${workspaceKey}`, 'mcp-session-id': session };
      for (const method of ['GET', 'DELETE']) {
        const answer = await fetch(mcp.url, { method, headers: { ...theirs, accept: 'text/event-stream' } });
        expect([method, answer.status]).to.deep.equal([method, 404]);
        await answer.text();
      }
      expect((await mcp.post(userKey, LIST, { 'mcp-session-id': session })).status).to.equal(200);
    });

    it('hold on another replica and after a restart', async () => {
      const session = await mcp.initialize(userKey);
      const replica = await startMcp({ db: mcp.db });
      expect((await replica.post(userKey, LIST, { 'mcp-session-id': session })).status).to.equal(200);
      await replica.stop();
    });

    it('a closed session is gone for every method', async () => {
      const session = await mcp.initialize(userKey);
      const headers = { authorization: `Bearer ${userKey}`, 'mcp-session-id': session };
      expect((await fetch(mcp.url, { method: 'DELETE', headers })).status).to.equal(204);
      expect((await mcp.post(userKey, LIST, { 'mcp-session-id': session })).status).to.equal(404);
      expect((await mcp.post(userKey, call('svc_whoami'), { 'mcp-session-id': session })).status).to.equal(404);
      const stream = await fetch(mcp.url, { headers: { ...headers, accept: 'text/event-stream' } });
      expect(stream.status).to.equal(404);
      expect((await fetch(mcp.url, { method: 'DELETE', headers })).status).to.equal(404);
    });

    it('an event stream stays open with comments; their number per key is bounded', async () => {
      const session = await mcp.initialize(userKey);
      const headers = { authorization: `Bearer ${userKey}`, 'mcp-session-id': session, accept: 'text/event-stream' };
      const stop = new AbortController();
      const open = [];
      for (let i = 0; i < 8; i++) open.push(await fetch(mcp.url, { headers, signal: stop.signal }));
      expect(open.map((answer) => answer.status)).to.deep.equal(Array(8).fill(200));
      const reader = open[0]?.body?.getReader();
      let first = '';
      while (!first.includes('data:')) first += Buffer.from((await reader?.read())?.value ?? []).toString();
      expect(first).to.equal(': keep-alive\n\nid: get.0\ndata: \n\n');
      expect((await fetch(mcp.url, { headers })).status).to.equal(429);
      stop.abort();
    });
  });

  describe('messages', () => {
    let session: string;
    let old: string;
    before(async () => {
      session = await mcp.initialize(userKey);
      old = await mcp.initialize(userKey, '2025-03-26');
    });
    const send = (body: unknown, id = session): ReturnType<Harness['post']> =>
      mcp.post(userKey, body, { 'mcp-session-id': id });

    it('answers ping, tools/list and logging/setLevel, and 202 to notifications', async () => {
      expect((await send({ jsonrpc: '2.0', id: 'a', method: 'ping' })).json).to.deep.equal({
        jsonrpc: '2.0',
        id: 'a',
        result: {},
      });
      const tools = (await send(LIST)).json.result?.['tools'] as { name: string; annotations: object }[];
      expect(tools.map((entry) => entry.name)).to.deep.equal(ALL_TOOLS.map((entry) => entry.name));
      for (const entry of tools) {
        expect(entry.annotations).to.include.keys('readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint');
      }
      const level = { jsonrpc: '2.0', id: 1, method: 'logging/setLevel' };
      expect((await send({ ...level, params: { level: 'info' } })).json.result).to.deep.equal({});
      expect((await send({ ...level, params: { level: 'loud' } })).json.error?.code).to.equal(-32602);
      expect((await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).to.equal(202);
    });

    it('refuses what JSON-RPC and HTTP refuse', async () => {
      expect((await send('{broken')).json.error?.code).to.equal(-32700);
      expect((await send({ id: 1 })).json.error?.code).to.equal(-32600);
      expect((await send([], old)).json.error?.code).to.equal(-32600);
      expect((await send({ jsonrpc: '2.0', id: 1, method: 'nonsense' })).json.error?.code).to.equal(-32601);
      expect((await send(call('svc_nonsense'))).json.error?.code).to.equal(-32602);
      expect((await send(call('__proto__'))).json.error?.code).to.equal(-32602);
      expect((await send('x'.repeat(10_000_000))).status).to.equal(413);
      const headers = { 'mcp-session-id': session };
      expect((await mcp.post(userKey, LIST, { ...headers, accept: 'application/json' })).status).to.equal(406);
      expect((await mcp.post(userKey, LIST, { ...headers, 'content-type': 'text/plain' })).status).to.equal(415);
      expect((await mcp.post(userKey, LIST, { ...headers, 'mcp-protocol-version': '1999-01-01' })).status).to.equal(
        400,
      );
      const put = await fetch(mcp.url, { method: 'PUT', headers: { authorization: `Bearer ${userKey}` } });
      expect([put.status, put.headers.get('allow')]).to.deep.equal([405, 'POST, GET, DELETE']);
      expect((await fetch(`${base()}/nothing`)).status).to.equal(404);
    });

    it('refuses a body that is nested a million levels deep, wherever the nesting is', async () => {
      const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
      expect((await send(deep, old)).status).to.equal(400);
      expect(
        (await send(JSON.stringify({ ...LIST, params: 0 }).replace('"params":0', `"params":${deep}`))).status,
      ).to.equal(400);
      const inside = JSON.stringify(call('svc_whoami', { x: 0 })).replace('"x":0', `"x":${deep}`);
      const answer = await send(inside);
      expect(answer.status).to.be.oneOf([200, 400]);
      expect(answer.text).to.match(/nested more than 40 levels deep|no JSON/);
      expect((await send(LIST)).status).to.equal(200);
    });

    it('takes batches in 2025-03-26 only, 100 messages at most, and answers equal ids twice', async () => {
      const two = await send(
        [call('svc_whoami', {}, 5), call('svc_whoami', {}, 5), { jsonrpc: '2.0', method: 'notifications/x' }],
        old,
      );
      expect((two.json as unknown as { id: number }[]).map((answer) => answer.id)).to.deep.equal([5, 5]);
      expect((await send([call('svc_whoami')])).json.error?.message).to.contain('Batches are not part');
      expect((await send(Array(1_000).fill(LIST), old)).json.error?.message).to.contain('100 messages at most');
    });

    it('what a batch did is answered, also when the key is gone behind it', async () => {
      const { apiKeyId, plaintext } = await mcp.key({ workspaceId: 'acme' });
      const own = { 'mcp-session-id': await mcp.initialize(plaintext, '2025-03-26') };
      const calls = [call('svc_revoke_api_key', { apiKeyId }, 1), call('svc_whoami', {}, 2), { ...LIST, id: 3 }];
      const { status, json } = await mcp.post(plaintext, calls, own);
      expect(status).to.equal(200);
      const [revoked, who] = json as unknown as { id: number; result?: object; error?: { message: string } }[];
      expect(JSON.stringify(revoked)).to.contain('revokedAt');
      expect(who?.error?.message).to.contain('invalid or revoked');
      expect((await mcp.post(plaintext, calls, own)).status).to.equal(401);
    });

    it('gives structuredContent where the version has it', async () => {
      const now = (await send(call('svc_whoami'))).json.result as {
        content: { text: string }[];
        structuredContent: object;
      };
      expect(now.structuredContent).to.deep.equal(JSON.parse(now.content[0]?.text ?? ''));
      expect((await send(call('svc_whoami'), old)).json.result).to.not.have.property('structuredContent');
    });

    it('narrows the list by header and by query', async () => {
      const names = async (headers: object, query = ''): Promise<string[]> => {
        const answer = await postTo(`${mcp.url}${query}`, userKey, LIST, { 'mcp-session-id': session, ...headers });
        return ((answer.json.result?.['tools'] ?? []) as { name: string }[]).map((entry) => entry.name);
      };
      expect(await names({ 'x-mcp-toolsets': 'campaigns' }))
        .to.include('svc_create_campaign')
        .and.not.include('svc_whoami');
      expect(await names({ 'x-mcp-readonly': 'true' }))
        .to.include('svc_whoami')
        .and.not.include('svc_create_campaign');
      expect(await names({ 'x-mcp-toolsets': 'icps', 'x-mcp-tools': 'whoami,svc_diagnose', 'x-mcp-readonly': 'true' }))
        .to.include.members(['svc_list_icps', 'svc_whoami', 'svc_diagnose'])
        .and.not.include('svc_create_icp');
      expect(await names({}, '?tools=svc_whoami')).to.deep.equal(['svc_whoami']);
      expect(await names({ 'x-mcp-toolsets': 'Personas & Phases' })).to.include('svc_create_persona');
      expect(await names({}, '?toolsets=icps&readonly=true')).to.deep.equal(['svc_list_icps', 'svc_get_icp_scores']);
    });

    it('refuses names that do not exist, with those that do, also before the list is asked for', async () => {
      const refused = async (headers: Record<string, string>, body: object = LIST): Promise<string> => {
        const answer = await mcp.post(userKey, body, { 'mcp-session-id': session, ...headers });
        expect(answer.status).to.equal(400);
        return answer.json.error?.message ?? '';
      };
      expect(await refused({ 'x-mcp-toolsets': 'campaigns,moon' })).to.match(
        /^X-MCP-Toolsets: unknown: moon\. Valid: campaigns, personas_phases, leads, /,
      );
      expect(await refused({ 'x-mcp-tools': 'svc_fly' })).to.match(/^X-MCP-Tools: unknown: svc_fly\. Valid: svc_\w+, /);
      expect(await refused({ 'x-mcp-readonly': 'perhaps' })).to.equal('X-MCP-Readonly: must be true or false.');
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
      const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
      expect(await refused({ 'x-mcp-scoped': 'moon' }, initialize)).to.contain('X-MCP-Scoped');
    });

    it('tools outside of the scopes are listed unless the client asks otherwise; equal scopes give equal bytes', async () => {
      const list = async (scopes: string[], headers: Record<string, string> = {}): Promise<string> => {
        const { plaintext } = await mcp.key({ userId: await mcp.user(), scopes });
        const id = await mcp.initialize(plaintext);
        return (await mcp.post(plaintext, LIST, { 'mcp-session-id': id, ...headers })).text;
      };
      const scoped = { 'x-mcp-scoped': 'true' };
      expect(await list(['leads:read'])).to.equal(await list(['campaigns:write', 'leads:read']));
      const narrow = await list(['leads:read', 'icps:read'], scoped);
      expect(narrow).to.contain('svc_search_leads').and.contain('svc_whoami').and.not.contain('"svc_create_campaign"');
      expect(await list(['icps:read', 'leads:read'], scoped)).to.equal(narrow);
    });

    it('output schemas are listed for those who ask, where the version has structuredContent', async () => {
      const list = async (id: string, headers: object, query = ''): Promise<string> =>
        (await postTo(`${mcp.url}${query}`, userKey, LIST, { 'mcp-session-id': id, ...headers })).text;
      const asked = { 'x-mcp-output-schemas': 'true' };
      expect(await list(session, asked)).to.contain('"outputSchema":{"type":"object"');
      expect(await list(session, {}, '?outputSchemas=true')).to.equal(await list(session, asked));
      expect(await list(session, {})).to.not.contain('outputSchema');
      expect(await list(old, asked)).to.not.contain('outputSchema');
    });

    it('a title stands once, where the version looks for it', async () => {
      const whoami = async (id: string): Promise<{ title?: string; annotations?: { title?: string } }> => {
        const asked = { 'mcp-session-id': id, 'x-mcp-tools': 'svc_whoami' };
        const { tools } = (await mcp.post(userKey, LIST, asked)).json.result as { tools: object[] };
        return tools[0] ?? {};
      };
      const [before, now] = [await whoami(old), await whoami(session)];
      expect([before.title, before.annotations?.title]).to.deep.equal([undefined, 'Who am I']);
      expect([now.title, now.annotations?.title]).to.deep.equal(['Who am I', undefined]);
    });

    it('reports progress as a stream to those who ask; a fault says a reference, not its cause', async () => {
      const odd = await startMcp({ db: mcp.db, tools: [progressing] });
      const token = {
        ...call('svc_whoami'),
        params: { name: 'svc_whoami', arguments: {}, _meta: { progressToken: 'p' } },
      };
      const answer = await odd.post(userKey, token, { 'mcp-session-id': session });
      expect(answer.headers.get('content-type')).to.equal('text/event-stream');
      const events = answer.text
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice(6)));
      expect(events[0]).to.deep.equal({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'p', progress: 1, total: 2, message: 'half' },
      });
      expect(events[1].result.structuredContent).to.deep.equal({ done: true });
      // Who asked for progress of a call that is over at once is answered as JSON: no stream, and no row to send it again.
      const quick = await mcp.post(userKey, token, { 'mcp-session-id': session });
      expect(quick.headers.get('content-type')).to.equal('application/json');
      expect(quick.json.result).to.have.property('structuredContent');
      const broken = (await odd.post(userKey, call('svc_whoami', { breaks: true }), { 'mcp-session-id': session }))
        .text;
      expect(broken)
        .to.match(/failed on our side \(reference [0-9a-f-]{36}\)/)
        .and.not.contain('secret detail');
      await odd.stop();
    });
  });

  it('/health needs no key and tells version, tools and limits', async () => {
    const health = (await (await fetch(`${base()}/health`)).json()) as {
      tools: string[];
      rateLimits: { perUserAndWorkspace: object };
    };
    expect(health).to.have.keys('status', 'version', 'tools', 'rateLimits');
    expect(health.rateLimits).to.have.keys('read', 'write', 'llm', 'overall', 'perUserAndWorkspace');
    expect(health.rateLimits.perUserAndWorkspace).to.include({ read: 1_000_000_000, liveKeys: 50 });
    expect(health.tools).to.include('svc_whoami');
    expect((await fetch(`${base()}/livez`)).status).to.equal(200);
    expect((await fetch(`${base()}/readyz`)).status).to.equal(200);
  });
});

import { expect } from 'chai';
import { type Harness, postTo, startMcp } from '../../fixtures/mcp/harness.ts';

const call = (name: string, input: object = {}): { params: object } => ({
  ...{ jsonrpc: '2.0', id: 7, method: 'tools/call' },
  params: { name, arguments: input },
});
const LIST = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
const PAGE = 'https://console.agency.example';
const WRONG = `csu_${'0'.repeat(32)}`;
/** What the browser asks for before the official client's POST. */
const PREFLIGHT = {
  origin: PAGE,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type,mcp-protocol-version,mcp-session-id,x-mcp-toolsets',
};

describe('what clients of MCP do', function () {
  this.timeout(60_000);
  let mcp: Harness;
  let key: string;
  let session: Record<string, string>;
  let base: string;

  before(async () => {
    mcp = await startMcp({ origins: [PAGE] });
    await mcp.workspace('acme');
    key = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    session = { 'mcp-session-id': await mcp.initialize(key) };
    base = mcp.url.replace('/mcp', '');
  });
  after(() => mcp.stop());

  /** The names that an answer lists in a header. */
  const listed = (answer: Response, name: string): string[] =>
    (answer.headers.get(name) ?? '').toLowerCase().split(', ');

  describe('browsers', () => {
    it('OPTIONS /mcp with an allowed Origin is 204 with what the page may send, without a key', async () => {
      for (const url of [mcp.url, `${base}/health`]) {
        const answer = await fetch(url, { method: 'OPTIONS', headers: PREFLIGHT });
        expect(answer.status).to.equal(204);
        expect(answer.headers.get('access-control-allow-origin')).to.equal(PAGE);
        expect(answer.headers.get('access-control-allow-credentials')).to.equal(null);
        expect(answer.headers.get('vary')).to.equal('Origin');
        expect(listed(answer, 'access-control-allow-methods')).to.include.members(['post', 'get', 'delete']);
        const asked = PREFLIGHT['access-control-request-headers'].split(',');
        expect(listed(answer, 'access-control-allow-headers')).to.include.members(asked);
      }
    });

    it('headers that are none of MCP are not allowed, whatever a page asks for', async () => {
      const headers = { ...PREFLIGHT, 'access-control-request-headers': 'x-runner-secret, mcp-name, x-workspace-id' };
      const allowed = listed(await fetch(mcp.url, { method: 'OPTIONS', headers }), 'access-control-allow-headers');
      expect(allowed).to.include('mcp-name').and.not.include('x-runner-secret').and.not.include('x-workspace-id');
    });

    it('an Origin that is not allowed gets neither a preflight nor an answer', async () => {
      for (const method of ['OPTIONS', 'POST', 'GET']) {
        const answer = await fetch(mcp.url, { method, headers: { ...PREFLIGHT, origin: 'https://evil.example' } });
        expect([method, answer.status]).to.deep.equal([method, 403]);
        expect(answer.headers.get('access-control-allow-origin')).to.equal(null);
      }
    });

    it('a page reads its session, answers, streams and refusals', async () => {
      const page = { origin: PAGE };
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
      const opened = await mcp.post(key, { jsonrpc: '2.0', id: 1, method: 'initialize', params }, page);
      expect(opened.headers.get('mcp-session-id')).to.be.a('string');
      const progress = { ...call('svc_whoami'), params: { ...call('svc_whoami').params, _meta: { progressToken: 1 } } };
      const answers = [
        opened,
        await mcp.post(key, LIST, { ...page, ...session }),
        await mcp.post(key, progress, { ...page, ...session }),
        await mcp.post(WRONG, LIST, page),
        await mcp.post(key, 'no json', { ...page, ...session }),
        await mcp.post(key, LIST, { ...page, 'mcp-session-id': 'gone' }),
      ];
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 401, 400, 404]);
      for (const { headers, status } of answers) {
        expect(headers.get('access-control-allow-origin'), String(status)).to.equal(PAGE);
        expect(headers.get('access-control-expose-headers'))
          .to.contain('mcp-session-id')
          .and.contain('www-authenticate');
      }
    });

    it('who is no page is told nothing of pages', async () => {
      const { headers } = await mcp.post(key, LIST, session);
      expect(headers.get('access-control-allow-origin')).to.equal(null);
      const options = await fetch(mcp.url, { method: 'OPTIONS' });
      expect([options.status, options.headers.get('allow')]).to.deep.equal([204, 'POST, GET, DELETE, HEAD, OPTIONS']);
    });
  });

  describe('clients that try OAuth', () => {
    it('hear of a wrong key that it is wrong, and of none that one is needed', async () => {
      const said = async (given?: string): Promise<string | null> =>
        (await mcp.post(given, LIST)).headers.get('www-authenticate');
      expect(await said(WRONG)).to.match(/^Bearer error="invalid_token", error_description="This API key is invalid/);
      expect(await said('nonsense')).to.contain('error="invalid_token"');
      expect(await said()).to.equal('Bearer');
    });

    it('read under /register and /.well-known what the server takes instead of a sign-in', async () => {
      const paths = ['/register', '/.well-known/oauth-protected-resource/mcp', '/.well-known/openid-configuration'];
      for (const path of paths) {
        const answer = await fetch(`${base}${path}`, { method: path === '/register' ? 'POST' : 'GET', body: null });
        const body = (await answer.json()) as Record<string, string>;
        expect([path, answer.status]).to.deep.equal([path, 404]);
        expect(body['error_description']).to.contain('API keys').and.contain('invalid or revoked');
      }
    });
  });

  describe('by the letter of HTTP', () => {
    it('HEAD is answered as GET, without a body', async () => {
      for (const path of ['/health', '/livez', '/readyz']) {
        const [head, get] = [await fetch(`${base}${path}`, { method: 'HEAD' }), await fetch(`${base}${path}`)];
        expect([path, head.status]).to.deep.equal([path, get.status]);
        expect(head.headers.get('content-type')).to.equal(get.headers.get('content-type'));
        expect(head.headers.get('content-length')).to.equal(String((await get.text()).length));
        expect(await head.text()).to.equal('');
      }
      const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream', ...session };
      const stream = await fetch(mcp.url, { method: 'HEAD', headers });
      expect([stream.status, stream.headers.get('content-type')]).to.deep.equal([200, 'text/event-stream']);
      const statuses = [{}, { ...headers, accept: 'application/json' }, { ...headers, 'mcp-session-id': 'gone' }].map(
        async (other) => (await fetch(mcp.url, { method: 'HEAD', headers: other })).status,
      );
      expect(await Promise.all(statuses)).to.deep.equal([401, 406, 404]);
    });

    it('media types may have any case', async () => {
      const of = async (accept: string, type: string): Promise<number> =>
        (await mcp.post(key, LIST, { ...session, accept, 'content-type': type })).status;
      expect(await of('Application/JSON, Text/Event-Stream', 'Application/Json; Charset=UTF-8')).to.equal(200);
      expect(await of('*/*', 'application/json;charset="utf-8"')).to.equal(200);
      expect(await of('*/*', 'application/jsonp')).to.equal(415);
      expect(await of('*/*', 'application/json; charset=iso-8859-1')).to.equal(415);
      expect(await of('application/json', 'application/json')).to.equal(406);
    });

    it('a body that is not UTF-8 is refused before anything is written', async () => {
      const title = 'Für Zürich';
      const create = JSON.stringify(call('svc_upsert_lead', { email: 'z@zurich.example', lastName: title }));
      const body = Buffer.from(create, 'latin1');
      // One in one piece with its head, and one in chunks.
      for (const sent of [body, new Blob([body]).stream()]) {
        const answer = await fetch(mcp.url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            authorization: `Bearer ${key}`,
            ...session,
          },
          body: sent,
          duplex: 'half',
        } as RequestInit);
        const { error } = (await answer.json()) as { error: { code: number; message: string } };
        expect([answer.status, error.code]).to.deep.equal([400, -32_700]);
        expect(error.message).to.contain('not UTF-8');
      }
      const [{ count } = { count: -1 }] = await mcp.platform((tx) =>
        tx.rows<{ count: number }>(`select count(*) from lead where email = 'z@zurich.example'`),
      );
      expect(count).to.equal(0);
    });
  });

  describe('by the letter of JSON-RPC', () => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };

    it('initialize without an id is refused, and opens nothing', async () => {
      const { status, json, headers } = await mcp.post(key, { jsonrpc: '2.0', method: 'initialize', params });
      expect([status, json.error?.code]).to.deep.equal([400, -32_600]);
      expect(headers.get('mcp-session-id')).to.equal(null);
    });

    it('a message without a method is -32600, in both eras', async () => {
      for (const headers of [session, { 'mcp-protocol-version': '2026-07-28' }]) {
        const { status, json } = await mcp.post(key, { jsonrpc: '2.0', id: 1 }, headers);
        expect([status, json.error?.code]).to.deep.equal([400, -32_600]);
      }
    });

    it('an id above 2^53 is refused', async () => {
      const body = '{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}';
      const { status, json } = await mcp.post(key, body, session);
      expect([status, json.error?.code, json['id']]).to.deep.equal([400, -32_600, null]);
    });

    it('every list refuses a cursor that is none of its own; null is none', async () => {
      for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
        const ask = async (cursor: unknown): Promise<number | undefined> =>
          (await mcp.post(key, { jsonrpc: '2.0', id: 1, method, params: { cursor } }, session)).json.error?.code;
        expect([method, await ask('bogus'), await ask(''), await ask(null), await ask(undefined)]).to.deep.equal([
          method,
          -32_602,
          -32_602,
          undefined,
          undefined,
        ]);
      }
    });

    it('no arguments, {} and null are the same call', async () => {
      const texts = [{}, { arguments: {} }, { arguments: null }].map(async (given) => {
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'svc_whoami', ...given } };
        return (await postTo(mcp.url, key, body, session)).text;
      });
      const [first, ...others] = await Promise.all(texts);
      expect(first).to.contain('structuredContent');
      for (const other of others) expect(other).to.equal(first);
    });
  });
});

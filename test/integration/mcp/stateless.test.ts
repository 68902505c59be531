import {
  CallToolResultSchema,
  DiscoverResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/core';
import { expect } from 'chai';
import { ALL_TOOLS } from '../../../pkg/tools/registry.ts';
import { type Harness, type HttpAnswer, startMcp } from '../../fixtures/mcp/harness.ts';

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('MCP 2026-07-28, without sessions', () => {
  let mcp: Harness;
  let key: string;
  before(async () => {
    mcp = await startMcp();
    await mcp.workspace('acme');
    key = (await mcp.key({ userId: await mcp.user({ member: 'acme', role: 'owner' }) })).plaintext;
  });
  after(() => mcp.stop());

  /** A request as the version asks; `headers` replaces what it would say of itself. */
  const send = (method: string, params: object = {}, headers: Record<string, string> = {}): Promise<HttpAnswer> => {
    const { name, uri } = params as { name?: string; uri?: string };
    const named = name ?? uri;
    const body = { jsonrpc: '2.0', id: 7, method, params: { _meta: META, ...params } };
    const own = { 'mcp-protocol-version': VERSION, 'mcp-method': method, ...(named ? { 'mcp-name': named } : {}) };
    return mcp.post(key, body, { ...own, ...headers });
  };
  const errorOf = ({ status, json }: HttpAnswer): [number, number | undefined] => [status, json.error?.code];

  it('says what it speaks and can do, and who it is, in every result', async () => {
    const answer = await send('server/discover');
    const result = DiscoverResultSchema.parse(answer.json.result);
    expect(result.supportedVersions).to.deep.equal([VERSION, '2025-11-25', '2025-06-18', '2025-03-26']);
    expect(result.capabilities).to.have.keys('tools', 'resources', 'prompts', 'completions');
    for (const method of ['server/discover', 'tools/list', 'resources/list', 'prompts/list']) {
      const { result: any } = (await send(method)).json;
      expect(any?.['resultType'], method).to.equal('complete');
      expect(any?.['_meta'], method).to.deep.equal({
        'io.modelcontextprotocol/serverInfo': { name: 'outrider', title: 'Outrider', version: '0.0.0-test' },
      });
    }
    expect(answer.headers.get('mcp-session-id')).to.equal(null);
  });

  it('its results fit the schemas of the official SDK, with how long they may be kept', async () => {
    const tools = (await send('tools/list')).json.result;
    expect(ListToolsResultSchema.parse(tools).tools.length).to.equal(ALL_TOOLS.length);
    expect([tools?.['ttlMs'], tools?.['cacheScope']]).to.deep.equal([300_000, 'private']);
    const prompts = (await send('prompts/list')).json.result;
    expect(ListPromptsResultSchema.parse(prompts).prompts.length).to.equal(3);
    expect(prompts?.['cacheScope']).to.equal('public');
    ListResourcesResultSchema.parse((await send('resources/list')).json.result);
    const called = (await send('tools/call', { name: 'svc_whoami', arguments: {} })).json.result;
    expect(CallToolResultSchema.parse(called).structuredContent).to.have.property('keyType');
  });

  it('what header and body say must be equal: -32020', async () => {
    const mismatch = [400, -32_020];
    const call = { name: 'svc_whoami', arguments: {} };
    expect(errorOf(await send('tools/list', {}, { 'mcp-method': 'prompts/list' }))).to.deep.equal(mismatch);
    expect(errorOf(await send('tools/list', {}, { 'mcp-method': 'TOOLS/LIST' }))).to.deep.equal(mismatch);
    expect(errorOf(await send('tools/call', call, { 'mcp-name': 'svc_diagnose' }))).to.deep.equal(mismatch);
    expect(errorOf(await send('tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }))).to.deep.equal(mismatch);
    expect(errorOf(await send('tools/call', call, { 'mcp-name': '=?base64?not base64?=' }))).to.deep.equal(mismatch);
    const encoded = `=?base64?${Buffer.from('svc_whoami').toString('base64')}?=`;
    expect((await send('tools/call', call, { 'mcp-name': encoded })).status).to.equal(200);
    const bare = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: META } };
    expect(errorOf(await mcp.post(key, bare, { 'mcp-protocol-version': VERSION }))).to.deep.equal(mismatch);
    expect(errorOf(await mcp.post(key, bare, { 'mcp-method': 'tools/list' }))).to.deep.equal(mismatch);
  });

  it('what a request must say and does not is -32602, an unknown version names those that are spoken', async () => {
    expect(errorOf(await send('tools/list', { _meta: {} }))).to.deep.equal([400, -32_602]);
    const { 'io.modelcontextprotocol/clientCapabilities': _, ...half } = META;
    expect(errorOf(await send('tools/list', { _meta: half }))).to.deep.equal([400, -32_602]);
    const later = { ...META, 'io.modelcontextprotocol/protocolVersion': '2031-01-01' };
    const answer = await send('tools/list', { _meta: later }, { 'mcp-protocol-version': '2031-01-01' });
    expect(errorOf(answer)).to.deep.equal([400, -32_022]);
    expect(answer.text).to.contain('"requested":"2031-01-01"').and.contain('"supported":["2026-07-28"');
  });

  it('what the version removed is not found, with the id of the request', async () => {
    for (const method of ['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'nonsense']) {
      const answer = await send(method);
      expect([...errorOf(answer), answer.json['id']], method).to.deep.equal([404, -32_601, 7]);
    }
    const headers = { authorization: `Bearer ${key}`, 'mcp-protocol-version': VERSION, accept: 'text/event-stream' };
    for (const method of ['GET', 'DELETE']) {
      expect((await fetch(mcp.url, { method, headers })).status, method).to.equal(405);
    }
    expect(
      errorOf(
        await mcp.post(key, [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }], { 'mcp-protocol-version': VERSION }),
      )[1],
    ).to.equal(-32_600);
  });

  it('a session id is ignored, and a revoked key is refused at the next request', async () => {
    expect((await send('tools/list', {}, { 'mcp-session-id': 'of another time' })).status).to.equal(200);
    const other = await mcp.key({ userId: await mcp.user({ member: 'acme' }) });
    const list = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta: META } };
    const headers = { 'mcp-protocol-version': VERSION, 'mcp-method': 'tools/list' };
    expect((await mcp.post(other.plaintext, list, headers)).status).to.equal(200);
    await mcp.platform((tx) =>
      tx.exec('update api_key set revoked_at = 1, generation = generation + 1 where id = $1', [other.apiKeyId]),
    );
    expect((await mcp.post(other.plaintext, list, headers)).status).to.equal(401);
  });

  it('progress comes on the response of the call that asked for it, before its result', async () => {
    const answer = await send('tools/call', {
      name: 'svc_import_leads_csv',
      arguments: { workspaceId: 'acme', csv: 'email,first name\na@x.example,Ann\n' },
      _meta: { ...META, progressToken: 'p' },
    });
    expect(answer.headers.get('content-type')).to.equal('text/event-stream');
    const events = answer.text.match(/(?<=data: )\{.*\}/g)?.map((text) => JSON.parse(text)) ?? [];
    expect(events[0].params).to.include({ progressToken: 'p', progress: 1 });
    expect(events.at(-2).params).to.include({ progress: 4, total: 4 });
    expect(events.at(-1).result.structuredContent).to.include({ created: 1 });
    expect(answer.text).to.not.match(/^id: /m);
  });
});

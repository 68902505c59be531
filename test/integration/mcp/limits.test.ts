import { expect } from 'chai';
import { type Harness, postTo, RUNNER_SECRET, startMcp } from './harness.ts';

const call = (name: string, id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});

describe('request limits', () => {
  let mcp: Harness;
  before(async () => {
    mcp = await startMcp({ limits: { read: 3, write: 2, llm: 1, overall: 4 } });
    await mcp.workspace('acme');
  });
  after(() => mcp.stop());

  const open = async (): Promise<(body: unknown, server?: Harness) => Promise<string>> => {
    const key = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    const session = await mcp.initialize(key, '2025-03-26');
    return async (body, server = mcp) => (await server.post(key, body, { 'mcp-session-id': session })).text;
  };

  it('name tool, category, limit and the seconds to wait', async () => {
    const send = await open();
    for (let i = 0; i < 3; i++) expect(await send(call('svc_whoami'))).to.not.contain('isError');
    const refused = JSON.parse(await send(call('svc_whoami')));
    expect(refused.result.isError).to.equal(true);
    expect(refused.result.content[0].text).to.match(
      /^Rate limit exceeded for svc_whoami \(category read, 3 per minute\)\. Retry after ([1-9]|[1-5]\d|60)s\.$/,
    );
  });

  it('count over all categories, and each call of a batch', async () => {
    const send = await open();
    const answers = JSON.parse(
      await send([
        call('svc_whoami', 1),
        call('svc_create_api_key', 2),
        call('svc_whoami', 3),
        call('svc_create_api_key', 4),
        call('svc_whoami', 5),
      ]),
    );
    const texts = answers.map((answer: { result: { content: { text: string }[] } }) => answer.result.content[0]?.text);
    expect(texts.slice(0, 4).join()).to.not.contain('Rate limit');
    expect(texts[4]).to.contain('(category overall, 4 per minute)');
  });

  it('are shared by all replicas and counted apart for each key', async () => {
    const replica = await startMcp({ db: mcp.db, limits: { read: 3, write: 2, llm: 1, overall: 4 } });
    const [send, other] = [await open(), await open()];
    await Promise.all([send(call('svc_whoami')), send(call('svc_whoami'), replica), send(call('svc_whoami'))]);
    expect(await send(call('svc_whoami'), replica)).to.contain('Rate limit exceeded');
    expect(await other(call('svc_whoami'), replica)).to.not.contain('Rate limit exceeded');
    await replica.stop();
  });

  it('end 60 seconds after the first call of the window', async () => {
    const send = await open();
    for (let i = 0; i < 3; i++) await send(call('svc_whoami'));
    await mcp.platform((tx) => tx.exec(`update rate_window set started_at = started_at - interval '60 seconds'`));
    expect(await send(call('svc_whoami'))).to.not.contain('Rate limit exceeded');
  });

  it('do not bind internal callers; rejections are counted', async () => {
    const headers = { 'x-runner-secret': RUNNER_SECRET, 'x-workspace-id': 'acme' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const opened = await postTo(
      mcp.internalUrl,
      undefined,
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      headers,
    );
    const session = { ...headers, 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    for (let i = 0; i < 6; i++) {
      const answer = await postTo(mcp.internalUrl, undefined, call('svc_whoami'), session);
      expect(answer.text).to.not.contain('Rate limit');
    }
    expect(await mcp.registry.metrics()).to.match(/outrider_rate_limit_rejections_total\{category="read"\} \d/);
  });
});

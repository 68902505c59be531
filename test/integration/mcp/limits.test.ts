import { Agent, request } from 'node:http';
import { expect } from 'chai';
import {
  addMember,
  type Harness,
  type HttpAnswer,
  postTo,
  RUNNER_SECRET,
  startMcp,
} from '../../fixtures/mcp/harness.ts';

const call = (name: string, id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});

/** A POST whose body leaves in two packets. */
function piecewise(url: string, headers: Record<string, string>, body: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers: { ...headers, 'content-length': body.length } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve(Buffer.concat(chunks).toString()));
    });
    sent.on('error', reject);
    sent.write(body.subarray(0, 20), () => sent.end(body.subarray(20)));
  });
}

/** A POST over the connection of an agent. */
function over(agent: Agent, url: string, headers: Record<string, string>, body: object): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: 'POST', headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve([answer.statusCode ?? 0, Buffer.concat(chunks).toString()]));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

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

  it('bound what is no call too: a flood of lists or pings of one key, in any version; calls and other keys go on', async () => {
    const key = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    const headers = { 'mcp-session-id': await mcp.initialize(key, '2025-11-25') };
    const ask = (method: string): Promise<HttpAnswer> => mcp.post(key, { jsonrpc: '2.0', id: 1, method }, headers);
    const statuses: number[] = [];
    for (let i = 0; i < 61; i++) statuses.push((await ask(i % 2 ? 'tools/list' : 'ping')).status);
    expect([statuses.slice(0, 60).every((status) => status === 200), statuses[60]]).to.deep.equal([true, 429]);
    const refused = await ask('prompts/list');
    expect(refused.json.error?.message).to.match(/^A key makes at most 60 requests per minute that are no calls/);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
    const stateless = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } };
    expect((await mcp.post(key, stateless, { 'mcp-protocol-version': '2026-07-28' })).status).to.equal(429);
    expect((await mcp.post(key, call('svc_whoami'), headers)).json.result).to.not.have.property('isError');
    const other = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    const session = { 'mcp-session-id': await mcp.initialize(other) };
    expect((await mcp.post(other, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, session)).status).to.equal(200);
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
    await mcp.platform((tx) => tx.exec(`update request_count set started = started - interval '60 seconds'`));
    expect(await send(call('svc_whoami'))).to.not.contain('Rate limit exceeded');
  });

  it('end when the clock of the database is set back, not when it has come there again', async () => {
    const send = await open();
    for (let i = 0; i < 3; i++) await send(call('svc_whoami'));
    await mcp.platform((tx) => tx.exec(`update request_count set started = started + interval '1 day'`));
    expect(await send(call('svc_whoami'))).to.not.contain('Rate limit exceeded');
  });

  it('bind sessions too: a key opens as many in a minute as it may make calls', async () => {
    const key = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    for (let i = 0; i < 4; i++) expect(await mcp.initialize(key)).to.not.equal('');
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const refused = await mcp.post(key, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect(refused.status).to.equal(429);
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect(refused.json.error?.message).to.match(/at most 4 sessions per minute/);
  });

  describe('of a key that is known to be over one', () => {
    let key: string;
    let session: string;
    const send = (body: unknown, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
      mcp.post(key, body, { 'mcp-session-id': session, ...headers });
    before(async () => {
      key = (await mcp.key({ workspaceId: 'acme' })).plaintext;
      session = await mcp.initialize(key);
      for (let i = 0; i < 3; i++) await send(call('svc_whoami'));
    });

    it('the refusals are the same bytes as the first one, with the seconds to wait', async () => {
      const all = await Promise.all([1, 2, 3].map(() => send(call('svc_whoami', 7))));
      all.push(await send(call('svc_whoami', 7), { 'mcp-protocol-version': '2025-11-25' }));
      const texts = all.map(({ text }) => text.replace(/Retry after \d+s/, 'Retry after Ns'));
      expect(new Set(texts).size, texts.join('\n')).to.equal(1);
      for (const { status, text, headers } of all) {
        expect(status).to.equal(200);
        expect(headers.get('retry-after')).to.equal(/Retry after (\d+)s/.exec(text)?.[1]);
        expect(headers.get('content-type')).to.equal('application/json');
      }
    });

    it('count nowhere, and each in the metrics', async () => {
      const rejected = async (): Promise<number> =>
        Number(/rejections_total\{category="read"\} (\d+)/.exec(await mcp.registry.metrics())?.[1]);
      const before = await rejected();
      for (let i = 0; i < 5; i++) await send(call('svc_whoami'));
      expect(await rejected()).to.equal(before + 5);
      // Three calls were counted, so that the fourth of all is let through and the fifth is not.
      expect((await send(call('svc_create_api_key'))).text).to.not.contain('Rate limit');
      expect((await send(call('svc_create_api_key'))).text).to.contain('(category overall, 4 per minute)');
    });

    it('nothing else is refused: other methods, broken bodies, unknown tools and long ones get their own answers', async () => {
      expect((await send({ jsonrpc: '2.0', id: 'a', method: 'ping' })).json.result).to.deep.equal({});
      expect((await send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).json.result).to.have.property('tools');
      expect((await send('{"jsonrpc":')).json.error?.code).to.equal(-32_700);
      expect((await send({ id: 1 })).json.error?.code).to.equal(-32_600);
      expect((await send([call('svc_whoami')])).json.error?.code).to.equal(-32_600);
      expect((await send(call('svc_nothing'))).json.error?.code).to.equal(-32_602);
      const long = { ...call('svc_whoami'), params: { name: 'svc_whoami', arguments: { x: 'y'.repeat(9_000) } } };
      expect((await send(long)).text).to.contain('Rate limit exceeded for svc_whoami');
      const deep = JSON.stringify(call('svc_whoami')).replace(
        '"arguments":{}',
        `"arguments":${'['.repeat(100_000)}${']'.repeat(100_000)}`,
      );
      expect((await send(deep)).text).to.contain('Rate limit exceeded for svc_whoami');
      expect((await send({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).to.equal(202);
    });

    it('what is judged before a limit is still judged: Host, session, key, headers', async () => {
      expect((await send(call('svc_whoami'), { origin: 'https://evil.example' })).status).to.equal(403);
      const other = (await mcp.key({ workspaceId: 'acme' })).plaintext;
      const foreign = await mcp.initialize(other);
      expect((await send(call('svc_whoami'), { 'mcp-session-id': foreign })).status).to.equal(404);
      expect((await mcp.post(other, call('svc_whoami'), { 'mcp-session-id': session })).status).to.equal(404);
      expect((await send(call('svc_whoami'), { 'mcp-protocol-version': '1999-01-01' })).status).to.equal(400);
      expect((await send(call('svc_whoami'), { accept: 'application/json' })).status).to.equal(406);
      expect((await send(call('svc_whoami'), { 'content-type': 'text/plain' })).status).to.equal(415);
      expect((await mcp.post(`cs_${'0'.repeat(32)}`, call('svc_whoami'))).status).to.equal(401);
    });

    it('is judged anew on the same connection when its headers change', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
      const own = { ...json, authorization: `Bearer ${key}`, 'mcp-session-id': session };
      const send = (headers: Record<string, string>, id = 1): Promise<[number, string]> =>
        over(agent, mcp.url, headers, call('svc_whoami', id));
      const other = (await mcp.key({ workspaceId: 'acme' })).plaintext;
      const theirs = { authorization: `Bearer ${other}`, 'mcp-session-id': await mcp.initialize(other) };
      for (const id of [1, 2])
        expect((await send(own, id))[1])
          .to.contain(`"id":${id},`)
          .and.contain('Rate limit exceeded');
      expect((await send({ ...own, origin: 'https://evil.example' }))[0]).to.equal(403);
      expect((await send({ ...own, host: 'evil.example' }))[0]).to.equal(403);
      expect((await send({ ...own, 'mcp-session-id': theirs['mcp-session-id'] }))[0]).to.equal(404);
      expect((await send({ ...json, ...theirs }))[1]).to.not.contain('Rate limit');
      expect((await send(own))[1]).to.contain('Rate limit exceeded');
      agent.destroy();
    });

    it('is answered too when its body comes in pieces', async () => {
      const body = Buffer.from(JSON.stringify(call('svc_whoami', 9)));
      const headers = { authorization: `Bearer ${key}`, 'mcp-session-id': session, 'content-type': 'application/json' };
      const text = await piecewise(mcp.url, { ...headers, accept: 'application/json, text/event-stream' }, body);
      expect(text).to.contain('Rate limit exceeded for svc_whoami');
    });
  });

  it('do not bind internal callers; rejections are counted', async () => {
    const user = await mcp.user();
    const headers = { 'x-runner-secret': RUNNER_SECRET, 'x-workspace-id': 'acme', 'x-user-id': user };
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

describe('limits of a workspace', () => {
  let mcp: Harness;
  before(async () => {
    mcp = await startMcp({ limits: { read: 5, write: 5, llm: 5, overall: 9 } });
    await mcp.workspace('acme');
    await mcp.workspace('wide');
    await lower('acme', { readPerMinute: 2, overallPerMinute: 1_000 });
  });
  after(() => mcp.stop());

  const lower = (id: string, limits: object): Promise<number> =>
    mcp.platform((tx) => tx.exec('update workspace set limits = $2 where id = $1', [id, JSON.stringify(limits)]));
  const opened = async (key: string): Promise<(name: string, input?: object) => Promise<string>> => {
    const session = await mcp.initialize(key);
    return async (name, input = {}) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
      return (await mcp.post(key, body, { 'mcp-session-id': session })).text;
    };
  };

  it('lower those of its keys, never raise them, and a change holds from the next call on', async () => {
    const call = await opened((await mcp.key({ workspaceId: 'acme' })).plaintext);
    for (let i = 0; i < 2; i++) expect(await call('svc_whoami')).to.not.contain('Rate limit');
    expect(await call('svc_whoami')).to.contain('(category read, 2 per minute)');
    await lower('acme', { readPerMinute: 4 });
    // Only an answer of the limiter tells that the key changed, and a window that is known to be full is not asked.
    await call('svc_create_api_key');
    for (let i = 0; i < 2; i++) expect(await call('svc_whoami')).to.not.contain('Rate limit');
    expect(await call('svc_whoami')).to.contain('(category read, 4 per minute)');
    await lower('acme', { readPerMinute: 2, overallPerMinute: 1_000 });
  });

  it('are a second check for a user key, once the workspace is known, also from a record', async () => {
    const user = await mcp.user({ member: 'acme', role: 'owner' });
    await mcp.platform((tx) => addMember(tx, 'wide', user, 'member'));
    await mcp.platform((tx) =>
      tx.exec(
        `insert into campaign (id, workspace_id, uid, title, created_at, updated_at) values ('of-acme', 'acme', 'u', 'T', 1, 1)`,
      ),
    );
    const call = await opened((await mcp.key({ userId: user })).plaintext);
    expect(await call('svc_get_workspace', { workspaceId: 'acme' })).to.contain('Name of acme');
    expect(await call('svc_get_campaign', { campaignId: 'of-acme' })).to.not.contain('Rate limit');
    for (const [name, input] of [
      ['svc_get_workspace', { workspaceId: 'acme' }],
      ['svc_get_campaign', { campaignId: 'of-acme' }],
    ] as const) {
      expect(await call(name, input)).to.contain(
        `Rate limit exceeded for ${name} (category read, 2 per minute in this workspace). Retry after `,
      );
    }
    expect(await call('svc_get_workspace', { workspaceId: 'wide' })).to.contain('Name of wide');
  });

  it('are checked too where a call names many records, whichever of them are of the workspace', async () => {
    await lower('acme', { readPerMinute: 2, writePerMinute: 2, overallPerMinute: 1_000 });
    const user = await mcp.user({ member: 'acme', role: 'owner' });
    await mcp.platform((tx) => addMember(tx, 'wide', user, 'member'));
    const item = (workspace: string): Promise<string> =>
      mcp.platform(async (tx) => {
        const row = await tx.row<{ id: string }>(
          `insert into review_item (id, workspace_id, workflow_id, campaign_id, run_id, lead_id, node_id, send_node_id, channel, body, original_body, created_at, expires_at)
           values (gen_random_uuid(), $1, 'w', 'c', gen_random_uuid(), gen_random_uuid(), 'n', 's', 'message', 'Hi', 'Hi', 1, 2) returning id`,
          [workspace],
        );
        return row?.id ?? '';
      });
    const reviewItemIds = [await item('wide'), await item('acme')];
    const call = await opened((await mcp.key({ userId: user })).plaintext);
    const decide = (): Promise<string> => call('svc_bulk_decide_review_items', { reviewItemIds, decision: 'reject' });
    for (let i = 0; i < 2; i++) expect(await decide()).to.not.contain('Rate limit');
    expect(await decide()).to.contain('(category write, 2 per minute in this workspace)');
  });
});

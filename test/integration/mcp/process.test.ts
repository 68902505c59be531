import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect } from 'chai';
import pg from 'pg';
import { type Harness, postTo, startMcp } from '../../fixtures/mcp/harness.ts';
import { eventually, startTestCluster, type TestCluster } from '../../tools/kube.ts';
import { type McpProcess, startMcpProcess } from '../../tools/mcp-process.ts';

describe('MCP server process', function () {
  this.timeout(60_000);
  let cluster: TestCluster;
  let inside: Harness;
  let userKey: string;
  const children: ChildProcess[] = [];

  before(async () => {
    cluster = await startTestCluster();
    inside = await startMcp({ db: cluster.db });
    await inside.workspace('acme');
    const owner = await inside.user({ member: 'acme', role: 'owner' });
    userKey = (await inside.key({ userId: owner })).plaintext;
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await inside.stop();
    await cluster.stop();
  });

  const start = (env: Record<string, string> = {}): McpProcess => {
    const server = startMcpProcess(cluster, env);
    children.push(server.child);
    return server;
  };

  it('serves, counts and ends cleanly; no secret reaches its output, also when a call breaks', async () => {
    const { child, ready, output } = start();
    const { mcpUrl, metricsUrl } = await ready;
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const opened = await postTo(mcpUrl, userKey, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    const session = opened.headers.get('mcp-session-id') ?? '';
    const call = async (name: string, input: object): Promise<string> => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
      return (await postTo(mcpUrl, userKey, body, { 'mcp-session-id': session })).text;
    };
    const made = await call('svc_create_api_key', {
      workspaceId: 'acme',
      name: 'Private name',
      scopes: ['leads:read'],
    });
    const fresh = /cs_[0-9a-f]{32}/.exec(made)?.[0] ?? 'none was made';
    const owner = new pg.Client({ connectionString: cluster.superuserUrl });
    await owner.connect();
    await owner.query('alter table outrider.credit_balance rename to away');
    expect(await call('svc_get_credit_balance', { workspaceId: 'acme' })).to.contain('failed on our side');
    await owner.query('alter table outrider.away rename to credit_balance');
    await owner.end();
    const metrics = await (await fetch(metricsUrl)).text();
    expect(metrics).to.contain('outrider_mcp_tool_calls_total{tool_domain="Workspace",result="ok"} 1');
    expect(metrics).to.contain('outrider_rate_limit_limit{category="llm"} 10').and.contain('outrider_build_info{');
    child.stdin?.end();
    expect((await once(child, 'exit'))[0]).to.equal(0);
    const text = output.join('\n');
    expect(text).to.contain('tool failed').and.contain('svc_create_api_key');
    const secrets = [userKey, fresh, session, 'Private name', 'session-secret', 'cursor-secret', 'runner-secret'];
    for (const secret of [...secrets, new URL(cluster.databaseUrl).password]) expect(text).to.not.contain(secret);
  });

  it('a used port and wrong settings are said in a sentence, exit code 1', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const used = start({ PORT: String(port) });
    expect((await once(used.child, 'exit'))[0]).to.equal(1);
    expect(used.output.join('')).to.contain(`Port ${port} is used by another program. Set PORT to a free port.`);
    other.close();
    const wrong = start({ PORT: 'seven', SESSION_SECRET: 'short' });
    expect((await once(wrong.child, 'exit'))[0]).to.equal(1);
    expect(wrong.output.join('')).to.contain('PORT').and.contain('SESSION_SECRET').and.not.contain('"short"');
  });

  it('a webhook is a hint: it brings the look at its account forward, whatever it says; an unknown one is not found', async () => {
    const { child, ready } = start();
    const { ingressUrl } = await ready;
    const hook = (secret: string, method = 'POST'): Promise<Response> =>
      fetch(`${ingressUrl}/hooks/${secret}`, { method, ...(method === 'POST' ? { body: '{"event":"forged"}' } : {}) });
    const secret = 'the-secret-of-an-account';
    await inside.platform((tx) =>
      tx.exec(
        `insert into network_account (id, external_id, status_since, created_at, webhook_secret_hash) values ('hinted', 'x', 1, 1, $1)`,
        [createHash('sha256').update(secret).digest()],
      ),
    );
    expect((await hook(secret)).status, 'no workspace uses it').to.equal(404);
    await inside.platform((tx) =>
      tx.exec(`insert into account_link (account_id, workspace_id, linked_at) values ('hinted', 'acme', 1)`),
    );
    expect((await hook(secret)).status).to.equal(202);
    const woken = await inside.platform((tx) => tx.rows('select account_id, hinted from account_wake'));
    expect(woken).to.deep.equal([{ account_id: 'hinted', hinted: true }]);
    expect((await inside.platform((tx) => tx.rows('select 1 from message'))).length).to.equal(0);
    expect((await hook('no-such-secret-of-an-account')).status).to.equal(404);
    expect((await hook('no-such-secret-of-an-account', 'GET')).status).to.equal(404);
    expect((await hook('short')).status).to.equal(404);
    child.stdin?.end();
    await once(child, 'exit');
  });

  it('ends a call in flight before it goes', async () => {
    const { child, ready } = start();
    const { mcpUrl, metricsUrl } = await ready;
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    const flying = Array.from({ length: 20 }, () => postTo(mcpUrl, userKey, body));
    await Promise.race(flying);
    child.kill('SIGTERM');
    const settled = await Promise.allSettled(flying);
    for (const one of settled) if (one.status === 'fulfilled') expect(one.value.status).to.equal(200);
    expect(settled[0]?.status).to.equal('fulfilled');
    expect((await once(child, 'exit'))[0]).to.equal(0);
    await eventually('closed', () =>
      fetch(metricsUrl).then(
        () => false,
        () => true,
      ),
    );
  });
});

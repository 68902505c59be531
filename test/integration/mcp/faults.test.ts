import { connect } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { eventually } from '../../tools/kube.ts';
import { testPostgres } from '../../tools/postgres.ts';

describe('faults and readiness of the MCP server', function () {
  this.timeout(30_000);
  let mcp: Harness;
  let key: string;
  let session: string;
  let superuser: pg.Client;

  beforeEach(async () => {
    mcp = await startMcp();
    await mcp.workspace('acme');
    key = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    session = await mcp.initialize(key);
    const { rows } = await mcp.db.pool.query<{ name: string }>('select current_database() as name');
    const url = new URL((await testPostgres()).url);
    url.pathname = `/${rows[0]?.name}`;
    superuser = new pg.Client({ connectionString: url.href });
    await superuser.connect();
  });
  afterEach(async () => {
    await superuser.end();
    await mcp.stop();
  });

  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'svc_whoami', arguments: {} } };
  const call = () => mcp.post(key, body, { 'mcp-session-id': session });
  /** Sum of what the error budget's alert reads. */
  const faults = async (): Promise<number> => {
    const text = await mcp.registry.metrics();
    const lines = [...text.matchAll(/^outrider_mcp_tool_calls_total\{[^}]*result="fault"\} (\d+)$/gm)];
    return lines.reduce((sum, [, value]) => sum + Number(value), 0);
  };

  it('requests that fail before their tool is known count as faults of ours: else nobody is paged while every call is answered 503', async () => {
    expect((await call()).status).to.equal(200);
    expect(await faults()).to.equal(0);
    await superuser.query('alter table outrider.api_key rename to away');
    mcp.server.forgetKeys();
    expect((await call()).status).to.equal(503);
    expect(await faults()).to.equal(1);
    await superuser.query('alter table outrider.away rename to api_key');
    expect((await call()).status).to.equal(200);
    expect(await faults()).to.equal(1);
  });

  it('a server whose connections all wait for one lock is ready: Postgres answers, and no other replica stands better', async () => {
    const ready = async (): Promise<number> => (await fetch(new URL('/readyz', mcp.url))).status;
    expect(await ready()).to.equal(200);
    await superuser.query('begin; lock table outrider.feedback in access exclusive mode');
    const waiting = Array.from({ length: 12 }, () =>
      mcp.platform((tx) => tx.exec('delete from feedback where false')).catch(() => undefined),
    );
    await eventually('all connections wait', () => Promise.resolve(mcp.db.load().waiting > 0 || undefined));
    expect(await ready()).to.equal(200);
    await superuser.query('rollback');
    await Promise.all(waiting);
  });

  it('a wrong key, a refusal and a client that breaks off its request are no faults', async () => {
    expect((await mcp.post('csu_00000000000000000000000000000000', body)).status).to.equal(401);
    expect((await mcp.post(key, '{', { 'mcp-session-id': session })).status).to.equal(400);
    expect((await mcp.post(key, body)).status, 'no session').to.equal(400);
    const { hostname, port } = new URL(mcp.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nMcp-Session-Id: ${session}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{`,
    );
    // Another call later its head has been read, and its body is waited for.
    expect((await call()).status).to.equal(200);
    socket.resetAndDestroy();
    expect((await call()).status).to.equal(200);
    expect(await faults()).to.equal(0);
  });
});

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { eventually } from '../../tools/kube.ts';

describe('clients that leave before they are answered', function () {
  this.timeout(12_000);
  let mcp: Harness;
  let apiKeyId: string;
  let key: string;
  let session: string;

  beforeEach(async () => {
    mcp = await startMcp();
    await mcp.workspace('acme');
    ({ apiKeyId, plaintext: key } = await mcp.key({ workspaceId: 'acme' }));
    session = await mcp.initialize(key);
  });

  /** A connection over which requests left, one behind the other. */
  const send = async (requests: readonly string[]): Promise<Socket> => {
    const { hostname, port } = new URL(mcp.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(requests.join(''));
    return socket;
  };
  const head = (method: string, more: string): string =>
    `${method} /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nMcp-Session-Id: ${session}\r\nAccept: application/json, text/event-stream\r\n${more}\r\n`;
  const stream = (): string => head('GET', '');
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const post = (): string =>
    `${head('POST', `Content-Type: application/json\r\nContent-Length: ${ping.length}\r\n`)}${ping}`;

  /** Requests whose connection ends while their key is read. */
  const leaveEarly = async (requests: readonly string[]): Promise<void> => {
    mcp.server.forgetKeys();
    await mcp.platform((tx) => tx.exec('update api_key set last_used_at = null where id = $1', [apiKeyId]));
    await mcp.platform(async (tx) => {
      await tx.exec('select 1 from api_key where id = $1 for update', [apiKeyId]);
      const sockets = await Promise.all(requests.map((request) => send([request])));
      await eventually(
        'their key is read',
        async () => {
          const { rows } = await mcp.db.pool.query(
            `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'update api_key%'`,
          );
          return rows.length > 0;
        },
        5_000,
      );
      for (const socket of sockets) socket.destroy();
      // What came to the server after this came after it heard that they left.
      for (let i = 0; i < 3; i++) await fetch(new URL('/livez', mcp.url));
    });
  };
  /** Streams that the server keeps. */
  const kept = async (): Promise<number> =>
    Number(/^outrider_mcp_open_streams (\d+)$/m.exec(await mcp.registry.metrics())?.[1]);

  it('a call whose client left before its body was read keeps no server from stopping', async () => {
    await leaveEarly([post()]);
    await mcp.stop();
  });

  it('streams that nobody came to listen to are not kept', async () => {
    await leaveEarly(Array.from({ length: 8 }, stream));
    // What is answered now was asked behind them.
    const own = { 'mcp-session-id': session };
    expect((await mcp.post(key, { jsonrpc: '2.0', id: 1, method: 'ping' }, own)).status).to.equal(200);
    expect(await kept()).to.equal(0);
    const stop = new AbortController();
    const headers = { ...own, authorization: `Bearer ${key}`, accept: 'text/event-stream' };
    expect((await fetch(mcp.url, { headers, signal: stop.signal })).status).to.equal(200);
    stop.abort();
    await mcp.stop();
  });
});

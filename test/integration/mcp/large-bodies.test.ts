import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { eventually } from '../../tools/kube.ts';
import { type Harness, type HttpAnswer, startMcp } from './harness.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const MOST = 8 * 1024 * 1024;

describe('large bodies', () => {
  let mcp: Harness;
  let key: string;
  let session: string;
  before(async () => {
    mcp = await startMcp({ bodyWaitMs: 100 });
    await mcp.workspace('acme');
    key = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    session = await mcp.initialize(key);
  });
  after(() => mcp.stop());

  const large = (by = key, of = session): Promise<HttpAnswer> =>
    mcp.post(by, { ...PING, params: { text: 'x'.repeat(1_000_000) } }, { 'mcp-session-id': of });
  /** A body of the greatest size whose last byte does not come. */
  const stuck = async (): Promise<Socket> => {
    const { hostname, port } = new URL(mcp.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nMcp-Session-Id: ${session}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${MOST}\r\n\r\n`;
    socket.write(`${head}{`);
    return socket;
  };

  it('of one key wait for each other beyond what the server can hold; small ones and those of others do not', async () => {
    const sockets = await Promise.all([stuck(), stuck(), stuck()]);
    const refused = await eventually('there is no room left', async () => {
      const answer = await large();
      return answer.status === 429 && answer;
    });
    expect(refused.headers.get('retry-after')).to.equal('2');
    expect(refused.json.error?.message).to.contain('Send one large body after the other');
    expect((await mcp.post(key, PING, { 'mcp-session-id': session })).json.result).to.deep.equal({});
    const other = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    expect((await large(other, await mcp.initialize(other))).json.result).to.deep.equal({});
    sockets[0]?.destroy();
    await eventually('there is room again', async () => (await large()).status === 200);
    for (const socket of sockets) socket.destroy();
  });
});

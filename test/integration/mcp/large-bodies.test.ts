import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { type Harness, type HttpAnswer, startMcp } from '../../fixtures/mcp/harness.ts';
import { eventually } from '../../tools/kube.ts';

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

  it('hold a bounded number of values, before any is made: eight megabytes of empty ones took more memory than a server has', async () => {
    const post = (params: string): Promise<HttpAnswer> =>
      mcp.post(key, `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`, { 'mcp-session-id': session });
    const many = (value: string): string => `{"a":[${`${value},`.repeat(300_000)}0]}`;
    for (const value of ['0', '{}', '[]', '"a"', '"\\""', '{"a":{"b":0}}']) {
      const { status, json } = await post(many(value));
      expect([status, json.error?.code], value).to.deep.equal([400, -32600]);
      expect(json.error?.message).to.match(/more than 50000 values/);
    }
    // A text is one value, whatever stands in it.
    const csv = JSON.stringify(`"a","b\\",[{,:}]\n`.repeat(100_000));
    expect((await post(`{"csv":${csv},"ids":[${'"x",'.repeat(10_000)}"x"]}`)).json.result).to.deep.equal({});
  });
});

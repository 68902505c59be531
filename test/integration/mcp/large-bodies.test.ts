import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { type Harness, type HttpAnswer, startMcp } from '../../fixtures/mcp/harness.ts';
import { FakeClock } from '../../tools/fake-clock.ts';
import { eventually } from '../../tools/kube.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const MOST = 8 * 1024 * 1024;
const WAIT_MS = 1_000;

describe('large bodies', function () {
  this.timeout(30_000);
  const real = new FakeClock();
  let mcp: Harness;
  let key: string;
  let session: string;
  before(async () => {
    mcp = await startMcp({ real, bodyWaitMs: WAIT_MS });
    await mcp.workspace('acme');
    await mcp.workspace('other');
    key = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    session = await mcp.initialize(key);
  });
  after(() => mcp.stop());

  const large = (by = key, of = session): Promise<HttpAnswer> =>
    mcp.post(by, { ...PING, params: { text: 'x'.repeat(1_000_000) } }, { 'mcp-session-id': of });
  /** A body of the greatest size, of which so many bytes come. */
  const stuck = async (by: string, of: string, bytes = 1): Promise<Socket> => {
    const { hostname, port } = new URL(mcp.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${by}\r\nMcp-Session-Id: ${of}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${MOST}\r\n\r\n`;
    socket.write(`${head}${'{'.repeat(bytes)}`);
    return socket;
  };
  /** What a body that has to wait is answered with, when its time is over. */
  const waited = async (asked: Promise<HttpAnswer>): Promise<HttpAnswer> => {
    let ended = false;
    const end = asked.finally(() => {
      ended = true;
    });
    // Returned below; it may be refused before.
    end.catch(() => undefined);
    await eventually('an answer', async () => {
      await real.advance(WAIT_MS / 10);
      return ended;
    });
    return end;
  };

  it('of one workspace wait for each other beyond its part; small ones and those of others do not', async () => {
    const sockets = await Promise.all(Array.from({ length: 4 }, () => stuck(key, session)));
    await eventually('all of them are read', async () => real.sleeping === sockets.length);
    const refused = await waited(large());
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '2']);
    expect(refused.json.error?.message).to.contain('Send one large body after the other');
    expect((await mcp.post(key, PING, { 'mcp-session-id': session })).json.result).to.deep.equal({});
    const colleague = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    const again = await waited(large(colleague, await mcp.initialize(colleague)));
    expect(again.status, 'another key changes nothing').to.equal(429);
    const other = (await mcp.key({ workspaceId: 'other' })).plaintext;
    expect((await large(other, await mcp.initialize(other))).json.result).to.deep.equal({});
    sockets[0]?.destroy();
    expect((await large()).status, 'there is room again').to.equal(200);
    for (const socket of sockets) socket.destroy();
    await eventually('all have left', async () => real.sleeping === 0);
  });

  it('that came nearly whole and fill all the room give way to those of others', async () => {
    const sockets: Socket[] = [];
    for (let at = 0; at < 3; at++) {
      const userId = await mcp.user();
      const { plaintext } = await mcp.key({ userId });
      const own = await mcp.initialize(plaintext);
      for (let body = 0; body < 3; body++) sockets.push(await stuck(plaintext, own, MOST - 1));
    }
    // What is held up for want of room waits, beside the watch over each: all the room is taken.
    await eventually('the room is full', async () => real.sleeping > sockets.length);
    for (let call = 0; call < 5; call++) expect((await large()).json.result).to.deep.equal({});
    for (const socket of sockets) socket.destroy();
    await eventually('all have left', async () => real.sleeping === 0);
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

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { FakeClock } from '../../tools/fake-clock.ts';

const TOTAL = 100;
const PER_ADDRESS = 50;

describe('connections to the MCP server that ask nothing', function () {
  this.timeout(60_000);
  let mcp: Harness;
  let real: FakeClock;
  let key: string;
  let session: string;
  const opened: Socket[] = [];

  before(async () => {
    real = new FakeClock();
    mcp = await startMcp({ real, bounds: { maxConnections: TOTAL, perAddress: PER_ADDRESS } });
    await mcp.workspace('acme');
    key = (await mcp.key({ workspaceId: 'acme' })).plaintext;
    session = await mcp.initialize(key);
  });
  after(() => mcp.stop());
  afterEach(() => {
    for (const socket of opened.splice(0)) socket.destroy();
  });

  const open = async (url: string, localAddress: string): Promise<Socket> => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    socket.on('error', () => undefined);
    opened.push(socket);
    await once(socket, 'connect');
    return socket;
  };

  it('keep nobody out, whether of one address or of many: 200 calls of a tenant are answered on the main listener', async () => {
    for (const addresses of [1, 50]) {
      for (let at = 0; at < 2 * TOTAL; at++) await open(mcp.url, `127.0.1.${(at % addresses) + 1}`);
      await real.advance(1_000);
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'svc_whoami', arguments: {} } };
      for (let at = 0; at < 200; at++) {
        // A connection for each call, as clients have that were started for it.
        const headers = { 'mcp-session-id': session, connection: 'close' };
        const { status, text } = await mcp.post(key, call, headers);
        expect([status, text.includes('"isError"')], `call ${at}: ${text}`).to.deep.equal([200, false]);
      }
    }
  });

  it('keep no internal caller and no probe out either', async () => {
    for (let at = 0; at < 2 * TOTAL; at++) await open(mcp.internalUrl, '127.0.1.1');
    await real.advance(1_000);
    for (let at = 0; at < 200; at++) {
      const answer = await fetch(new URL('/livez', mcp.internalUrl), { headers: { connection: 'close' } });
      expect([at, answer.status, await answer.text()]).to.deep.equal([at, 200, '{"status":"ok"}']);
    }
  });
});

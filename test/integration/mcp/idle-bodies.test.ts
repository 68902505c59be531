import { expect } from 'chai';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { FakeClock } from '../../tools/fake-clock.ts';
import { eventually } from '../../tools/kube.ts';
import { type RawAnswer, RawHttp } from '../../tools/raw-http.ts';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const STALL_MS = 5_000;
const PER_USER = 64;
const PER_WORKSPACE = 128;

describe('bodies that are announced and do not come', function () {
  this.timeout(60_000);
  let mcp: Harness;
  let real: FakeClock;
  const opened: RawHttp[] = [];

  before(async () => {
    real = new FakeClock();
    mcp = await startMcp({ real });
    for (const workspace of ['acme', 'evil']) await mcp.workspace(workspace);
  });
  afterEach(() => {
    for (const connection of opened.splice(0)) connection.close();
  });
  after(() => mcp.stop());

  interface Client {
    key: string;
    session: string;
  }
  const clientOf = async (about: { userId?: string; workspaceId?: string }): Promise<Client> => {
    const { plaintext } = await mcp.key(about);
    return { key: plaintext, session: await mcp.initialize(plaintext) };
  };
  const head = ({ key, session }: Client, framing: string): string =>
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nMcp-Session-Id: ${session}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${framing}\r\n\r\n`;
  /** Connections that announce a body and send its first byte. */
  const announce = async (client: Client, count: number, framing: string): Promise<RawHttp[]> => {
    const all: RawHttp[] = [];
    for (let at = 0; at < count; at++) {
      const connection = await RawHttp.open(mcp.url);
      await connection.send(`${head(client, framing)}${framing.startsWith('T') ? '1\r\n{\r\n' : '{'}`);
      all.push(connection);
    }
    opened.push(...all);
    return all;
  };
  const answerOf = async (connection: RawHttp): Promise<RawAnswer | undefined> => (await connection.answers(1))[0];
  /** The answers that connections got so far. */
  const answered = (connections: readonly RawHttp[]): RawHttp[] => connections.filter((connection) => !connection.idle);
  /** All that another tenant's client may do: small and larger bodies, in one piece and in two. */
  const calls = async (client: Client, count: number): Promise<void> => {
    const connection = await RawHttp.open(mcp.url);
    opened.push(connection);
    for (let call = 0; call < count; call++) {
      const text = 'x'.repeat([10, 5_000, 60_000, 200_000][call % 4] ?? 0);
      const body = JSON.stringify({ ...PING, id: call, params: { text } });
      const start = head(client, `Content-Length: ${body.length}`);
      if (call % 3 === 0) {
        await connection.send(start);
        await connection.send(body.slice(0, 100));
        await connection.send(body.slice(100));
      } else await connection.send(`${start}${body}`);
      const answer = await answerOf(connection);
      expect([call, answer?.status, answer?.body]).to.deep.equal([
        call,
        200,
        `{"jsonrpc":"2.0","id":${call},"result":{}}`,
      ]);
    }
  };

  /** Those beyond the bound of their workspace, whose refusal came. */
  const refusedOf = async (held: readonly RawHttp[]): Promise<RawHttp[]> => {
    const refused = await eventually('all beyond the bound are refused', async () => {
      const those = answered(held);
      return those.length >= held.length - PER_WORKSPACE && those;
    });
    expect(refused).to.have.length(held.length - PER_WORKSPACE);
    for (const answer of await Promise.all(refused.map(answerOf))) {
      expect(answer?.status).to.equal(429);
      expect(answer?.body).to.contain('Too many bodies are being sent at once: at most 64 of a user and 128 of a');
      expect(answer?.head)
        .to.match(/\r\nretry-after: 2\r\n/i)
        .and.match(/\r\nconnection: close\r\n/i);
    }
    return refused;
  };
  /** Of the largest only a few are read at once; the others wait their time for room, and then they are refused. */
  const allEnd = async (left: readonly RawHttp[], framing: string): Promise<void> => {
    await eventually('all have ended', async () => {
      await real.advance(STALL_MS);
      return answered(left).length === left.length;
    });
    const answers = await Promise.all(left.map(answerOf));
    const stopped = answers.filter((answer) => answer?.status === 408);
    expect(stopped).to.have.length.of.at.least(framing.endsWith('8388608') ? 3 : left.length);
    for (const answer of stopped) {
      expect(answer?.body).to.contain('The body stopped on its way: no byte came for 5 s. Send the request again');
      expect(answer?.head).to.match(/\r\nconnection: close\r\n/i);
    }
    const waited = answers.filter((answer) => answer?.status !== 408);
    for (const answer of waited) expect(answer?.body).to.contain('Send one large body after the other');
  };

  for (const framing of [
    'Content-Length: 4000',
    'Content-Length: 65536',
    'Content-Length: 8388608',
    'Transfer-Encoding: chunked',
  ]) {
    it(`of a tenant (${framing}) are bounded and end after five seconds; 200 calls of another one are answered meanwhile`, async () => {
      const tenant = await clientOf({ workspaceId: 'acme' });
      // Three users with two keys each, of one workspace: limits per key would bind nobody.
      const clients: Client[] = [];
      for (let user = 0; user < 3; user++) {
        const userId = await mcp.user({ member: 'evil', role: 'owner' });
        for (let key = 0; key < 2; key++) clients.push(await clientOf({ userId }));
      }
      const held: RawHttp[] = [];
      for (const client of clients) held.push(...(await announce(client, 50, framing)));
      const refused = await refusedOf(held);
      const ofOne = held.slice(0, 100).filter((connection) => refused.includes(connection));
      expect(ofOne, 'of the first user').to.have.length(100 - PER_USER);
      await calls(tenant, 200);
      await allEnd(
        held.filter((one) => !refused.includes(one)),
        framing,
      );
      // Their places are free again.
      const [again] = await announce(clients[0] as Client, 1, framing);
      await again?.send('x'.repeat(10));
      await calls(clients[0] as Client, 4);
    });
  }
});

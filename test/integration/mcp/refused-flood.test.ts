import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect } from 'chai';
import { verifyAudit } from '../../../pkg/store/audit/verify-audit.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { eventually } from '../../tools/kube.ts';
import { RawHttp } from '../../tools/raw-http.ts';

const LIMITS = { read: 2, write: 2, llm: 1, overall: 3 };
const REFUSED = 'Rate limit exceeded for svc_whoami (category read, 2 per minute). Retry after ';

const body = (id: number | string, method = 'tools/call', name = 'svc_whoami'): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params: { name, arguments: {} } });

/** Numbers that look like chance and are the same each time. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('a flood of a key that is over its limit', () => {
  let mcp: Harness;
  let key: string;
  let apiKeyId: string;
  let session: string;
  /** Requests that the HTTP parser saw, and calls that `warm` made. */
  let parsed = 0;
  let asked = 0;
  const count = (): void => {
    parsed++;
  };
  const connections: RawHttp[] = [];
  const open = async (url = mcp.url): Promise<RawHttp> => {
    const connection = await RawHttp.open(url);
    connections.push(connection);
    return connection;
  };

  before(async () => {
    mcp = await startMcp({ limits: LIMITS });
    await mcp.workspace('acme');
    subscribe('http.server.request.start', count);
  });
  beforeEach(async () => {
    ({ plaintext: key, apiKeyId } = await mcp.key({ workspaceId: 'acme' }));
    session = await mcp.initialize(key);
    const send = (id: number): Promise<{ text: string }> => mcp.post(key, body(id), { 'mcp-session-id': session });
    for (let id = 0; id < 2; id++) expect((await send(id)).text).to.not.contain('isError');
    expect((await send(2)).text).to.contain(REFUSED);
  });
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.close();
  });
  after(async () => {
    unsubscribe('http.server.request.start', count);
    await mcp.stop();
  });

  const headers = (more: string[] = []): string =>
    [
      'POST /mcp HTTP/1.1',
      'Host: 127.0.0.1',
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Authorization: Bearer ${key}`,
      `Mcp-Session-Id: ${session}`,
      ...more,
    ].join('\r\n');
  const request = (text: string, more: string[] = []): string =>
    `${headers(more)}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
  const ask = async (connection: RawHttp, packet: string): Promise<string> => {
    await connection.send(packet);
    const [answer] = await connection.answers(1);
    return `${answer?.head}${answer?.body}`;
  };
  /** A connection on which a call was refused. */
  const warm = async (url = mcp.url): Promise<RawHttp> => {
    const connection = await open(url);
    expect(await ask(connection, request(body(1))))
      .to.contain(REFUSED)
      .and.contain('"id":1,');
    asked++;
    return connection;
  };

  it('gets the same answer each time, and the HTTP parser sees each request', async () => {
    const connection = await open();
    const before = parsed;
    const texts: string[] = [];
    for (let call = 0; call < 6; call++) texts.push(await ask(connection, request(body('ü'))));
    expect(parsed - before, 'nothing takes requests off the socket').to.equal(6);
    const same = texts.map((text) =>
      text.replace(/((?:Date|x-request-id): ).*/gi, '$1…').replace(/(retry-after: |Retry after )\d+/gi, '$1…'),
    );
    expect(new Set(same).size, same.join('\n')).to.equal(1);
    expect(texts[5]).to.match(/Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/);
    expect(/retry-after: (\d+)/.exec(texts[5] ?? '')?.[1]).to.equal(/Retry after (\d+)s/.exec(texts[5] ?? '')?.[1]);
  });

  it('is refused without a session too, in the form of that version', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'svc_whoami', arguments: {}, _meta: meta };
    const text = (id: number, about: object = params): string =>
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: about });
    const named = ['Mcp-Protocol-Version: 2026-07-28', 'Mcp-Method: tools/call', 'Mcp-Name: svc_whoami'];
    const packet = (id: number, about?: object): string =>
      request(text(id, about), named).replace(/Mcp-Session-Id: .*\r\n/, '');
    const whole = await ask(
      await open(),
      packet(1).replace('Host: 127.0.0.1', 'Host: localhost\r\nX-Runner-Secret: x'),
    );
    const connection = await open();
    const before = parsed;
    for (let call = 0; call < 6; call++) {
      const answer = await ask(connection, packet(1));
      expect(bodyOf(answer)).to.equal(bodyOf(whole));
    }
    expect(bodyOf(whole)).to.contain('"resultType":"complete"').and.contain(REFUSED.slice(0, 60));
    expect(parsed - before).to.equal(6);
    for (const wrong of [
      { ...params, name: 'svc_whoamj' },
      { ...params, _meta: { ...meta, [Object.keys(meta)[1] ?? '']: [] } },
    ])
      expect(await ask(connection, packet(1, wrong))).to.match(/^HTTP\/1\.1 400 /);
  });

  it('may send head and body one after the other, as many clients do', async () => {
    const connection = await open();
    const before = parsed;
    for (let id = 1; id <= 10; id++) {
      const [head, rest] = request(body(id)).split('\r\n\r\n');
      await connection.send(`${head}\r\n\r\n`);
      await turns(5);
      expect(await ask(connection, rest ?? ''))
        .to.contain(REFUSED)
        .and.contain(`"id":${id},`);
    }
    expect(parsed - before).to.equal(10);
  });

  it('may ask whether it may send the body, and is told so each time', async () => {
    const connection = await open();
    for (let id = 1; id <= 5; id++) {
      const [head, rest] = request(body(id), ['Expect: 100-continue']).split('\r\n\r\n');
      expect(await ask(connection, `${head}\r\n\r\n`)).to.contain('100 Continue');
      expect(await ask(connection, rest ?? '')).to.contain(REFUSED);
    }
  });

  it('is in the metrics and in the audit log call by call, and counts nowhere', async () => {
    const rejected = async (): Promise<number> =>
      Number(/rejections_total\{category="read"\} (\d+)/.exec(await mcp.registry.metrics())?.[1]);
    const [before, unasked] = [await rejected(), asked];
    const connection = await warm();
    const flood = asked - unasked + 10;
    for (let id = 0; id < 10; id++) await ask(connection, request(body(id)));
    expect((await rejected()) - before).to.equal(flood);
    const other = request(body(1, 'tools/call', 'svc_create_api_key'));
    expect(await ask(connection, other), 'the third of three calls').to.not.contain('Rate limit');
    for (const packet of [other, request(body(1))])
      expect(await ask(connection, packet)).to.contain('(category overall, 3 per minute)');
    const audited = (): Promise<{ tool: string; outcome: string; calls: number; workspaces: string | null }[]> =>
      mcp.platform((tx) =>
        tx.rows(
          `select tool, outcome, sum(calls)::int as calls, string_agg(distinct workspace_id, ',') as workspaces
           from audit_event where actor_id = $1 group by tool, outcome order by tool, outcome`,
          [apiKeyId],
        ),
      );
    const rows = await eventually('a record of the last call', async () => {
      const found = await audited();
      return found.some((row) => row.tool === 'svc_whoami' && row.calls >= flood + 2) && found;
    });
    expect(rows).to.deep.equal([
      { tool: 'svc_create_api_key', outcome: 'limited', calls: 1, workspaces: 'acme' },
      { tool: 'svc_create_api_key', outcome: 'refused', calls: 1, workspaces: null },
      { tool: 'svc_whoami', outcome: 'limited', calls: flood + 2, workspaces: 'acme' },
      { tool: 'svc_whoami', outcome: 'ok', calls: 2, workspaces: null },
    ]);
    expect((await verifyAudit(mcp.db)).broken).to.equal(null);
  });

  it('is judged anew when the key is read again', async () => {
    const connection = await warm();
    await mcp.platform((tx) => tx.exec('update api_key set revoked_at = 1 where id = $1', [apiKeyId]));
    mcp.server.forgetKeys();
    await connection.send(request(body(5)));
    const [answer] = await connection.answers(1);
    expect(answer?.status).to.equal(401);
  });

  it('may change its headers: each request is judged by its own', async () => {
    for (const [more, status] of [
      [['Origin: https://evil.example'], 403],
      [['Mcp-Protocol-Version: 1999-01-01'], 400],
      [['X-Other: 1'], 200],
    ] as const) {
      const connection = await warm();
      await connection.send(request(body(5), [...more]));
      const [answer] = await connection.answers(1);
      expect(answer?.status, more.join()).to.equal(status);
    }
    for (const [text, other, status] of [
      [session, `${session.slice(0, -1)}${session.endsWith('A') ? 'B' : 'A'}`, 404],
      [key, `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`, 401],
      ['Host: 127.0.0.1', 'Host: 127.0.0.x', 403],
    ] as const) {
      const connection = await warm();
      await connection.send(request(body(5)).replace(text, other));
      const [answer] = await connection.answers(1);
      expect(answer?.status, text).to.equal(status);
    }
  });

  it('may say other things with the same headers: they get their own answers', async () => {
    const connection = await warm();
    const long = body(4).length;
    const fill = (text: string): string => text.padEnd(long);
    for (const [text, wanted] of [
      ['{"jsonrpc":"2.0","id":1,"method":"ping"}', '"result":{}'],
      ['{"jsonrpc":', '-32700'],
      ['{"id":1}', '-32600'],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call"}', '-32602'],
    ] as const) {
      expect(await ask(connection, request(fill(text))), text).to.contain(wanted);
      for (let id = 1; id <= 3; id++) expect(await ask(connection, request(body(id)))).to.contain(REFUSED);
    }
  });

  it('hears from a server that stops that the connection ends', async () => {
    const other = await startMcp({ db: mcp.db, limits: LIMITS, drainMs: 1_000 });
    const connection = await warm(other.url);
    const stopped = other.stop();
    expect(await ask(connection, request(body(5))))
      .to.contain('Connection: close')
      .and.contain(REFUSED);
    await stopped;
  });

  it('is answered in order however its bytes are cut into packets', async function () {
    this.timeout(60_000);
    const chance = numbers(7);
    for (let round = 0; round < 30; round++) {
      const connection = await warm();
      const wanted = Array.from({ length: 40 }, (_, id) => ({ id: id + 100, kind: chance(24) }));
      // Mostly calls that are refused, between them requests that take the long way, with other headers or the same.
      const packets = wanted.map(({ id, kind }) =>
        kind === 0
          ? request(body(id, 'ping', 'svc_whoamixxxxxx'))
          : kind === 1
            ? request(body(id), ['X-Other: 1'])
            : request(body(id)),
      );
      const before = parsed;
      const all = connection.answers(wanted.length);
      await sendInPieces(connection, packets, chance);
      const answers = await all;
      expect(parsed - before, `round ${round}`).to.equal(wanted.length);
      const ids = answers.map((answer) => JSON.parse(answer.body).id);
      expect(ids, `round ${round}`).to.deep.equal(wanted.map(({ id }) => id));
      answers.forEach((answer, at) => {
        expect(answer.body).to.contain(wanted[at]?.kind === 0 ? '"result":{}' : REFUSED);
      });
      expect(connection.idle).to.equal(true);
    }
  });
});

/** Without the seconds to wait. */
function bodyOf(answer: string): string {
  return answer.slice(answer.indexOf('\r\n\r\n')).replace(/Retry after \d+s/, 'Retry after Ns');
}

/** Lets the server, which is in this process, read what was sent, most of the time. */
async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await new Promise((resolve) => setImmediate(resolve));
}

/** Requests one by one, several in a packet, or cut anywhere. */
async function sendInPieces(connection: RawHttp, packets: string[], chance: (below: number) => number): Promise<void> {
  let left = '';
  for (const packet of packets) {
    left += packet;
    const way = chance(20);
    if (way === 0) continue;
    const head = left.indexOf('\r\n\r\n') + 4;
    for (const cut of way === 1 ? [chance(left.length)] : way < 8 ? [head, left.length] : [left.length]) {
      await connection.send(left.slice(0, cut));
      await turns(chance(4));
      left = left.slice(cut);
    }
  }
  if (left !== '') await connection.send(left);
}

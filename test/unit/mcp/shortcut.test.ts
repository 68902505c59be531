import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect } from 'chai';
import { Shortcut } from '../../../pkg/mcp/shortcut.ts';
import { RawHttp } from '../../tools/raw-http.ts';

const HEAD = 'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 30\r\n\r\n';
const request = (what: string): string => HEAD + what.padEnd(30, '.');

describe('short cut beside HTTP', () => {
  let server: Server;
  let socket: Socket;
  let client: RawHttp;
  /** Bodies that HTTP parsed, with what their requests said in the header x. */
  let parsed: string[];
  /** Answers that are owed, by the body that asked for them. */
  let owed: Map<string, () => void>;
  let sent = 0;
  /** What else is done with a connection. */
  let others: (socket: Socket) => void = () => undefined;

  /** Bodies that begin with `hold` are answered when the test says so; all others at once, and their like without HTTP. */
  const serve = (request: IncomingMessage, response: ServerResponse, cut: Shortcut | undefined): void => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
      if (body.length < 30) return;
      const what = body.replaceAll('.', '');
      parsed.push(what + (request.headers['x'] ?? ''));
      response.setHeader('content-length', what.length);
      if (what.startsWith('hold')) {
        owed.set(what, () => response.end(what));
        return;
      }
      response.end(what);
      cut?.learn(request, response, 30, (asked) => {
        const short = asked.replaceAll('.', '');
        return short.startsWith('hold')
          ? undefined
          : `HTTP/1.1 200 OK\r\nContent-Length: ${short.length}\r\n\r\n${short}`;
      });
    });
  };

  beforeEach(async () => {
    others = () => undefined;
    parsed = [];
    owed = new Map();
    sent = 0;
    let cut: Shortcut | undefined;
    server = createServer((request, response) => serve(request, response, cut));
    server.on('connection', (made: Socket) => {
      socket = made;
      others(made);
      cut = Shortcut.on(made);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = await RawHttp.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterEach(async () => {
    client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Sends a packet and waits until the server has it, so that it is one there too. */
  const packet = async (text: string): Promise<void> => {
    await client.send(text);
    sent += text.length;
    while ((socket?.bytesRead ?? 0) < sent) await turn();
    await turn();
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const bodies = async (count: number): Promise<string[]> => (await client.answers(count)).map(({ body }) => body);

  it('answers from the second request on, in one packet or in two', async () => {
    await packet(request('a'));
    await packet(request('b'));
    await packet(HEAD);
    await packet('c'.padEnd(30, '.'));
    expect(await bodies(3)).to.deep.equal(['a', 'b', 'c']);
    expect(parsed).to.deep.equal(['a']);
  });

  it('learns from a request in two packets', async () => {
    await packet(HEAD);
    await packet('a'.padEnd(30, '.'));
    await packet(request('b'));
    expect(await bodies(2)).to.deep.equal(['a', 'b']);
    expect(parsed).to.deep.equal(['a']);
  });

  it('never overtakes an answer that HTTP owes, before or behind the one it learned from', async () => {
    await packet(request('hold 1'));
    await packet(request('a'));
    await packet(request('hold 2'));
    owed.get('hold 1')?.();
    expect(await bodies(2)).to.deep.equal(['hold 1', 'a']);
    await packet(request('b'));
    owed.get('hold 2')?.();
    expect(await bodies(2)).to.deep.equal(['hold 2', 'b']);
    expect(parsed).to.deep.equal(['hold 1', 'a', 'hold 2', 'b']);
  });

  it('hands HTTP what it does not answer, and the head that came before it', async () => {
    await packet(request('a'));
    await packet(HEAD);
    await packet('hold'.padEnd(30, '.'));
    owed.get('hold')?.();
    await packet(HEAD);
    await packet('b');
    await packet('.'.repeat(29));
    expect(await bodies(3)).to.deep.equal(['a', 'hold', 'b']);
    expect(parsed).to.deep.equal(['a', 'hold', 'b']);
  });

  it('takes a second head for the body that it is', async () => {
    await packet(request('a'));
    await packet(HEAD);
    await packet(HEAD);
    expect(parsed).to.deep.equal(['a', HEAD.slice(0, 30).replaceAll('.', '')]);
  });

  it('leaves a connection alone to which others listen', async () => {
    client.close();
    const heard: string[] = [];
    others = (made) => made.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
    client = await RawHttp.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    for (const what of ['a', 'b', 'c']) await packet(request(what));
    expect(await bodies(3)).to.deep.equal(['a', 'b', 'c']);
    expect(parsed).to.deep.equal(['a', 'b', 'c']);
    expect(heard.join('')).to.equal(['a', 'b', 'c'].map(request).join(''));
  });

  // What HTTP already holds decides what a packet means that looks like a request.
  const begun = 'POST /mcp HTTP/1.1\r\nx: ';
  for (const [how, packets] of [
    ['behind a whole request', [request('a') + begun]],
    ['behind the rest of a body', [request('a').slice(0, -5), request('a').slice(-5) + begun]],
    [
      'in a packet as long as a body',
      [request('a').slice(0, HEAD.length + begun.length), request('a').slice(HEAD.length + begun.length) + begun],
    ],
  ] as const)
    it(`knows nothing of a connection on which HTTP holds the beginning of a request, ${how}`, async () => {
      for (const one of packets) await packet(one);
      await packet(request('b'));
      expect(await bodies(2)).to.deep.equal(['a', 'b']);
      expect(parsed).to.deep.equal(['a', 'bPOST /mcp HTTP/1.1']);
    });

  it('leaves heads that are written unusually, other heads, and connections that shall end to HTTP', async () => {
    for (const head of [
      HEAD.replace('Host: ', 'Host:   '),
      HEAD.replace('POST /mcp HTTP/1.1\r\n', 'POST /mcp HTTP/1.1\r\nx: \r\n'),
      HEAD.replace('/mcp', '/other'),
    ])
      await packet(head + 'a'.padEnd(30, '.'));
    await packet(`${HEAD.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}${'a'.padEnd(30, '.')}`);
    expect(await bodies(4)).to.deep.equal(['a', 'a', 'a', 'a']);
    expect(parsed.length).to.equal(4);
  });
});

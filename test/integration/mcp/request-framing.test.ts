import { expect } from 'chai';
import { exchange, statuses } from '../../fixtures/http/exchange.ts';
import { CONTROL_TOKEN, type Face, type Faces, startFaces } from '../../fixtures/http/faces.ts';
import { RawHttp } from '../../tools/raw-http.ts';

/** What a smuggler wants to be answered as a request of its own. */
const SMUGGLED = 'GET /livez HTTP/1.1\r\nHost: localhost\r\nX-Smuggled: 1\r\nConnection: close\r\n\r\n';

/** Headers behind a request line and a Host; a proxy in front may read each of them in another way than we do. */
const AMBIGUOUS: readonly (readonly [string, string])[] = [
  ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n'],
  ['two lengths', 'Content-Length: 0\r\nContent-Length: 4\r\n\r\n'],
  ['the same length twice', 'Content-Length: 4\r\nContent-Length: 4\r\n\r\nabcd'],
  ['a list of lengths', 'Content-Length: 4, 4\r\n\r\nabcd'],
  ['a length with a sign', 'Content-Length: +4\r\n\r\nabcd'],
  ['a negative length', 'Content-Length: -4\r\n\r\nabcd'],
  ['a length in hexadecimals', 'Content-Length: 0x4\r\n\r\nabcd'],
  ['a length with a point', 'Content-Length: 4.0\r\n\r\nabcd'],
  ['a length with a space inside', 'Content-Length: 4 4\r\n\r\nabcd'],
  ['a length beyond all numbers', 'Content-Length: 99999999999999999999999\r\n\r\nabcd'],
  ['no length', 'Content-Length:\r\n\r\nabcd'],
  ['an encoding nobody knows', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
  ['chunks that are no last encoding', 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n'],
  ['an encoding twice, the second unknown', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: cow\r\n\r\n0\r\n\r\n'],
  ['an encoding in quotes', 'Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n'],
  ['a vertical tab before an encoding', 'Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n'],
  ['a folded length', 'Content-Length:\r\n 4\r\n\r\nabcd'],
  ['a folded encoding', 'Transfer-Encoding:\r\n\tchunked\r\n\r\n0\r\n\r\n'],
  ['a folded header', 'X-Folded: a\r\n b\r\n\r\n'],
  ['a header that begins with a space', ' X-Other: a\r\n\r\n'],
  ['a space before the colon', 'Content-Length : 4\r\n\r\nabcd'],
  ['a tab before the colon', 'Transfer-Encoding\t: chunked\r\n\r\n0\r\n\r\n'],
  ['a header without a colon', 'Content-Length 4\r\n\r\nabcd'],
  ['a header without a name', ': a\r\n\r\n'],
  ['a bare line feed behind a header', 'X-Other: a\nContent-Length: 4\r\n\r\nabcd'],
  ['a bare carriage return in a header', 'X-Other: a\rContent-Length: 4\r\n\r\nabcd'],
  ['a NUL in a value', 'X-Other: a\0b\r\n\r\n'],
  ['a NUL in a name', 'X-Ot\0her: a\r\n\r\n'],
];

/** Whole requests. */
const BROKEN: readonly (readonly [string, string])[] = [
  ['bare line feeds everywhere', 'GET /livez HTTP/1.1\nHost: localhost\n\n'],
  ['a bare line feed behind the request line', 'GET /livez HTTP/1.1\nHost: localhost\r\n\r\n'],
  ['no version', 'GET /livez\r\nHost: localhost\r\n\r\n'],
  ['a version of its own', 'GET /livez HTTP/9.9\r\nHost: localhost\r\n\r\n'],
  ['a space in the address', 'GET /livez x HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['a method nobody knows', 'GETT /livez HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['a method in small letters', 'get /livez HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['the hello of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
];

/** Bodies in chunks. */
const CHUNKS: readonly (readonly [string, string])[] = [
  ['a size with a prefix', '0x2\r\n{}\r\n0\r\n\r\n'],
  ['a size with a sign', '+2\r\n{}\r\n0\r\n\r\n'],
  ['a negative size', '-2\r\n{}\r\n0\r\n\r\n'],
  ['a size that is no number', 'g\r\n{}\r\n0\r\n\r\n'],
  ['a size that overflows', 'fffffffffffffffff2\r\n{}\r\n0\r\n\r\n'],
  ['a space before the size', ' 2\r\n{}\r\n0\r\n\r\n'],
  ['a space behind the size', '2 \r\n{}\r\n0\r\n\r\n'],
  ['a bare line feed behind the size', '2\n{}\r\n0\r\n\r\n'],
  ['a bare carriage return behind the size', '2\r{}\r\n0\r\n\r\n'],
  ['more bytes than the size says', '2\r\n{}x\r\n0\r\n\r\n'],
  ['no end of line behind a chunk', '2\r\n{}0\r\n\r\n'],
  ['a bare line feed behind a chunk', '2\r\n{}\n0\r\n\r\n'],
  ['a line feed in an extension', '2;a\nb\r\n{}\r\n0\r\n\r\n'],
  ['a carriage return in an extension', '2;a\rb\r\n{}\r\n0\r\n\r\n'],
  ['a NUL in an extension', '2;a=\0\r\n{}\r\n0\r\n\r\n'],
  ['extensions of 32 kB', `2;${'a'.repeat(32_768)}\r\n{}\r\n0\r\n\r\n`],
  ['a length among the trailers', '2\r\n{}\r\n0\r\nContent-Length: 5\r\n\r\n'],
  ['a folded trailer', '2\r\n{}\r\n0\r\nX-Folded: a\r\n b\r\n\r\n'],
  ['a bare line feed behind the last chunk', '2\r\n{}\r\n0\n\n'],
];

describe('requests that a proxy may read in another way', function () {
  this.timeout(60_000);
  let faces: Faces;
  let key: string;
  let session: string;

  before(async () => {
    faces = await startFaces();
    await faces.mcp.workspace('acme');
    key = (await faces.mcp.key({ workspaceId: 'acme' })).plaintext;
    session = await faces.mcp.initialize(key);
  });
  after(() => faces.stop());

  /** The head of a POST that a face takes, without its framing. */
  const post = (face: Face): string => {
    const [path, secret] =
      face.name === 'control server'
        ? ['/clock', CONTROL_TOKEN]
        : face.name === 'lease endpoint'
          ? ['/claims', 'good']
          : face.name === 'ingress'
            ? ['/invitations/0123456789abcdef', key]
            : ['/mcp', key];
    return `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\r\nMcp-Session-Id: ${session}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n`;
  };
  /** One refusal, and nothing of what was behind it. */
  const refused = (answer: string, about: string, ...allowed: number[]): void => {
    const [first, ...more] = statuses(answer);
    expect([400, ...allowed], `${about}: ${answer.slice(0, 200)}`).to.include(first ?? 0);
    expect(more, about).to.deep.equal([]);
    expect(answer, about)
      .to.match(/\r\nconnection: close\r\n/i)
      .and.not.contain('"status":"ok"');
  };

  it('are refused by every face, and what stands behind them is no request', async () => {
    for (const face of faces.all) {
      for (const [what, framing] of AMBIGUOUS)
        refused(await exchange(face.url, `${post(face)}${framing}${SMUGGLED}`), `${face.name}: ${what}`);
      for (const [what, request] of BROKEN)
        refused(await exchange(face.url, `${request}${SMUGGLED}`), `${face.name}: ${what}`, 505);
    }
  });

  it('are refused by every face in the chunks of a body', async () => {
    for (const face of faces.all.filter(({ logged }) => logged !== undefined))
      for (const [what, body] of CHUNKS) {
        const answer = await exchange(face.url, `${post(face)}Transfer-Encoding: chunked\r\n\r\n${body}${SMUGGLED}`);
        refused(answer, `${face.name}: ${what}`, 413);
      }
  });

  it('a head of more than 16 kB is refused by every face (431), one below it is read', async () => {
    for (const face of faces.all) {
      const ask = (headers: string): Promise<string> =>
        exchange(face.url, `GET ${face.path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`);
      const over = [
        `X-Long: ${'a'.repeat(17_000)}\r\n`,
        `${'X-Many: a\r\n'.repeat(2_000)}`,
        `X-${'Long'.repeat(5_000)}: a\r\n`,
      ];
      for (const headers of over) expect(statuses(await ask(headers)), face.name).to.deep.equal([431]);
      const line = `GET /${'a'.repeat(17_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
      expect(statuses(await exchange(face.url, line)), face.name).to.deep.equal([431]);
      expect(statuses(await ask(`X-Long: ${'a'.repeat(15_000)}\r\n`)), face.name).to.deep.equal([face.status]);
    }
  });

  it('chunks and their extensions by the letter are read, and trailers change nothing', async () => {
    const connection = await RawHttp.open(faces.mcp.url);
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const size = ping.length.toString(16);
    const [main] = faces.all;
    if (!main) throw new Error('no face');
    for (const body of [
      `${size}\r\n${ping}\r\n0\r\n\r\n`,
      `${size.toUpperCase().padStart(6, '0')};name=value;other="quoted"\r\n${ping}\r\n0;end\r\n\r\n`,
      `${size}\r\n${ping}\r\n0\r\nAuthorization: Bearer x\r\nHost: evil.example\r\n\r\n`,
      [...ping]
        .map((letter) => `1\r\n${letter}\r\n`)
        .join('')
        .concat('0\r\n\r\n'),
    ]) {
      await connection.send(`${post(main)}Transfer-Encoding: chunked\r\n\r\n${body}`);
      const [answer] = await connection.answers(1);
      expect([answer?.status, answer?.body]).to.deep.equal([200, '{"jsonrpc":"2.0","id":1,"result":{}}']);
    }
    expect(connection.idle).to.equal(true);
    connection.close();
  });

  it('a request for another protocol or another host is none', async () => {
    for (const face of faces.all) {
      const ask = (line: string, ...headers: string[]): Promise<string> =>
        exchange(face.url, [line, 'Host: localhost', ...headers, 'Connection: close', '', ''].join('\r\n'));
      expect(statuses(await ask('CONNECT localhost:80 HTTP/1.1')), face.name).to.deep.equal([]);
      // Probes judge no host; every other face knows paths alone.
      const status = { 'probe server': 200, 'control server': 401 }[face.name] ?? 404;
      const proxied = statuses(await ask(`GET http://evil.example${face.path} HTTP/1.1`));
      expect(proxied, `${face.name} is no proxy`).to.deep.equal([status]);
      expect(statuses(await ask(`GET ${face.path} HTTP/1.1`, 'Expect: something')), face.name).to.deep.equal([417]);
    }
  });
});

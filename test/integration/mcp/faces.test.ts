import { expect } from 'chai';
import { exchange, statuses } from '../../fixtures/http/exchange.ts';
import { CONTROL_TOKEN, type Face, type Faces, type LogLine, startFaces } from '../../fixtures/http/faces.ts';
import { RUNNER_SECRET } from '../../fixtures/mcp/harness.ts';
import { eventually } from '../../tools/kube.ts';
import { RawHttp } from '../../tools/raw-http.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('every HTTP face', function () {
  this.timeout(30_000);
  let faces: Faces;

  before(async () => {
    faces = await startFaces();
  });
  after(() => faces.stop());

  const get = (face: Face, headers: readonly string[], path = face.path): Promise<string> =>
    exchange(face.url, `GET ${path} HTTP/1.1\r\n${[...headers, 'Connection: close', '', ''].join('\r\n')}`);
  const statusOf = async (face: Face, ...headers: string[]): Promise<number[]> => statuses(await get(face, headers));
  const lineOf = (requestId: string | undefined): Promise<LogLine> =>
    eventually('its line in the access log', async () =>
      faces.lines.find((line) => line.msg === 'request' && line.requestId === requestId),
    );
  const idIn = (answer: string): string | undefined => /\r\nx-request-id: (\S+)\r\n/i.exec(answer)?.[1];

  it('answers under its names: a page that was rebound to this address names another', async () => {
    for (const face of faces.all) {
      for (const host of ['localhost', '127.0.0.1', 'localhost:7420', '[::1]:80'])
        expect(await statusOf(face, `Host: ${host}`), `${face.name}, ${host}`).to.deep.equal([face.status]);
      for (const host of [
        'evil.example',
        'localhost.evil.example',
        '127.0.0.1.evil.example',
        'localhost:80.evil',
        '',
      ]) {
        const wanted = face.anyHost ? face.status : 403;
        expect(await statusOf(face, `Host: ${host}`), `${face.name}, ${host}`).to.deep.equal([wanted]);
      }
      expect(await statusOf(face), `${face.name} without a host`).to.deep.equal([400]);
    }
  });

  it('takes no request that names two hosts, where it gives requests a name in its log', async () => {
    for (const face of faces.all.filter(({ logged }) => logged !== undefined))
      for (const second of ['Host: localhost', 'host: evil.example', 'HOST:localhost'])
        expect(await statusOf(face, 'Host: localhost', second), `${face.name}, ${second}`).to.deep.equal([400]);
  });

  it('answers pages of its own origins', async () => {
    for (const face of faces.all) {
      for (const origin of ['http://localhost', 'http://127.0.0.1:3000', 'https://[::1]:8443'])
        expect(await statusOf(face, 'Host: localhost', `Origin: ${origin}`), face.name).to.deep.equal([face.status]);
      for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example', 'file://', 'http://'])
        expect(await statusOf(face, 'Host: localhost', `Origin: ${origin}`), `${face.name}, ${origin}`).to.deep.equal([
          face.anyOrigin ? face.status : 403,
        ]);
    }
  });

  it('judges host and origin before a key, a token or a body', async () => {
    const { mcp } = faces;
    const { plaintext } = await mcp.key({ userId: await mcp.user() });
    for (const face of faces.all.filter(({ anyOrigin }) => !anyOrigin)) {
      const secret =
        face.name === 'control server' ? CONTROL_TOKEN : face.name === 'lease endpoint' ? 'good' : plaintext;
      const path = face.path === '/health' ? '/mcp' : face.path;
      const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${secret}\r\nX-Runner-Secret: ${RUNNER_SECRET}\r\nContent-Length: 1000`;
      const answer = await exchange(face.url, `${head}\r\nOrigin: https://evil.example\r\n\r\n`);
      expect(statuses(answer), face.name).to.deep.equal([403]);
      expect(answer, 'and reads no body').to.match(/\r\nconnection: close\r\n/i);
      expect(answer).to.contain('Origin');
    }
  });

  it('names the setting where a host or an origin is added, where there is one', async () => {
    const [main] = faces.all;
    if (!main) throw new Error('no face');
    expect(await get(main, ['Host: evil.example'])).to.contain(
      'Host evil.example is not allowed. Add it to ALLOWED_HOSTS.',
    );
    expect(await get(main, ['Host: localhost', 'Origin: https://evil.example'])).to.contain(
      'Add it to ALLOWED_ORIGINS.',
    );
  });

  it('keeps a connection for the next request, unless a body is left in it', async () => {
    for (const face of faces.all.filter(({ logged }) => logged !== undefined)) {
      const connection = await RawHttp.open(face.url);
      for (const path of [face.path, '/no-such-path', face.path]) {
        await connection.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        const [answer] = await connection.answers(1);
        expect(answer?.head, `${face.name} ${path}`).to.match(/\r\nconnection: keep-alive\r\n/i);
      }
      await connection.send(`POST ${face.path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n`);
      const [answer] = await connection.answers(1);
      expect(answer?.head, face.name).to.match(/\r\nconnection: close\r\n/i);
      connection.close();
    }
  });

  it('gives each request an id of its own, which its answer and its line in the access log have', async () => {
    for (const face of faces.all) {
      const answers = await Promise.all([
        get(face, ['Host: localhost', 'X-Request-Id: mine']),
        get(face, ['Host: localhost'], '/no-such-path'),
        get(face, ['Host: localhost', 'Host: localhost']),
      ]);
      const ids = answers.map(idIn);
      if (face.logged === undefined) {
        expect(ids, face.name).to.deep.equal([undefined, undefined, undefined]);
        continue;
      }
      expect(new Set(ids).size, face.name).to.equal(3);
      for (const [at, answer] of answers.entries()) {
        expect(ids[at]).to.match(UUID);
        const { face: logged, method, status, ms, aborted } = await lineOf(ids[at]);
        expect([logged, method, status, typeof ms, aborted], face.name).to.deep.equal([
          face.logged,
          'GET',
          statuses(answer)[0],
          'number',
          undefined,
        ]);
      }
    }
  });

  it('logs no header, no query, no body and no path that may hold a secret', async () => {
    const SECRET = 'a-secret-0123456789abcdef';
    for (const face of faces.all) {
      const before = faces.lines.length;
      const headers = [
        'Host: localhost',
        `Authorization: Bearer ${SECRET}`,
        `Cookie: k=${SECRET}`,
        `X-Other: ${SECRET}`,
      ];
      for (const path of [
        `${face.path}?key=${SECRET}`,
        `/${SECRET}`,
        `/hooks/${SECRET}`,
        `/u/${SECRET}`,
        `/mcp/${SECRET}`,
      ])
        await get(face, headers, path);
      await exchange(
        face.url,
        `POST /${SECRET} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${SECRET.length}\r\nConnection: close\r\n\r\n${SECRET}`,
      );
      const written = faces.lines.slice(before);
      expect(JSON.stringify(written), face.name).to.not.contain(SECRET);
      if (face.logged !== undefined) expect(written.length, face.name).to.be.at.least(6);
    }
    const ingress = faces.all.find(({ name }) => name === 'ingress');
    if (!ingress) throw new Error('no ingress');
    const answer = await get(ingress, ['Host: localhost'], `/hooks/${SECRET}`);
    expect((await lineOf(idIn(answer))).path).to.equal('/hooks/*');
  });

  it('logs what machines ask for every few seconds at the level debug, and everything else at info', async () => {
    const levels = async (name: string, path: string): Promise<number> => {
      const face = faces.all.find((one) => one.name === name);
      if (!face) throw new Error(`no ${name}`);
      return (await lineOf(idIn(await get(face, ['Host: localhost'], path)))).level;
    };
    for (const [name, path, level] of [
      ['main', '/livez', 20],
      ['internal', '/readyz', 20],
      ['lease endpoint', '/claims', 20],
      ['main', '/mcp', 30],
      ['main', '/nothing', 30],
      ['ingress', '/u/0123456789abcdef', 30],
      ['control server', '/clock', 30],
    ] as const)
      expect(await levels(name, path), `${name} ${path}`).to.equal(level);
  });

  it('says of a client that left before its answer that it did', async () => {
    const { mcp } = faces;
    await mcp.workspace('acme');
    const { plaintext, apiKeyId } = await mcp.key({ workspaceId: 'acme' });
    const before = faces.lines.length;
    await mcp.platform(async (tx) => {
      await tx.exec('select 1 from api_key where id = $1 for update', [apiKeyId]);
      const connection = await RawHttp.open(mcp.url);
      await connection.send(
        `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${plaintext}\r\nContent-Length: 2\r\n\r\n`,
      );
      await eventually('its key is read', async () => {
        const { rows } = await mcp.db.pool.query(
          `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'update api_key%'`,
        );
        return rows.length > 0;
      });
      connection.close();
      for (let at = 0; at < 3; at++) await fetch(new URL('/livez', mcp.url));
    });
    const line = await eventually('its line', async () =>
      faces.lines.slice(before).find(({ path, aborted }) => path === '/mcp' && aborted),
    );
    expect(line.aborted).to.equal(true);
  });
});

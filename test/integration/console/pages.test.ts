import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ConsoleClient } from '../../fixtures/console/console-client.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { RawHttp } from '../../tools/raw-http.ts';

const PAGE = '<!doctype html><title>Console</title><script type="module" src="/console/assets/main-abc.js"></script>';
const SCRIPT = `console.log('${'x'.repeat(2_000)}')`;

describe('pages of the console', () => {
  let mcp: Harness;
  let folder: string;
  let client: ConsoleClient;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrider-console-'));
    const pages = join(folder, 'dist');
    await mkdir(join(pages, 'assets'), { recursive: true });
    await writeFile(join(folder, 'secret.txt'), 'secret');
    await writeFile(join(pages, 'index.html'), PAGE);
    await writeFile(join(pages, 'assets', 'main-abc.js'), SCRIPT);
    mcp = await startMcp({ console: { pages } });
    client = new ConsoleClient(mcp.url);
  });
  after(async () => {
    await mcp?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('are the app, whatever its own path is', async () => {
    for (const path of ['/console/', '/console/review', '/console/claim/abc', '/console/sign-in/abc?x=1']) {
      const { status, text, headers } = await client.ask(path);
      expect([status, text], path).to.deep.equal([200, PAGE]);
      expect(headers.get('cache-control')).to.equal('no-store');
    }
    const { status, headers } = await client.ask('/console');
    expect([status, headers.get('location')]).to.deep.equal([308, '/console/']);
    expect((await client.ask('/console/', { method: 'HEAD' })).status).to.equal(200);
    expect((await client.ask('/console/', { method: 'POST', body: {} })).status).to.equal(405);
    expect((await client.ask('/consoles')).status).to.equal(404);
  });

  it('come with a policy under which no foreign and no inline script runs', async () => {
    for (const path of ['/console/', '/console/assets/main-abc.js', '/console/api/me', '/console/assets/none.js']) {
      const { headers } = await client.ask(path);
      expect(headers.get('content-security-policy'), path).to.equal(
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; require-trusted-types-for 'script'",
      );
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('referrer-policy')).to.equal('same-origin');
    }
  });

  it('have assets that never change, smaller where the browser takes that', async () => {
    const { status, text, headers } = await client.ask('/console/assets/main-abc.js');
    expect([status, text]).to.deep.equal([200, SCRIPT]);
    expect(headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    expect(headers.get('content-type')).to.match(/^text\/javascript/);
    expect(headers.get('content-encoding')).to.equal('gzip');
    const plain = await client.ask('/console/assets/main-abc.js', { headers: { 'accept-encoding': 'identity' } });
    expect(plain.headers.get('content-encoding')).to.equal(null);
    expect(plain.text).to.equal(SCRIPT);
    const gone = await client.ask('/console/assets/main-old.js');
    expect(gone.status).to.equal(404);
    expect(gone.headers.get('cache-control')).to.equal('no-store');
  });

  it('are all that a path can reach', async () => {
    for (const path of [
      '/console/../secret.txt',
      '/console/../../../../etc/passwd',
      '/console/assets/../../secret.txt',
      '/console/assets/..%2f..%2fsecret.txt',
      '/console/assets/%2e%2e/%2e%2e/secret.txt',
      '/console/assets/..\\..\\secret.txt',
      '/console//etc/passwd',
      '/console/assets/main-abc.js%00.html',
    ]) {
      const raw = await RawHttp.open(mcp.url);
      await raw.send(`GET ${path} HTTP/1.1\r\nhost: ${new URL(mcp.url).host}\r\n\r\n`);
      const [answer] = await raw.answers(1);
      expect(answer?.body ?? '', path)
        .not.to.include('root:')
        .and.not.to.equal('secret');
      raw.close();
    }
  });

  it('say how they are built where they are not', async () => {
    await rm(join(folder, 'dist', 'index.html'));
    const { status, text } = await client.ask('/console/');
    expect(status).to.equal(503);
    expect(text).to.include('make console');
  });
});

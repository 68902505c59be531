import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { build } from 'esbuild';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { type BrowserProgram, findBrowser, openPage } from '../../tools/browser.ts';

const SCRIPT = new URL('../../fixtures/mcp/page.ts', import.meta.url).pathname;

interface Said {
  tools?: number;
  session?: boolean;
  whoami?: { keyType: string };
  error?: string;
}

describe('a page in a real browser', function () {
  this.timeout(60_000);
  let program: BrowserProgram;
  let mcp: Harness;
  let key: string;
  let pages: Server;
  let port: number;
  let told: PromiseWithResolvers<Said[]>;

  before(async () => {
    program = await findBrowser();
    const bundled = await build({ entryPoints: [SCRIPT], bundle: true, format: 'esm', write: false, target: 'es2022' });
    const script = bundled.outputFiles[0]?.text ?? '';
    pages = createServer((request, response) => {
      if (request.method === 'POST') {
        let text = '';
        request.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        request.on('end', () => told.resolve(JSON.parse(text) as Said[]));
        response.end();
        return;
      }
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html><title>Console</title><script type="module">${script.replaceAll('</script', '<\\/script')}</script>`,
      );
    }).listen(0, '127.0.0.1');
    await once(pages, 'listening');
    ({ port } = pages.address() as AddressInfo);
    mcp = await startMcp({ origins: [`http://console.agency.example:${port}`] });
    await mcp.workspace('acme');
    key = (await mcp.key({ workspaceId: 'acme' })).plaintext;
  });
  after(async () => {
    await mcp?.stop();
    pages?.close();
    pages?.closeAllConnections();
  });

  async function saidBy(host: string): Promise<Said[]> {
    told = Promise.withResolvers();
    const query = new URLSearchParams({ mcp: mcp.url, key });
    const browser = await openPage(program, `http://${host}:${port}/?${query}`);
    try {
      return await told.promise;
    } finally {
      await browser.close();
    }
  }

  it('of an allowed Origin opens a session and calls tools, and hears of a wrong key that it is wrong', async () => {
    const [good, wrong] = await saidBy('console.agency.example');
    expect(good).to.deep.include({ session: true });
    expect(good?.tools).to.be.greaterThan(2);
    expect(good?.whoami?.keyType).to.equal('workspace');
    expect(wrong?.error).to.contain('invalid or revoked');
  });

  it('of any other Origin gets nothing from it', async () => {
    for (const said of await saidBy('evil.example')) expect(said.error).to.contain('Failed to fetch');
  });
});

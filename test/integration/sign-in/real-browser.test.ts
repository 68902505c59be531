import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { BareClient, Person, pkce } from '../../fixtures/sign-in/person.ts';
import { findBrowser } from '../../tools/browser.ts';

/** The page of consent in a real browser, which obeys its policy: forms, cookies and styles are judged by nobody else. */
describe('the page of consent in a browser', function () {
  this.timeout(180_000);
  let mcp: Harness;
  let browser: Browser;
  let page: Page;
  let native: Server;
  let client: BareClient;
  let heard: URL[];
  const broken: string[] = [];

  before(async () => {
    mcp = await startMcp({ signIn: { maxGrants: 50 } });
    await mcp.workspace('acme');
    await mcp.workspace('other');
    const user = await mcp.user({ member: 'acme', role: 'owner' });
    const { cookie = '' } = await Person.signedIn(mcp, user);
    heard = [];
    native = createServer((request, response) => {
      heard.push(new URL(request.url ?? '', 'http://native'));
      response.setHeader('content-type', 'text/html').end('<title>Connected</title>');
    });
    await new Promise<void>((resolve) => native.listen(0, '127.0.0.1', resolve));
    client = await BareClient.registered(
      mcp.url,
      `http://127.0.0.1:${(native.address() as AddressInfo).port}/callback`,
      '<script>alert(1)</script> Chat',
    );
    const { program, libraries } = await findBrowser();
    const args = ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage'];
    browser = await chromium.launch({
      executablePath: program,
      args,
      timeout: 60_000,
      env: { ...(process.env as Record<string, string>), ...(libraries ? { LD_LIBRARY_PATH: libraries } : {}) },
    });
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
    const [name = '', value = ''] = cookie.split('=');
    // A name with __Host- is taken only as that of a secure origin, which loopback is to a browser.
    const url = mcp.url.replace('http:', 'https:').replace('/mcp', '/');
    await context.addCookies([{ name, value, url, secure: true, httpOnly: true, sameSite: 'Lax' }]);
    page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') broken.push(message.text());
    });
  });
  after(async () => {
    await browser?.close();
    native?.close();
    await mcp.stop();
  });

  it('is readable on a phone, by keyboard and by a screen reader, and breaks no rule of its own policy', async () => {
    await page.goto(client.authorizeUrl(pkce().challenge));
    expect(await page.title()).to.equal('Allow a client?');
    // Texts: their types would need those of a browser for all tests.
    expect(await page.evaluate('getComputedStyle(document.body).maxWidth')).to.equal('672px');
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).to.be.at.most(0);
    await page.evaluate(await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'));
    const found = (await page.evaluate('axe.run()')) as { violations: { id: string; impact: string }[] };
    const serious = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id }) => id)).to.deep.equal([]);
    expect(broken).to.deep.equal([]);
  });

  it('the answer goes through to the program that waits for it, and its code gives tokens', async () => {
    const { verifier, challenge } = pkce();
    await page.goto(client.authorizeUrl(challenge));
    await page.getByLabel('Name of acme').check();
    await page.getByLabel('Leads: Read and write').check();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(/\/callback\?/);
    expect(await page.title()).to.equal('Connected');
    const told = heard.find(({ pathname }) => pathname === '/callback')?.searchParams;
    const { json } = await client.exchange(told?.get('code') ?? '', verifier);
    expect(String(json['scope'])).to.contain('leads:write').and.to.contain('campaigns:read');
    expect(String(json['scope'])).to.not.contain('campaigns:write');
    expect(broken).to.deep.equal([]);
  });

  it('no goes through too', async () => {
    await page.goto(client.authorizeUrl(pkce().challenge));
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(/error=access_denied/);
  });
});

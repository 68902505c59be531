import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { ConsoleClient } from '../../fixtures/console/console-client.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { environmentOf, findBrowser } from '../../tools/browser.ts';

const NAME = '__Host-outrider';

/** What a page of the console does, run in the real browser. */
interface Answered {
  status: number;
  json: Record<string, unknown>;
}

interface Used {
  id: string;
  response: Record<string, string>;
}

const POST = `async (path, body) => {
  const response = await fetch('/console/api/' + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-outrider-console': '1' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, json: text === '' ? {} : JSON.parse(text) };
}`;
const READ = `async (path) => (await fetch('/console/api/' + path)).json()`;
const CREATE = `async (options) => {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return (await navigator.credentials.create({ publicKey })).toJSON();
}`;
const GET = `async (options) => {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return (await navigator.credentials.get({ publicKey })).toJSON();
}`;

describe('passkeys of the console, in a real browser', function () {
  this.timeout(120_000);
  let folder: string;
  let mcp: Harness;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let devices: CDPSession;
  let origin: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'outrider-console-'));
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>Console</title>');
    mcp = await startMcp({ console: { pages: folder } });
    await mcp.workspace('acme');
    origin = mcp.url.replace('127.0.0.1', 'localhost').replace(/\/mcp$/, '');
    const { program, libraries } = await findBrowser();
    browser = await chromium.launch({
      executablePath: program,
      env: environmentOf(libraries) as Record<string, string>,
      args: ['--no-sandbox', '--no-zygote', '--disable-gpu', '--disable-dev-shm-usage'],
    });
  });
  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
    devices = await context.newCDPSession(page);
    await devices.send('WebAuthn.enable');
    await device(true);
    await page.goto(`${origin}/console/`);
  });
  afterEach(() => context?.close());
  after(async () => {
    await browser?.close();
    await mcp?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** A device that keeps passkeys, whose owner proves to be it, or does not. */
  const device = async (isUserVerified: boolean): Promise<string> => {
    const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified,
        automaticPresenceSimulation: true,
      },
    });
    return authenticatorId;
  };

  /** Runs a function of the page; a text, since types of browsers are none of this program's. */
  const inPage = <T>(body: string, ...given: unknown[]): Promise<T> =>
    page.evaluate(`(${body})(...${JSON.stringify(given)})`) as Promise<T>;
  const post = (path: string, body: object): Promise<Answered> => inPage(POST, path, body);
  const made = (options: object): Promise<object> => inPage(CREATE, options);
  const used = (options: object): Promise<Used> => inPage(GET, options);
  const read = (path: string): Promise<Record<string, unknown>> => inPage(READ, path);

  const signedIn = async (): Promise<{ userId: string; client: ConsoleClient }> => {
    const userId = await mcp.user({ member: 'acme' });
    const client = await ConsoleClient.signedIn(mcp, userId);
    const value = client.cookie?.split('=')[1] ?? '';
    await context.addCookies([
      { name: NAME, value, url: origin.replace('http:', 'https:'), httpOnly: true, secure: true },
    ]);
    return { userId, client };
  };
  const withPasskey = async (): Promise<string> => {
    const { userId } = await signedIn();
    const options = await post('passkeys/register-options', {});
    expect(options.status, JSON.stringify(options.json)).to.equal(200);
    const kept = await post('passkeys/register', { name: 'Laptop', response: await made(options.json) });
    expect(kept.status, JSON.stringify(kept.json)).to.equal(200);
    expect(kept.json['passkeys']).to.have.length(1);
    return userId;
  };
  const begin = async (): Promise<object> => (await post('passkeys/options', {})).json;

  it('are made by who is signed in, and sign in the same one', async () => {
    const userId = await withPasskey();
    await post('sign-out', {});
    expect((await post('call', { name: 'svc_whoami' })).status).to.equal(401);
    const { status, json } = await post('passkeys/verify', { response: await used(await begin()) });
    expect(status, JSON.stringify(json)).to.equal(200);
    expect(json['user']).to.include({ userId });
    expect((await post('call', { name: 'svc_whoami' })).status).to.equal(200);
  });

  it('sign in once for each challenge, and by no challenge that is not ours', async () => {
    await withPasskey();
    const response = await used(await begin());
    expect((await post('passkeys/verify', { response })).status).to.equal(200);
    expect((await post('passkeys/verify', { response })).status).to.equal(410);
    const own = await used({ ...(await begin()), challenge: Buffer.alloc(32, 1).toString('base64url') });
    expect((await post('passkeys/verify', { response: own })).status).to.equal(410);
  });

  it('sign nobody in by a changed signature, another’s name, or once they are removed', async () => {
    await withPasskey();
    const forged = await used(await begin());
    forged.response['signature'] = `${forged.response['signature']?.slice(0, -8)}AAAAAAAA`;
    expect((await post('passkeys/verify', { response: forged })).status).to.equal(410);
    const renamed = await used(await begin());
    renamed.response['userHandle'] = Buffer.from('somebody else').toString('base64url');
    expect((await post('passkeys/verify', { response: renamed })).status).to.equal(410);
    const [passkey] = (await read('passkeys'))['passkeys'] as { passkeyId: string }[];
    expect((await post('passkeys/remove', { passkeyId: passkey?.passkeyId })).json['passkeys']).to.deep.equal([]);
    expect((await post('passkeys/verify', { response: await used(await begin()) })).status).to.equal(410);
  });

  it('sign nobody in whose address or membership is gone', async () => {
    const userId = await withPasskey();
    await mcp.platform((tx) => tx.exec('delete from member where user_id = $1', [userId]));
    expect((await post('passkeys/verify', { response: await used(await begin()) })).status).to.equal(410);
  });

  it('are not made by who found a page that was open for long, nor by who is not signed in', async () => {
    expect((await post('passkeys/register-options', {})).status).to.equal(401);
    const { userId } = await signedIn();
    const options = await post('passkeys/register-options', {});
    const response = await made(options.json);
    const earlier = `update console_session set signed_in_at = signed_in_at - interval '2 hours' where user_id = $1`;
    await mcp.platform((tx) => tx.exec(earlier, [userId]));
    expect((await post('passkeys/register-options', {})).status).to.equal(403);
    expect((await post('passkeys/register', { response })).status).to.equal(403);
  });

  it('of another member are neither listed nor removed, and a challenge for one is none for another', async () => {
    const userId = await withPasskey();
    const [row] = await mcp.platform((tx) =>
      tx.rows<{ id: string }>('select id from console_passkey where user_id = $1', [userId]),
    );
    const options = await post('passkeys/register-options', {});
    const { client } = await signedIn();
    expect((await client.ask('/console/api/passkeys')).json['passkeys']).to.deep.equal([]);
    const removed = await client.ask('/console/api/passkeys/remove', { body: { passkeyId: row?.id } });
    expect(removed.status).to.equal(404);
    const response = await made({ ...options.json, excludeCredentials: [] });
    expect((await post('passkeys/register', { response })).status).to.equal(410);
  });

  it('need a name: under a bare address there are none', async () => {
    const client = new ConsoleClient(mcp.url);
    expect((await client.ask('/console/api/me')).json['signIn']).to.deep.include({ passkey: false });
    expect((await client.ask('/console/api/passkeys/options', { body: {} })).status).to.equal(404);
    const named = await read('me');
    expect(named['signIn']).to.deep.include({ passkey: true });
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { seriousProblems, sideways } from '../fixtures/console/accessibility.ts';
import { claimToken } from '../fixtures/console/console-client.ts';
import { drafting, somebody } from '../fixtures/console/console-people.ts';
import {
  type ConsolePage,
  type ConsoleStage,
  consoleStage,
  endPages,
  type Member,
  outbox,
  SCREENSHOTS,
} from '../fixtures/console/console-stage.ts';

/** Of what a first visit loads before it shows anything. */
const MOST_SCRIPT = 60 * 1024;

describe('the shell of the console', function () {
  this.timeout(60_000);
  let stage: ConsoleStage;
  let anna: Member;
  const open: ConsolePage[] = [];
  before(async () => {
    stage = await consoleStage();
    anna = await stage.member();
  });
  afterEach(async function () {
    await endPages(open, this.currentTest);
  });
  const visit = async (member: Member | null, path: string, look = {}): Promise<ConsolePage> => {
    const page = await stage.open(member, path, look);
    open.push(page);
    return page;
  };
  const title = (page: ConsolePage, name: string): Promise<void> =>
    page.getByRole('heading', { level: 1, name }).waitFor();

  it('loads at most 60 KB of script before the review queue is there', async () => {
    const page = await stage.open(anna, 'sign-in');
    open.push(page);
    const scripts: string[] = [];
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.push(new URL(response.url()).pathname);
    });
    await page.goto(`${stage.origin}/console/w/acme/review`);
    await title(page, 'Review');
    expect(scripts).to.have.length.above(1);
    const sizes = await Promise.all(
      scripts.map(async (path) => gzipSync(await readFile(join(stage.pages, path.replace('/console/', '')))).length),
    );
    const all = sizes.reduce((sum, size) => sum + size, 0);
    expect(all, `${scripts.join()}: ${sizes.join()}`).to.be.below(MOST_SCRIPT);
  });

  it('asks nothing of any other host, and has no style or script inside of its page', async () => {
    const page = await visit(anna, 'sign-in');
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).origin));
    await page.goto(`${stage.origin}/console/w/acme/review`);
    await title(page, 'Review');
    expect([...hosts]).to.deep.equal([stage.origin]);
    expect(await page.locator('script:not([src]), style').count()).to.equal(0);
  });

  it('the claim link makes the first admin by a button, and works once', async () => {
    const token = await claimToken(stage.fixture.tools.mcp, [stage.workspaceId]);
    const page = await visit(null, `claim/${token}`);
    await page.screenshot({ path: join(SCREENSHOTS, 'Claim.png') });
    expect(await seriousProblems(page)).to.deep.equal([]);
    await page.getByLabel('Your name').fill('Ada Admin');
    await page.getByLabel('Your email').fill('ada@example.com');
    await page.getByRole('button', { name: 'Become its admin' }).click();
    await title(page, 'Review');
    await page.getByRole('button', { name: 'Account of Ada Admin' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await title(page, 'Sign in');
    await page.goto(`${stage.origin}/console/claim/${token}`);
    await page.getByLabel('Your name').fill('Eve');
    await page.getByLabel('Your email').fill('eve@example.com');
    await page.getByRole('button', { name: 'Become its admin' }).click();
    await page.getByRole('alert').waitFor();
  });

  it('who is not signed in sees the page for that wherever they go, and comes to where they wanted', async () => {
    const page = await visit(null, 'inbox');
    await title(page, 'Sign in');
    await page.screenshot({ path: join(SCREENSHOTS, 'Sign-in.png') });
    expect(await seriousProblems(page)).to.deep.equal([]);
    expect(await sideways(page)).to.equal(0);
  });

  it('a session that ends is noticed; nothing that was decided is lost, it is sent once somebody is in again', async () => {
    const person = await somebody(stage);
    const [id = ''] = await (await drafting(stage, 'Hello {{lead:firstName}}'))([person]);
    const bela = await stage.member({ name: 'Bela' });
    const page = await visit(bela, `review/${id}`);
    await page.getByRole('heading', { level: 2, name: person.name }).waitFor();
    await page.keyboard.press('a');
    await bela.client.ask('/console/api/sign-out', { body: {} });
    await page.clock.runFor(10_500);
    await title(page, 'Sign in');
    await outbox(page).getByText(person.name).waitFor();
    const state = async (): Promise<string> =>
      (await stage.fixture.acme.call<{ reviewItem: { state: string } }>('svc_get_review_item', { reviewItemId: id }))
        .reviewItem.state;
    expect(await state()).to.equal('pending');
    await stage.signIn(page, await stage.again(bela));
    await outbox(page).waitFor({ state: 'detached' });
    expect(await state()).to.equal('approved');
  });

  it('who has to go to a provider of identities to be in again does so in another tab: what was decided stays', async () => {
    const person = await somebody(stage);
    const [id = ''] = await (await drafting(stage, 'Hello {{lead:firstName}}'))([person]);
    const bela = await stage.member({ name: 'Bela' });
    const page = await visit(bela, `review/${id}`);
    await page.getByRole('heading', { level: 2, name: person.name }).waitFor();
    await page.keyboard.press('a');
    await bela.client.ask('/console/api/sign-out', { body: {} });
    const signIn = { mail: false, oidc: { name: 'Our House' }, passkey: false };
    await page.route('**/console/api/me', (route) => route.fulfill({ status: 401, json: { signIn } }));
    await page.context().route('**/console/oidc/start', (route) => route.fulfill({ body: 'The provider' }));
    const other = await page.context().newPage();
    await other.route('**/console/api/me', (route) => route.fulfill({ status: 401, json: { signIn } }));
    await other.goto(`${stage.origin}/console/`);
    await other.getByRole('link', { name: 'Continue with Our House' }).click();
    await other.getByText('The provider').waitFor();
    await page.clock.runFor(10_500);
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Continue with Our House' }).click();
    await (await opened).getByText('The provider').waitFor();
    await page.unroute('**/console/api/me');
    await stage.signIn(page, await stage.again(bela));
    await outbox(page).waitFor({ state: 'detached' });
    const answer = await stage.fixture.acme.call<{ reviewItem: object }>('svc_get_review_item', { reviewItemId: id });
    expect(answer.reviewItem).to.include({ state: 'approved', decidedBy: bela.email });
  });

  it('says who may not see something, what is not there, and what could not be loaded', async () => {
    const page = await visit(anna, 'nothing-of-that-name');
    await page.getByText('Nothing is at this address').waitFor();
    await page.goto(`${stage.origin}/console/w/not-mine/review`);
    await page.getByText('Not yours to see').waitFor();
    await page.route('**/console/api/call', (route) =>
      route.fulfill({ status: 503, json: { error: 'Away.', kind: 'fault' } }),
    );
    await page.goto(`${stage.origin}/console/w/acme/review`);
    await page.getByText('This could not be loaded').waitFor();
    await page.unroute('**/console/api/call');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This could not be loaded').waitFor({ state: 'detached' });
  });

  it('what a member may not do has no entry, and its address says why', async () => {
    const limited = await stage.member({ role: 'member' });
    await stage.fixture.tools.force('update member set scope_limit = $2 where user_id = $1', [
      limited.userId,
      ['inbox:read'],
    ]);
    const page = await visit(limited, '');
    await title(page, 'Inbox');
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Review' }).count()).to.equal(0);
    await page.goto(`${stage.origin}/console/w/acme/review`);
    await page.getByText('You need the right "workflows:read"').waitFor();
  });

  it('by keyboard alone: from the first key to a screen, its menu and its content', async () => {
    const page = await visit(anna, 'review');
    await title(page, 'Review');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).to.contain('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).to.equal('main');
    await page.getByRole('link', { name: 'Inbox' }).focus();
    await page.keyboard.press('Enter');
    await title(page, 'Inbox');
    const account = page.getByRole('button', { name: /^Account of/ });
    await account.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Dark' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).to.equal(0);
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).to.equal('dark');
    await page.reload();
    await title(page, 'Inbox');
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).to.equal('dark');
    expect(await page.evaluate('getComputedStyle(document.body).outlineStyle')).to.equal('none');
  });

  it('on a phone the screens are behind a button', async () => {
    const page = await visit(anna, 'review', { width: 360, height: 700 });
    await title(page, 'Review');
    expect(await page.getByRole('link', { name: 'Inbox' }).isVisible()).to.equal(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Inbox' }).click();
    await title(page, 'Inbox');
    expect(await page.getByRole('link', { name: 'Review' }).isVisible()).to.equal(false);
  });

  it('a passkey is made in one browser, and signs in by it', async () => {
    const page = await visit(null, 'sign-in');
    const host = stage.origin.replace('127.0.0.1', 'localhost');
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
      },
    });
    const name = `Key ${anna.userId.slice(0, 4)}`;
    await stage.signIn(page, await stage.again(anna), host);
    await page.goto(`${host}/console/`);
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('button', { name: 'Passkeys' }).click();
    await page.getByLabel('Name of a new one').fill(name);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('button', { name: `Remove ${name}` }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await title(page, 'Review');
  });
});

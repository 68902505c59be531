import { expect } from 'chai';
import { SignInProvider } from '../../../pkg/providers/oidc/sign-in-provider.ts';
import { ConsoleClient } from '../../fixtures/console/console-client.ts';
import { type FalseProvider, type Lie, startFalseProvider } from '../../fixtures/console/false-provider.ts';
import { CLIENT, type OidcHouse, startOidcHouse } from '../../fixtures/console/oidc-house.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';

const URL_OF_CONSOLE = 'https://console.agency.example';
const RETURN = '/console/oidc/return';
const redirectUri = `${URL_OF_CONSOLE}${RETURN}`;
const START = '/console/oidc/start';

/** A browser on its way to a provider and back, with its cookies. */
class Traveller extends ConsoleClient {
  way = '';

  /** Begins. @returns where the console sends it */
  async start(): Promise<string> {
    const { status, headers } = await this.ask(START);
    expect(status).to.equal(302);
    const [cookie = ''] = headers.getSetCookie();
    [this.way = ''] = cookie.split(';');
    return headers.get('location') ?? '';
  }

  /** Comes back with this query. @returns where it is sent then */
  async back(query: string, cookie = this.way): Promise<string> {
    const { status, headers } = await this.ask(`${RETURN}${query}`, { headers: { cookie } });
    expect(status).to.equal(302);
    const session = headers.getSetCookie().find((one) => one.startsWith('__Host-outrider='));
    this.cookie = session?.split(';')[0];
    return headers.get('location') ?? '';
  }
}

const harness = async (issuer: string): Promise<Harness> => {
  const provider = new SignInProvider({ issuer, ...CLIENT, redirectUri });
  const oidc = { name: 'Agency ID', provider };
  const mcp = await startMcp({ console: { pages: '/nowhere', publicUrl: URL_OF_CONSOLE, oidc } });
  await mcp.workspace('acme');
  return mcp;
};
const addressOf = async (mcp: Harness): Promise<string> => {
  const id = await mcp.user({ member: 'acme' });
  return `${id}@test.example`;
};
const home = `${URL_OF_CONSOLE}/console/`;

describe('signing in to the console by an OpenID provider', function () {
  this.timeout(60_000);
  let house: OidcHouse;
  let mcp: Harness;

  before(async () => {
    house = await startOidcHouse(redirectUri);
    mcp = await harness(house.issuer);
  });
  after(async () => {
    await mcp?.stop();
    await house?.stop();
  });

  it('signs in who has a proven address that is a user’s, with state, nonce and PKCE', async () => {
    house.person = { email: await addressOf(mcp), email_verified: true };
    const browser = new Traveller(mcp.url);
    const url = new URL(await browser.start());
    expect(url.origin).to.equal(house.issuer);
    expect([...url.searchParams.keys()]).to.include.members(['state', 'nonce', 'code_challenge']);
    expect(url.searchParams.get('code_challenge_method')).to.equal('S256');
    expect(url.searchParams.get('redirect_uri')).to.equal(redirectUri);
    expect(await browser.back(await house.walk(url.href))).to.equal(home);
    const { json } = await browser.ask('/console/api/me');
    expect(json['user']).to.include({ email: house.person.email });
    expect(json['signIn']).to.deep.include({ oidc: { name: 'Agency ID' } });
  });

  it('takes the address from the userinfo endpoint where the token has none', async () => {
    const other = await startOidcHouse(redirectUri, { inToken: false });
    const own = await harness(other.issuer);
    try {
      other.person = { email: await addressOf(own), email_verified: true };
      const browser = new Traveller(own.url);
      expect(await browser.back(await other.walk(await browser.start()))).to.equal(home);
      expect((await browser.ask('/console/api/me')).status).to.equal(200);
    } finally {
      await own.stop();
      await other.stop();
    }
  });

  for (const [what, person, why] of [
    ['that nobody proved', { email_verified: false }, 'unverified'],
    ['of which nothing says that it is proven', {}, 'unverified'],
    ['that is no user’s', { email: 'stranger@example.com', email_verified: true }, 'unknown'],
  ] as const) {
    it(`signs nobody in by an address ${what}`, async () => {
      house.person = { email: await addressOf(mcp), ...person };
      const browser = new Traveller(mcp.url);
      expect(await browser.back(await house.walk(await browser.start()))).to.equal(`${home}?signIn=${why}`);
      expect(browser.cookie).to.equal(undefined);
    });
  }

  it('signs nobody in by an address that a user only said to have', async () => {
    const email = await addressOf(mcp);
    await mcp.platform((tx) => tx.exec('update app_user set unproven = true where email = $1', [email]));
    house.person = { email, email_verified: true };
    const browser = new Traveller(mcp.url);
    expect(await browser.back(await house.walk(await browser.start()))).to.equal(`${home}?signIn=unknown`);
  });

  it('takes an answer once, by the browser that began, and by no other', async () => {
    house.person = { email: await addressOf(mcp), email_verified: true };
    const [browser, other] = [new Traveller(mcp.url), new Traveller(mcp.url)];
    const query = await house.walk(await browser.start());
    await other.start();
    expect(await other.back(query, '')).to.equal(`${home}?signIn=failed`);
    expect(await other.back(query), 'with the cookie of another way').to.equal(`${home}?signIn=failed`);
    expect(await browser.back(query)).to.equal(home);
    expect(await browser.back(query), 'again').to.equal(`${home}?signIn=failed`);
  });

  it('takes no code of another way, and no answer of another issuer', async () => {
    house.person = { email: await addressOf(mcp), email_verified: true };
    const [browser, thief] = [new Traveller(mcp.url), new Traveller(mcp.url)];
    const stolen = new URLSearchParams(await house.walk(await browser.start()));
    const own = new URLSearchParams(await house.walk(await thief.start()));
    own.set('code', stolen.get('code') ?? '');
    expect(await thief.back(`?${own}`)).to.equal(`${home}?signIn=failed`);
    const mixed = new Traveller(mcp.url);
    const answer = new URLSearchParams(await house.walk(await mixed.start()));
    answer.set('iss', 'https://evil.example');
    expect(await mixed.back(`?${answer}`)).to.equal(`${home}?signIn=failed`);
  });

  it('takes no answer without its issuer, no state that stands twice, and says who said no', async () => {
    house.person = { email: await addressOf(mcp), email_verified: true };
    const without = new Traveller(mcp.url);
    const answer = new URLSearchParams(await house.walk(await without.start()));
    answer.delete('iss');
    expect(await without.back(`?${answer}`)).to.equal(`${home}?signIn=failed`);
    const twice = new Traveller(mcp.url);
    const query = await house.walk(await twice.start());
    expect(await twice.back(`${query}&state=x`)).to.equal(`${home}?signIn=failed`);
    const denied = new Traveller(mcp.url);
    const state = new URL(await denied.start()).searchParams.get('state');
    const said = `?error=access_denied&state=${state}&iss=${encodeURIComponent(house.issuer)}`;
    expect(await denied.back(said)).to.equal(`${home}?signIn=denied`);
  });

  it('leads to the address of the settings, whatever host was asked', async () => {
    const browser = new Traveller(mcp.url);
    const { headers } = await browser.ask(START, { headers: { 'x-forwarded-host': 'evil.example' } });
    const url = new URL(headers.get('location') ?? '');
    expect(url.searchParams.get('redirect_uri')).to.equal(redirectUri);
  });
});

describe('a provider that lies', function () {
  this.timeout(60_000);
  let provider: FalseProvider;
  let mcp: Harness;
  let email: string;

  before(async () => {
    email = 'somebody@test.example';
    provider = await startFalseProvider(email);
    mcp = await harness(provider.issuer);
    const id = await mcp.user({ member: 'acme' });
    await mcp.platform((tx) => tx.exec('update app_user set email = $2 where id = $1', [id, email]));
  });
  after(async () => {
    await mcp?.stop();
    await provider?.stop();
  });
  const signIn = async (lie: Lie): Promise<string> => {
    const browser = new Traveller(mcp.url);
    const { searchParams } = new URL(await browser.start());
    provider.lie = lie;
    provider.nonce = searchParams.get('nonce') ?? '';
    return browser.back(`?code=c&state=${searchParams.get('state')}&iss=${encodeURIComponent(provider.issuer)}`);
  };

  it('signs somebody in while it does not lie', async () => {
    expect(await signIn({})).to.equal(home);
  });

  for (const [what, lie] of [
    ['a token for another client', { claims: { aud: 'other' } }],
    ['a token of another issuer', { claims: { iss: 'https://evil.example' } }],
    ['a token of another way', { claims: { nonce: 'other' } }],
    ['a token that is over', { claims: { exp: 1_000 } }],
    ['a token of a foreign key', { foreignKey: true }],
    ['a token that nobody signed', { unsigned: true }],
  ] as [string, Lie][]) {
    it(`signs nobody in by ${what}`, async () => {
      expect(await signIn(lie)).to.equal(`${home}?signIn=failed`);
    });
  }

  it('sends the client’s secret nowhere else by a redirect', async () => {
    const before = provider.asked.length;
    expect(await signIn({ redirect: `${provider.issuer}/stolen` })).to.equal(`${home}?signIn=failed`);
    expect(provider.asked.slice(before)).not.to.include('/stolen');
  });

  for (const [what, say] of [['to be another issuer', { issuer: 'https://evil.example' }]] as [string, Lie][]) {
    it(`that says ${what} is not asked at all`, async () => {
      provider.lie = say;
      const own = await harness(provider.issuer);
      try {
        const { headers } = await new ConsoleClient(own.url).ask(START);
        expect(headers.get('location')).to.equal(`${home}?signIn=away`);
      } finally {
        provider.lie = {};
        await own.stop();
      }
    });
  }

  it('that is away is said, and asked again the next time', async () => {
    const gone = await startFalseProvider(email);
    const own = await harness(gone.issuer);
    try {
      await gone.stop();
      const { headers } = await new ConsoleClient(own.url).ask(START);
      expect(headers.get('location')).to.equal(`${home}?signIn=away`);
    } finally {
      await own.stop();
    }
  });
});

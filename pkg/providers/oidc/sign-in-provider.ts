import type { Configuration, CustomFetchOptions } from 'openid-client';
import { monotonicMs } from '../../base/clock.ts';
import { exchange, type OutsideRequest } from '../outside-http.ts';

/** How this installation is known to an OpenID provider. */
export interface SignInProviderOptions {
  /** As the provider's metadata names it. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** Where the provider sends people back to. */
  redirectUri: string;
}

/** What only the browser that began a way has, and brings back. */
export interface Way {
  state: string;
  nonce: string;
  verifier: string;
}

/** Why somebody was not signed in. */
export type WhyNot =
  /** They, or the provider, said no. */
  | 'denied'
  /** The provider knows an address, and nobody proved it. */
  | 'unverified'
  /** The answer proves nothing: of another issuer, for somebody else, changed, used, or too old. */
  | 'failed';

export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  readonly why: WhyNot;

  constructor(why: WhyNot, message: string, cause?: unknown) {
    super(message, { cause });
    this.why = why;
  }
}

/** Real ms for one request. */
const TIMEOUT_MS = 10_000;
/** Real ms for which the provider's metadata are believed. */
const METADATA_MS = 3_600_000;

/** An OpenID provider by which people sign in: it proves who has an address, and nothing else is taken from it. */
export class SignInProvider {
  readonly #options: SignInProviderOptions;
  #known: { at: number; configuration: Promise<Configuration> } | undefined;

  constructor(options: SignInProviderOptions) {
    this.#options = options;
  }

  /** A new way: the address where it begins, and what the browser has to bring back. @throws when the provider is away */
  async begin(): Promise<Way & { url: string }> {
    const oidc = await library();
    const configuration = await this.#configuration();
    const way = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
    };
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#options.redirectUri,
      scope: 'openid email',
      state: way.state,
      nonce: way.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(way.verifier),
      code_challenge_method: 'S256',
    });
    return { ...way, url: url.href };
  }

  /**
   * The end of a way: the address that the provider says to be proven. The library holds issuer, audience, signature, times, state, nonce
   * and code against each other. @param query what came back with the browser @throws SignInRefused, and when the provider is away
   */
  async end(query: string, { state, nonce, verifier }: Way): Promise<string> {
    const oidc = await library();
    const configuration = await this.#configuration();
    const back = new URL(this.#options.redirectUri);
    back.search = query;
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, back, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined) throw new SignInRefused('failed', 'the provider sent no ID token');
      const said = hasAddress(claims as Said)
        ? claims
        : await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return provenAddress(said as Said);
    } catch (error) {
      if (error instanceof SignInRefused) throw error;
      if (error instanceof oidc.AuthorizationResponseError)
        throw new SignInRefused('denied', `the provider answered ${error.error}`, error);
      throw new SignInRefused('failed', 'the answer of the provider proves nothing', error);
    }
  }

  /** The provider's metadata; those that could not be had are asked for again. */
  #configuration(): Promise<Configuration> {
    const now = monotonicMs();
    if (this.#known && now - this.#known.at < METADATA_MS) return this.#known.configuration;
    const configuration = this.#discover();
    const known = { at: now, configuration };
    this.#known = known;
    configuration.catch(() => {
      if (this.#known === known) this.#known = undefined;
    });
    return configuration;
  }

  async #discover(): Promise<Configuration> {
    const oidc = await library();
    const { issuer, clientId, clientSecret } = this.#options;
    const address = new URL(issuer);
    // Signatures of tokens too: without that the library believes whatever comes over TLS from the provider's address.
    const execute = [oidc.enableNonRepudiationChecks];
    // The settings take http for this machine alone.
    if (address.protocol === 'http:') execute.push(oidc.allowInsecureRequests);
    return oidc.discovery(address, clientId, clientSecret, undefined, {
      [oidc.customFetch]: guardedFetch,
      timeout: TIMEOUT_MS / 1_000,
      execute,
    });
  }
}

/** Most servers never need it. */
function library(): Promise<typeof import('openid-client')> {
  return import('openid-client');
}

/** The way of all our requests: a time-out, one try, no redirect, a bound on the answer. The operator named whom we ask. */
async function guardedFetch(url: string, { method, headers, body, signal }: CustomFetchOptions): Promise<Response> {
  const { status, text } = await exchange({
    method: method as OutsideRequest['method'],
    url,
    headers,
    body: body === undefined || body === null ? undefined : String(body),
    timeoutMs: TIMEOUT_MS,
    signal,
    harmless: true,
    reach: 'any',
  });
  return new Response(status === 204 ? null : text, { status, headers: { 'content-type': 'application/json' } });
}

type Said = Readonly<Record<string, unknown>>;

function hasAddress(said: Said): boolean {
  return typeof said['email'] === 'string' && said['email_verified'] !== undefined;
}

/** @throws SignInRefused unless the provider says, in so many words, that the address is proven */
function provenAddress(said: Said): string {
  if (typeof said['email'] === 'string' && said['email_verified'] === true) return said['email'];
  throw new SignInRefused('unverified', 'the provider does not say that the address is proven');
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { monotonicMs } from '../../base/clock.ts';
import { type SignInProvider, SignInRefused, type Way } from '../../providers/oidc/sign-in-provider.ts';
import { keepOnce, ONCE_MINUTES, takeOnce } from '../../store/console/once.ts';
import { userOfAddress } from '../../store/console/sign-in-links.ts';
import type { McpExchange } from '../exchange.ts';
import type { MessageServices } from '../handle-message.ts';
import { AskedOften } from './asked-often.ts';
import { setWayCookie, wayCookieOf } from './console-cookie.ts';
import type { ConsoleSignIn } from './console-sign-in.ts';

export interface OidcSignInOptions {
  services: Pick<MessageServices, 'db' | 'ids' | 'log'>;
  provider: SignInProvider;
  signIn: ConsoleSignIn;
  /** Address of the console, with a slash at its end. */
  consoleUrl: string;
}

/**
 * Why somebody comes back without a session, in the address of the page: `away` the provider does not answer, `unknown` nobody here
 * has the address, and what a provider refuses.
 */
type Ending = 'away' | 'unknown' | SignInRefused['why'];

/**
 * Signs people in by an OpenID provider. The way belongs to the browser that began it (cookie), is taken once (database), and ends with
 * an address that the provider calls proven and that is a user's here.
 */
export class OidcSignIn {
  readonly #options: OidcSignInOptions;
  readonly #begun = new AskedOften(monotonicMs);

  constructor(options: OidcSignInOptions) {
    this.#options = options;
  }

  /** Sends the browser to the provider. @throws HttpError 429 */
  async start({ request, response }: McpExchange): Promise<void> {
    this.#begun.require(request.socket.remoteAddress);
    const { services, provider } = this.#options;
    const begun = await provider.begin().catch((error: unknown) => this.#away(error));
    if (!begun) return this.#leave(response, 'away');
    const { url, ...way } = begun;
    const once = { id: services.ids.uuid(), kind: 'oidc' as const, token: way.state, userId: null };
    await services.db.tx({ kind: 'platform' }, (tx) => keepOnce(tx, once));
    setWayCookie(response, [way.state, way.nonce, way.verifier].join('.'), ONCE_MINUTES * 60);
    response.writeHead(302, { location: url }).end();
  }

  /** The browser is back. */
  async end(exchange: McpExchange): Promise<void> {
    const { request, response } = exchange;
    const { services, provider, signIn } = this.#options;
    const way = wayOf(request);
    setWayCookie(response, '', 0);
    const { search, searchParams } = new URL(request.url ?? '', 'http://console');
    if (!way || searchParams.getAll('state').join() !== way.state) return this.#leave(response, 'failed');
    const once = { kind: 'oidc' as const, token: way.state, userId: null };
    if (!(await services.db.tx({ kind: 'platform' }, (tx) => takeOnce(tx, once))))
      return this.#leave(response, 'failed');
    const email = await provider.end(search, way).catch((error: unknown) => this.#refused(error));
    if (typeof email !== 'string') return this.#leave(response, email.why);
    const session = await signIn.open(exchange, 'oidc', (tx) => userOfAddress(tx, email));
    this.#leave(response, session ? undefined : 'unknown');
  }

  #away(error: unknown): undefined {
    this.#options.services.log.warn({ err: error }, 'the OpenID provider of the console does not answer');
  }

  #refused(error: unknown): { why: Ending } {
    if (!(error instanceof SignInRefused)) {
      this.#away(error);
      return { why: 'away' };
    }
    this.#options.services.log.warn({ err: error }, 'a sign-in by the OpenID provider was refused');
    return error;
  }

  #leave(response: ServerResponse, why: Ending | undefined): void {
    const { consoleUrl } = this.#options;
    response.writeHead(302, { location: why === undefined ? consoleUrl : `${consoleUrl}?signIn=${why}` }).end();
  }
}

function wayOf(request: IncomingMessage): Way | undefined {
  const [state, nonce, verifier, more] = (wayCookieOf(request) ?? '').split('.');
  return state && nonce && verifier && more === undefined ? { state, nonce, verifier } : undefined;
}

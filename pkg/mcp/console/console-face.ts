import type { IncomingMessage } from 'node:http';
import { HttpError } from '../../base/http/http-error.ts';
import type { SignInProvider } from '../../providers/oidc/sign-in-provider.ts';
import type { BodyRoom } from '../body-room.ts';
import { CallBodies } from '../call-bodies.ts';
import type { McpExchange } from '../exchange.ts';
import type { MessageServices } from '../handle-message.ts';
import { sendJson } from '../http-io.ts';
import { OtherRequests } from '../other-requests.ts';
import { requireType } from '../request-checks.ts';
import { ConsoleAssets } from './console-assets.ts';
import { answerCall } from './console-call.ts';
import { cookieOf, setCookie } from './console-cookie.ts';
import { ConsoleEvents } from './console-events.ts';
import { meOf, type SignInWays } from './console-me.ts';
import { ConsolePictures } from './console-pictures.ts';
import { ConsoleSessions, type OpenSession } from './console-sessions.ts';
import { ConsoleSignIn } from './console-sign-in.ts';
import { MailedLinks } from './mailed-links.ts';
import { OidcSignIn } from './oidc-sign-in.ts';
import { isForSomebodyElse, requireOwnPage } from './own-pages.ts';
import { answerSessions, endSessionOf } from './own-sessions.ts';
import { protectPage } from './page-headers.ts';
import { Passkeys } from './passkeys.ts';

/** What the console's face is told. */
export interface ConsoleOptions {
  /** Address under which people reach the console's host, without a slash at its end; absent: not told. */
  publicUrl?: string | undefined;
  /** Folder of its built pages. */
  pages: string;
  /** By which people sign in; absent: none. It needs `publicUrl`. */
  oidc?: { name: string; provider: SignInProvider } | undefined;
}

export interface ConsoleFaceOptions extends ConsoleOptions {
  services: MessageServices;
  /** How many times the limits of one key all keys and sessions of a user have together. */
  ownerTimes: number;
  bodyWaitMs: number | undefined;
  largeBodies: BodyRoom | undefined;
}

const ROOT = '/console';
const API = `${ROOT}/api/`;
/** Of workflows, by their ids. */
const PICTURES = 'pictures/';
const OIDC_START = `${ROOT}/oidc/start`;
/** Where an OpenID provider sends people back to. */
export const OIDC_RETURN = `${ROOT}/oidc/return`;
const SIGNED_OUT = 'Nobody is signed in here, or the session has ended. Sign in again.';

const SOMEBODY_ELSE = 'Somebody else is signed in here by now. Nothing was done for them.';

type Handler = (exchange: McpExchange) => Promise<void>;

/** Whether a path is the console's. */
export function isConsolePath(path: string): boolean {
  return path === ROOT || path.startsWith(`${ROOT}/`);
}

/** The web console: its pages, who is signed in, and calls of tools as them. */
export class ConsoleFace {
  readonly sessions: ConsoleSessions;
  readonly #services: MessageServices;
  readonly #publicOrigin: string | undefined;
  readonly #assets: ConsoleAssets;
  readonly #bodies: CallBodies;
  readonly #others = new OtherRequests();
  readonly #pictures: ConsolePictures;
  readonly #events: ConsoleEvents;
  readonly #passkeys: Passkeys;
  readonly #ways: (request: IncomingMessage) => SignInWays;
  readonly #oidc: OidcSignIn | undefined;
  readonly #handlers: ReadonlyMap<string, Handler>;

  constructor({ services, publicUrl, pages, oidc, ownerTimes, bodyWaitMs, largeBodies }: ConsoleFaceOptions) {
    const { db, limits, clocks, log, metrics } = services;
    this.#services = services;
    this.#publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
    this.#assets = new ConsoleAssets(pages);
    this.#pictures = new ConsolePictures(services);
    this.#bodies = new CallBodies({ clock: clocks.real, waitMs: bodyWaitMs, large: largeBodies });
    this.sessions = new ConsoleSessions({ db, limits, ownerTimes });
    this.#events = new ConsoleEvents({ db, log, sessions: this.sessions, gauge: metrics.streams });
    const { mail: office } = services;
    const links =
      office && publicUrl ? new MailedLinks({ services, office, consoleUrl: `${publicUrl}${ROOT}/` }) : undefined;
    const fixed = { mail: links !== undefined, oidc: oidc ? { name: oidc.name } : null };
    this.#ways = (request) => ({ ...fixed, passkey: this.#passkeys.known(request) });
    const signIn = new ConsoleSignIn({ services, sessions: this.sessions, ways: this.#ways, links });
    this.#passkeys = new Passkeys({ services, signIn, publicOrigin: this.#publicOrigin });
    this.#oidc =
      oidc && publicUrl
        ? new OidcSignIn({ services, signIn, provider: oidc.provider, consoleUrl: `${publicUrl}${ROOT}/` })
        : undefined;
    this.#handlers = new Map<string, Handler>([
      ['GET me', this.#signedIn((exchange, session) => this.#me(exchange, session))],
      ['GET events', (exchange) => this.#listen(exchange)],
      ['POST call', (exchange) => this.#call(exchange)],
      ['POST sign-in/claim', (exchange) => signIn.claim(exchange)],
      ['POST sign-in/mail', (exchange) => signIn.mail(exchange)],
      ['POST sign-in/token', (exchange) => signIn.token(exchange)],
      ['POST passkeys/options', (exchange) => this.#passkeys.options(exchange)],
      ['POST passkeys/verify', (exchange) => this.#passkeys.verify(exchange)],
      ['GET passkeys', this.#signedIn((exchange, session) => this.#passkeys.list(exchange, session))],
      [
        'POST passkeys/register-options',
        this.#signedIn((exchange, session) => this.#passkeys.registerOptions(exchange, session)),
      ],
      ['POST passkeys/register', this.#signedIn((exchange, session) => this.#passkeys.register(exchange, session))],
      ['POST passkeys/remove', this.#signedIn((exchange, session) => this.#passkeys.remove(exchange, session))],
      ['POST sign-out', (exchange) => signIn.signOut(exchange)],
      ['GET sessions', this.#signedIn((exchange, session) => answerSessions(db, exchange, session))],
      ['POST sessions/end', this.#signedIn((exchange, session) => endSessionOf(db, exchange, session))],
    ]);
  }

  /** @throws HttpError 403 for what no page of ours asks, 404, 405, and what the answers throw */
  serve(exchange: McpExchange, path: string): Promise<void> {
    const { request, response } = exchange;
    const tls = this.#publicOrigin?.startsWith('https:') === true;
    protectPage(response, { tls, uploads: originOf(this.#services.ingressUrl) });
    if (path.startsWith(API)) return this.#api(exchange, path.slice(API.length));
    if (request.method !== 'GET' && request.method !== 'HEAD') throw notAllowed();
    if (path === OIDC_START && this.#oidc) return this.#oidc.start(exchange);
    if (path === OIDC_RETURN && this.#oidc) return this.#oidc.end(exchange);
    if (path === ROOT) {
      response.writeHead(308, { location: `${ROOT}/` }).end();
      return Promise.resolve();
    }
    return this.#assets.serve(path.slice(ROOT.length), request, response);
  }

  /** Ends what stays open. */
  stop(): void {
    this.#events.stop();
  }

  async #api(exchange: McpExchange, path: string): Promise<void> {
    const { request } = exchange;
    requireOwnPage(request, this.#publicOrigin);
    if (path.startsWith(PICTURES)) return this.#picture(exchange, path.slice(PICTURES.length));
    const handler = this.#handlers.get(`${request.method} ${path}`);
    if (!handler) throw new HttpError(404, 'The console has nothing here.');
    return handler(exchange);
  }

  /** For who is signed in; what is no call of a tool has bounds of its own. */
  #signedIn(handler: (exchange: McpExchange, session: OpenSession) => Promise<void>): Handler {
    return async (exchange) => {
      const session = await this.#session(exchange);
      if (!session) return;
      this.#others.count(session.authenticated, 1);
      await handler(exchange, session);
    };
  }

  async #me({ request, response }: McpExchange, { authenticated }: OpenSession): Promise<void> {
    sendJson(response, 200, JSON.stringify(meOf(authenticated.caller, this.#ways(request))));
  }

  async #picture(exchange: McpExchange, name: string): Promise<void> {
    if (exchange.request.method !== 'GET' && exchange.request.method !== 'HEAD') throw notAllowed();
    const session = await this.#session(exchange);
    if (session) await this.#pictures.answer({ ...exchange, authenticated: session.authenticated }, name);
  }

  async #listen(exchange: McpExchange): Promise<void> {
    const token = cookieOf(exchange.request);
    const session = this.#known(exchange, token === undefined ? undefined : await this.sessions.peek(token));
    if (!session) return;
    this.#others.count(session.authenticated, 1);
    return this.#events.open(exchange, session);
  }

  async #call(exchange: McpExchange): Promise<void> {
    requireType(exchange.request, 'application/json');
    const session = await this.#session(exchange);
    if (!session) return;
    const known = { ...exchange, authenticated: session.authenticated };
    return this.#bodies.with(known, (body) => answerCall(this.#services, known, body));
  }

  /** Who is signed in; nobody is answered that, with the ways in which they could be. */
  async #session(exchange: McpExchange): Promise<OpenSession | undefined> {
    const session = this.#known(exchange, await this.sessions.open(exchange.request));
    if (session?.renewed) setCookie(exchange.response, session.token);
    return session;
  }

  #known({ request, response }: McpExchange, session: OpenSession | undefined): OpenSession | undefined {
    if (!session) {
      sendJson(response, 401, JSON.stringify({ error: SIGNED_OUT, signIn: this.#ways(request) }));
      return undefined;
    }
    if (!isForSomebodyElse(request, session.authenticated.caller.user?.id)) return session;
    sendJson(response, 409, JSON.stringify({ error: SOMEBODY_ELSE, kind: 'somebody-else' }));
    return undefined;
  }
}

/** Where files are put: another origin, unless both faces are known under one. */
function originOf(url: string | undefined): string | undefined {
  return url === undefined || url === '' ? undefined : new URL(url).origin;
}

function notAllowed(): HttpError {
  return new HttpError(405, 'Use GET for pages of the console.', { allow: 'GET, HEAD' });
}

import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { HttpError } from '../../base/http/http-error.ts';
import { readBody } from '../../base/http/read-body.ts';
import { usableText } from '../../base/usable-text.ts';
import type { Tx } from '../../postgres/database.ts';
import { claim } from '../../store/console/claims.ts';
import { endSession, endSessionsOfUser, openSession, type SignInWay } from '../../store/console/console-sessions.ts';
import { useSignInLink } from '../../store/console/sign-in-links.ts';
import type { McpExchange } from '../exchange.ts';
import { FailingAddresses } from '../failing-addresses.ts';
import type { MessageServices } from '../handle-message.ts';
import { sendJson } from '../http-io.ts';
import { requireType } from '../request-checks.ts';
import { auditDoorWith } from './console-audit.ts';
import { clearCookie, cookieOf, setCookie } from './console-cookie.ts';
import { meOf, type SignInWays } from './console-me.ts';
import type { ConsoleSessions, OpenSession } from './console-sessions.ts';
import type { MailedLinks } from './mailed-links.ts';

export interface SignInServices {
  services: Pick<MessageServices, 'db' | 'ids' | 'clocks' | 'metrics' | 'audit'>;
  sessions: ConsoleSessions;
  ways: (request: IncomingMessage) => SignInWays;
  /** Absent: no mail is set up, or nobody told where the console is. */
  links: MailedLinks | undefined;
}

/** The id of the user whom something proves; undefined: nobody. In a platform transaction. */
type Prove = (tx: Tx) => Promise<string | undefined>;

const MAX_BODY = 4_096;
/** Real ms for a body of that size. */
const MAX_BODY_MS = 10_000;

const token = z.string().max(200);
const claimBody = z.strictObject({
  token,
  email: z.email().max(254),
  name: z
    .string()
    .trim()
    .min(1)
    .max(120)
    .refine((name) => usableText(name) === name),
});
const mailBody = z.strictObject({ email: z.email().max(254) });
const tokenBody = z.strictObject({ token });
const signOutBody = z.strictObject({ everywhere: z.boolean().default(false) });

const GONE = 'This link was used, or its time is over. Ask for a new one.';

/** Signs people in and out. */
export class ConsoleSignIn {
  readonly #options: SignInServices;
  readonly #failing = new FailingAddresses();

  constructor(options: SignInServices) {
    this.#options = options;
  }

  /** The first admin, by the link that the platform's operator has. @throws HttpError 400, 410 */
  async claim(asked: McpExchange): Promise<void> {
    const given = await bodyOf(asked.request, claimBody, '{"token": "…", "email": "…", "name": "…"}');
    const { ids, clocks } = this.#options.services;
    await this.signIn(asked, 'claim', (tx) => claim(tx, { ...given, ids, now: clocks.product.now() }));
  }

  /** Asks for a link by mail; the same answer for every address. @throws HttpError 400, 404 */
  async mail({ request, response }: McpExchange): Promise<void> {
    const { links } = this.#options;
    if (!links) throw new HttpError(404, 'No mail is set up here: sign in another way.');
    const { email } = await bodyOf(request, mailBody, '{"email": "…"}');
    links.begin(email, request.socket.remoteAddress);
    sendJson(response, 202, '{}');
  }

  /** By a link that was mailed. @throws HttpError 400, 410 */
  async token(asked: McpExchange): Promise<void> {
    const given = await bodyOf(asked.request, tokenBody, '{"token": "…"}');
    await this.signIn(asked, 'mail', (tx) => useSignInLink(tx, given.token));
  }

  /** Opens a session for whom a proof proves. @throws HttpError 410 when it proves nobody */
  async signIn(asked: McpExchange, way: SignInWay, prove: Prove): Promise<void> {
    const session = await this.open(asked, way, prove);
    if (!session) throw new HttpError(410, GONE);
    sendJson(
      asked.response,
      200,
      JSON.stringify(meOf(session.authenticated.caller, this.#options.ways(asked.request))),
    );
  }

  /** The same without an answer; undefined: it proves nobody, of which the address that asked has to wait. */
  async open(
    { request, response, requestId }: McpExchange,
    way: SignInWay,
    prove: Prove,
  ): Promise<OpenSession | undefined> {
    const { services, sessions } = this.#options;
    const address = request.socket.remoteAddress ?? '';
    const opened = await services.db.tx({ kind: 'platform' }, async (tx) => {
      const userId = await prove(tx);
      if (userId === undefined) return undefined;
      const id = services.ids.uuid();
      const token = await openSession(tx, { id, userId, way, before: cookieOf(request) });
      const about = { userId, requestId, about: [id] };
      return { token, record: await auditDoorWith(tx, services, `console_sign_in_by_${way}`, about) };
    });
    const session = opened && (await sessions.read(opened.token));
    // Who belongs nowhere any more proves to be somebody, and gets no further.
    if (opened) services.audit.append({ ...opened.record, outcome: session ? 'ok' : 'refused' });
    if (!opened || !session) {
      services.metrics.authFailures.inc();
      await this.#failing.failed(address);
      return undefined;
    }
    this.#failing.succeeded(address);
    setCookie(response, opened.token);
    return session;
  }

  /** Ends the session, or all of its user. */
  async signOut({ request, response, requestId }: McpExchange): Promise<void> {
    const { everywhere } = await bodyOf(request, signOutBody, '{"everywhere": false}');
    const { services, sessions } = this.#options;
    const given = cookieOf(request);
    const session = given === undefined ? undefined : await sessions.peek(given);
    if (given !== undefined) {
      const record = await services.db.tx({ kind: 'platform' }, async (tx) => {
        await endSession(tx, given);
        if (!session) return undefined;
        const { userId, sessionId } = session;
        if (everywhere) await endSessionsOfUser(tx, userId);
        return auditDoorWith(tx, services, 'console_sign_out', { userId, requestId, about: [sessionId] });
      });
      if (record) services.audit.append(record);
    }
    clearCookie(response);
    response.writeHead(204).end();
  }
}

/** A small JSON body. @throws HttpError 400, 408, 413, 415 */
export async function bodyOf<T extends z.ZodType>(
  request: IncomingMessage,
  schema: T,
  form: string,
  maxBytes = MAX_BODY,
): Promise<z.output<T>> {
  requireType(request, 'application/json', 'application/json');
  const text = await readBody(request, { maxBytes, withinMs: MAX_BODY_MS });
  const found = schema.safeParse(jsonOf(text));
  if (!found.success) throw new HttpError(400, `The body must be ${form}.`);
  return found.data;
}

function jsonOf(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return undefined;
  }
}

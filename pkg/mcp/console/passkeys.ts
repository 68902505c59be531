import type { IncomingMessage } from 'node:http';
import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import { monotonicMs } from '../../base/clock.ts';
import { HttpError } from '../../base/http/http-error.ts';
import { usableText } from '../../base/usable-text.ts';
import type { Tx } from '../../postgres/database.ts';
import { keepOnce, takeOnce } from '../../store/console/once.ts';
import {
  findPasskey,
  keepPasskey,
  MOST_PASSKEYS,
  type Passkey,
  passkeysOf,
  removePasskey,
  usePasskey,
} from '../../store/console/passkeys.ts';
import type { McpExchange } from '../exchange.ts';
import type { MessageServices } from '../handle-message.ts';
import { sendJson } from '../http-io.ts';
import { AskedOften } from './asked-often.ts';
import { auditDoor } from './console-audit.ts';
import type { ConsoleSession, OpenSession } from './console-sessions.ts';
import { bodyOf, type ConsoleSignIn } from './console-sign-in.ts';
import { type RelyingParty, relyingPartyOf } from './relying-party.ts';

export interface PasskeysOptions {
  services: Pick<MessageServices, 'db' | 'ids' | 'log' | 'audit' | 'clocks'>;
  signIn: ConsoleSignIn;
  publicOrigin: string | undefined;
}

/** Real ms after signing in for which a new passkey may be made: one who finds an open page makes none. */
const FRESH_MS = 3_600_000;
const MAX_BODY = 16_384;
/** COSE: Ed25519, ES256, RS256. What the library knows besides is still an experiment of Node. */
const ALGORITHMS = [-8, -7, -257];

const base64 = z.string().max(8_192);
const registerBody = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .refine((name) => usableText(name) === name)
    .default('Passkey'),
  response: z.looseObject({
    id: base64,
    rawId: base64,
    type: z.literal('public-key'),
    response: z.looseObject({ clientDataJSON: base64, attestationObject: base64 }),
  }),
});
const verifyBody = z.strictObject({
  response: z.looseObject({
    id: base64,
    rawId: base64,
    type: z.literal('public-key'),
    response: z.looseObject({
      clientDataJSON: base64,
      authenticatorData: base64,
      signature: base64,
      userHandle: base64.nullish(),
    }),
  }),
});
const nothing = z.strictObject({});
const removeBody = z.strictObject({ passkeyId: z.string().max(100) });

/** Signing in by passkeys, which members make for themselves. Each challenge is ours, of one kind, and taken once. */
export class Passkeys {
  readonly #options: PasskeysOptions;
  readonly #asked = new AskedOften(monotonicMs);

  constructor(options: PasskeysOptions) {
    this.#options = options;
  }

  /** Whether the name under which somebody asks can have passkeys. */
  known(request: IncomingMessage): boolean {
    return relyingPartyOf(request, this.#options.publicOrigin) !== undefined;
  }

  /** Those of who is signed in. */
  async list({ response }: McpExchange, { userId }: ConsoleSession): Promise<void> {
    const passkeys = await this.#platform((tx) => passkeysOf(tx, userId));
    sendJson(response, 200, JSON.stringify({ passkeys: passkeys.map(shown) }));
  }

  /** How a browser makes a new one. @throws HttpError 403, 404 */
  async registerOptions({ request, response }: McpExchange, session: OpenSession): Promise<void> {
    await bodyOf(request, nothing, '{}');
    const { name: rpID } = this.#party(request);
    requireFresh(session, this.#options.services.clocks.real.now());
    const { userId } = session;
    const own = await this.#platform((tx) => passkeysOf(tx, userId));
    const { generateRegistrationOptions } = await library();
    const options = await generateRegistrationOptions({
      rpName: 'Outrider',
      rpID,
      userName: session.authenticated.caller.user?.email ?? '',
      userID: new TextEncoder().encode(userId),
      attestationType: 'none',
      supportedAlgorithmIDs: ALGORITHMS,
      excludeCredentials: own.map(({ credentialId, transports }) => ({
        id: credentialId.toString('base64url'),
        transports,
      })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    await this.#keep('new_passkey', options.challenge, userId);
    sendJson(response, 200, JSON.stringify(options));
  }

  /** A new one. @throws HttpError 400, 403, 404, 409 */
  async register({ request, response, requestId }: McpExchange, session: ConsoleSession): Promise<void> {
    const { name: rpID, origin } = this.#party(request);
    const given = await bodyOf(request, registerBody, '{"name": "…", "response": {…}}', MAX_BODY);
    requireFresh(session, this.#options.services.clocks.real.now());
    const { userId } = session;
    const { services } = this.#options;
    const challenge = await this.#take('new_passkey', given.response.response.clientDataJSON, userId);
    const { verifyRegistrationResponse } = await library();
    const asked = {
      response: given.response as unknown as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpID,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    };
    const { registrationInfo } = await verifyRegistrationResponse(asked).catch(proofless);
    if (!registrationInfo) throw noProof();
    const { credential } = registrationInfo;
    const id = services.ids.uuid();
    const passkey = {
      id,
      userId,
      credentialId: Buffer.from(credential.id, 'base64url'),
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: (credential.transports ?? []).slice(0, 8).map((one) => one.slice(0, 20)),
      name: given.name,
    };
    if (!(await this.#platform((tx) => keepPasskey(tx, passkey))))
      throw new HttpError(409, `This passkey is known, or you have ${MOST_PASSKEYS}, which is the most. Remove one.`);
    auditDoor(services, 'console_add_passkey', { userId, requestId, about: [id] });
    return this.list({ request, response, requestId }, session);
  }

  /** @throws HttpError 404 */
  async remove({ request, response, requestId }: McpExchange, session: ConsoleSession): Promise<void> {
    const { passkeyId } = await bodyOf(request, removeBody, '{"passkeyId": "…"}');
    const { userId } = session;
    if (!(await this.#platform((tx) => removePasskey(tx, userId, passkeyId))))
      throw new HttpError(404, 'You have no such passkey.');
    auditDoor(this.#options.services, 'console_remove_passkey', { userId, requestId, about: [passkeyId] });
    return this.list({ request, response, requestId }, session);
  }

  /** How a browser signs in by one; it tells nothing of who has any. @throws HttpError 404, 429 */
  async options({ request, response }: McpExchange): Promise<void> {
    await bodyOf(request, nothing, '{}');
    const { name: rpID } = this.#party(request);
    this.#asked.require(request.socket.remoteAddress);
    const { generateAuthenticationOptions } = await library();
    const options = await generateAuthenticationOptions({ rpID, userVerification: 'required' });
    await this.#keep('passkey', options.challenge, null);
    sendJson(response, 200, JSON.stringify(options));
  }

  /** Signs in. @throws HttpError 400, 404, 410 */
  async verify(exchange: McpExchange): Promise<void> {
    const { request } = exchange;
    const party = this.#party(request);
    const given = await bodyOf(request, verifyBody, '{"response": {…}}', MAX_BODY);
    const challenge = await this.#take('passkey', given.response.response.clientDataJSON, null);
    const { verifyAuthenticationResponse } = await library();
    await this.#options.signIn.signIn(exchange, 'passkey', async (tx) => {
      const passkey = await findPasskey(tx, Buffer.from(given.response.id, 'base64url'));
      const handle = given.response.response.userHandle;
      if (!passkey || (handle && Buffer.from(handle, 'base64url').toString() !== passkey.userId)) return undefined;
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: given.response as unknown as AuthenticationResponseJSON,
        expectedChallenge: challenge,
        expectedOrigin: party.origin,
        expectedRPID: party.name,
        requireUserVerification: true,
        credential: credentialOf(passkey),
      }).catch(proofless);
      return verified && authenticationInfo ? usePasskey(tx, passkey.id, authenticationInfo.newCounter) : undefined;
    });
  }

  /** @throws HttpError 404 */
  #party(request: IncomingMessage): RelyingParty {
    const party = relyingPartyOf(request, this.#options.publicOrigin);
    if (party) return party;
    throw new HttpError(404, 'Passkeys need a name: open the console under that of CONSOLE_URL, or under localhost.');
  }

  #keep(kind: 'passkey' | 'new_passkey', token: string, userId: string | null): Promise<void> {
    const id = this.#options.services.ids.uuid();
    return this.#platform((tx) => keepOnce(tx, { id, kind, token, userId }));
  }

  /** The challenge that was answered. @throws HttpError 410 unless it was ours, and is used now for the first time */
  async #take(kind: 'passkey' | 'new_passkey', clientData: string, userId: string | null): Promise<string> {
    const token = challengeIn(clientData);
    const taken = token !== undefined && (await this.#platform((tx) => takeOnce(tx, { kind, token, userId })));
    if (!taken) throw new HttpError(410, 'This took longer than ten minutes, or was sent before. Try again.');
    return token;
  }

  #platform<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#options.services.db.tx({ kind: 'platform' }, work);
  }
}

/** Most servers never need it. */
function library(): Promise<typeof import('@simplewebauthn/server')> {
  return import('@simplewebauthn/server');
}

function shown({ id, name, madeAt, usedAt }: Passkey): object {
  return { passkeyId: id, name, madeAt: iso(madeAt), usedAt: usedAt === null ? null : iso(usedAt) };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

function credentialOf({ credentialId, publicKey, counter, transports }: Passkey) {
  return {
    id: credentialId.toString('base64url'),
    publicKey: new Uint8Array(publicKey),
    counter,
    transports: transports as AuthenticatorTransport[],
  };
}

/** What the library throws is said by what came; it proves nothing either way. */
function proofless(): { verified: false; registrationInfo?: never; authenticationInfo?: never } {
  return { verified: false };
}

function noProof(): HttpError {
  return new HttpError(400, 'This is no answer of a passkey to what was asked. Try again.');
}

/** @throws HttpError 403 */
function requireFresh({ at }: ConsoleSession, now: number): void {
  if (now - at <= FRESH_MS) return;
  throw new HttpError(403, 'You signed in more than an hour ago: sign in again to make a passkey.');
}

const clientDataSchema = z.looseObject({ challenge: z.string().max(200) });

function challengeIn(clientData: string): string | undefined {
  try {
    return clientDataSchema.parse(JSON.parse(Buffer.from(clientData, 'base64url').toString())).challenge;
  } catch {
    return undefined;
  }
}

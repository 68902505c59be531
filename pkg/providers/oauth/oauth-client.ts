import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CallError } from '../call-error.ts';
import { exchange, jsonOf, type OutsideRequest } from '../outside-http.ts';

/** How an installation is known to a vendor. */
export interface OauthClient {
  authorizeUrl: string;
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  /** '': the vendor has it from its own settings of the client. */
  scope: string;
  /** Where the vendor wants the client's secret. */
  clientAuth: 'body' | 'basic';
  /** What else the vendor has to be asked for at its page. */
  more?: Readonly<Record<string, string>>;
  /** Where its API lies; absent: at the vendor's usual address. */
  apiUrl?: string;
}

/** What a vendor gives for a code, or for a refresh token. */
export interface OauthTokens {
  accessToken: string;
  /** null: the one before stays. */
  refreshToken: string | null;
  /** null: it does not end by itself. */
  expiresInSeconds: number | null;
  /** Address of the API that the token opens; null: the vendor's own. */
  url: string | null;
  /** What was allowed, where the vendor tells it: people may allow a part of what was asked for. */
  scopes: readonly string[] | null;
}

const TIMEOUT_MS = 15_000;
/** Vendors that do not say how long a token lives: Salesforce ends a session that rests, two hours by default. */
const USUAL_SECONDS = 3_600;
const answerShape = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  expires_in: z.coerce.number().positive().optional(),
  scope: z.string().max(4_000).optional(),
  instance_url: z.url().optional(),
  api_domain: z.url().optional(),
});
const refusalShape = z.object({ error: z.string().max(100).optional(), status: z.string().max(100).optional() });

/** Where a person allows it (RFC 6749 section 4.1.1), bound to this way by the state and to its end by PKCE (RFC 7636). */
export function authorizationUrl(
  client: OauthClient,
  way: { state: string; verifier: string; redirectUri: string },
): string {
  const url = new URL(client.authorizeUrl);
  const query = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: way.redirectUri,
    state: way.state,
    code_challenge: createHash('sha256').update(way.verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(client.scope === '' ? {} : { scope: client.scope }),
    ...client.more,
  };
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

interface TokenOptions {
  reach: 'public' | 'any';
  signal: AbortSignal;
}

/** Tokens for a code that somebody brought back. @throws CallError */
export function exchangeCode(
  client: OauthClient,
  given: { code: string; verifier: string; redirectUri: string },
  options: TokenOptions,
): Promise<OauthTokens> {
  const { code, verifier, redirectUri } = given;
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri };
  return askTokens(client, form, options);
}

/** New tokens for a refresh token, which may be worth nothing afterwards. @throws CallError `auth`: it is worth nothing */
export function refreshTokens(client: OauthClient, refreshToken: string, options: TokenOptions): Promise<OauthTokens> {
  return askTokens(client, { grant_type: 'refresh_token', refresh_token: refreshToken }, options);
}

async function askTokens(
  client: OauthClient,
  form: Readonly<Record<string, string>>,
  options: TokenOptions,
): Promise<OauthTokens> {
  const { clientId, clientSecret, clientAuth, tokenUrl } = client;
  const inBody: Record<string, string> =
    clientAuth === 'body' ? { client_id: clientId, client_secret: clientSecret } : {};
  const basic = `Basic ${Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64')}`;
  const call: OutsideRequest = {
    method: 'POST',
    url: tokenUrl,
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      ...(clientAuth === 'basic' ? { authorization: basic } : {}),
    },
    body: new URLSearchParams({ ...form, ...inBody }).toString(),
    timeoutMs: TIMEOUT_MS,
    harmless: false,
    ...options,
  };
  const answer = await exchange(call);
  if (answer.status >= 300) throw refusalOf(tokenUrl, answer);
  const parsed = answerShape.safeParse(jsonOf(answer, false));
  if (!parsed.success) throw new CallError('lost', 'the vendor answered in another shape');
  const { access_token, refresh_token, expires_in, scope, instance_url, api_domain } = parsed.data;
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? null,
    expiresInSeconds: expires_in ?? (instance_url ? USUAL_SECONDS : null),
    url: instance_url ?? api_domain ?? client.apiUrl ?? null,
    scopes: scope === undefined ? null : scope.split(/[ ,]+/).filter((one) => one !== ''),
  };
}

/** Of a refusal only its code is told: vendors repeat in it what they were given. */
function refusalOf(
  tokenUrl: string,
  answer: { status: number; text: string; retryAfterMs?: number | undefined },
): CallError {
  const { status, retryAfterMs } = answer;
  const { error, status: word } = refusalShape.safeParse(parsedOr(answer.text)).data ?? {};
  const message = `${new URL(tokenUrl).host} answered ${status}${error || word ? `: ${error ?? word}` : ''}`;
  if (status === 429 || status >= 500) return new CallError('busy', message, retryAfterMs);
  return new CallError('auth', message);
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

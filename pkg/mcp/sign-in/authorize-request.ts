import { TENANT_SCOPES } from '../../domain/scopes.ts';
import type { SignInClient } from '../../store/sign-in/clients.ts';
import { OAuthError } from './oauth-error.ts';
import type { OneOfEach } from './one-of-each.ts';
import { matchesRedirect } from './redirect-uris.ts';
import { isOwnResource } from './sign-in-address.ts';

/** What a client asks a person for. */
export interface AuthorizeRequest {
  client: SignInClient;
  redirectUri: string;
  /** Given back as it came. */
  state: string | undefined;
  /** PKCE, S256. */
  challenge: string;
  /** Which it would like; the person decides. */
  scopes: readonly string[];
}

/** A client that is known, and an address of its own to which answers may go. */
export type AnswerPlace = Pick<AuthorizeRequest, 'client' | 'redirectUri' | 'state'>;

const LONGEST_STATE = 2_000;

/** Where answers go. Until this is known nobody is sent anywhere. @throws OAuthError for an address that the client did not register */
export function answerPlace(params: OneOfEach, client: SignInClient): AnswerPlace {
  const given = params.get('redirect_uri');
  const [only, ...others] = client.redirectUris;
  const redirectUri = given ?? (others.length === 0 ? only : undefined);
  if (redirectUri === undefined) throw new OAuthError('invalid_request', 'redirect_uri is missing.');
  if (!client.redirectUris.some((registered) => matchesRedirect(registered, redirectUri)))
    throw new OAuthError('invalid_request', 'redirect_uri is none of those that this client registered.');
  return { client, redirectUri, state: params.get('state', LONGEST_STATE) };
}

/** The rest of what is asked. @throws OAuthError that the client is told where answers go */
export function readAuthorize(params: OneOfEach, place: AnswerPlace, address: string): AuthorizeRequest {
  if (params.require('response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'response_type must be code.');
  if ((params.get('response_mode') ?? 'query') !== 'query')
    throw new OAuthError('invalid_request', 'response_mode must be query.');
  // Absent it would mean plain, which proves nothing to who reads along.
  if (params.get('code_challenge_method') !== 'S256')
    throw new OAuthError('invalid_request', 'code_challenge_method must be S256.');
  const challenge = params.require('code_challenge');
  if (!/^[\w-]{43}$/.test(challenge))
    throw new OAuthError('invalid_request', 'code_challenge must be a SHA-256 in base64url, of 43 characters.');
  requireOwnResource(params, address);
  return { ...place, challenge, scopes: knownScopes(params.get('scope', 4_000) ?? '') };
}

/** @throws OAuthError when tokens of another server are asked for. Source: RFC 8707 */
export function requireOwnResource(params: OneOfEach, address: string): void {
  if (params.all('resource').some((named) => !isOwnResource(named, address)))
    throw new OAuthError('invalid_target', `resource must be ${address}/mcp.`);
}

/** Those of ours; what else clients ask for out of habit (openid, offline_access) is left out. */
function knownScopes(text: string): string[] {
  const known: readonly string[] = TENANT_SCOPES;
  return [...new Set(text.split(' '))].filter((scope) => known.includes(scope));
}

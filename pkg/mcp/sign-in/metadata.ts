import { TENANT_SCOPES } from '../../domain/scopes.ts';
import { resourceOf } from './sign-in-address.ts';

/** Where each part of the sign-in is. */
export const PATHS = {
  resource: '/.well-known/oauth-protected-resource',
  server: '/.well-known/oauth-authorization-server',
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  register: '/oauth/register',
  revoke: '/oauth/revoke',
} as const;

/** Where people sign in, and come back to when they did. */
export const CONSOLE_HOME = '/console/';

/** What clients of the resource need to know. Source: RFC 9728. */
export function resourceMetadata(address: string): object {
  return {
    resource: resourceOf(address),
    authorization_servers: [address],
    scopes_supported: TENANT_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Outrider',
  };
}

/** What clients of the sign-in need to know. Source: RFC 8414; RFC 9207; OAuth Client ID Metadata Document. */
export function serverMetadata(address: string): object {
  return {
    issuer: address,
    authorization_endpoint: `${address}${PATHS.authorize}`,
    token_endpoint: `${address}${PATHS.token}`,
    registration_endpoint: `${address}${PATHS.register}`,
    revocation_endpoint: `${address}${PATHS.revoke}`,
    scopes_supported: TENANT_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    // A client on somebody's device keeps no secret; PKCE proves that who fetches is who asked.
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

/** What a 401 of /mcp adds to its challenge. Source: RFC 9728, 5.1. */
export function challengeOf(address: string): string {
  return `resource_metadata="${address}${PATHS.resource}/mcp"`;
}

import { z } from 'zod';
import type { Sealer } from '../../../base/sealer.ts';
import type { OauthTokens } from '../../../providers/oauth/oauth-client.ts';
import { type Granted, grantOwner } from '../../../store/integrations/oauth-grants.ts';

const grantShape = z.object({ refreshToken: z.string() });

/** What a vendor granted, sealed for the store: executors get the access token only. @param before the refresh token that stays, if no new one came */
export function sealedTokens(
  sealer: Sealer,
  of: { integrationId: string; workspaceId: string },
  tokens: OauthTokens,
  before: string | null,
): Granted {
  const { integrationId, workspaceId } = of;
  const refreshToken = tokens.refreshToken ?? before;
  const credentials = JSON.stringify({ token: tokens.accessToken, oauth: 'true' });
  return {
    integrationId,
    workspaceId,
    sealed: sealer.seal(credentials, `integration:${integrationId}`),
    sealedGrant:
      refreshToken === null ? null : sealer.seal(JSON.stringify({ refreshToken }), grantOwner(integrationId)),
    expiresInSeconds: tokens.expiresInSeconds,
    url: tokens.url,
  };
}

/** The refresh token of a stored grant. @throws Error when it does not open under this installation's key */
export function refreshTokenOf(sealer: Sealer, integrationId: string, sealed: Buffer): string {
  return grantShape.parse(JSON.parse(sealer.open(sealed, grantOwner(integrationId)))).refreshToken;
}

const tokenShape = z.object({ token: z.string() });

/** The access token of an integration that a vendor granted. @throws Error when it does not open under this installation's key */
export function accessTokenOf(sealer: Sealer, integrationId: string, sealed: Buffer): string {
  return tokenShape.parse(JSON.parse(sealer.open(sealed, `integration:${integrationId}`))).token;
}

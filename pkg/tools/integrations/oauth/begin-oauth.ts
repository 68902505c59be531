import { randomBytes } from 'node:crypto';
import type { Tx } from '../../../postgres/database.ts';
import { authorizationUrl, type OauthClient } from '../../../providers/oauth/oauth-client.ts';
import { beginOauth, grantOwner } from '../../../store/integrations/oauth-grants.ts';
import type { Connections, ToolContext } from '../../tool-context.ts';

/** Bytes of a state and of a verifier (RFC 7636 section 4.1: 43 characters at least). */
const SECRET_BYTES = 32;

/** Where vendors send people back to, on the ingress. */
export const redirectUriOf = (ingressUrl: string): string => `${ingressUrl}/oauth/return`;

/** Begins a member's way to the vendor. @returns the address that they open within ten minutes */
export async function beginWay(
  tx: Tx,
  ctx: ToolContext,
  { sealer }: Connections,
  way: { client: OauthClient; integrationId: string },
): Promise<string> {
  const { client, integrationId } = way;
  const [state, verifier] = [secret(), secret()];
  await beginOauth(tx, state, {
    workspaceId: ctx.workspaceId,
    integrationId,
    keyId: ctx.caller.keyId,
    userId: ctx.caller.user?.id ?? null,
    sealedVerifier: sealer.seal(verifier, grantOwner(integrationId)),
  });
  return authorizationUrl(client, { state, verifier, redirectUri: redirectUriOf(ctx.ingressUrl) });
}

function secret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

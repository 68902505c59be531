import type { Tx } from '../../postgres/database.ts';
import { CallError } from '../../providers/call-error.ts';
import type { GoogleAccess } from '../../providers/google/google-request.ts';
import { tokenRefused } from '../../store/integrations/oauth-grants.ts';

/**
 * What an executor does about a token that is refused: it renews none itself, since it has no OAuth client, and lets a server hear of it.
 * @param sealed the credentials that were refused
 */
export function renewLater(
  claim: { tx<T>(work: (tx: Tx) => Promise<T>): Promise<T> },
  integrationId: string,
  sealed: Buffer,
): NonNullable<GoogleAccess['renew']> {
  return async () => {
    if (await claim.tx((tx) => tokenRefused(tx, integrationId, sealed))) return null;
    throw new CallError('auth', 'the access token is refused, and can not be renewed');
  };
}

import type { Database } from '../../../postgres/database.ts';
import { CallError } from '../../../providers/call-error.ts';
import { exchangeCode } from '../../../providers/oauth/oauth-client.ts';
import { endOauth, grantOwner, keepGrant } from '../../../store/integrations/oauth-grants.ts';
import type { Connections } from '../../tool-context.ts';
import { sealedTokens } from './granted-credentials.ts';

export interface OauthReturn {
  db: Database;
  connections: Connections;
  redirectUri: string;
  /** Epoch ms, product time. */
  now: number;
  signal: AbortSignal;
}

/**
 * Ends a way to a vendor: its state is used up, its code becomes tokens.
 * @returns the provider; null: nobody is on that way (any more); a text: why the vendor gave nothing
 */
export async function finishOauth(
  { db, connections, redirectUri, now, signal }: OauthReturn,
  state: string,
  code: string,
): Promise<{ provider: string } | { refused: string } | null> {
  const { sealer, reachOf, oauth = {} } = connections;
  const way = await db.tx({ kind: 'platform' }, (tx) => endOauth(tx, state));
  const client = way && oauth[way.provider];
  if (!way || !client) return null;
  try {
    const verifier = sealer.open(way.sealedVerifier, grantOwner(way.integrationId));
    const options = { reach: reachOf(client.tokenUrl), signal };
    const tokens = await exchangeCode(client, { code, verifier, redirectUri }, options);
    const granted = sealedTokens(sealer, way, tokens, null);
    const kept = await db.tx({ kind: 'platform' }, (tx) => keepGrant(tx, granted, now));
    return kept ? { provider: way.provider } : null;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return { refused: error.message };
  }
}

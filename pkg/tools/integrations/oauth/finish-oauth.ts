import type { Database, Tx } from '../../../postgres/database.ts';
import { CallError } from '../../../providers/call-error.ts';
import { exchangeCode } from '../../../providers/oauth/oauth-client.ts';
import { isAccount } from '../../../store/accounts/connected-accounts.ts';
import { endIntegration, integrationName, takeIntegration } from '../../../store/integrations/integrations.ts';
import { endOauth, grantOwner, keepGrant, type OauthState } from '../../../store/integrations/oauth-grants.ts';
import type { Connections } from '../../tool-context.ts';
import { type GrantedAccount, grantedAccount } from './granted-account.ts';
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
    const { workspaceId, provider } = way;
    const account = await grantedAccount(provider, { connections, client, workspaceId, tokens, now, signal });
    const kept = await db.tx({ kind: 'platform' }, async (tx) => {
      const integrationId = account ? await keepAccount(tx, way, account, now) : way.integrationId;
      return keepGrant(tx, sealedTokens(sealer, { workspaceId, integrationId }, tokens, null), now);
    });
    return kept ? { provider } : null;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    return { refused: error.message };
  }
}

/**
 * Writes the account that a vendor let us into. One that the workspace has already, however it was opened, keeps its id; the integration
 * with which the way began goes then.
 * @returns the id of account and integration
 * @throws CallError where the way was to renew another account
 */
async function keepAccount(
  tx: Tx,
  { integrationId, workspaceId, provider }: OauthState & { provider: string },
  account: GrantedAccount,
  now: number,
): Promise<string> {
  const known = await account.find(tx);
  if (known !== integrationId && (await isAccount(tx, integrationId)))
    throw new CallError('refused', `${account.address} is another account than the one that was to be allowed anew`);
  const id = known ?? integrationId;
  const { name = '' } = (await integrationName(tx, integrationId)) ?? {};
  await account.store(tx, { id, name });
  const { kind } = account;
  const label = name || account.address;
  if (!(await takeIntegration(tx, { id, workspaceId, provider, kind, name: label, now })))
    throw new CallError('refused', 'it was disconnected meanwhile');
  if (id !== integrationId) await endIntegration(tx, integrationId, now);
  return id;
}

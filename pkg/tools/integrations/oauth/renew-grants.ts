import type { Clocks } from '../../../base/clock.ts';
import type { Ids } from '../../../base/ids.ts';
import type { PeriodicJob } from '../../../base/periodic.ts';
import type { Database, Tx } from '../../../postgres/database.ts';
import { CallError } from '../../../providers/call-error.ts';
import { refreshTokens } from '../../../providers/oauth/oauth-client.ts';
import { noteHealth } from '../../../store/integrations/crm-integrations.ts';
import {
  type HeldGrant,
  holdsGrant,
  keepGrant,
  leaveGrant,
  readSealed,
  takeGrant,
  takeGrantOf,
} from '../../../store/integrations/oauth-grants.ts';
import type { Connections } from '../../tool-context.ts';
import { accessTokenOf, refreshTokenOf, sealedTokens } from './granted-credentials.ts';

/** Real ms between looks for access tokens that end within ten minutes. */
const EVERY_MS = 30_000;
/** Real ms of one look: four times the bound of a request. */
const WITHIN_MS = 60_000;
/** Grants of one look; what is left comes with the next. */
const AT_ONCE = 20;

export interface RenewalDeps {
  db: Pick<Database, 'tx'>;
  clocks: Clocks;
  ids: Ids;
  connections: Connections;
}

/** Renews access tokens before they end; of several servers one renews each. */
export function renewGrantsJob(deps: RenewalDeps): PeriodicJob {
  return {
    name: 'integration-grants',
    everyMs: EVERY_MS,
    withinMs: WITHIN_MS,
    async run(signal) {
      for (let at = 0; at < AT_ONCE && !signal.aborted; at++) if (!(await renewNext(deps, signal))) return;
    },
  };
}

/** Renews the grant whose token ends first. @returns whether there was one */
export async function renewNext(deps: RenewalDeps, signal: AbortSignal): Promise<boolean> {
  const holder = deps.ids.uuid();
  const tx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => deps.db.tx({ kind: 'platform' }, work);
  const grant = await tx((one) => takeGrant(one, holder));
  if (!grant) return false;
  await renewHeld({ ...deps, tx }, { grant, holder }, signal);
  return true;
}

/** Transactions that see the integration. */
type RenewalTx = Omit<RenewalDeps, 'db'> & { tx<T>(work: (tx: Tx) => Promise<T>): Promise<T> };

/**
 * Renews at once what the vendor refuses.
 * @param refused the credentials that it refused
 * @returns the new access token; null: another process renews it, or the vendor does not answer
 * @throws CallError `auth`: it has to be allowed anew
 */
export async function renewRefused(
  deps: RenewalTx,
  integrationId: string,
  refused: Buffer,
  signal: AbortSignal,
): Promise<string | null> {
  const holder = deps.ids.uuid();
  const grant = await deps.tx((tx) => takeGrantOf(tx, holder, integrationId, refused));
  const failed = grant ? await renewHeld(deps, { grant, holder }, signal) : null;
  if (failed?.kind === 'auth') throw failed;
  const sealed = await deps.tx((tx) => readSealed(tx, integrationId));
  if (!sealed) throw new CallError('auth', 'it has to be allowed anew');
  return sealed.equals(refused) ? null : accessTokenOf(deps.connections.sealer, integrationId, sealed);
}

/** @returns why it could not be renewed; null: it was */
async function renewHeld(
  { tx, clocks, connections }: RenewalTx,
  { grant, holder }: { grant: HeldGrant; holder: string },
  signal: AbortSignal,
): Promise<CallError | null> {
  const now = clocks.product.now();
  try {
    const granted = await renewed(connections, grant, signal);
    await tx(async (one) => {
      if (await holdsGrant(one, grant.integrationId, holder)) await keepGrant(one, granted, now);
    });
    return null;
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const needsAuth = error.kind === 'auth';
    await tx(async (one) => {
      if (!(await holdsGrant(one, grant.integrationId, holder))) return;
      await noteHealth(one, grant.integrationId, { error: error.message, needsAuth }, now);
      await leaveGrant(one, grant.integrationId, holder);
    });
    return error;
  }
}

async function renewed({ sealer, reachOf, oauth = {} }: Connections, grant: HeldGrant, signal: AbortSignal) {
  const client = oauth[grant.provider];
  if (!client) throw new CallError('busy', `this installation has no OAuth client of ${grant.provider} any more`);
  const before = refreshTokenOf(sealer, grant.integrationId, grant.sealed);
  const tokens = await refreshTokens(client, before, { reach: reachOf(client.tokenUrl), signal });
  return sealedTokens(sealer, grant, tokens, before);
}

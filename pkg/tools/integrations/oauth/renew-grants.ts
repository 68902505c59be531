import type { Clocks } from '../../../base/clock.ts';
import type { Ids } from '../../../base/ids.ts';
import type { PeriodicJob } from '../../../base/periodic.ts';
import type { Database } from '../../../postgres/database.ts';
import { CallError } from '../../../providers/call-error.ts';
import { refreshTokens } from '../../../providers/oauth/oauth-client.ts';
import { noteHealth } from '../../../store/integrations/crm-integrations.ts';
import {
  type HeldGrant,
  holdsGrant,
  keepGrant,
  leaveGrant,
  takeGrant,
} from '../../../store/integrations/oauth-grants.ts';
import type { Connections } from '../../tool-context.ts';
import { refreshTokenOf, sealedTokens } from './granted-credentials.ts';

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
export async function renewNext({ db, clocks, ids, connections }: RenewalDeps, signal: AbortSignal): Promise<boolean> {
  const holder = ids.uuid();
  const grant = await db.tx({ kind: 'platform' }, (tx) => takeGrant(tx, holder));
  if (!grant) return false;
  const now = clocks.product.now();
  try {
    const granted = await renewed(connections, grant, signal);
    await db.tx({ kind: 'platform' }, async (tx) => {
      if (await holdsGrant(tx, grant.integrationId, holder)) await keepGrant(tx, granted, now);
    });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const needsAuth = error.kind === 'auth';
    await db.tx({ kind: 'platform' }, async (tx) => {
      if (!(await holdsGrant(tx, grant.integrationId, holder))) return;
      await noteHealth(tx, grant.integrationId, { error: error.message, needsAuth }, now);
      await leaveGrant(tx, grant.integrationId, holder);
    });
  }
  return true;
}

async function renewed({ sealer, reachOf, oauth = {} }: Connections, grant: HeldGrant, signal: AbortSignal) {
  const client = oauth[grant.provider];
  if (!client) throw new CallError('busy', `this installation has no OAuth client of ${grant.provider} any more`);
  const before = refreshTokenOf(sealer, grant.integrationId, grant.sealed);
  const tokens = await refreshTokens(client, before, { reach: reachOf(client.tokenUrl), signal });
  return sealedTokens(sealer, grant, tokens, before);
}

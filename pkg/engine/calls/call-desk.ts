import type { EnrichmentDesk } from '../../providers/enrichment/ask-about.ts';
import { ownDesk } from '../../providers/enrichment/own-desk.ts';
import { readOwnEnrichment } from '../../store/integrations/own-endpoints.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { Outside } from './outside.ts';

/** Who is asked for fields of leads of the executor's workspace: its own providers first, then the platform's. */
export async function callDesk(
  { claim, workspaceId }: Pick<EngineDeps, 'claim' | 'workspaceId'>,
  outside: Outside,
): Promise<EnrichmentDesk> {
  return ownDesk(outside.enrichment, await claim.tx((tx) => readOwnEnrichment(tx, workspaceId)), outside);
}

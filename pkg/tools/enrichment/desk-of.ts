import type { EnrichmentDesk } from '../../providers/enrichment/ask-about.ts';
import { CHECKS_WITHOUT_DNS } from '../../providers/enrichment/mail-checks.ts';
import { ownDesk } from '../../providers/enrichment/own-desk.ts';
import { readOwnEnrichment } from '../../store/integrations/own-endpoints.ts';
import type { JobContext } from '../jobs/job-step.ts';

const NOBODY: EnrichmentDesk = { providers: [], checks: CHECKS_WITHOUT_DNS };

/** Who is asked for fields of leads of a workspace: its own providers first, then the platform's. */
export async function deskOf(
  { tx, connections, enrichment = NOBODY }: Pick<JobContext, 'tx' | 'connections' | 'enrichment'>,
  workspaceId: string,
): Promise<EnrichmentDesk> {
  const own = await tx((each) => readOwnEnrichment(each, workspaceId));
  const { sealer, reachOf = () => 'public' as const } = connections ?? {};
  return ownDesk(enrichment, own, { sealer, reachOf });
}

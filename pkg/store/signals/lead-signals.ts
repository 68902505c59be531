import { arrayText } from '../../postgres/array-text.ts';
import type { Tx } from '../../postgres/database.ts';

/** A signal older than the longest window adds nothing. */
export const OLDEST_SIGNAL_MS = 365 * 86_400_000;

/** A signal of a lead or of its company. Times epoch ms UTC, product time. */
export interface LeadSignal {
  leadId: string;
  type: string;
  title: string;
  occurredAt: number;
  expiresAt: number;
}

/** Signals of leads and of their companies, the workspace's own and the shared ones, of each lead the newest first. */
export async function readLeadSignals(
  tx: Tx,
  workspaceId: string,
  leadIds: readonly string[],
  now: number,
): Promise<Map<string, LeadSignal[]>> {
  const rows = await tx.named<LeadSignal>(
    'read_lead_signals',
    `select
       l.id as "leadId", s.type, s.title, s.occurred_at as "occurredAt", s.expires_at as "expiresAt"
     from unnest($2::uuid[]) as k (lead_id)
     join lead l on l.id = k.lead_id
     -- Each lead by its own index: those of the whole workspace are never looked through for one.
     cross join lateral (
       (select x.* from signal x where x.lead_id = l.id and x.occurred_at > $3 offset 0)
       union all
       (
         select x.*
         from signal x
         where x.company_id = l.company_id and x.lead_id is null and x.occurred_at > $3
         offset 0
       )
     ) s
     where s.workspace_id is null or s.workspace_id = $1`,
    [workspaceId, arrayText([...new Set(leadIds)]), now - OLDEST_SIGNAL_MS],
  );
  return Map.groupBy(
    rows.toSorted((a, b) => b.occurredAt - a.occurredAt),
    (row) => row.leadId,
  );
}

import type { Tx } from '../../postgres/database.ts';

/** Why a lead was not enrolled (catalog record EnrolSkip). */
export type EnrolSkipReason = 'already_enrolled' | 'suppressed' | 'claimed' | 'below_score' | 'erased';

export interface EnrolInput {
  workspaceId: string;
  workflowId: string;
  /** Epoch ms UTC, product time. */
  now: number;
  /** At most a few thousand per call; `runId` is the id that the run gets. */
  leads: readonly { leadId: string; runId: string }[];
  /** Node where the runs start; absent: the graph's entry, resolved by the executor. */
  entryNodeId?: string | undefined;
  /** Who enrols: a person's trigger or a source node. */
  source: 'trigger' | 'named' | 'source';
}

export interface Enrolment {
  leadId: string;
  /** Null when the lead was skipped. */
  runId: string | null;
  skipped: EnrolSkipReason | null;
}

/**
 * Starts one run per lead and wakes the workspace, all in the caller's transaction. Person identity, suppression,
 * contact claim (contactPolicy.dedupeScope), recontactAfterDays and "one live run" are checked in the database,
 * which also sees other workspaces of the agency; what it answers of them is only `claimed`.
 */
export async function enrolLeads(tx: Tx, input: EnrolInput): Promise<Enrolment[]> {
  if (input.leads.length === 0) return [];
  return tx.rows<Enrolment>(
    `select lead_id as "leadId", run_id as "runId", skipped from app.enrol($1, $2, $3, $4::uuid[], $5::uuid[], $6, $7)`,
    [
      input.workspaceId,
      input.workflowId,
      input.now,
      input.leads.map((lead) => lead.leadId),
      input.leads.map((lead) => lead.runId),
      input.entryNodeId ?? '',
      input.source,
    ],
  );
}

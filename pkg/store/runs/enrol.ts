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

/**
 * As {@link enrolLeads}, for more leads than may start: it starts the first `most` of those whom nothing bars, and answers for them and
 * for those before them who are skipped. Who stands behind is as if not given.
 */
export async function enrolUpTo(tx: Tx, input: EnrolInput, most: number): Promise<Enrolment[]> {
  if (input.leads.length <= most) return enrolLeads(tx, input);
  await tx.exec('savepoint enrol_up_to');
  const all = await enrolLeads(tx, input);
  const free = new Set(all.flatMap(({ leadId, skipped }) => (skipped === null ? [leadId] : [])));
  if (free.size <= most) return all;
  await tx.exec('rollback to savepoint enrol_up_to');
  const leads = input.leads.filter(({ leadId }) => free.has(leadId)).slice(0, most);
  const last = input.leads.findIndex(({ leadId }) => leadId === leads.at(-1)?.leadId);
  const before = new Set(input.leads.slice(0, last).map(({ leadId }) => leadId));
  const skipped = all.filter((one) => one.skipped !== null && before.has(one.leadId));
  return [...skipped, ...(await enrolLeads(tx, { ...input, leads }))];
}

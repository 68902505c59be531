import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { type CompactForm, cut } from '../compact.ts';
import { notFound } from '../errors.ts';
import { iso, isoOrNull } from '../times.ts';

/** Catalog record WorkflowRun. */
export const workflowRun = z.object({
  runId: z.string(),
  workflowId: z.string(),
  workflowName: z.string(),
  campaignId: z.string(),
  campaignTitle: z.string(),
  leadId: z.string(),
  leadName: z.string(),
  graphVersion: z.number(),
  state: z.string(),
  currentNodeId: z.string().nullable(),
  waitReason: z.string().nullable(),
  nextActionAt: z.string().nullable(),
  networkAccountId: z.string().nullable(),
  armByNode: z.record(z.string(), z.string()),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  endReason: z.string().nullable(),
});

/** A run of a list: as much of it as the caller asked for. */
export const listedRun = workflowRun.partial().required({ runId: true });

/** Who it is, where they stand, and what happens next or ended it. */
export const RUN_FORM: CompactForm = {
  id: 'runId',
  known: Object.keys(workflowRun.shape),
  kept: [
    ...['leadId', 'leadName', 'workflowName', 'state', 'currentNodeId', 'waitReason', 'nextActionAt'],
    ...['endedAt', 'endReason'],
  ],
  short: { leadName: (name: string) => cut(name, 40), workflowName: (name: string) => cut(name, 40) },
};

/** A row of `run`. */
export interface RunRow {
  id: string;
  workspace_id: string;
  workflow_id: string;
  campaign_id: string;
  lead_id: string;
  person_id: string | null;
  graph_version: number;
  node_id: string;
  state: string;
  wait_reason: string | null;
  due_at: number | null;
  entered_at: number;
  account_id: string | null;
  arms: Record<string, string> | null;
  /** Of what a run knows: texts that were crafted for it by the label of their node, and what each states. */
  facts: { crafted?: Record<string, string>; craftedFacts?: Record<string, object[]> };
  started_at: number;
  ended_at: number | null;
  end_reason: string | null;
}

/** A row of `run` as it is shown, read with RUN_NAMES. */
export type ShownRun = RunRow & WaitRow & { lead_name: string; workflow_name: string; campaign_title: string };

/** Select list of a run `r`: names beside its ids; a lead that was erased has none. */
export const RUN_NAMES = `coalesce((select l.full_name from lead l where l.id = r.lead_id and l.erased_at is null), '') as lead_name,
  coalesce((select w.name from workflow w where w.id = r.workflow_id), '') as workflow_name,
  coalesce((select c.title from campaign c where c.id = r.campaign_id), '') as campaign_title`;

/** What a lead waits for, and when it is looked at again; `stopped`: it is due, and its workflow, campaign or workspace is stopped. */
export interface WaitRow {
  state: string;
  wait_reason: string | null;
  due_at: number | null;
  stopped: boolean;
}

/**
 * As SQL, whether a run `r` is due in something that is stopped, as of `now` (a parameter). Where a workspace is suspended nobody
 * comes by who would park it.
 */
export function isStopped(now: string): string {
  return `(r.ended_at is null and r.due_at <= ${now} and app.flow_stop(r.workspace_id, r.campaign_id, r.workflow_id) is not null)`;
}

/** What is shown of a wait: who is due in something that is stopped waits for its release, and who is due at once (0) is due now. */
export function shownWait(row: WaitRow, now: number): { waitReason: string | null; nextActionAt: string | null } {
  if (row.stopped) return { waitReason: 'send_freeze', nextActionAt: null };
  // Its due moment is when people are told of the deadline; what it waits for is their decision.
  if (row.state === 'in_review') return { waitReason: row.wait_reason, nextActionAt: null };
  return { waitReason: row.wait_reason, nextActionAt: isoOrNull(row.due_at === 0 ? now : row.due_at) };
}

/** The record of a row. */
export function runOf(row: ShownRun, now: number): z.input<typeof workflowRun> {
  const ended = row.ended_at !== null;
  return {
    runId: row.id,
    workflowId: row.workflow_id,
    workflowName: row.workflow_name,
    campaignId: row.campaign_id,
    campaignTitle: row.campaign_title,
    leadId: row.lead_id,
    leadName: row.lead_name,
    graphVersion: row.graph_version,
    state: row.state,
    currentNodeId: ended || row.node_id === '' ? null : row.node_id,
    ...(ended ? { waitReason: null, nextActionAt: null } : shownWait(row, now)),
    networkAccountId: row.account_id,
    armByNode: row.arms ?? {},
    startedAt: iso(row.started_at),
    endedAt: isoOrNull(row.ended_at),
    endReason: row.end_reason,
  };
}

/** Reads a run under the caller's rights. @throws UserError not found, also for a foreign one */
export async function requireRun(tx: Tx, runId: string, now: number): Promise<ShownRun> {
  const row = isUuid(runId)
    ? await tx.row<ShownRun>(`select r.*, ${RUN_NAMES}, ${isStopped('$2')} as stopped from run r where r.id = $1`, [
        runId,
        now,
      ])
    : undefined;
  if (!row) throw notFound('workflowRun', runId);
  return row;
}

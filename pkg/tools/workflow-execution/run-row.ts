import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import { notFound } from '../errors.ts';
import { iso, isoOrNull } from '../times.ts';

/** Catalog record WorkflowRun. */
export const workflowRun = z.object({
  runId: z.string(),
  workflowId: z.string(),
  campaignId: z.string(),
  leadId: z.string(),
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
  started_at: number;
  ended_at: number | null;
  end_reason: string | null;
}

/** The record of a row. */
export function runOf(row: RunRow): z.input<typeof workflowRun> {
  const ended = row.ended_at !== null;
  return {
    runId: row.id,
    workflowId: row.workflow_id,
    campaignId: row.campaign_id,
    leadId: row.lead_id,
    graphVersion: row.graph_version,
    state: row.state,
    currentNodeId: ended || row.node_id === '' ? null : row.node_id,
    waitReason: ended ? null : row.wait_reason,
    nextActionAt: ended ? null : isoOrNull(row.due_at),
    networkAccountId: row.account_id,
    armByNode: row.arms ?? {},
    startedAt: iso(row.started_at),
    endedAt: isoOrNull(row.ended_at),
    endReason: row.end_reason,
  };
}

/** Reads a run under the caller's rights. @throws UserError not found, also for a foreign one */
export async function requireRun(tx: Tx, runId: string): Promise<RunRow> {
  const row = isUuid(runId) ? await tx.row<RunRow>('select * from run where id = $1', [runId]) : undefined;
  if (!row) throw notFound('workflowRun', runId);
  return row;
}

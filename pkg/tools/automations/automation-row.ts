import { z } from 'zod';
import { isUuid } from '../../base/ids.ts';
import { AUTOMATION_KINDS, type AutomationKind } from '../../domain/schedule/automation-kinds.ts';
import type { Tx } from '../../postgres/database.ts';
import type { RunView } from '../../store/schedules/scheduled-runs.ts';
import { readSchedule, type Schedule } from '../../store/schedules/schedules.ts';
import { notFound } from '../errors.ts';
import { iso, isoOrNull } from '../times.ts';

/** Catalog record Automation. */
export const automationRecord = z.object({
  automationId: z.string(),
  campaignId: z.string(),
  name: z.string(),
  kind: z.enum(AUTOMATION_KINDS),
  schedule: z.string(),
  timezone: z.string(),
  enabled: z.boolean(),
  lastRun: z.object({ status: z.string(), finishedAt: z.string(), outcome: z.string() }).nullable(),
  nextRunAt: z.string().nullable(),
});

/** Catalog record AutomationJob. */
export const automationJob = z.object({
  jobId: z.string(),
  status: z.enum(['queued', 'running', 'succeeded', 'failed', 'skipped']),
  scheduledFor: z.string(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  result: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable(),
});

/** A schedule that people made for a campaign. */
export interface Automation extends Schedule {
  kind: AutomationKind;
  campaignId: string;
  timing: { kind: 'cron'; cron: string; timezone: string };
}

/** Reads an automation under the caller's rights. @throws UserError not found */
export async function requireAutomation(tx: Tx, automationId: string, lock = false): Promise<Automation> {
  const row = isUuid(automationId) ? await readSchedule(tx, automationId, lock) : undefined;
  if (!row || !isAutomation(row)) throw notFound('automation', automationId);
  return row;
}

/** Other schedules of the product are none of people's. */
export function isAutomation(row: Schedule): row is Automation {
  const kinds: readonly string[] = AUTOMATION_KINDS;
  return row.campaignId !== null && row.timing.kind === 'cron' && kinds.includes(row.kind);
}

/** The record of a row. @param last its last run that is over */
export function automationOf(row: Automation, last: RunView | undefined): z.input<typeof automationRecord> {
  return {
    automationId: row.id,
    campaignId: row.campaignId,
    name: row.name,
    kind: row.kind,
    schedule: row.timing.cron,
    timezone: row.timing.timezone,
    enabled: row.enabled,
    lastRun: last ? { status: last.state, finishedAt: iso(last.finishedAt ?? 0), outcome: outcomeOf(last) } : null,
    nextRunAt: isoOrNull(row.nextFor),
  };
}

/** The record of one run. */
export function jobOf(run: RunView): z.input<typeof automationJob> {
  return {
    jobId: run.id,
    status: run.state,
    scheduledFor: iso(run.scheduledFor),
    startedAt: isoOrNull(run.startedAt),
    finishedAt: isoOrNull(run.finishedAt),
    result: Object.keys(run.result).length > 0 ? run.result : null,
    error: run.error,
  };
}

/** `lists 2, leads 140`, or why it did not succeed. */
function outcomeOf(run: RunView): string {
  const done = Object.entries(run.result).map(([what, count]) => `${what} ${String(count)}`);
  return run.error ?? (done.join(', ') || 'nothing to do');
}

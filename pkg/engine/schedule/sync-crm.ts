import type { JsonObject } from '../../base/json.ts';
import { crmSyncOf, queueCrmSync, syncCounts } from '../../store/integrations/crm-sync.ts';
import type { ScheduleContext, ScheduleHandler, ScheduleStep } from './schedule-handler.ts';

/** Product ms after which a run looks how its comparison goes on. */
const LOOK_MS = 30_000;

/**
 * Compares a CRM (`settings.integrationId`) with the workspace, both ways. A comparison under way is joined; servers work it off, since
 * executors may not write leads.
 */
export const syncCrm: ScheduleHandler = {
  kind: 'sync_crm',
  run: (context, cursor) => (typeof cursor.jobId === 'string' ? awaitSync(context, cursor) : beginSync(context)),
};

async function beginSync({ tx, run, now, newId }: ScheduleContext): Promise<ScheduleStep> {
  const integrationId = String(run.settings.integrationId ?? '');
  const jobId = await queueCrmSync(tx, { id: newId(), integrationId, now });
  if (jobId === null) {
    const error = `the CRM ${integrationId} is not connected, or needs new credentials: svc_connect_integration`;
    return { kind: 'failed', result: {}, error };
  }
  return { kind: 'rest', cursor: { jobId }, result: {}, dueAt: now + LOOK_MS };
}

async function awaitSync({ tx, now }: ScheduleContext, cursor: JsonObject): Promise<ScheduleStep> {
  const sync = await crmSyncOf(tx, String(cursor.jobId));
  if (!sync) return { kind: 'failed', result: {}, error: 'the comparison with the CRM is gone' };
  const result: JsonObject = { ...syncCounts(sync) };
  if (sync.status === 'failed') return { kind: 'failed', result, error: sync.error ?? 'the comparison failed' };
  if (sync.status === 'completed') return { kind: 'done', result };
  return { kind: 'rest', cursor, result, dueAt: now + LOOK_MS };
}

import type { EngineMetrics } from '../../metrics/executor-metrics.ts';
import { lookAtPost } from '../content/look-at-post.ts';
import { draftReply } from './draft-reply.ts';
import { enrichNewLeads } from './enrich-new-leads.ts';
import { refreshQueryLists } from './refresh-query-lists.ts';
import { rescoreLeads } from './rescore-leads.ts';
import { runSignalAgent } from './run-signal-agent.ts';
import { runCompetitorWatch, runSearchWatch } from './run-watch.ts';
import type { ScheduleHandler } from './schedule-handler.ts';
import { sendReport } from './send-report.ts';
import { sourceLeads } from './source-leads.ts';
import { syncCrm } from './sync-crm.ts';
import { withdrawStaleRequests } from './withdraw-stale-requests.ts';

/** What each kind of schedule does; a new kind is its file and a line here. */
export const SCHEDULE_HANDLERS: readonly ScheduleHandler[] = [
  enrichNewLeads,
  refreshQueryLists,
  rescoreLeads,
  sendReport,
  sourceLeads,
  syncCrm,
  withdrawStaleRequests,
  runSignalAgent,
  draftReply,
  runCompetitorWatch,
  runSearchWatch,
  lookAtPost,
];

/** Series of scheduled runs begin at 0 with the process: it may sleep again before anything else is counted. */
export function beginSeries(metrics: EngineMetrics): void {
  for (const { kind, begin } of SCHEDULE_HANDLERS) {
    for (const result of ['succeeded', 'failed', 'lost']) metrics.scheduledRuns.inc({ kind, result }, 0);
    begin?.(metrics);
  }
}

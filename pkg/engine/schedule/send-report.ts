import { lastPeriod, type ReportPeriod } from '../../domain/schedule/report-period.ts';
import { reportText } from '../../domain/schedule/report-text.ts';
import { metricRows, NO_FIGURES } from '../../store/figures/metric-rows.ts';
import { notifyMembers } from '../../store/notifications/notifications.ts';
import { insertReport, titleOf } from '../../store/schedules/reports.ts';
import type { ScheduleHandler } from './schedule-handler.ts';

/**
 * Counts what the campaign came to in the last day or week that is over, in the timezone of the schedule, and tells the members. The
 * numbers are those of svc_get_workspace_metrics for the same span.
 */
export const sendReport: ScheduleHandler = {
  kind: 'send_report',
  async run({ tx, run, now }) {
    const { campaignId, settings, workspaceId } = run;
    const campaign = campaignId === null ? null : await titleOf(tx, campaignId);
    if (campaignId === null || campaign === null) return { kind: 'failed', result: {}, error: 'the campaign is gone' };
    const period = settings.period as ReportPeriod;
    const { from, to } = lastPeriod(period, run.scheduledFor, run.timezone ?? 'UTC');
    const group = { group: 'campaign', only: campaignId, after: null, limit: 1 } as const;
    const [row] = await metricRows(tx, { workspaceId, from, to, ...group });
    const { key: _, ...figures } = row ?? { key: campaignId, ...NO_FIGURES };
    const words = reportText({ campaign, period, from, to, timezone: run.timezone ?? 'UTC', figures });
    const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const told = {
      automationId: run.scheduleId,
      jobId: run.id,
      campaignId,
      period,
      fromDate: span.from,
      toDate: span.to,
      figures,
    };
    await insertReport(tx, { workspaceId, at: now, text: words.text, data: told });
    const members = Array.isArray(settings.memberIds) ? settings.memberIds.map(String) : [];
    const notice = { kind: 'report.ready', members, ...words, origin: `report:${run.id}` } as const;
    const notified = await notifyMembers(tx, now, [{ ...notice, data: { campaignId, automationId: run.scheduleId } }]);
    return { kind: 'done', result: { notified, fromDate: span.from, toDate: span.to, ...figures } };
  },
};

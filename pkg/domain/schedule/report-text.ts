import { localDate } from '../budget-window.ts';
import type { ReportPeriod } from './report-period.ts';

/** What a report counts; a lead counts once of each kind. */
export interface ReportFigures {
  inPool: number;
  enrolled: number;
  contacted: number;
  requested: number;
  accepted: number;
  replied: number;
  positive: number;
  suppressed: number;
  bounced: number;
  credits: number;
}

/** A report in words. @param report `from`, `to`: epoch ms, `to` exclusive; `timezone`: IANA */
export function reportText(report: {
  campaign: string;
  period: ReportPeriod;
  from: number;
  to: number;
  timezone: string;
  figures: ReportFigures;
}): { title: string; text: string } {
  const { campaign, period, from, to, timezone, figures } = report;
  const first = localDate(from, timezone);
  const when = period === 'day' ? first : `${first} to ${localDate(to - 1, timezone)}`;
  const { enrolled, contacted, requested, accepted, replied, positive, bounced, suppressed, credits, inPool } = figures;
  const text = [
    `Leads that began: ${enrolled}. Contacted: ${contacted}, ${requested} of them by a request to connect. Accepted: ${accepted}.`,
    `Answered: ${replied}, ${positive} of them with interest. Mails that came back: ${bounced}. Left alone from now on: ${suppressed}.`,
    `Credits spent: ${credits}. Waiting in the pool now: ${inPool}.`,
  ].join('\n');
  return { title: `Report of "${campaign}", ${when}`, text };
}

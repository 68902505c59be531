import type { JobKind } from '../../store/jobs/background-jobs.ts';
import { scrapeDuty } from '../leads/scrape/scrape-duty.ts';
import { exportDuty } from '../network-accounts/export-duty.ts';
import type { JobDuty } from './job-step.ts';

/** What each kind of job does. */
export const JOB_DUTIES: Readonly<Record<JobKind, JobDuty>> = {
  connections_export: exportDuty,
  lead_scrape: scrapeDuty,
};

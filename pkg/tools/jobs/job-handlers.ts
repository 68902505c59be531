import type { JobKind } from '../../store/jobs/background-jobs.ts';
import { scrapeHandler } from '../leads/scrape/scrape-handler.ts';
import { exportHandler } from '../network-accounts/export-handler.ts';
import type { JobHandler } from './job-step.ts';

/** What each kind of job does. */
export const JOB_HANDLERS: Readonly<Record<JobKind, JobHandler>> = {
  connections_export: exportHandler,
  lead_scrape: scrapeHandler,
};

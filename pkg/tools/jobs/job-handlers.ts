import { mediaHandler } from '../content/media-job.ts';
import { enrichCompanyHandler, enrichLeadsHandler } from '../enrichment/enrich-handler.ts';
import { importListHandler } from '../integrations/crm/import-handler.ts';
import { syncHandler } from '../integrations/crm/sync-handler.ts';
import { scrapeHandler } from '../leads/scrape/scrape-handler.ts';
import { exportHandler } from '../network-accounts/export-handler.ts';
import type { JobHandler } from './job-step.ts';

/** What each kind of job does; a new kind is its file and a line here. */
const JOB_HANDLERS: readonly JobHandler[] = [
  exportHandler,
  scrapeHandler,
  importListHandler,
  syncHandler,
  enrichLeadsHandler,
  enrichCompanyHandler,
  mediaHandler,
];

/** The kinds of jobs that this program works on: those of a newer one are left for it. */
export const JOB_KINDS: readonly string[] = JOB_HANDLERS.map((handler) => handler.kind);

/** @throws Error for a kind of another program */
export function handlerOf(kind: string): JobHandler {
  const handler = JOB_HANDLERS.find((one) => one.kind === kind);
  if (!handler) throw new Error(`nobody here works on jobs of the kind ${kind}`);
  return handler;
}

import type { PeriodicJob } from '../../../base/periodic.ts';
import type { Database } from '../../../postgres/database.ts';
import { purgeUploads } from '../../../store/leads/uploads.ts';

/** Real ms: with what an upload is kept it makes less than an hour. */
const EVERY_MS = 300_000;
const WITHIN_MS = 60_000;

/** Deletes files that were put at an upload address, imported or not, and what is left of imported ones. */
export function uploadsJob(db: Pick<Database, 'tx'>): PeriodicJob {
  return {
    name: 'lead-uploads',
    everyMs: EVERY_MS,
    withinMs: WITHIN_MS,
    run: () => db.tx({ kind: 'platform' }, purgeUploads),
  };
}

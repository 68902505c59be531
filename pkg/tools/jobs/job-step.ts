import type { Clocks } from '../../base/clock.ts';
import type { Ids } from '../../base/ids.ts';
import type { Tx } from '../../postgres/database.ts';
import type { EnrichmentDesk } from '../../providers/enrichment/ask-about.ts';
import type { Bucket } from '../../providers/media/bucket.ts';
import type { NetworkProviders } from '../../providers/network/network-providers.ts';
import type { BackgroundJob, JobStep } from '../../store/jobs/background-jobs.ts';
import type { Connections } from '../tool-context.ts';

/** What the steps of a job may use; `tx` sees the job's workspace. */
export interface JobContext {
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  clocks: Clocks;
  ids: Ids;
  providers: NetworkProviders;
  /** How credentials of integrations are opened; absent where no key is configured. */
  connections?: Connections | undefined;
  /** Who is asked for fields of leads; absent: nobody. */
  enrichment?: EnrichmentDesk | undefined;
  /** Where media go; absent: into the database. */
  bucket?: Bucket | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * One step of a kind: reads outside of any transaction and returns the writes, which are kept together with where the
 * job stands. Doing a step twice after a crash must be harmless.
 */
export type JobWork = (context: JobContext, job: BackgroundJob) => Promise<(tx: Tx) => Promise<JobStep>>;

/** Ends a job that can not go on: what was delivered is charged, the rest goes back. */
export type JobEnd = (tx: Tx, job: BackgroundJob, now: number, error: string) => Promise<void>;

export interface JobHandler {
  /** As rows keep it. */
  kind: string;
  step: JobWork;
  giveUp: JobEnd;
}

import type { JsonObject } from '../../base/json.ts';
import type { Tx } from '../../postgres/database.ts';
import { HOLD_TTL_SECONDS } from '../credits/credits.ts';

/** Real seconds until another worker may go on with a job that its holder left. */
const LEASE_SECONDS = 90;
/** Failed steps in a row, lost servers among them, after which a job is given up. */
export const MAX_FAILURES = 5;

/** A job under a lease. `work` is where it stands; each kind reads its own shape. */
export interface BackgroundJob {
  id: string;
  workspaceId: string;
  /** Which handler works on it (tools/jobs/job-handlers.ts). */
  kind: string;
  accountId: string | null;
  holdId: string | null;
  work: JsonObject;
  failures: number;
}

const COLUMNS = `id, workspace_id as "workspaceId", kind, account_id as "accountId", hold_id as "holdId", work, failures`;

/** Queues a job. @param job `now`: epoch ms, product time */
export async function queueJob(tx: Tx, job: Omit<BackgroundJob, 'failures'> & { now: number }): Promise<void> {
  await tx.exec(
    `insert into background_job (id, workspace_id, kind, account_id, hold_id, work, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [job.id, job.workspaceId, job.kind, job.accountId, job.holdId, JSON.stringify(job.work), job.now],
  );
}

/**
 * Takes the lease of an open job that is due and that nobody works on. Workspaces take turns: who has a job under way comes after all who
 * have none, then who waits longest. A job whose holder still stands there lost its server, which counts as a failed step: else one that
 * kills its server kills the next, without end.
 * @param kinds that the caller can work on
 * @param jobId this job only; absent: any
 * @param now epoch ms, product time
 */
export async function dequeueBackgroundJob(
  tx: Tx,
  holder: string,
  kinds: readonly string[],
  now: number,
  jobId?: string,
): Promise<BackgroundJob | undefined> {
  // Else two servers that choose at once give both places to one workspace.
  if (jobId === undefined) await tx.exec(`select pg_advisory_xact_lock(hashtextextended('background-jobs', 0))`);
  return tx.row<BackgroundJob>(
    `with busy as materialized (
       select distinct workspace_id
       from background_job
       where status = 'running' and lease_until >= clock_timestamp()
     )
     update background_job
     set
       status = 'running',
       failures = failures + (holder is not null)::int,
       holder = $1,
       lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
     where id = (
       select id
       from background_job
       where status in ('queued', 'running')
         and ($2::uuid is null or id = $2)
         and kind = any ($4)
         and not_before <= $3
         and (lease_until is null or lease_until < clock_timestamp())
       order by workspace_id in (select workspace_id from busy), greatest(not_before, created_at), id
       for update skip locked limit 1
     )
     returning ${COLUMNS}`,
    [holder, jobId ?? null, now, kinds],
  );
}

/**
 * Why a job may do nothing now: its workspace is suspended or held, or the account that it works through is paused, for all workspaces
 * or for this one.
 */
export async function stopOfJob(tx: Tx, job: BackgroundJob): Promise<'deleted' | 'stopped' | null> {
  const row = await tx.row<{ stop: 'deleted' | 'stopped' | null }>(
    `select case when w.deleted_at is not null then 'deleted'
       when w.operating_mode <> 'Running' or exists (select 1 from hold h where h.kind = 'workspace' and h.id = w.id)
         or exists (select 1 from network_account a where a.id = $2 and a.paused)
         or exists (select 1 from account_link l where l.account_id = $2 and l.workspace_id = w.id and l.paused)
         then 'stopped' end as stop
     from workspace w where w.id = $1`,
    [job.workspaceId, job.accountId],
  );
  return row?.stop ?? null;
}

/** Locks the job for the writes of a step and renews its lease. @returns false when it is another worker's, or over */
export async function holdBackgroundJob(tx: Tx, holder: string, jobId: string): Promise<boolean> {
  const held = await tx.exec(
    `update background_job set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
     where id = $1 and holder = $2 and status = 'running'`,
    [jobId, holder],
  );
  return held > 0;
}

/** Where a job goes after a step. */
export type JobStep =
  | { kind: 'more'; work: JsonObject }
  /** Goes on at `notBefore` (epoch ms, product time). */
  | { kind: 'rest'; work: JsonObject; notBefore: number }
  | { kind: 'over'; work: JsonObject }
  | { kind: 'failed'; work: JsonObject; error: string };

/** Keeps what a step did; call it in the step's own transaction. */
export async function advanceBackgroundJob(tx: Tx, jobId: string, step: JobStep, now: number): Promise<void> {
  const ended = step.kind === 'over' || step.kind === 'failed';
  await tx.exec(
    `update background_job
     set
       work = $2,
       failures = 0,
       status = $3,
       not_before = $4,
       error = $5,
       finished_at = $6,
       holder = case when $7 then null else holder end,
       lease_until = case when $7 then null else lease_until end
     where id = $1`,
    [
      jobId,
      JSON.stringify(step.work),
      step.kind === 'over' ? 'completed' : step.kind === 'failed' ? 'failed' : 'running',
      step.kind === 'rest' ? step.notBefore : 0,
      step.kind === 'failed' ? step.error.slice(0, 500) : null,
      ended ? now : null,
      step.kind !== 'more',
    ],
  );
}

/** How a job stands, as tools say it: a queued one is under way too. */
export async function statusOfJob(tx: Tx, jobId: string): Promise<string> {
  const row = await tx.row<{ status: string }>('select status from background_job where id = $1', [jobId]);
  return row?.status === 'queued' ? 'running' : (row?.status ?? 'failed');
}

/** Gives the lease back, so that another worker goes on at once, behind those who wait by now. @param now epoch ms, product time */
export async function leaveBackgroundJob(tx: Tx, holder: string, jobId: string, now: number): Promise<void> {
  await tx.exec(
    `update background_job
     set holder = null, lease_until = null, not_before = $3
     where id = $1 and holder = $2 and status = 'running'`,
    [jobId, holder, now],
  );
}

/** Counts a failed step; the job rests for a lease. @returns whether it has failed too often to go on */
export async function failBackgroundStep(tx: Tx, holder: string, jobId: string, error: string): Promise<boolean> {
  const row = await tx.row<{ failures: number }>(
    `update background_job
     set failures = failures + 1, holder = null, error = $3
     where id = $1 and holder = $2 and status = 'running'
     returning failures`,
    [jobId, holder, error.slice(0, 500)],
  );
  return (row?.failures ?? 0) >= MAX_FAILURES;
}

/** Credits of open jobs stay held while there is a server to work on them. Platform only. */
export async function keepJobHolds(tx: Tx): Promise<void> {
  await tx.exec(
    `select app.extend_hold(j.hold_id, ${HOLD_TTL_SECONDS})
     from background_job j
     join credit_hold h on h.id = j.hold_id
     where j.status in ('queued', 'running')
       and h.state = 'held'
       and h.expires_at < clock_timestamp() + interval '15 minutes'
     limit 1000`,
  );
}

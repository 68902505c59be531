import type { JsonObject } from '../../base/json.ts';
import type { Tx } from '../../postgres/database.ts';

/** Real seconds without a sign of life after which another may go on with a run. */
const LEASE_SECONDS = 60;
/**
 * Product ms after which a run under way that was left is due again, so that an executor is started for it; one that runs takes over
 * at once what an older lease of its workspace left.
 */
const WORK_MS = 600_000;
/** Product ms for which runs that are over are kept, and how many of a schedule are kept however old. */
const KEPT_MS = 90 * 86_400_000;
const KEPT = 10;

/** A run under a lease, with what its handler has to know. */
export interface ScheduledRun {
  id: string;
  scheduleId: string;
  workspaceId: string;
  kind: string;
  campaignId: string | null;
  settings: JsonObject;
  /** IANA; null: not by cron. */
  timezone: string | null;
  scheduledFor: number;
  attempts: number;
  cursor: JsonObject;
  result: JsonObject;
}

/** A run as people see it; times epoch ms, product time. */
export interface RunView {
  id: string;
  state: 'queued' | 'running' | 'succeeded' | 'failed' | 'skipped';
  scheduledFor: number;
  startedAt: number | null;
  finishedAt: number | null;
  result: JsonObject;
  error: string | null;
}

/**
 * Inserts the run of one time of a schedule: once, whichever processes try. Where another run of it is under way, this one is
 * skipped, with the reason.
 * @param run `now`: epoch ms, product time; `cursor`: with what its handler begins, default {}
 * @returns what this call made of it; null: it was there
 */
export async function insertScheduledRun(
  tx: Tx,
  run: { id: string; scheduleId: string; workspaceId: string; scheduledFor: number; now: number; cursor?: JsonObject },
): Promise<'queued' | 'skipped' | null> {
  const values = [run.id, run.scheduleId, run.workspaceId, run.scheduledFor, run.now];
  const queued = await tx.exec(
    `insert into scheduled_run (id, schedule_id, workspace_id, scheduled_for, state, due_at, cursor)
     values ($1, $2, $3, $4, 'queued', $5, $6)
     on conflict do nothing`,
    [...values, JSON.stringify(run.cursor ?? {})],
  );
  if (queued > 0) return 'queued';
  const skipped = await tx.exec(
    `insert into scheduled_run (id, schedule_id, workspace_id, scheduled_for, state, due_at, error, finished_at)
     values ($1, $2, $3, $4, 'skipped', $5, 'overlap', $5)
     on conflict do nothing`,
    values,
  );
  return skipped > 0 ? 'skipped' : null;
}

/** Drops old runs of a schedule that are over. */
export async function dropOldRuns(tx: Tx, scheduleId: string, now: number): Promise<void> {
  await tx.exec(
    `delete from scheduled_run
     where id in (
       select id
       from scheduled_run
       where schedule_id = $1
       order by scheduled_for desc
       offset ${KEPT}
       limit 1000
     )
       and finished_at < $2`,
    [scheduleId, now - KEPT_MS],
  );
}

/**
 * Takes the lease of the run that is due first: of a queued one, of one that rests, and of one whose holder gave no sign of life or
 * had an older lease of the workspace.
 * @param kinds that this program works on: others are left for one that knows them
 * @param now epoch ms, product time
 */
export function takeScheduledRun(
  tx: Tx,
  { epoch, kinds, now }: { epoch: number; kinds: readonly string[]; now: number },
): Promise<ScheduledRun | undefined> {
  return tx.row<ScheduledRun>(
    `update scheduled_run r
     set
       state = 'running',
       epoch = $1,
       lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
       attempts = r.attempts + 1,
       started_at = coalesce(r.started_at, $3),
       due_at = $3 + ${WORK_MS}
     from schedule s
     where s.id = r.schedule_id
       and r.id = (
         select x.id
         from scheduled_run x
         join schedule y on y.id = x.schedule_id
         where x.workspace_id = app.workspace()
           and x.state in ('queued', 'running')
           and y.kind = any ($2)
           and (
             x.due_at <= $3 and (x.lease_until is null or x.lease_until < clock_timestamp())
             or x.epoch < $1 and x.lease_until is not null
           )
         order by x.due_at limit 1 for update of x skip locked
       )
     returning r.id, r.schedule_id as "scheduleId", r.workspace_id as "workspaceId", s.kind,
       s.campaign_id as "campaignId", s.settings, s.timezone, r.scheduled_for as "scheduledFor", r.attempts,
       r.cursor, r.result`,
    [epoch, kinds, now],
  );
}

/** Locks a run for the writes of a step, as a sign of life. @returns whether it is still this holder's */
export async function holdScheduledRun(tx: Tx, id: string, epoch: number): Promise<boolean> {
  const held = await tx.exec(
    `update scheduled_run
     set lease_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
     where id = $1 and epoch = $2 and state = 'running' and lease_until is not null`,
    [id, epoch],
  );
  return held > 0;
}

/**
 * Keeps where a run stands.
 * @param step `dueAt`: it rests until then; null: its holder goes on. `now` too: epoch ms, product time. `asking`: what it asks outside
 *   may fail, and then it came no further
 */
export async function advanceScheduledRun(
  tx: Tx,
  id: string,
  step: { cursor: JsonObject; result: JsonObject; dueAt: number | null; now: number; asking?: boolean },
): Promise<void> {
  await tx.exec(
    `update scheduled_run
     set
       cursor = $2,
       result = $3,
       attempts = case when $6 then attempts else 0 end,
       due_at = coalesce($4::bigint, $5::bigint),
       lease_until = case when $4::bigint is null then lease_until end
     where id = $1`,
    [
      id,
      JSON.stringify(step.cursor),
      JSON.stringify(step.result),
      step.dueAt,
      step.now + WORK_MS,
      step.asking ?? false,
    ],
  );
}

/** Gives the lease back with what had failed noted; the run is taken again at `dueAt`. */
export async function leaveScheduledRun(tx: Tx, id: string, epoch: number, dueAt: number): Promise<void> {
  await tx.exec(
    `update scheduled_run set lease_until = null, due_at = $3 where id = $1 and epoch = $2 and state = 'running'`,
    [id, epoch, dueAt],
  );
}

/** Ends a run. @param end `result`: absent: what it had done stands */
export async function endScheduledRun(
  tx: Tx,
  run: ScheduledRun,
  end: { state: 'succeeded' | 'failed'; result?: JsonObject; error: string | null; now: number },
): Promise<void> {
  await tx.exec(
    `update scheduled_run
     set state = $2, result = coalesce($3, result), error = $4, finished_at = $5, lease_until = null
     where id = $1`,
    [run.id, end.state, end.result ? JSON.stringify(end.result) : null, end.error?.slice(0, 500) ?? null, end.now],
  );
  if (end.state !== 'failed') return;
  const told = { automationId: run.scheduleId, jobId: run.id, reason: end.error?.slice(0, 500) ?? '' };
  await tx.exec(
    `insert into run_event (workspace_id, at, kind, actor, data) values ($1, $2, 'automation.failed', 'system', $3)`,
    [run.workspaceId, end.now, JSON.stringify(told)],
  );
}

/** The last runs of a schedule, newest first. */
export function lastRuns(tx: Tx, scheduleId: string, limit: number): Promise<RunView[]> {
  return tx.rows<RunView>(
    `select id, state, scheduled_for as "scheduledFor", started_at as "startedAt", finished_at as "finishedAt",
       result, error
     from scheduled_run
     where schedule_id = $1
     order by scheduled_for desc limit $2`,
    [scheduleId, limit],
  );
}

/** The last run of each schedule that is over. */
export function lastEnded(tx: Tx, scheduleIds: readonly string[]): Promise<(RunView & { scheduleId: string })[]> {
  return tx.rows<RunView & { scheduleId: string }>(
    `select x.*
     from unnest($1::uuid[]) as s (id)
     cross join lateral (
       select r.schedule_id as "scheduleId", r.id, r.state, r.scheduled_for as "scheduledFor",
         r.started_at as "startedAt", r.finished_at as "finishedAt", r.result, r.error
       from scheduled_run r
       where r.schedule_id = s.id and r.finished_at is not null
       order by r.scheduled_for desc limit 1
     ) x`,
    [scheduleIds],
  );
}

/**
 * Ends what is under way of a schedule that was switched off: a step under way is waited for, nothing begins after it, and of its
 * actions those are stopped that have not left.
 * @param now epoch ms, product time
 */
export async function stopRunsOf(
  tx: Tx,
  scheduleId: string,
  now: number,
  why = 'stopped: it was disabled',
): Promise<void> {
  await tx.exec(
    `update scheduled_run
     set
       state = case when started_at is null then 'skipped' else 'failed' end,
       error = $3,
       finished_at = $2,
       lease_until = null
     where schedule_id = $1 and state in ('queued', 'running')`,
    [scheduleId, now, why],
  );
  await tx.rows(
    `select 1 from app.stop_actions(
       array(
         select a.id
         from scheduled_run r
         join action a on a.scheduled_run_id = r.id
         where r.schedule_id = $1 and a.ended_at is null
       ),
       $2,
       'its automation was disabled'
     )`,
    [scheduleId, now],
  );
}

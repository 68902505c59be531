import type { JsonObject } from '../../base/json.ts';
import { nextTime, spreadOf, type Timing } from '../../domain/schedule/timing.ts';
import type { Tx } from '../../postgres/database.ts';

/** Something that comes by itself. */
export interface Schedule {
  id: string;
  workspaceId: string;
  /** The handler that works on it (pkg/engine/schedule). */
  kind: string;
  campaignId: string | null;
  name: string;
  settings: JsonObject;
  timing: Timing;
  enabled: boolean;
  /** The time that it comes for, and when work on it starts: epoch ms, product time. */
  nextFor: number | null;
  nextAt: number | null;
  createdAt: number;
  version: number;
}

interface Row extends Omit<Schedule, 'timing'> {
  cron: string | null;
  timezone: string | null;
  everyMs: number | null;
  everyFrom: number | null;
  onceAt: number | null;
}

const COLUMNS = `s.id, s.workspace_id as "workspaceId", s.kind, s.campaign_id as "campaignId", s.name, s.settings, s.cron,
  s.timezone, s.every_ms as "everyMs", s.every_from as "everyFrom", s.once_at as "onceAt", s.enabled,
  s.next_for as "nextFor", s.next_at as "nextAt", s.created_at as "createdAt", s.version`;

function scheduleOf({ cron, timezone, everyMs, everyFrom, onceAt, ...row }: Row): Schedule {
  if (cron !== null) return { ...row, timing: { kind: 'cron', cron, timezone: timezone ?? 'UTC' } };
  if (everyMs !== null) return { ...row, timing: { kind: 'cadence', everyMs, from: everyFrom ?? 0 } };
  return { ...row, timing: { kind: 'instant', at: onceAt ?? 0 } };
}

/** When a schedule comes after `after`, and when work on it starts: epoch ms, product time. */
export function nextOf(timing: Timing, id: string, after: number): { nextFor: number | null; nextAt: number | null } {
  const nextFor = nextTime(timing, after);
  return { nextFor, nextAt: nextFor === null ? null : nextFor + spreadOf(timing, id) };
}

/** @returns undefined when the transaction sees no such schedule, or its campaign is deleted */
export async function readSchedule(tx: Tx, id: string, lock = false): Promise<Schedule | undefined> {
  const row = await tx.row<Row>(
    `select ${COLUMNS}
     from schedule s
     where s.id::text = $1
       and s.deleted_at is null
       and not exists (select 1 from campaign c where c.id = s.campaign_id and c.deleted_at is not null)
     ${lock ? 'for update of s' : ''}`,
    [id],
  );
  return row && scheduleOf(row);
}

/** Schedules of a campaign, oldest first. @param page `after`: creation time and id of the last one that is known */
export async function schedulesOf(
  tx: Tx,
  campaignId: string,
  kinds: readonly string[],
  page: { after: readonly (string | number | null)[] | null; limit: number },
): Promise<Schedule[]> {
  const rows = await tx.rows<Row>(
    `select ${COLUMNS}
     from schedule s
     where s.campaign_id = $1
       and s.deleted_at is null
       and s.kind = any ($5)
       and ($2::bigint is null or (s.created_at, s.id) > ($2, $3::uuid))
     order by s.created_at, s.id limit $4`,
    [campaignId, page.after?.[0] ?? null, page.after?.[1] ?? null, page.limit, kinds],
  );
  return rows.map(scheduleOf);
}

/** The schedules of a campaign; another transaction that makes some waits for the end of this one. */
export async function lockSchedulesOf(
  tx: Tx,
  campaignId: string,
): Promise<{ id: string; kind: string; name: string }[]> {
  await tx.exec(`select pg_advisory_xact_lock(hashtextextended('schedules of ' || $1, 0))`, [campaignId]);
  return tx.rows(
    'select id, kind, name from schedule where campaign_id = $1 and deleted_at is null order by id limit 1000',
    [campaignId],
  );
}

/** Makes a schedule. */
export async function insertSchedule(tx: Tx, schedule: Omit<Schedule, 'version'>): Promise<void> {
  const { timing } = schedule;
  await tx.exec(
    `insert into schedule (id, workspace_id, kind, campaign_id, name, settings, cron, timezone, every_ms, every_from,
       once_at, enabled, next_for, next_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
    [
      schedule.id,
      schedule.workspaceId,
      schedule.kind,
      schedule.campaignId,
      schedule.name,
      JSON.stringify(schedule.settings),
      timing.kind === 'cron' ? timing.cron : null,
      timing.kind === 'cron' ? timing.timezone : null,
      timing.kind === 'cadence' ? timing.everyMs : null,
      timing.kind === 'cadence' ? timing.from : null,
      timing.kind === 'instant' ? timing.at : null,
      schedule.enabled,
      schedule.nextFor,
      schedule.nextAt,
      schedule.createdAt,
    ],
  );
}

/** Changes what people may change of a schedule by cron; lock it first. */
export async function updateSchedule(
  tx: Tx,
  schedule: Schedule & { timing: { kind: 'cron'; cron: string; timezone: string } },
): Promise<void> {
  await tx.exec(
    `update schedule
     set
       name = $2,
       settings = $3,
       cron = $4,
       timezone = $5,
       enabled = $6,
       next_for = $7,
       next_at = $8,
       version = version + 1
     where id = $1`,
    [
      schedule.id,
      schedule.name,
      JSON.stringify(schedule.settings),
      schedule.timing.cron,
      schedule.timing.timezone,
      schedule.enabled,
      schedule.nextFor,
      schedule.nextAt,
    ],
  );
}

/** Locks schedules that have come; those that another process deals with are passed over. @param now epoch ms, product time */
export async function dueSchedules(tx: Tx, now: number, limit: number): Promise<Schedule[]> {
  const rows = await tx.rows<Row>(
    `select ${COLUMNS}
     from schedule s
     where s.workspace_id = app.workspace()
       and s.enabled
       and s.deleted_at is null
       and s.next_at <= $1
     order by s.next_at limit $2 for update skip locked`,
    [now, limit],
  );
  return rows.map(scheduleOf);
}

/** Notes when a schedule comes next. */
export async function moveSchedule(tx: Tx, id: string, next: ReturnType<typeof nextOf>): Promise<void> {
  await tx.exec('update schedule set next_for = $2, next_at = $3 where id = $1', [id, next.nextFor, next.nextAt]);
}

/** When the executor's workspace has a schedule next, of whatever kind (app.next_schedule); null: never, or it is stopped. */
export async function nextSchedule(tx: Tx): Promise<number | null> {
  const row = await tx.row<{ at: number | null }>('select app.next_schedule(app.workspace(), null) as at', []);
  return row?.at ?? null;
}

/** Switches a schedule on, with its next time, or off (`next` null); lock it first. */
export async function switchSchedule(
  tx: Tx,
  id: string,
  next: { nextFor: number | null; nextAt: number | null } | null,
): Promise<void> {
  await tx.exec('update schedule set enabled = $2, next_for = $3, next_at = $4, version = version + 1 where id = $1', [
    id,
    next !== null,
    next?.nextFor ?? null,
    next?.nextAt ?? null,
  ]);
}

/** Deletes a schedule: it never comes again. @param now epoch ms, product time */
export async function deleteSchedule(tx: Tx, id: string, now: number): Promise<void> {
  await tx.exec(
    `update schedule
     set enabled = false, next_for = null, next_at = null, deleted_at = $2, version = version + 1
     where id = $1`,
    [id, now],
  );
}

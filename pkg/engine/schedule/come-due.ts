import { lastTime, spreadOf } from '../../domain/schedule/timing.ts';
import type { Tx } from '../../postgres/database.ts';
import { dropOldRuns, insertScheduledRun } from '../../store/schedules/scheduled-runs.ts';
import { dueSchedules, moveSchedule, nextOf, nextSchedule, type Schedule } from '../../store/schedules/schedules.ts';

/** Schedules that one transaction deals with. */
const AT_ONCE = 20;

/**
 * Makes the runs of schedules that have come. What was missed while no executor ran, however much, is made up once, for the last time
 * that was missed.
 * @param now epoch ms, product time
 * @returns whether there is anything to work on; never in a workspace that is stopped
 */
export async function comeDue(tx: Tx, now: number, newId: () => string): Promise<boolean> {
  const next = await nextSchedule(tx);
  if (next === null) return false;
  for (const schedule of await dueSchedules(tx, now, AT_ONCE)) await come(tx, schedule, now, newId());
  return true;
}

async function come(tx: Tx, schedule: Schedule, now: number, id: string): Promise<void> {
  if (schedule.nextFor === null) return;
  const begun = now - spreadOf(schedule.timing, schedule.id);
  const scheduledFor = lastTime(schedule.timing, schedule.nextFor, begun);
  await insertScheduledRun(tx, {
    id,
    scheduleId: schedule.id,
    workspaceId: schedule.workspaceId,
    scheduledFor,
    now,
  });
  await moveSchedule(tx, schedule.id, nextOf(schedule.timing, schedule.id, scheduledFor));
  await dropOldRuns(tx, schedule.id, now);
}

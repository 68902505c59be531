import type { Tx } from '../../postgres/database.ts';

/**
 * Keeps which calendar a row of the workspace is, the same in all workspaces that connected it.
 * @param calendar `identity`: under the installation's key, then under those before: what is known by those is known anew
 */
export async function knowCalendar(
  tx: Tx,
  calendar: { workspaceId: string; calendarId: string; identity: readonly Buffer[] },
): Promise<void> {
  const { workspaceId, calendarId, identity } = calendar;
  const [mark, ...before] = identity;
  await tx.exec('select app.know_calendar($1, $2, $3, $4)', [workspaceId, calendarId, mark, before]);
}

/**
 * Takes the turn to write to a calendar, of all executors.
 * @param changeId for which change: the executor that takes it up again goes on with its turn
 * @param ms real time after which the turn is over, whatever became of the executor
 * @returns false: another one writes
 */
export async function enterCalendar(tx: Tx, calendarId: string, changeId: string, ms: number): Promise<boolean> {
  const row = await tx.row<{ entered: boolean }>('select app.enter_calendar($1, $2, $3) as entered', [
    calendarId,
    changeId,
    ms,
  ]);
  return row?.entered === true;
}

/** Ends the turn of a change. */
export async function leaveCalendar(tx: Tx, changeId: string): Promise<void> {
  await tx.exec('select app.leave_calendar($1)', [changeId]);
}

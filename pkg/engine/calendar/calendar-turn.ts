import { monotonicMs, sleepReal } from '../../base/clock.ts';
import { enterCalendar, knowCalendar, leaveCalendar } from '../../store/calendar/calendar-turns.ts';
import type { EngineDeps } from '../engine-deps.ts';
import type { OpenCalendar } from './open-calendar.ts';

/** Real ms of a turn: longer than the work on a change may take. */
const TURN_MS = 90_000;
/** So long before its end nothing is written any more: a request takes its time. */
const LAST_MS = 20_000;
/** Real ms for which a turn is waited for, and between two looks. */
const PATIENCE_MS = 15_000;
const LOOK_MS = 25;

/** The right of one change to write to a calendar: workspaces that connected the same one write one after the other. */
export interface CalendarTurn {
  /** @throws Error when it is too late to write */
  assertHeld(): void;
  end(): Promise<void>;
}

/** @returns null: others write to it, for longer than is waited here */
export async function calendarTurn(
  { claim, workspaceId }: Pick<EngineDeps, 'claim' | 'workspaceId'>,
  change: { id: string; accountId: string },
  { identity }: Pick<OpenCalendar, 'identity'>,
  signal: AbortSignal,
): Promise<CalendarTurn | null> {
  const patience = monotonicMs() + PATIENCE_MS;
  for (let look = 0; ; look++) {
    const since = monotonicMs();
    const entered = await claim.tx(async (tx) => {
      if (look === 0) await knowCalendar(tx, { workspaceId, calendarId: change.accountId, identity });
      return enterCalendar(tx, change.accountId, change.id, TURN_MS);
    });
    if (entered)
      return {
        assertHeld() {
          if (monotonicMs() > since + TURN_MS - LAST_MS) throw new Error('the turn to write to the calendar is over');
        },
        end: () => claim.tx((tx) => leaveCalendar(tx, change.id)),
      };
    if (monotonicMs() > patience) return null;
    await sleepReal(LOOK_MS, signal);
  }
}

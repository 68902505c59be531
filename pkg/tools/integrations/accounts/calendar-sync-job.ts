import { z } from 'zod';
import type { Clocks } from '../../../base/clock.ts';
import type { Ids } from '../../../base/ids.ts';
import type { PeriodicJob } from '../../../base/periodic.ts';
import { isOwnEvent } from '../../../domain/calendar/event-id.ts';
import type { Database, Tx } from '../../../postgres/database.ts';
import { googleChanges } from '../../../providers/calendar/google/google-changes.ts';
import { CallError } from '../../../providers/call-error.ts';
import {
  type DueSync,
  endSync,
  hasMeetingsAhead,
  meetingsGone,
  takeSync,
} from '../../../store/calendar/calendar-syncs.ts';
import type { Connections } from '../../tool-context.ts';
import { renewRefused } from '../oauth/renew-grants.ts';

/** Real ms between looks for calendars whose turn it is, and of one look. */
const EVERY_MS = 30_000;
const WITHIN_MS = 60_000;
/** Calendars of one look; what is left comes with the next. */
const AT_ONCE = 20;
const MINUTE_MS = 60_000;
/** Real ms until a calendar is read again: while meetings of ours lie ahead, else, and after many failures at most. */
const AHEAD_MS = 5 * MINUTE_MS;
const QUIET_MS = 60 * MINUTE_MS;
const LONGEST_MS = 6 * 60 * MINUTE_MS;

export interface CalendarSyncDeps {
  db: Pick<Database, 'tx'>;
  clocks: Clocks;
  ids: Ids;
  connections: Connections;
}

/** Hears what is done in Google's calendars by hand: a meeting of ours that is deleted there is called off. */
export function calendarSyncJob(deps: CalendarSyncDeps): PeriodicJob {
  return {
    name: 'calendar-changes',
    everyMs: EVERY_MS,
    withinMs: WITHIN_MS,
    async run(signal) {
      for (let at = 0; at < AT_ONCE && !signal.aborted; at++) if (!(await syncNext(deps, signal))) return;
    },
  };
}

/** Reads the changes of the calendar whose turn it is. @returns whether there was one */
export async function syncNext(deps: CalendarSyncDeps, signal: AbortSignal): Promise<boolean> {
  const { db, clocks, ids } = deps;
  const holder = ids.uuid();
  const platform = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.tx({ kind: 'platform' }, work);
  const due = await platform((tx) => takeSync(tx, holder));
  if (!due) return false;
  try {
    const { cancelled, token } = await changesOf(deps, platform, due, signal);
    const now = clocks.product.now();
    const ours = cancelled.filter(isOwnEvent);
    await platform(async (tx) => {
      const inMs = (await hasMeetingsAhead(tx, due.calendarId, now)) ? AHEAD_MS : QUIET_MS;
      // What was read and how far are kept together: a process that ends before reads it again, and tells of it once.
      if (await endSync(tx, due.calendarId, holder, { token, failures: 0, inMs }))
        await meetingsGone(tx, due, ours, ids.uuid, now);
    });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    const inMs = Math.max(error.retryAfterMs ?? 0, Math.min(AHEAD_MS * 2 ** Math.min(due.failures, 10), LONGEST_MS));
    await platform((tx) => endSync(tx, due.calendarId, holder, { failures: due.failures + 1, inMs }));
  }
  return true;
}

const credentials = z.object({ token: z.string() });

async function changesOf(
  { clocks, ids, connections }: CalendarSyncDeps,
  tx: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  { calendarId, url, googleCalendarId, sealed, sealOwner, token }: DueSync,
  signal: AbortSignal,
) {
  const opened = credentials.parse(JSON.parse(connections.sealer.open(sealed, sealOwner)));
  const granted = sealOwner === `integration:${calendarId}`;
  const renew = (): Promise<string | null> =>
    renewRefused({ clocks, ids, connections, tx }, calendarId, sealed, signal);
  const access = {
    url,
    token: opened.token,
    calendarId: googleCalendarId,
    reach: connections.reachOf(url),
    ...(granted ? { renew } : {}),
  };
  const since = clocks.product.now();
  const changes = await googleChanges(access, token, since, signal);
  // Google forgot what the token stands for: everything that lies ahead is looked at, also what was deleted of it.
  const all = changes ?? (await googleChanges(access, null, since, signal));
  if (!all) throw new CallError('busy', 'Google forgets its tokens at once');
  return all;
}

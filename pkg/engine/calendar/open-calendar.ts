import { busySpans } from '../../domain/calendar/busy-spans.ts';
import { calendarIdentity } from '../../domain/calendar/calendar-identity.ts';
import type { Span } from '../../domain/calendar/span.ts';
import { readCalendarEvents } from '../../providers/calendar/calendar-reader.ts';
import type { CalendarWriter, WriterAccess } from '../../providers/calendar/calendar-writer.ts';
import { CallError } from '../../providers/call-error.ts';
import { type CalendarRow, readCalendar } from '../../store/accounts/calendar-accounts.ts';
import { barredAmong } from '../../store/suppression/excluded-addresses.ts';
import { openCredentials } from '../calls/access.ts';
import type { Outside } from '../calls/outside.ts';
import { renewLater } from '../calls/renew-later.ts';
import type { EngineDeps } from '../engine-deps.ts';

/** A calendar that can be written to now. */
export interface OpenCalendar {
  writer: CalendarWriter;
  access: WriterAccess;
  /** Which calendar it is, in all workspaces. */
  identity: readonly Buffer[];
  /** The mailbox by which attendees are told; null: none has the calendar's address. */
  mailboxId: string | null;
  /** When it is taken within a span. @param except ids under which an event is known that does not count @throws CallError */
  busy(span: Span, signal: AbortSignal, except?: readonly string[]): Promise<readonly Span[]>;
  /** Which of these addresses the workspace must not write to by now. */
  barred(emails: readonly string[]): Promise<readonly string[]>;
}

/** @throws CallError `refused` when it is not connected any more, `auth` when its credentials do not open */
export async function openCalendar(deps: EngineDeps & { outside: Outside }, accountId: string): Promise<OpenCalendar> {
  const { claim, workspaceId } = deps;
  const row = await claim.tx((tx) => readCalendar(tx, workspaceId, accountId));
  if (!row) throw new CallError('refused', 'the calendar is not connected any more');
  return openedCalendar(deps, row);
}

/** @throws CallError `auth` when its credentials do not open */
export function openedCalendar(
  { claim, clock, outside, workspaceId }: EngineDeps & { outside: Outside },
  row: CalendarRow,
): OpenCalendar {
  const writer = outside.calendarWriters[row.provider];
  if (!writer) throw new CallError('refused', `there is no adapter for ${row.provider}`);
  if (row.needsAuth) throw new CallError('auth', 'the calendar has to be allowed anew');
  const { username = '', password = '', token = '' } = openCredentials(outside, row.sealed, row.sealOwner);
  const reach = outside.reachOf(row.url);
  const { url, calendarId, email, timezone, serverInvites, mailboxId } = row;
  const opened = { url, username, password, token, reach };
  const granted = row.sealed !== null && row.sealOwner === `integration:${row.id}`;
  const renew = granted && row.sealed ? renewLater(claim, row.id, row.sealed) : undefined;
  const access = {
    ...opened,
    calendarId,
    email,
    timezone,
    serverInvites,
    now: clock.now(),
    ...(renew ? { renew } : {}),
  };
  return {
    writer,
    access,
    identity: outside.sealer?.marks(calendarIdentity({ ...access, provider: row.provider })) ?? [Buffer.from(row.id)],
    mailboxId,
    async busy(span, signal, except = []) {
      const events = await readCalendarEvents(row.provider, { ...access, workspaceId }, span, signal);
      return busySpans(events.filter(({ uid }) => !except.includes(uid)));
    },
    barred: (emails) => claim.tx((tx) => barredAmong(tx, workspaceId, emails, clock.now())),
  };
}

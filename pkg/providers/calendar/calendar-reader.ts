import type { CalendarEvent } from '../../domain/calendar/calendar-event.ts';
import type { Span } from '../../domain/calendar/span.ts';
import { caldav } from './caldav.ts';
import type { WriterAccess } from './calendar-writer.ts';
import { googleEvents } from './google/google-calendar.ts';

/** What opens a calendar of any provider, for the workspace whose turn it takes. */
export interface ReaderAccess extends WriterAccess {
  workspaceId: string;
}

/** All events of a calendar that have a moment in the span, as its provider gives them. @throws CallError */
export function readCalendarEvents(
  provider: string,
  access: ReaderAccess,
  span: Span,
  signal: AbortSignal,
): Promise<readonly CalendarEvent[]> {
  if (provider === 'google') return googleEvents(access, span, signal);
  const { url, username, password, reach, timezone, email, workspaceId } = access;
  return caldav.events({ url, username, password, reach, timezone, own: [email], workspaceId }, span, signal);
}

import type { AttendeeAnswer } from '../../domain/calendar/calendar-event.ts';
import type { EventState } from '../../domain/calendar/calendar-wish.ts';
import type { GoogleAccess } from '../google/google-request.ts';

/** A connected calendar with what opens it. */
export interface WriterAccess {
  /** Address of the collection, or of the API. */
  url: string;
  /** CalDAV. */
  username: string;
  password: string;
  /** Google: what opens the API, and which of the calendars it is. */
  token: string;
  calendarId: string;
  /** Google: renews a token that is refused (GoogleAccess.renew); absent: nobody can. */
  renew?: GoogleAccess['renew'];
  /** Whose calendar it is: who invites. */
  email: string;
  timezone: string;
  /** The calendar's server sends invitations by itself. */
  serverInvites: boolean;
  /** Where the address may lead. */
  reach: 'public' | 'any';
  /** Epoch ms, product time. */
  now: number;
}

/** An event as a calendar keeps it. */
export interface StoredEvent {
  eventId: string;
  /** By which programs of attendees know it. */
  uid: string;
  /** Where it is, and which version it is: a change is for this version alone. */
  place: string;
  version: string;
  /** Rises with each change that attendees are told of. */
  sequence: number;
  /** It belongs to a series, or is one. */
  recurring: boolean;
  /** Its owner says that it takes no time. */
  transparent: boolean;
  /** Lower case; null: nobody was invited. */
  organizer: string | null;
  state: EventState;
  /** Where people see it; '' where the calendar has no pages. */
  htmlLink: string;
  /** As it is written. */
  raw: string;
}

/** What became of a change: `stale`: somebody changed the event meanwhile, so that nothing was done. */
export type Written = StoredEvent | 'stale';

/**
 * Writes events. Each method asks once; nothing is repeated in here. @throws CallError, of which `lost` says that it may be done: then
 * the event is read again
 */
export interface CalendarWriter {
  /** @returns null: there is none */
  find(access: WriterAccess, eventId: string, signal: AbortSignal): Promise<StoredEvent | null>;
  /** Makes an event under this id; one that is there already is answered as it is. */
  create(access: WriterAccess, eventId: string, event: EventState, signal: AbortSignal): Promise<StoredEvent>;
  /** Changes what is told: the rest stays as it is. */
  change(access: WriterAccess, known: StoredEvent, wished: EventState, signal: AbortSignal): Promise<Written>;
  /** Keeps what an attendee said by mail; nobody is told of it. */
  answer(
    access: WriterAccess,
    known: StoredEvent,
    email: string,
    answer: AttendeeAnswer,
    signal: AbortSignal,
  ): Promise<Written>;
  /** `tell`: the server tells attendees, where it does that. */
  remove(access: WriterAccess, known: StoredEvent, tell: boolean, signal: AbortSignal): Promise<'removed' | 'stale'>;
}

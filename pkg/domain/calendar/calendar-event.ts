/** What an attendee said to an invitation. */
export type AttendeeAnswer = 'needs_action' | 'accepted' | 'declined' | 'tentative';

export interface CalendarAttendee {
  /** Lower case. */
  email: string;
  name?: string;
  answer: AttendeeAnswer;
}

/** One event as it takes place: of a series each instance is one. */
export interface CalendarEvent {
  uid: string;
  /** Which instance of a series it is: the start that the rule gave it, as iCalendar writes it (`20260203T080000Z`, `20260203`). */
  recurrenceId?: string;
  /** Epoch ms UTC. */
  start: number;
  /** Epoch ms UTC, exclusive. */
  end: number;
  /** It lasts whole days of the calendar's zone. */
  allDay: boolean;
  title: string;
  status: 'confirmed' | 'tentative' | 'cancelled';
  /** Its owner says that it takes no time. */
  transparent: boolean;
  location?: string;
  description?: string;
  url?: string;
  /** Lower case. */
  organizer?: string;
  attendees: readonly CalendarAttendee[];
  /** What the calendar's owner said; absent where the owner is no attendee. */
  own?: AttendeeAnswer;
  /** What some calendars keep besides meetings. */
  kind?: 'working_location' | 'out_of_office' | 'focus' | 'birthday';
}

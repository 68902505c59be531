import type { Span } from '../../domain/free-slots.ts';

/** A connected calendar with its opened credentials. */
export interface CalendarAccess {
  /** Address of the collection. */
  url: string;
  username: string;
  password: string;
  /** Where the address may lead. */
  reach: 'public' | 'any';
}

/** Port of a calendar. */
export interface CalendarProvider {
  /** When the calendar is taken between two instants (epoch ms UTC). @throws CallError */
  busy(access: CalendarAccess, span: Span, signal: AbortSignal): Promise<readonly Span[]>;
}

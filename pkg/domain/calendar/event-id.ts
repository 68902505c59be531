const OURS = /^outrider[0-9a-f]{32}$/;

/**
 * The id of an event that a change with this id (uuid) makes: the same however often the change is tried, so that a calendar that has
 * it already says so. Google takes 5 to 1,024 letters a to v and digits.
 */
export function eventIdOf(changeId: string): string {
  return `outrider${changeId.replaceAll('-', '').toLowerCase()}`;
}

/** Whether this service made the event. */
export function isOwnEvent(eventId: string): boolean {
  return OURS.test(eventId);
}

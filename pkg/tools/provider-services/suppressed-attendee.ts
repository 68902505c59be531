import { UserError } from '../../base/errors.ts';

/** Nobody is invited who must not be written to, nor told of a change of what they were invited to before. */
export function suppressedAttendee(email: string): UserError {
  return new UserError(
    `The attendee ${email} is suppressed (exclusion, unsubscribe, bounce, complaint or erasure). Nothing was written: leave them out of attendeeEmails. To see why: Call svc_check_signal_exclusion.`,
    'Suppressed',
  );
}

import type { InboxMark } from '../../providers/mail/mail-provider.ts';
import type { readInboxMark } from '../../store/mail/mail-sync.ts';

const DAY_MS = 86_400_000;
/** A mailbox that was never read is read from this far back. */
const FIRST_LOOK_MS = 7 * DAY_MS;

/** Where the reading of an inbox stands: the last number, and from when it is read (epoch ms) where the server numbers anew. */
export function inboxStand(
  { validity, uid, readAt }: Awaited<ReturnType<typeof readInboxMark>>,
  now: number,
): { mark: InboxMark | null; since: number } {
  const first = now - FIRST_LOOK_MS;
  return {
    mark: validity !== null && uid !== null ? { validity, uid } : null,
    // Servers search by their own day.
    since: readAt > 0 ? Math.min(first, readAt - DAY_MS) : first,
  };
}

import type { SystemMailKind, SystemMailParams } from '../../domain/system-mails/system-mail.ts';
import type { Tx } from '../../postgres/database.ts';
import { isOpenLink } from '../../store/console/sign-in-links.ts';
import { stillUnread } from '../../store/notifications/due-mails.ts';
import { openInvitation } from '../../store/tenancy/invitations.ts';

/** A mail that is about to leave. */
interface Leaving<K extends SystemMailKind> {
  params: SystemMailParams[K];
  link: string;
  /** Epoch ms, product time. */
  now: number;
}

/** What of a mail still holds when it is about to leave; undefined: nothing. Needs a platform transaction. */
type Wanted<K extends SystemMailKind> = (tx: Tx, mail: Leaving<K>) => Promise<SystemMailParams[K] | undefined>;

const WANTED: { readonly [K in SystemMailKind]: Wanted<K> } = {
  // One that was accepted, withdrawn or renewed has a link that opens nothing.
  invitation: async (tx, { params, link, now }) => {
    const open = await openInvitation(tx, link.slice(link.lastIndexOf('/') + 1), now);
    return open && params;
  },
  sign_in: async (tx, { params, link }) => {
    const open = await isOpenLink(tx, link.slice(link.lastIndexOf('/') + 1));
    return open ? params : undefined;
  },
  // What was read anywhere meanwhile is not mailed, and nothing to who is no member any more.
  notifications: async (tx, { params }) => {
    const unread = await stillUnread(
      tx,
      params.notices.map(({ notificationId }) => notificationId),
    );
    const notices = params.notices.filter(({ notificationId }) => unread.has(notificationId));
    return notices.length > 0 ? { ...params, notices } : undefined;
  },
};

/** @returns the parameters of what of the mail still holds; undefined: it does not leave */
export function stillWanted<K extends SystemMailKind>(
  tx: Tx,
  kind: K,
  mail: Leaving<K>,
): Promise<SystemMailParams[K] | undefined> {
  return WANTED[kind](tx, mail);
}

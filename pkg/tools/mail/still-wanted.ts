import type { SystemMailKind } from '../../domain/system-mails/system-mail.ts';
import type { Tx } from '../../postgres/database.ts';
import { openInvitation } from '../../store/tenancy/invitations.ts';

/** Whether what a mail tells of still holds when it is about to leave. Needs a platform transaction. */
type Wanted = (tx: Tx, link: string, now: number) => Promise<boolean>;

const WANTED: Readonly<Record<SystemMailKind, Wanted>> = {
  // One that was accepted, withdrawn or renewed has a link that opens nothing.
  invitation: async (tx, link, now) =>
    (await openInvitation(tx, link.slice(link.lastIndexOf('/') + 1), now)) !== undefined,
};

/** @param now epoch ms, product time */
export function isStillWanted(tx: Tx, kind: SystemMailKind, link: string, now: number): Promise<boolean> {
  return WANTED[kind](tx, link, now);
}

import { UserError } from '../../pkg/base/errors.ts';
import { findMailbox } from '../../pkg/store/mail/mailboxes.ts';
import { unreadMails } from '../../pkg/store/mail/unread-mails.ts';
import { onInstallation } from './installation.ts';

/** `outrider mailbox unread`: which mails to look at by hand, the newest first. @throws UserError for an address that is not connected */
export function unreadOf(address: string): Promise<string> {
  return onInstallation(({ db }) =>
    db.tx({ kind: 'none' }, async (tx) => {
      const known = (await findMailbox(tx, 'smtp', address)) ?? (await findMailbox(tx, 'sandbox', address));
      if (!known)
        throw new UserError(`No mailbox has the address ${address}. Connect it by \`outrider mailbox connect\`.`);
      const mails = await unreadMails(tx, known.accountId);
      if (mails.length === 0) return `All mails of ${known.address} could be read.`;
      return mails
        .map(({ uid, receivedAt, why, headRead }) => {
          const came = receivedAt > 0 ? new Date(receivedAt).toISOString() : 'at an unknown time';
          const head = headRead ? 'its head was read' : 'not even its head was read';
          return `UID ${uid}, came ${came}: ${why}; ${head}`;
        })
        .join('\n');
    }),
  );
}

import type { MailboxAccess, MailProvider, SentMail } from '../../providers/mail/mail-provider.ts';
import { sendIdsIn } from '../../providers/mail/message-id.ts';

/**
 * What a mailbox shows of our mails at or after `since` (epoch ms), by the id of the send that their Message-ID names;
 * what people wrote by hand is their own business. @throws ProviderError
 */
export async function readOwnMails(
  provider: MailProvider,
  mailbox: MailboxAccess,
  since: number,
  signal: AbortSignal,
): Promise<Map<string, SentMail>> {
  const own = new Map<string, SentMail>();
  for (const mail of await provider.listSent(mailbox, since, signal)) {
    const [sendId] = sendIdsIn(mail.messageId);
    if (sendId) own.set(sendId, mail);
  }
  return own;
}

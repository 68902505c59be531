import MailComposer from 'nodemailer/lib/mail-composer';
import { STOP_SUBJECT } from '../../domain/mail-footer.ts';
import type { MailboxAccess, OutgoingMail } from './mail-provider.ts';

/** Width of a line of text; longer ones are wrapped by readers that know `format=flowed`. */
const PLAIN = 'text/plain; charset=utf-8';

/** The message as it travels: plain text, thread headers, one-click unsubscribe (RFC 8058). */
export function composeMail(mailbox: MailboxAccess, mail: OutgoingMail): Promise<Buffer> {
  const byMail = `<mailto:${mailbox.address}?subject=${STOP_SUBJECT}>`;
  const oneClick = mail.unsubscribeUrl
    ? {
        'List-Unsubscribe': `<${mail.unsubscribeUrl}>, ${byMail}`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }
    : { 'List-Unsubscribe': byMail };
  const last = mail.references.at(-1);
  return new MailComposer({
    from: { name: mailbox.displayName, address: mailbox.address },
    to: mail.to,
    subject: mail.subject,
    text: { content: mail.text, contentType: PLAIN },
    messageId: mail.messageId,
    date: new Date(mail.date),
    headers: oneClick,
    ...(last ? { inReplyTo: last, references: mail.references.join(' ') } : {}),
    // A text that names files or addresses must not make us read them.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

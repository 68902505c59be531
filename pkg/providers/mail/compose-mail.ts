import MailComposer from 'nodemailer/lib/mail-composer';
import { STOP_SUBJECT } from '../../domain/mail-footer.ts';
import type { MailboxAccess, OutgoingMail } from './mail-provider.ts';
import { sendIdsIn } from './message-id.ts';

const PLAIN = 'text/plain; charset=utf-8';
const HTML = 'text/html; charset=utf-8';

/** One part beside the text and no attachment: programs that read both would show the meeting twice. */
const calendarType = (method: string): string => `text/calendar; charset=utf-8; method=${method}`;

/**
 * The message as it travels: plain text (and the same as HTML where it has any), thread headers, one-click unsubscribe (RFC 8058). It
 * carries no files and nothing that its reader loads from elsewhere.
 */
export function composeMail(mailbox: MailboxAccess, mail: OutgoingMail): Promise<Buffer> {
  const last = mail.references.at(-1);
  return new MailComposer({
    from: { name: mailbox.displayName, address: mailbox.address },
    to: mail.to,
    ...(mail.cc && mail.cc.length > 0 ? { cc: [...mail.cc] } : {}),
    subject: mail.subject,
    text: { content: mail.text, contentType: PLAIN },
    ...(mail.html === undefined ? {} : { html: { content: mail.html, contentType: HTML } }),
    messageId: mail.messageId,
    date: new Date(mail.date),
    ...(mail.calendar
      ? {
          alternatives: [{ contentType: calendarType(mail.calendar.method), content: mail.calendar.text }],
          headers: refOf(mail),
        }
      : { headers: { ...refOf(mail), ...waysToLeave(mailbox, mail) } }),
    ...(last ? { inReplyTo: last, references: mail.references.join(' ') } : {}),
    // A text that names files or addresses must not make us read them.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

/** Ours, for servers that replace the Message-ID and keep what they do not know. */
function refOf({ messageId }: OutgoingMail): Record<string, string> {
  const [sendId] = sendIdsIn(messageId);
  return sendId ? { 'X-Outrider-Ref': sendId } : {};
}

/** The address comes first: that is where one POST ends it. */
function waysToLeave({ address }: MailboxAccess, mail: OutgoingMail): Record<string, string> {
  if (mail.listed === false) return {};
  const byMail = `<mailto:${address}?subject=${STOP_SUBJECT}>`;
  if (!mail.unsubscribeUrl) return { 'List-Unsubscribe': byMail };
  return {
    'List-Unsubscribe': `<${mail.unsubscribeUrl}>, ${byMail}`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

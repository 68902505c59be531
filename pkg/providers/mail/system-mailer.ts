import MailComposer from 'nodemailer/lib/mail-composer';
import type { MailServer } from './mail-provider.ts';
import { SmtpSession } from './smtp-session.ts';

/** The server through which the platform itself mails. */
export interface SystemMailServer {
  smtp: MailServer;
  /** Empty: the server takes mail without a login. */
  username: string;
  /** Never logged, never in an error. */
  password: string;
  from: { name: string; address: string };
}

/** A mail of the platform. */
export interface SystemMail {
  /** Ours of the outbox: it makes the Message-ID, the same for each attempt. */
  id: string;
  kind: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Epoch ms. */
  date: number;
}

/** A connection that is open and logged in, for one mail. */
export interface SystemMailSession {
  /** @throws ProviderError; every kind but `unknown_outcome` proves that nothing was accepted */
  send(mail: SystemMail, signal?: AbortSignal): Promise<void>;
  close(): void;
}

/** Sends the platform's own mails. It never repeats one by itself. */
export interface SystemMailer {
  /** @throws ProviderError: nothing was sent */
  open(signal?: AbortSignal): Promise<SystemMailSession>;
}

/** Over SMTP. */
export function smtpSystemMailer(server: SystemMailServer): SystemMailer {
  const { smtp, username, password, from } = server;
  return {
    async open(signal) {
      const session = await SmtpSession.open({ smtp, username, password, address: from.address }, signal);
      return {
        send: async (mail, sending) => {
          const content = await compose(from, mail);
          await session.send(mail.to, content, sending ? { signal: sending } : {});
        },
        close: () => session.close(),
      };
    },
  };
}

function compose(from: SystemMailServer['from'], mail: SystemMail): Promise<Buffer> {
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return new MailComposer({
    from,
    to: mail.to,
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    messageId: `<system.${mail.id}@${domain}>`,
    date: new Date(mail.date),
    // RFC 3834: nobody's machine answers a machine.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Outrider-Mail': mail.kind },
    // A text that names files or addresses must not make us read them.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
}

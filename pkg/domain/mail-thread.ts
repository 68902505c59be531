/** A thread of mails as a run remembers it. */
export interface MailThread {
  /** Mailbox that the thread is written from. */
  accountId: string;
  /** Of its first mail, without Re:. */
  subject: string;
  /** Message-IDs, oldest first, at most the newest 20. */
  references: readonly string[];
  /** Whom its last mail went to; absent: not known. */
  to?: string;
}

const MAX_REFERENCES = 20;

/** What replies, forwards, notices of absence and gateways put before a subject, in several languages. */
const PREFIXES =
  /^\s*(?:(?:(?:r[eé]|r|aw|sv|vs|antw|fwd?|wg|tr|rif|res|enc|rv|odp|pd|ynt|回复|回覆|答复|转发)(?:\[\d+\])?|automatic reply|auto(?:matic)?[- ]reply|automatische antwort|r[eé]ponse automatique|respuesta autom[aá]tica|risposta automatica|resposta autom[aá]tica)\s*[:：]|\[(?:ext|extern|external|externe)\])/i;

/** The subject without prefixes. */
export function plainSubject(subject: string): string {
  let rest = subject.normalize('NFC');
  for (let shorter = rest.replace(PREFIXES, ''); shorter !== rest; shorter = rest.replace(PREFIXES, '')) rest = shorter;
  return rest.replace(/\s+/g, ' ').trim();
}

/** Subject of the next mail of a thread. */
export function replySubject(thread: MailThread): string {
  return `Re: ${plainSubject(thread.subject)}`;
}

/** The thread after one more mail was sent; `references` are those that the mail carried. */
export function extendThread(mail: {
  accountId: string;
  subject: string;
  references: readonly string[];
  messageId: string;
  to?: string | undefined;
}): MailThread {
  return {
    accountId: mail.accountId,
    subject: plainSubject(mail.subject),
    references: [...mail.references, mail.messageId].slice(-MAX_REFERENCES),
    ...(mail.to ? { to: mail.to } : {}),
  };
}

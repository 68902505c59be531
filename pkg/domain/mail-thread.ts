/** A thread of mails as a run remembers it. */
export interface MailThread {
  /** Mailbox that the thread is written from. */
  accountId: string;
  /** Of its first mail, without Re:. */
  subject: string;
  /** Message-IDs, oldest first, at most the newest 20. */
  references: readonly string[];
}

const MAX_REFERENCES = 20;

/** The subject without the prefixes that replies and forwards add, in several languages. */
export function plainSubject(subject: string): string {
  return subject
    .replace(/^(?:\s*(?:re|aw|sv|antw|fwd?|wg|tr)\s*:)+/i, '')
    .replace(/\s+/g, ' ')
    .trim();
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
}): MailThread {
  return {
    accountId: mail.accountId,
    subject: plainSubject(mail.subject),
    references: [...mail.references, mail.messageId].slice(-MAX_REFERENCES),
  };
}

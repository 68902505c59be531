import type { MailReportKind, SenderFault } from '../../domain/bounce-fault.ts';
import type { TraceHeader } from '../../domain/calendar/authentic-sender.ts';
import type { MailAuthor } from '../../domain/machine-mail.ts';
import type { CalendarReply } from '../calendar/ical/read-reply.ts';
import type { GoogleAccess } from '../google/google-request.ts';
import type { LookupResult, PerformOptions, PerformResult } from '../network/network-provider.ts';
import type { SeenSignature } from './signatures-in.ts';

/** How a connection is protected: TLS from the start, upgraded before anything is said, or not at all (loopback). */
export type MailTls = 'implicit' | 'starttls' | 'none';

export interface MailServer {
  host: string;
  port: number;
  tls: MailTls;
  /** `public`: a workspace chose it, and it must lie in the public internet. Absent: it may lie anywhere. */
  reach?: 'public' | 'any';
}

/** A linked mailbox with what is needed to use it. */
export interface MailboxAccess {
  accountId: string;
  address: string;
  displayName: string;
  smtp: MailServer;
  imap: MailServer;
  username: string;
  /** Never logged, never in an error. */
  password: string;
  /** The server itself keeps a copy of what it sends; only then does its absence prove anything. */
  savesSent: boolean;
  sentFolder: string;
  /** Of one that is opened by an API in place of SMTP and IMAP. `revoked`: its owner has to allow it anew. */
  api?: GoogleAccess & { revoked: boolean };
}

export interface OutgoingMail {
  /** With angle brackets; made from our id of the send, so that a look-up finds it. */
  messageId: string;
  to: string;
  /** Who gets a copy. Absent: nobody. */
  cc?: readonly string[];
  subject: string;
  text: string;
  /** The same for readers that show HTML. Absent: the mail is plain text. */
  html?: string;
  /** Epoch ms, product time. */
  date: number;
  /** Message-IDs of the thread, oldest first; empty: a new thread. */
  references: readonly string[];
  /** Where one POST ends it (RFC 8058); null: by mail to the sender. */
  unsubscribeUrl: string | null;
  /** false: an answer that needs no header by which lists are left. Absent: it has one. */
  listed?: false;
  /** What the receiver's calendar reads (RFC 6047): such a mail belongs to a meeting, and nobody unsubscribes from it. */
  calendar?: { method: 'REQUEST' | 'CANCEL'; text: string };
}

/** What a mail server told about a mail of ours. */
export interface MailReport {
  kind: MailReportKind;
  /** What of ours the server refuses; only with the kind `sender_fault`. */
  sender?: SenderFault;
  /** Whom the mail was meant for; null when the report does not say. */
  recipient: string | null;
  reason: string;
}

export interface IncomingMail {
  /** Of the inbox, rising. */
  uid: number;
  messageId: string;
  /** Address of the sender, lower case; empty when there is none. */
  from: string;
  fromName: string;
  subject: string;
  text: string;
  /** Epoch ms by the sender's clock, which may be wrong by days. */
  sentAt: number;
  /** When it came, epoch ms by the server's clock. */
  receivedAt: number;
  /** Message-IDs that it answers or mentions. */
  mentions: readonly string[];
  /** Written by a machine (vacation notice, ticket system). */
  automatic: boolean;
  /** Which machine, where it is one. */
  author: MailAuthor;
  report: MailReport | null;
  /** DKIM signatures in its source, and in that of a mail that a report carries. */
  signatures: readonly SeenSignature[];
  /** What it says to an invitation, as a calendar sends it; absent: it is none. */
  reply?: CalendarReply;
  /** The receipts of servers and what they found out about its sender, the last one's first. */
  trace?: readonly TraceHeader[];
}

/** A mail in the folder of sent ones. */
export interface SentMail {
  /** With angle brackets; the one that we gave it, where the server replaced and kept it. */
  messageId: string;
  /** the one by which its receiver knows it, where the server replaced ours. */
  givenId?: string;
  /** Address of the first recipient, lower case; empty when there is none. */
  to: string;
  subject: string;
  /** Epoch ms; null when the mail does not say. */
  at: number | null;
}

/** For whom a mail was meant, and since when it can have left (epoch ms, product time). */
export interface MeantMail {
  to: string;
  since: number;
}

/** Where reading of an inbox stands; a new `validity` makes all uids new. */
export interface InboxMark {
  validity: string;
  uid: number;
}

/** A mail whose text could not be read, since its parser took too much; the head says who wrote, where that could be read. */
export interface SkippedMail {
  uid: number;
  /** When it came, epoch ms by the server's clock. */
  receivedAt: number;
  /** What the parser ran out of, in words. */
  why: string;
}

/** How much of a mail is parsed: what ended its parser twice is read by its head, and passed over when that did it too. */
export type MailPart = 'whole' | 'head' | 'nothing';

/** Remembers, beyond the end of the process, which mail is being parsed. */
export interface MailGuard {
  /** Keeps that the mail is about to be parsed. @returns how much of it may be */
  begin(validity: string, uid: number): Promise<MailPart>;
}

export interface InboxRead {
  mails: IncomingMail[];
  /** Mails of which the text, or nothing at all, could be read; `mails` has those whose head could. */
  skipped: SkippedMail[];
  mark: InboxMark;
  more: boolean;
}

/** A connection that is logged in, for one mail. */
export interface MailSession {
  /** Sends once. @throws ProviderError; every kind but `unknown_outcome` proves that nothing was accepted */
  send(mail: OutgoingMail, options?: PerformOptions): Promise<PerformResult>;
  /** Ends it, whatever became of it. */
  close(): void;
}

/** A mailbox behind SMTP and IMAP. An adapter never repeats a send by itself. */
export interface MailProvider {
  /** Real ms after dispatch before a look-up may say "not found". */
  readonly settleAfterMs: number;
  /** Logs in to send; nothing of it can be seen by the person. @throws ProviderError */
  open(mailbox: MailboxAccess, signal?: AbortSignal): Promise<MailSession>;
  /**
   * Looks for a mail of ours among what was sent. Some servers give it another Message-ID: one to the same person, which
   * left since then and is no other mail of ours, may be it, so that nothing is proven. @throws ProviderError
   */
  findSent(mailbox: MailboxAccess, messageId: string, meant: MeantMail, signal?: AbortSignal): Promise<LookupResult>;
  /** What was sent at or after `since` (epoch ms), as far as the server keeps it. @throws ProviderError */
  listSent(mailbox: MailboxAccess, since: number, signal?: AbortSignal): Promise<SentMail[]>;
  /**
   * New mails of the inbox, oldest first, at most 200, one at a time; without a mark those since `since` (epoch ms).
   * @param guard without one a mail that its parser can not read is an error: the holder of the mailbox's lease passes over it
   * @throws ProviderError
   */
  readInbox(
    mailbox: MailboxAccess,
    from: InboxMark | null,
    since: number,
    signal?: AbortSignal,
    guard?: MailGuard,
  ): Promise<InboxRead>;
  /** The folder of sent mails: the mailbox's own when it is there, else the one that the server names; null: none. @throws ProviderError */
  sentFolder(mailbox: MailboxAccess, signal?: AbortSignal): Promise<string | null>;
  /** Whether the servers let us in. */
  check(mailbox: MailboxAccess, signal?: AbortSignal): Promise<'ok' | 'credentials_expired' | 'disconnected'>;
}

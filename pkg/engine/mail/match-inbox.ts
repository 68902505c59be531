import { isFreeMailDomain } from '../../domain/free-mail.ts';
import { STOP_SUBJECT } from '../../domain/mail-footer.ts';
import { mailIdentity } from '../../domain/mail-identity.ts';
import { plainSubject } from '../../domain/mail-thread.ts';
import { isCopy } from '../../domain/persons-words.ts';
import { type ClassifiedReply, classifyNotice, classifyReply, saysGone } from '../../domain/reply-class.ts';
import type { Tx } from '../../postgres/database.ts';
import type { IncomingMail } from '../../providers/mail/mail-provider.ts';
import { sendIdsIn } from '../../providers/mail/message-id.ts';
import { matchMails, readOwnMailboxes, readSentMails, type SentMailRow } from '../../store/mail/mail-sync.ts';

/** A mail of the inbox that answers or reports one of ours. */
export interface MatchedMail {
  mail: IncomingMail;
  sendId: string;
  personId: string;
  /** It names the send by a Message-ID. */
  named: boolean;
  /** Others whom we write to at its sender's address: who answers in the thread of a colleague has answered. */
  writers: readonly string[];
  /** What we wrote to the person by mail; of reports nothing. */
  sent: readonly SentMailRow[];
}

/** Message-IDs that are looked at of each mail: what it answers, and the newest of its thread. */
const MOST_MENTIONS = 50;

/** The mails that have to do with what was sent from this mailbox; all others are nobody's business. */
export async function matchInbox(tx: Tx, accountId: string, inbox: readonly IncomingMail[]): Promise<MatchedMail[]> {
  // A copy of what we wrote, to oneself or by a rule of the server, is nobody's answer.
  const mails = inbox.filter((mail) => sendIdsIn(mail.messageId).length === 0);
  const byUid = new Map(mails.map((mail) => [mail.uid, mail]));
  const matches = await matchMails(
    tx,
    accountId,
    mails.map((mail) => ({
      uid: mail.uid,
      sendIds: sendIdsIn(mail.mentions.join(' ')),
      mentions: [...mail.mentions.slice(0, 1), ...mail.mentions.slice(1).slice(-MOST_MENTIONS)],
      from: mail.report ? (mail.report.recipient ?? '') : mail.from,
      domain: mail.report ? null : domainOf(mail.from),
      subject: plainSubject(mail.subject).toLowerCase(),
    })),
  );
  const answered = matches.filter(({ uid }) => byUid.get(uid)?.report === null).map(({ personId }) => personId);
  const sent = await readSentMails(tx, accountId, [...new Set(answered)]);
  return matches.flatMap(({ uid, ...match }) => {
    const mail = byUid.get(uid);
    return mail ? [{ mail, ...match, sent: sent.filter(({ personId }) => personId === match.personId) }] : [];
  });
}

/**
 * The replies among what was matched, oldest first. The sender decides whose words they are: what comes from a mailbox of the
 * workspaces is ours, unless it is the one that the lead reads; so is a copy of what we wrote under whatever id and name.
 */
export async function repliesIn(tx: Tx, accountId: string, matched: readonly MatchedMail[]): Promise<MatchedMail[]> {
  const replies = humanReplies(matched);
  if (replies.length === 0) return [];
  const own = await readOwnMailboxes(tx, accountId);
  return replies.filter((one) => !isOurs(one, accountId, own));
}

function isOurs({ mail, sendId, sent }: MatchedMail, accountId: string, own: ReadonlyMap<string, string>): boolean {
  const from = mailIdentity(mail.from) ?? mail.from;
  if (from === own.get(accountId)) return true;
  if ([...own.values()].includes(from)) return sent.find((one) => one.sendId === sendId)?.address !== from;
  const subject = mail.subject.trim();
  return sent.some((one) => one.subject.trim() === subject && isCopy(mail.text, [one.body]));
}

/** What people wrote, oldest first: no reports, and of machines only notices of absence, for a time or for good, and wishes to get no more. */
export function humanReplies(matched: readonly MatchedMail[]): MatchedMail[] {
  return matched
    .filter(({ mail, sent }) => !mail.report && (!mail.automatic || isForUs(mail, sent)))
    .toSorted((a, b) => a.mail.receivedAt - b.mail.receivedAt);
}

/** What a mail of a person says; of what a machine sends for them, and of a wish, the subject may say it alone. */
export function replyIn(mail: IncomingMail, sent: readonly { body: string; subject?: string }[] = []): ClassifiedReply {
  const { automatic, author, subject, text, receivedAt } = mail;
  const ours = sent.map(({ body }) => body);
  if (plainSubject(subject).toLowerCase() === STOP_SUBJECT) return classifyReply(STOP_SUBJECT, receivedAt);
  if (!automatic || text.trim() === '') {
    const written = classifyReply(ownSubject(subject, sent), receivedAt);
    if (written.replyClass === 'unsubscribe') return written;
  }
  if (!automatic) return classifyReply(text, receivedAt, ours);
  const notice = `${subject}\n${text}`;
  return classifyNotice(notice, receivedAt, { sent: ours, responder: author === 'responder' });
}

const SHORT_SUBJECT = 8;

/** What the person wrote into the subject: nothing of ours, which an answer repeats. */
function ownSubject(subject: string, sent: readonly { subject?: string }[]): string {
  const ours = sent.map((one) => plainSubject(one.subject ?? '')).filter((one) => one !== '');
  return ours.reduce((rest, one) => {
    const at = rest.toLowerCase().indexOf(one.toLowerCase());
    // A short one may stand within a word of theirs.
    return at < 0 || (at > 0 && one.length < SHORT_SUBJECT)
      ? rest
      : `${rest.slice(0, at)}\n${rest.slice(at + one.length)}`;
  }, plainSubject(subject));
}

function isForUs(mail: IncomingMail, sent: readonly SentMailRow[]): boolean {
  if (mail.author === 'receipt') return plainSubject(mail.subject).toLowerCase() === STOP_SUBJECT;
  const reply = replyIn(mail, sent);
  if (reply.replyClass === 'out_of_office' || saysGone(reply)) return true;
  return plainSubject(mail.subject).toLowerCase() === STOP_SUBJECT;
}

function domainOf(address: string): string | null {
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return domain === '' || isFreeMailDomain(domain) ? null : domain;
}

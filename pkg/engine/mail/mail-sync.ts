import type { Logger } from '../../base/log.ts';
import type { ProductClock } from '../../base/product-clock.ts';
import { restReason, SENDER_REST_MS } from '../../domain/bounce-fault.ts';
import { isAuthentic } from '../../domain/calendar/authentic-sender.ts';
import type { Tx } from '../../postgres/database.ts';
import type { InboxRead, IncomingMail, MailGuard, MailPart } from '../../providers/mail/mail-provider.ts';
import { sendIdsIn } from '../../providers/mail/message-id.ts';
import { finishSync, insertMessages, keepStatus, upsertConversation } from '../../store/accounts/account-sync.ts';
import { hearAnswer } from '../../store/calendar/calendar-changes.ts';
import { recordReplies } from '../../store/inbox/inbox.ts';
import { coolAccount } from '../../store/ledger/ledger.ts';
import { keepSelectors } from '../../store/mail/mail-checks.ts';
import {
  judgeMailbox,
  keepInboxMark,
  mailboxExpects,
  readInboxMark,
  recordMailReport,
} from '../../store/mail/mail-sync.ts';
import { beginMail, countFailure, keepUnread } from '../../store/mail/unread-mails.ts';
import type { LeaseKeeper } from '../lease/lease-keeper.ts';
import { checkDomain } from './domain-check.ts';
import { hearHand } from './hear-hand.ts';
import { inboxStand } from './inbox-stand.ts';
import { isFaultOfMail, keepOneByOne } from './keep-mails.ts';
import { type MailDesk, type OpenMailbox, openMailbox } from './mail-desk.ts';
import { type MatchedMail, matchInbox, repliesIn, replyIn } from './match-inbox.ts';
import { gateWarmup } from './warmup-gate.ts';

const MINUTE_MS = 60_000;
/** Next look while runs wait for answers, and while none do. */
const EXPECTING_MS = 10 * MINUTE_MS;
const QUIET_MS = 4 * 60 * MINUTE_MS;
/** Next look when new mails are left. */
const READ_ON_MS = MINUTE_MS;
/** Next look for a server that did not answer. */
const AWAY_MS = 5 * MINUTE_MS;
/** Times that a mail may end its parser; then its head is read, and nothing of it when that ends the parser too. */
const MOST_KILLS = 2;
/** Pages of new mails read in one round. */
const MAX_PAGES = 5;

export interface MailSyncDeps {
  claim: LeaseKeeper;
  clock: ProductClock;
  mail?: MailDesk | undefined;
  newId: () => string;
  log: Logger;
}

/** One round of sync of the claimed mailbox: whether it opens, replies, bounces, complaints. */
export async function syncMailbox(deps: MailSyncDeps): Promise<void> {
  const { claim, clock, log } = deps;
  const startedAt = clock.now();
  const box = await openMailbox(deps.mail, claim, claim.key);
  const status = await box.provider.check(box.mailbox, claim.signal);
  await claim.tx((tx) => keepStatus(tx, claim.key, status, startedAt));
  const allRead = status !== 'ok' || (await readNew(deps, box));
  if (status === 'ok') await checkDomain(deps, { address: box.mailbox.address, provider: box.kind });
  if (status === 'ok') await hearHand(deps, box);
  await claim.tx(async (tx) => {
    const paused = await judgeMailbox(tx, startedAt, claim.key);
    if (paused) log.warn({ accountId: claim.key, reason: paused }, 'mailbox is paused');
    const { held, ready } = await gateWarmup(tx, claim.key, startedAt);
    if (held) log.warn({ accountId: claim.key, reason: held }, 'a warm-up is held');
    if (ready) log.info({ accountId: claim.key }, 'a mailbox is warm');
    const expects = await mailboxExpects(tx, claim.key, startedAt);
    await finishSync(tx, claim.key, {
      startedAt,
      nextAt: startedAt + nextIn(status, allRead, expects),
      state: {},
    });
  });
}

/** A server that is away holds everybody up until it is seen to be back; one that refuses us counts how often we ask. */
function nextIn(status: string, allRead: boolean, expects: boolean): number {
  if (status === 'disconnected') return AWAY_MS;
  if (!allRead) return READ_ON_MS;
  return expects ? EXPECTING_MS : QUIET_MS;
}

/**
 * Reads what is new, page by page; each page is kept with all that follows from it, and how far that was, before the next.
 * @returns false when more is left
 */
async function readNew(deps: MailSyncDeps, { provider, mailbox }: OpenMailbox): Promise<boolean> {
  const { claim, clock } = deps;
  const at = await claim.tx((tx) => readInboxMark(tx, claim.key));
  const stand = inboxStand(at, clock.now());
  let { mark } = stand;
  const guard = guardOf(deps);
  for (let page = 0; page < MAX_PAGES; page++) {
    const now = clock.now();
    const read = await provider.readInbox(mailbox, mark, stand.since, claim.signal, guard);
    await keepPage(deps, read, now, hostsOf(mailbox));
    mark = read.mark;
    if (!read.more) return true;
  }
  return false;
}

/** Keeps a page in one transaction; where that fails by a mail of it, mail by mail. */
async function keepPage(deps: MailSyncDeps, read: InboxRead, now: number, hosts: readonly string[]): Promise<void> {
  const { claim, clock } = deps;
  const { validity } = read.mark;
  const end = { ...read.mark, readAt: read.more ? null : now };
  try {
    await claim.tx(async (tx) => {
      await keepSkipped(deps, tx, read);
      await keepMails(deps, tx, read.mails, hosts);
      await keepInboxMark(tx, claim.key, end);
    });
    return;
  } catch (error) {
    if (read.mails.length === 0 || !isFaultOfMail(error)) throw error;
    deps.log.warn({ accountId: claim.key, err: error }, 'a page of mails can not be kept; they are kept one by one');
  }
  const upTo = (tx: Tx, uid: number): Promise<void> => keepInboxMark(tx, claim.key, { validity, uid, readAt: null });
  await claim.tx((tx) => keepSkipped(deps, tx, read));
  await keepOneByOne(read.mails, {
    keep: (mail, mark) =>
      claim.tx(async (tx) => {
        await keepMails(deps, tx, [mail], hosts);
        if (mark) await upTo(tx, mail.uid);
      }),
    count: ({ uid }) => claim.tx((tx) => countFailure(tx, claim.key, validity, uid)),
    passOver: ({ uid, receivedAt }, why) =>
      claim.tx(async (tx) => {
        deps.log.warn({ accountId: claim.key, uid, why }, 'a mail can not be kept and is passed over');
        await keepUnread(tx, claim.key, validity, [{ uid, receivedAt, why, headRead: false }], clock.now());
        await upTo(tx, uid);
      }),
  });
  await claim.tx((tx) => keepInboxMark(tx, claim.key, end));
}

/** Keeps mails with all that follows from them. */
async function keepMails(
  deps: MailSyncDeps,
  tx: Tx,
  mails: InboxRead['mails'],
  hosts: readonly string[],
): Promise<void> {
  const { key } = deps.claim;
  for (const mail of mails) await keepAnswer(deps, tx, mail, hosts);
  const matched = await matchInbox(tx, key, mails);
  const ours = [
    ...mails.filter(isCopyOfOurs),
    ...matched.filter((one) => one.named && one.mail.report).map((one) => one.mail),
  ];
  await keepSelectors(
    tx,
    key,
    ours.flatMap((mail) => mail.signatures),
    deps.clock.now(),
  );
  for (const one of matched) if (one.mail.report) await keepReport(deps, tx, one);
  for (const one of await repliesIn(tx, key, matched)) await keepReply(deps, tx, one);
}

/** A mail of ours that arrived in our own inbox, with what its server signed it with. */
const isCopyOfOurs = (mail: IncomingMail): boolean => sendIdsIn(mail.messageId).length > 0;

/** Whose servers say what they found out about a sender. */
function hostsOf({ imap, address }: OpenMailbox['mailbox']): string[] {
  return [imap.host, address.slice(address.lastIndexOf('@') + 1)];
}

/**
 * An attendee's answer to an invitation. Only that: a request or a cancellation of somebody else changes no calendar, and an answer
 * counts for the one who sent it alone, where the server found out that they did.
 */
async function keepAnswer(
  { claim, clock }: MailSyncDeps,
  tx: Tx,
  { reply, trace = [], from }: IncomingMail,
  hosts: readonly string[],
): Promise<void> {
  if (!reply || reply.email !== from || !isAuthentic(trace, from, hosts)) return;
  await hearAnswer(tx, claim.key, reply, clock.now());
}

/** What is kept before each mail: how often it was begun, by any process. */
function guardOf({ claim }: MailSyncDeps): MailGuard {
  return {
    begin: async (validity, uid): Promise<MailPart> => {
      const tries = await claim.tx((tx) => beginMail(tx, claim.key, validity, uid));
      if (tries <= MOST_KILLS) return 'whole';
      return tries === MOST_KILLS + 1 ? 'head' : 'nothing';
    },
  };
}

/** Lists the mails that could not be read, so that a person looks at them. */
async function keepSkipped({ claim, clock, log }: MailSyncDeps, tx: Tx, read: InboxRead): Promise<void> {
  if (read.skipped.length === 0) return;
  const heads = new Set(read.mails.map((mail) => mail.uid));
  const unread = read.skipped.map((mail) => ({ ...mail, headRead: heads.has(mail.uid) }));
  for (const { uid, why } of unread) log.warn({ accountId: claim.key, uid, why }, 'the text of a mail can not be read');
  await keepUnread(tx, claim.key, read.mark.validity, unread, clock.now());
}

async function keepReport({ claim, clock }: MailSyncDeps, tx: Tx, { mail, sendId, named }: MatchedMail): Promise<void> {
  const { report } = mail;
  if (!report) return;
  const fresh = await recordMailReport(tx, {
    now: clock.now(),
    accountId: claim.key,
    externalId: mail.messageId,
    kind: report.kind,
    // Without our Message-ID in it the report says something of the address, not of one mail.
    sendId: named ? sendId : null,
    address: report.recipient,
    reason: report.reason,
    at: mail.sentAt,
  });
  // Only of a mail that was ours: anybody may write a report.
  if (!fresh || !report.sender || !named) return;
  const until = mail.receivedAt + SENDER_REST_MS[report.sender];
  if (until > clock.now()) await coolAccount(tx, claim.key, until, restReason(report.sender, report.reason));
}

/** Keeps the mail in the inbox and stops what is planned for the person, in one transaction. */
async function keepReply(deps: MailSyncDeps, tx: Tx, { mail, personId, writers, sent }: MatchedMail): Promise<void> {
  const { claim, clock, newId } = deps;
  const reply = replyIn(mail, sent);
  const conversationId = await upsertConversation(tx, {
    id: newId(),
    accountId: claim.key,
    externalId: `mail:${personId}`,
    personId,
    providerId: null,
    inMail: false,
    name: mail.fromName || mail.from,
    profileUrl: '',
    lastMessageAt: mail.sentAt,
    preview: mail.text,
    unread: 1,
    syncedAt: clock.now(),
  });
  const { fresh } = await insertMessages(tx, claim.key, conversationId, personId, [
    {
      id: newId(),
      externalId: mail.messageId,
      direction: 'in',
      subject: mail.subject,
      body: mail.text,
      sentAt: mail.sentAt,
      replyClass: reply.replyClass,
    },
  ]);
  if (!fresh.has(mail.messageId)) return;
  await recordReplies(tx, {
    now: clock.now(),
    accountId: claim.key,
    personIds: [personId, ...writers],
    // By the sender's clock it may have come before our own mail.
    at: mail.receivedAt,
    replyClass: reply.replyClass,
    resumeAt: reply.returnAt,
  });
}

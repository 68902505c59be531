import type { FetchQueryObject, ImapFlow, SearchObject } from 'imapflow';
import { monotonicMs } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { ForeignOverrun } from '../../base/foreign-bytes/overrun.ts';
import { type LookupResult, ProviderError } from '../network/network-provider.ts';
import { composeMail } from './compose-mail.ts';
import { imapSession } from './imap-session.ts';
import { type MailParser, sharedMailParser } from './mail-parser.ts';
import type {
  InboxMark,
  InboxRead,
  IncomingMail,
  MailboxAccess,
  MailGuard,
  MailProvider,
  MailSession,
  MeantMail,
  SentMail,
  SkippedMail,
} from './mail-provider.ts';
import { sendIdsIn } from './message-id.ts';
import { MAX_PARSED, ORIGINAL_IDS } from './parse-incoming.ts';
import { SmtpSession } from './smtp-session.ts';

/** Mails of a page; and real ms and bytes after which it begins no further mail: a round of sync takes a minute at most, and servers are slow. */
const MAX_MAILS = 200;
const PAGE_MS = 10_000;
const PAGE_BYTES = 1024 * 1024;
/** Heads of sent mails that are parsed together. */
const HEADS_AT_ONCE = 100;
/** Mails of the Sent folder that are compared at most; of each only a few lines are read. */
const MAX_SENT = 20_000;
const DAY_MS = 86_400_000;
/** Lines of a mail's head that say who wrote, about what, and whether a machine did. */
const HEAD: readonly string[] = [
  ...['from', 'subject', 'date', 'message-id', 'in-reply-to', 'references', 'auto-submitted', 'x-autoreply'],
  ...['x-autorespond', 'precedence', 'return-path', 'list-id', 'x-auto-response-suppress'],
];
/** By so much the clocks of executors differ at most, which date the mails. */
const CLOCKS_MS = 5 * 60_000;

/** Mail over SMTP and IMAP, as every server speaks them. */
export class SmtpImapAdapter implements MailProvider {
  readonly settleAfterMs: number;
  readonly #parser: MailParser;

  constructor(settings: { settleAfterMs: number; parser?: MailParser }) {
    this.settleAfterMs = settings.settleAfterMs;
    this.#parser = settings.parser ?? sharedMailParser();
  }

  async open(mailbox: MailboxAccess, signal?: AbortSignal): Promise<MailSession> {
    const session = await SmtpSession.open(mailbox, signal);
    return {
      send: async (mail, options = {}) => {
        const content = await composeMail(mailbox, mail);
        const { givenId, refused } = await session.send([mail.to, ...(mail.cc ?? [])], content, options);
        if (!mailbox.savesSent) await this.#keepCopy(mailbox, content, options.signal);
        return {
          ref: mail.messageId,
          ...(givenId ? { givenId } : {}),
          ...(refused.length > 0 ? { refusedCopies: refused } : {}),
        };
      },
      close: () => session.close(),
    };
  }

  findSent(mailbox: MailboxAccess, messageId: string, meant: MeantMail, signal?: AbortSignal): Promise<LookupResult> {
    return imapSession(mailbox, signal, async (client) => {
      await client.mailboxOpen(mailbox.sentFolder, { readOnly: true });
      const known = await searchUids(client, { header: { 'message-id': messageId } });
      if (known.length > 0) return { found: true, ref: messageId, at: null };
      // The copy is ours to keep, and we may have died before keeping it: its absence proves nothing.
      if (!mailbox.savesSent) return { unsupported: true };
      const sent = await this.#sentSince(client, mailbox, meant.since - DAY_MS);
      const ours = sent.find((mail) => mail.messageId === messageId);
      if (ours) return { found: true, ref: messageId, at: null, ...(ours.givenId ? { givenId: ours.givenId } : {}) };
      if (sent.some((mail) => mayBe(mail, meant)))
        throw new ProviderError(
          'unavailable_before_send',
          'a mail to this person lies in Sent under an id that is not ours',
        );
      return { found: false };
    });
  }

  listSent(mailbox: MailboxAccess, since: number, signal?: AbortSignal): Promise<SentMail[]> {
    return imapSession(mailbox, signal, async (client) => {
      await client.mailboxOpen(mailbox.sentFolder, { readOnly: true });
      return this.#sentSince(client, mailbox, since);
    });
  }

  readInbox(
    mailbox: MailboxAccess,
    from: InboxMark | null,
    since: number,
    signal?: AbortSignal,
    guard?: MailGuard,
  ): Promise<InboxRead> {
    return imapSession(mailbox, signal, async (client) => {
      const box = await client.mailboxOpen('INBOX', { readOnly: true });
      const validity = String(box.uidValidity);
      const known = from?.validity === validity ? from.uid : null;
      const uids = await newUids(client, known, since);
      const reading = new InboxReading({ client, parser: this.#parser, accountId: mailbox.accountId, validity, guard });
      const count = await reading.read(uids.slice(0, MAX_MAILS));
      const uid = uids[count - 1] ?? known ?? Math.max(0, Number(box.uidNext) - 1);
      const { mails, skipped } = reading;
      return { mails, skipped, mark: { validity, uid }, more: uids.length > count };
    });
  }

  sentFolder(mailbox: MailboxAccess, signal?: AbortSignal): Promise<string | null> {
    return imapSession(mailbox, signal, async (client) => {
      const folders = await client.list();
      const own = folders.find((folder) => folder.path === mailbox.sentFolder);
      return (own ?? folders.find((folder) => folder.specialUse === '\\Sent'))?.path ?? null;
    });
  }

  async check(mailbox: MailboxAccess, signal?: AbortSignal): Promise<'ok' | 'credentials_expired' | 'disconnected'> {
    try {
      await imapSession(mailbox, signal, async (client) => {
        await client.mailboxOpen('INBOX', { readOnly: true });
      });
      return 'ok';
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      return error.message.includes('refused the credentials') ? 'credentials_expired' : 'disconnected';
    }
  }

  /** What the open folder holds since then. @throws ProviderError when that is more than can be read */
  async #sentSince(client: ImapFlow, { accountId }: MailboxAccess, since: number): Promise<SentMail[]> {
    const uids = await searchUids(client, { since: new Date(since) });
    if (uids.length === 0) return [];
    // What was not seen would be sent again.
    if (uids.length > MAX_SENT)
      throw new ProviderError('unavailable_before_send', `more than ${MAX_SENT} mails in Sent`);
    const found: SentMail[] = [];
    let heads: Buffer[] = [];
    const parse = async (): Promise<void> => {
      found.push(...(await this.#parser.sent(accountId, heads).catch(unreadable)));
      heads = [];
    };
    const wanted = { uid: true, headers: ['message-id', ...ORIGINAL_IDS, 'to', 'subject', 'date'] };
    for await (const { headers } of client.fetch(uids, wanted, { uid: true })) {
      if (headers) heads.push(headers);
      if (heads.length >= HEADS_AT_ONCE) await parse();
    }
    await parse();
    return found;
  }

  /** Where the server keeps no copy we do; a mail that was accepted stays sent when this fails. */
  async #keepCopy(mailbox: MailboxAccess, content: Buffer, signal: AbortSignal | undefined): Promise<void> {
    await imapSession(mailbox, signal, (client) => client.append(mailbox.sentFolder, content, ['\\Seen'])).catch(
      () => undefined,
    );
  }
}

/** Whether a mail that is none of ours by its id went to the person since then. */
function mayBe(mail: SentMail, { to, since }: MeantMail): boolean {
  if (mail.to !== to.toLowerCase() || sendIdsIn(mail.messageId).length > 0) return false;
  return mail.at === null || mail.at >= since - CLOCKS_MS;
}

/** Uids that match. @throws Error when the server did not answer, which the library tells apart from nothing by `false` alone */
async function searchUids(client: ImapFlow, query: SearchObject): Promise<number[]> {
  const found = await client.search(query, { uid: true });
  if (!Array.isArray(found)) throw new Error('the server did not answer a search');
  return found;
}

/** Rising; of a mailbox that is new to us only what came lately. */
async function newUids(client: ImapFlow, known: number | null, since: number): Promise<number[]> {
  const uids = await searchUids(client, known === null ? { since: new Date(since) } : { uid: `${known + 1}:*` });
  // `n:*` always names the last mail, also when it is older.
  return uids.filter((uid) => known === null || uid > known).sort((a, b) => a - b);
}

/** What a reading of an inbox needs. */
interface Reading {
  client: ImapFlow;
  parser: MailParser;
  accountId: string;
  validity: string;
  guard: MailGuard | undefined;
}

/** A mail as it was fetched. */
interface Fetched {
  source: Buffer | undefined;
  receivedAt: number;
}

/** Reads mails of the open inbox, one after the other: no more than one is held in memory. */
class InboxReading {
  readonly #of: Reading;
  readonly mails: IncomingMail[] = [];
  readonly skipped: SkippedMail[] = [];
  #bytes = 0;

  constructor(reading: Reading) {
    this.#of = reading;
  }

  /** Reads until the last, until the page has taken its time, or to one that ended its parser. @returns how many it came to */
  async read(uids: readonly number[]): Promise<number> {
    const until = monotonicMs() + PAGE_MS;
    let count = 0;
    for (const uid of uids) {
      const enough = monotonicMs() >= until || this.#bytes >= PAGE_BYTES || this.skipped.length > 0;
      if (count > 0 && enough) break;
      await this.#one(uid);
      count++;
    }
    return count;
  }

  async #one(uid: number): Promise<void> {
    const { client, guard, validity } = this.#of;
    const fetched = await fetchOne(client, uid);
    if (!fetched.source) return;
    const { source, receivedAt } = fetched;
    this.#bytes += source.length;
    if (!guard) {
      this.mails.push(await this.#parse(uid, source, receivedAt, 'whole').catch(unreadable));
      return;
    }
    let why = 'the process ended while it was read';
    for (;;) {
      // Kept before the parser sees it: whatever becomes of this process, the next one knows.
      const part = await guard.begin(validity, uid);
      if (part !== 'whole' && this.skipped.at(-1)?.uid !== uid) this.skipped.push({ uid, receivedAt, why });
      if (part === 'nothing') return;
      try {
        this.mails.push(await this.#parse(uid, source, receivedAt, part));
        return;
      } catch (error) {
        if (!(error instanceof ForeignOverrun)) return unreadable(error);
        why = error.message;
      }
    }
  }

  #parse(uid: number, source: Buffer, receivedAt: number, part: 'whole' | 'head'): Promise<IncomingMail> {
    const { parser, accountId } = this.#of;
    return parser.incoming(accountId, { uid, source, receivedAt, part });
  }
}

/** The parser has no time for it now, or not for this one. @throws ProviderError */
function unreadable(error: unknown): never {
  throw new ProviderError('unavailable_before_send', `a mail can not be read: ${messageOf(error)}`);
}

/** Some servers refuse a mail that they can not hand out: it is read by its head then, and keeps no other from being read. */
async function fetchOne(client: ImapFlow, uid: number): Promise<Fetched> {
  // Who wrote, and to which mail of ours, is enough to leave them alone; one of which not even that can be had is passed over.
  for (const wanted of [{ source: { maxLength: MAX_PARSED } }, { headers: [...HEAD] }]) {
    try {
      return await fetchBy(client, uid, wanted);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  // A server that refuses this too is not well, and says nothing of the mail.
  return fetchBy(client, uid, {});
}

async function fetchBy(client: ImapFlow, uid: number, wanted: FetchQueryObject): Promise<Fetched> {
  const query = { uid: true, internalDate: true, ...wanted };
  let fetched: Fetched = { source: undefined, receivedAt: 0 };
  for await (const mail of client.fetch([uid], query, { uid: true })) {
    if (mail.uid !== uid) continue;
    fetched = {
      source: mail.source ?? mail.headers,
      receivedAt: new Date(mail.internalDate ?? 0).getTime(),
    };
  }
  return fetched;
}

/** The server answered, and said no. */
function isRefusal(error: unknown): boolean {
  return ['NO', 'BAD'].includes(String((error as { responseStatus?: unknown }).responseStatus));
}

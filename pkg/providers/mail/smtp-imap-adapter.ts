import type { FetchQueryObject, ImapFlow, SearchObject } from 'imapflow';
import { type LookupResult, ProviderError } from '../network/network-provider.ts';
import { composeMail } from './compose-mail.ts';
import { imapSession } from './imap-session.ts';
import { type FetchedMail, InboxReading, unreadable } from './inbox-reading.ts';
import { type MailParser, sharedMailParser } from './mail-parser.ts';
import type {
  InboxMark,
  InboxRead,
  MailboxAccess,
  MailGuard,
  MailProvider,
  MailSession,
  MeantMail,
  SentMail,
} from './mail-provider.ts';
import { sendIdsIn } from './message-id.ts';
import { MAX_PARSED, ORIGINAL_IDS } from './parse-incoming.ts';
import { SmtpSession } from './smtp-session.ts';

/** Mails of a page. */
const MAX_MAILS = 200;
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
      const reading = new InboxReading({ parser: this.#parser, accountId: mailbox.accountId, validity, guard });
      const count = await reading.read(uids.slice(0, MAX_MAILS).map((uid) => () => fetchOne(client, uid)));
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

/** Some servers refuse a mail that they can not hand out: it is read by its head then, and keeps no other from being read. */
async function fetchOne(client: ImapFlow, uid: number): Promise<FetchedMail> {
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

async function fetchBy(client: ImapFlow, uid: number, wanted: FetchQueryObject): Promise<FetchedMail> {
  const query = { uid: true, internalDate: true, ...wanted };
  let fetched: FetchedMail = { uid, source: undefined, receivedAt: 0 };
  for await (const mail of client.fetch([uid], query, { uid: true })) {
    if (mail.uid !== uid) continue;
    fetched = {
      uid,
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

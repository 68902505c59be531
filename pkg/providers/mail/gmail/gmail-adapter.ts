import { NEVER } from '../../../base/clock.ts';
import { CallError } from '../../call-error.ts';
import type { GoogleAccess } from '../../google/google-request.ts';
import { type LookupResult, ProviderError } from '../../network/network-provider.ts';
import { type MailParser, sharedMailParser } from '../mail-parser.ts';
import type {
  InboxMark,
  InboxRead,
  MailboxAccess,
  MailGuard,
  MailProvider,
  MailSession,
  MeantMail,
  SentMail,
} from '../mail-provider.ts';
import { gmailIds, gmailProfile } from './gmail-api.ts';
import { readGmail } from './gmail-inbox.ts';
import { byMessageId, lookFailed, sendByGmail } from './gmail-send.ts';
import { sentByGmail } from './gmail-sent.ts';

/** Gmail dates what it takes by its own clock, and executors what they hand over by theirs. */
const CLOCKS_MS = 3_600_000;

/** A mailbox by Gmail's API: replies are seen in whatever folder a filter put them. */
export class GmailAdapter implements MailProvider {
  readonly settleAfterMs: number;
  readonly #parser: MailParser;

  constructor(settings: { settleAfterMs: number; parser?: MailParser }) {
    this.settleAfterMs = settings.settleAfterMs;
    this.#parser = settings.parser ?? sharedMailParser();
  }

  async open(mailbox: MailboxAccess, signal?: AbortSignal): Promise<MailSession> {
    const access = accessOf(mailbox);
    // Whether the token opens it, before anything is dispatched.
    await asked(gmailProfile(access, signal ?? NEVER));
    return {
      send: (mail, options = {}) => sendByGmail(access, mailbox, mail, options),
      close: () => undefined,
    };
  }

  findSent(mailbox: MailboxAccess, messageId: string, meant: MeantMail, signal = NEVER): Promise<LookupResult> {
    return asked(this.#find(mailbox, messageId, meant, signal));
  }

  listSent(mailbox: MailboxAccess, since: number, signal = NEVER): Promise<SentMail[]> {
    return asked(sentByGmail(accessOf(mailbox), this.#parser, mailbox, since, signal));
  }

  readInbox(
    mailbox: MailboxAccess,
    from: InboxMark | null,
    since: number,
    signal = NEVER,
    guard?: MailGuard,
  ): Promise<InboxRead> {
    const { accountId, address } = mailbox;
    const of = { access: accessOf(mailbox), parser: this.#parser, accountId, address };
    return asked(readGmail({ ...of, from, since, signal, guard }));
  }

  sentFolder(): Promise<string | null> {
    return Promise.resolve('SENT');
  }

  async check(mailbox: MailboxAccess, signal = NEVER): Promise<'ok' | 'credentials_expired' | 'disconnected'> {
    if (!mailbox.api || mailbox.api.revoked) return 'credentials_expired';
    try {
      await gmailProfile(mailbox.api, signal);
      return 'ok';
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      return error.kind === 'auth' || error.kind === 'forbidden' ? 'credentials_expired' : 'disconnected';
    }
  }

  /** By its Message-ID, then among what was sent since, by our header. */
  async #find(mailbox: MailboxAccess, messageId: string, meant: MeantMail, signal: AbortSignal): Promise<LookupResult> {
    const access = accessOf(mailbox);
    const q = byMessageId(messageId);
    for await (const _ of gmailIds(access, { q, includeSpamTrash: 'true' }, signal))
      return { found: true, ref: messageId, at: null };
    const sent = await sentByGmail(access, this.#parser, mailbox, meant.since - CLOCKS_MS, signal);
    const ours = sent.find((mail) => mail.messageId === messageId);
    if (!ours) return { found: false };
    return { found: true, ref: messageId, at: null, ...(ours.givenId ? { givenId: ours.givenId } : {}) };
  }
}

/** @throws ProviderError where nobody allows us to use it any more */
function accessOf({ api, address }: MailboxAccess): GoogleAccess {
  if (api && !api.revoked) return api;
  throw new ProviderError(
    'unavailable_before_send',
    `Google does not let us into ${address} any more; connect it again`,
  );
}

/** @throws ProviderError `unavailable_before_send`: a question does nothing */
async function asked<T>(question: Promise<T>): Promise<T> {
  try {
    return await question;
  } catch (error) {
    if (error instanceof CallError) throw lookFailed(error);
    throw error;
  }
}

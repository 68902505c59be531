import { monotonicMs } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { ForeignOverrun } from '../../base/foreign-bytes/overrun.ts';
import { ProviderError } from '../network/network-provider.ts';
import type { MailParser } from './mail-parser.ts';
import type { IncomingMail, MailGuard, SkippedMail } from './mail-provider.ts';

/** Real ms and bytes after which a page begins no further mail: a round of sync takes a minute at most, and servers are slow. */
const PAGE_MS = 10_000;
const PAGE_BYTES = 1024 * 1024;

/** A mail as it was fetched. */
export interface FetchedMail {
  /** Rising. */
  uid: number;
  /** undefined: it is gone, or nobody's business. */
  source: Buffer | undefined;
  /** Epoch ms, by the server's clock. */
  receivedAt: number;
}

/** What a reading of an inbox needs. */
interface Reading {
  parser: MailParser;
  accountId: string;
  validity: string;
  guard: MailGuard | undefined;
}

/** Reads mails of an inbox, one after the other: no more than one is held in memory. */
export class InboxReading {
  readonly #of: Reading;
  readonly mails: IncomingMail[] = [];
  readonly skipped: SkippedMail[] = [];
  #bytes = 0;

  constructor(reading: Reading) {
    this.#of = reading;
  }

  /** Reads until the last, until the page has taken its time, or to one that ended its parser. @returns how many it came to */
  async read(fetches: readonly (() => Promise<FetchedMail>)[]): Promise<number> {
    const until = monotonicMs() + PAGE_MS;
    let count = 0;
    for (const fetch of fetches) {
      const enough = monotonicMs() >= until || this.#bytes >= PAGE_BYTES || this.skipped.length > 0;
      if (count > 0 && enough) break;
      await this.#one(await fetch());
      count++;
    }
    return count;
  }

  async #one({ uid, source, receivedAt }: FetchedMail): Promise<void> {
    const { guard, validity } = this.#of;
    if (!source) return;
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
export function unreadable(error: unknown): never {
  throw new ProviderError('unavailable_before_send', `a mail can not be read: ${messageOf(error)}`);
}

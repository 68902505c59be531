import { ParsePool } from '../../base/foreign-bytes/parse-pool.ts';
import { workerFile } from '../../base/foreign-bytes/worker-file.ts';
import type { IncomingMail, SentMail } from './mail-provider.ts';
import { headOf, parsedPart } from './parse-incoming.ts';

/** What the worker is asked; it answers with an IncomingMail, or with a SentMail or null for each head. */
export type MailInput =
  | { kind: 'incoming'; uid: number; source: Uint8Array; receivedAt: number }
  | { kind: 'sent'; heads: readonly Uint8Array[] };

/** A mail as it was fetched, and how much of it is to be read. */
export interface MailToParse {
  uid: number;
  source: Buffer;
  receivedAt: number;
  part: 'whole' | 'head';
}

/** The parser itself takes 7 MB, a mail of the greatest size 10 MB more; an honest one takes milliseconds. */
const LIMITS = { workers: 2, heapMb: 40, withinMs: 5_000, queued: 64, queuedOfOne: 8 };

/** Reads mails in workers (see ParsePool): nothing of a mail is parsed in the process that syncs everybody's. */
export class MailParser {
  readonly #pool: ParsePool;

  constructor(limits: Partial<typeof LIMITS> = {}, program = workerFile('mail-worker', import.meta.url)) {
    this.#pool = new ParsePool(program, { ...LIMITS, ...limits });
  }

  /** @param accountId whose mail it is: mailboxes take turns. @throws ForeignOverrun, ForeignBusy */
  incoming(accountId: string, { uid, source, receivedAt, part }: MailToParse): Promise<IncomingMail> {
    const copy = ownBytes(part === 'head' ? headOf(source) : parsedPart(source));
    const input: MailInput = { kind: 'incoming', uid, source: copy, receivedAt };
    return this.#pool.parse(accountId, input, [copy.buffer]);
  }

  /** Sent mails by their heads; those without a Message-ID are left out. @throws ForeignOverrun, ForeignBusy */
  async sent(accountId: string, heads: readonly Buffer[]): Promise<SentMail[]> {
    if (heads.length === 0) return [];
    const copies = heads.map((head) => ownBytes(parsedPart(head)));
    const input: MailInput = { kind: 'sent', heads: copies };
    const found = await this.#pool.parse<(SentMail | null)[]>(
      accountId,
      input,
      copies.map((copy) => copy.buffer),
    );
    return found.filter((mail) => mail !== null);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Bytes in a buffer of their own, which can be handed to a worker. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}

let shared: MailParser | undefined;

/** The parser of this process; its workers end when they rest, and keep no process from ending. */
export function sharedMailParser(): MailParser {
  shared ??= new MailParser();
  return shared;
}

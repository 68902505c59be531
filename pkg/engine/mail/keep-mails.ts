import { FencedError, messageOf, Waiting } from '../../base/errors.ts';
import { isDatabaseAway } from '../../postgres/database-away.ts';
import type { IncomingMail } from '../../providers/mail/mail-provider.ts';
import { ProviderError } from '../../providers/network/network-provider.ts';

/** Times that the storing of a mail may fail; then it is passed over. */
const MOST_FAILURES = 2;

/** How the mails of a page are kept one by one. */
export interface MailKeeping {
  /** Keeps a mail with all that follows from it, and, where `mark` says so, that the inbox is read up to it. */
  keep: (mail: IncomingMail, mark: boolean) => Promise<void>;
  /** Counts in a transaction of its own that a mail could not be kept. @returns how often that was, this time included */
  count: (mail: IncomingMail) => Promise<number>;
  /** Lists a mail that is passed over, and keeps that the inbox is read up to it. */
  passOver: (mail: IncomingMail, why: string) => Promise<void>;
}

/**
 * Keeps mails of which one can not be kept: those before and behind it are kept, so that no mail of a stranger stops the replies of
 * others. Reading stands still before it until it has failed twice, in two rounds; then it is passed over.
 * @param mails by rising uid
 * @throws what the first mail failed with that will be tried again, when all others are kept
 */
export async function keepOneByOne(mails: readonly IncomingMail[], keeping: MailKeeping): Promise<void> {
  let again: { error: unknown } | null = null;
  for (const mail of mails) {
    try {
      await keeping.keep(mail, again === null);
    } catch (error) {
      if (!isFaultOfMail(error)) throw error;
      // What lies behind one that is tried again comes again with it, and is counted then.
      if (again !== null) continue;
      if ((await keeping.count(mail)) < MOST_FAILURES) again = { error };
      else await keeping.passOver(mail, `keeping it failed: ${messageOf(error)}`.slice(0, 300));
    }
  }
  if (again !== null) throw again.error;
}

/** Transactions that were ended for others' sake or the server's: class 40 rolled back, 53 resources, 55 locks, 57 by hand or time, 58 its system. */
const OF_THE_SERVER = /^(?:40|53|55|57|58)/;

/** Whether an error says something of what was to be kept, and not of the claim, the database or the network. */
export function isFaultOfMail(error: unknown): boolean {
  if (error instanceof FencedError || error instanceof Waiting || error instanceof ProviderError) return false;
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (isDatabaseAway(error) || name === 'AbortError') return false;
  return !(typeof code === 'string' && OF_THE_SERVER.test(code));
}

import { monotonicMs } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import { LINK_MINUTES, makeSignInLink, userOfAddress } from '../../store/console/sign-in-links.ts';
import type { PostOffice } from '../../tools/mail/post-office.ts';
import type { MessageServices } from '../handle-message.ts';
import { AskedOften } from './asked-often.ts';

/** Requests that are worked on at once; more are dropped, which nobody is told. */
const MOST_AT_ONCE = 20;
/** Product ms within which the mail has to leave; whether its link still works is asked before. */
const LEAVES_WITHIN_MS = 86_400_000;

export interface MailedLinksOptions {
  services: Pick<MessageServices, 'db' | 'ids' | 'clocks' | 'log'>;
  office: PostOffice;
  /** Address of the console, with a slash at its end. */
  consoleUrl: string;
}

/**
 * Mails links that sign in. Who asks is never told whether an address is known: the answer is there before anything is looked up, and
 * what fails only shows in the log.
 */
export class MailedLinks {
  readonly #options: MailedLinksOptions;
  readonly #asked = new AskedOften(monotonicMs);
  #running = 0;

  constructor(options: MailedLinksOptions) {
    this.#options = options;
  }

  /** Begins to mail a link to the user who has the address, if anybody has. */
  begin(email: string, address: string | undefined): void {
    if (this.#asked.tooOften(address) || this.#running >= MOST_AT_ONCE) return;
    this.#running++;
    this.#mail(email)
      .catch((error: unknown) => this.#options.services.log.error({ err: error }, 'a sign-in link could not be mailed'))
      .finally(() => {
        this.#running--;
      });
  }

  async #mail(email: string): Promise<void> {
    const { services, office, consoleUrl } = this.#options;
    const { db, ids, clocks } = services;
    try {
      await db.tx({ kind: 'platform' }, async (tx) => {
        const userId = await userOfAddress(tx, email);
        const id = ids.uuid();
        const token = userId === undefined ? undefined : await makeSignInLink(tx, id, userId);
        if (token === undefined) return;
        const now = clocks.product.now();
        await office.queue(tx, {
          kind: 'sign_in',
          idempotencyKey: `sign-in/${id}`,
          workspaceId: null,
          to: email,
          params: { host: new URL(consoleUrl).host, minutes: LINK_MINUTES },
          link: `${consoleUrl}sign-in/${token}`,
          now,
          expiresAt: now + LEAVES_WITHIN_MS,
        });
      });
    } catch (error) {
      // The person signed in by mail hundreds of times today: what strangers ask for never comes so far.
      if (!(error instanceof UserError)) throw error;
    }
  }
}

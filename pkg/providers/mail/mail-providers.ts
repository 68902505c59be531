import type { MailProvider } from './mail-provider.ts';

/** Chooses the adapter by the account's provider (`sandbox`, `smtp`, `gmail`); undefined: not known. */
export type MailProviders = (provider: string) => Promise<MailProvider | undefined>;

/** The sandbox files what it sends at once; a server's Sent folder may lag. */
const SETTLE_AFTER_MS: Readonly<Record<string, number>> = { sandbox: 2_000, smtp: 15 * 60_000, gmail: 15 * 60_000 };

/** The adapters of this process; the libraries behind them are loaded with the first mailbox, most executors have none. */
export function createMailProviders(): MailProviders {
  const adapters = new Map<string, Promise<MailProvider>>();
  return async (provider) => {
    const settleAfterMs = SETTLE_AFTER_MS[provider];
    if (settleAfterMs === undefined) return undefined;
    const known = adapters.get(provider);
    if (known) return known;
    const made = provider === 'gmail' ? gmail(settleAfterMs) : smtpImap(settleAfterMs);
    adapters.set(provider, made);
    return made;
  };
}

async function gmail(settleAfterMs: number): Promise<MailProvider> {
  const { GmailAdapter } = await import('./gmail/gmail-adapter.ts');
  return new GmailAdapter({ settleAfterMs });
}

async function smtpImap(settleAfterMs: number): Promise<MailProvider> {
  const { SmtpImapAdapter } = await import('./smtp-imap-adapter.ts');
  return new SmtpImapAdapter({ settleAfterMs });
}

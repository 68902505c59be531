import { z } from 'zod';
import type { Sealer } from '../../base/sealer.ts';
import type { Tx } from '../../postgres/database.ts';
import type { ReachOf } from '../../providers/integrations.ts';
import type { AskDns } from '../../providers/mail/domain-proofs.ts';
import { GMAIL_URL } from '../../providers/mail/gmail/gmail-api.ts';
import type { MailboxAccess, MailProvider } from '../../providers/mail/mail-provider.ts';
import type { MailProviders } from '../../providers/mail/mail-providers.ts';
import { type MailboxRow, mailboxOwner, readMailbox, readMailboxGrant } from '../../store/mail/mailboxes.ts';
import { renewLater } from '../calls/renew-later.ts';

/** A mailbox that can be used now. */
export interface OpenMailbox {
  provider: MailProvider;
  /** Name of the provider. */
  kind: string;
  mailbox: MailboxAccess;
}

/** What the engine needs to send and read mail. */
export interface MailDesk {
  providers: MailProviders;
  /** Opens stored passwords; undefined: this process has no key, and no mailbox works. */
  sealer: Sealer | undefined;
  /** Base address of the ingress, which takes unsubscribe calls; undefined: mails offer to answer instead. */
  ingressUrl: string | undefined;
  /** The sandbox beside this process; its mail servers listen where it says, whatever is stored. */
  sandbox?: { url: string; apiKey: string } | undefined;
  /** Where addresses that workspaces gave may lead; absent: to the public internet alone. */
  reachOf?: ReachOf;
  /** Who is asked what a sending domain proves; absent: the DNS of the machine, for real mailboxes. */
  dns?: AskDns;
}

/**
 * The mailbox of an account with its adapter and password.
 * @throws Error that names the next step when the account is none or can't be opened here
 */
export async function openMailbox(
  desk: MailDesk | undefined,
  claim: { tx<T>(work: (tx: Tx) => Promise<T>): Promise<T> },
  accountId: string,
): Promise<OpenMailbox> {
  if (!desk) throw new Error('mail is not configured in this process');
  const row = await claim.tx((tx) => readMailbox(tx, accountId));
  if (!row) throw new Error(`account ${accountId} has no mailbox`);
  const provider = await desk.providers(row.provider);
  if (!provider) throw new Error(`no mail adapter for provider ${row.provider}`);
  if (row.provider === 'sandbox' && desk.sandbox) {
    return { provider, kind: row.provider, mailbox: await sandboxMailbox(row, desk.sandbox) };
  }
  if (row.provider !== 'gmail') return { provider, kind: row.provider, mailbox: accessOf(row, desk.sealer) };
  return { provider, kind: row.provider, mailbox: await grantedMailbox(row, desk, claim) };
}

const tokenShape = z.object({ token: z.string() });

/** A mailbox that its vendor's API opens. @throws Error when it can't be opened here */
async function grantedMailbox(
  row: MailboxRow,
  { sealer, reachOf }: MailDesk,
  claim: { tx<T>(work: (tx: Tx) => Promise<T>): Promise<T> },
): Promise<MailboxAccess> {
  const grant = await claim.tx((tx) => readMailboxGrant(tx, row.accountId));
  if (!grant?.sealed) throw new Error(`mailbox ${row.address} is not allowed by Google any more; connect it again`);
  if (!sealer) throw new Error('OUTRIDER_SECRETS_KEY is not set here; mailboxes can not be opened');
  const { token } = tokenShape.parse(JSON.parse(sealer.open(grant.sealed, `integration:${row.accountId}`)));
  const url = grant.url || GMAIL_URL;
  const renew = renewLater(claim, row.accountId, grant.sealed);
  const api = { url, token, reach: reachOf?.(url) ?? 'public', revoked: grant.needsAuth, renew };
  return { ...plainAccess(row), password: '', api };
}

const ports = z.object({ smtpPort: z.number(), imapPort: z.number() });
const SANDBOX_TIMEOUT_MS = 5_000;

/** @throws Error when the sandbox does not answer */
async function sandboxMailbox(row: MailboxRow, sandbox: { url: string; apiKey: string }): Promise<MailboxAccess> {
  const { hostname } = new URL(sandbox.url);
  const answer = await fetch(`${sandbox.url}/_sandbox/mail`, { signal: AbortSignal.timeout(SANDBOX_TIMEOUT_MS) });
  const { smtpPort, imapPort } = ports.parse(await answer.json());
  return {
    ...plainAccess(row),
    smtp: { host: hostname, port: smtpPort, tls: 'none' },
    imap: { host: hostname, port: imapPort, tls: 'none' },
    password: sandbox.apiKey,
  };
}

function accessOf(row: MailboxRow, sealer: Sealer | undefined): MailboxAccess {
  if (!row.sealed) throw new Error(`mailbox ${row.address} has no password; connect it again`);
  if (!sealer) throw new Error('OUTRIDER_SECRETS_KEY is not set here; mailboxes can not be opened');
  return { ...plainAccess(row), password: sealer.open(row.sealed, mailboxOwner(row.accountId)) };
}

function plainAccess(row: MailboxRow): Omit<MailboxAccess, 'password'> {
  return {
    accountId: row.accountId,
    address: row.address,
    displayName: row.displayName,
    smtp: { host: row.smtpHost, port: row.smtpPort, tls: row.smtpTls, reach: row.reach },
    imap: { host: row.imapHost, port: row.imapPort, tls: row.imapTls, reach: row.reach },
    username: row.username,
    savesSent: row.savesSent,
    sentFolder: row.sentFolder,
  };
}

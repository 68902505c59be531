import { z } from 'zod';
import { messageOf, UserError } from '../../../base/errors.ts';
import { CallError } from '../../../providers/call-error.ts';
import { judgedServer } from '../../../providers/mail/judged-server.ts';
import type { MailboxAccess, MailServer } from '../../../providers/mail/mail-provider.ts';
import { createMailProviders } from '../../../providers/mail/mail-providers.ts';
import { refusedLogin } from '../../../providers/mail/smtp-session.ts';
import { ProviderError } from '../../../providers/network/network-provider.ts';
import { connectOwnMailbox, OWN_PROVIDERS } from '../../../store/accounts/connected-accounts.ts';
import { findMailbox, mailboxOwner } from '../../../store/mail/mailboxes.ts';
import { invalidInput } from '../../errors.ts';
import type { Connections, ToolContext } from '../../tool-context.ts';
import type { ConnectRequest } from '../connect-request.ts';
import { failedTest, type TriedAccount } from './tried-account.ts';

const server = z.string().regex(/^[^\s:/@]{1,253}:\d{1,5}$/);
const credentialsShape = z.strictObject({
  email: z.email().max(320),
  username: z.string().min(1).max(320).optional(),
  password: z.string().min(1).max(500),
  smtp: server,
  imap: server,
  sentFolder: z.string().min(1).max(200).default('Sent'),
  savesSent: z.boolean().default(false),
});

/** A mailbox by SMTP and IMAP: both let us in, and have a folder of sent mails, without which no lost outcome can be looked up. */
export async function connectMailboxOf(
  ctx: ToolContext,
  connections: Connections,
  request: ConnectRequest,
  signal: AbortSignal,
): Promise<TriedAccount> {
  if (request.url !== undefined)
    throw invalidInput('url', 'is not for mailboxes: give credentials.smtp and credentials.imap');
  const given = credentialsShape.safeParse(request.credentials ?? {});
  if (!given.success)
    throw invalidInput(
      'credentials',
      'must be {email, password, smtp: "host:port", imap: "host:port"}, and as needed {username, sentFolder, savesSent (the server itself keeps what it sends)}',
    );
  const { email, username = email, password, savesSent } = given.data;
  const [smtp, imap] = [serverOf(given.data.smtp, 465), serverOf(given.data.imap, 993)].map((server) => {
    const reach = connections.reachOf(`https://${server.host}/`);
    return reach === 'any' && isLoopback(server.host)
      ? { ...server, reach, tls: 'none' as const }
      : { ...server, reach };
  }) as [MailServer, MailServer];
  for (const server of [smtp, imap]) await requireReachable(server, signal);
  const known = await ctx.tx((tx) => findMailbox(tx, OWN_PROVIDERS, email));
  const displayName = request.name ?? known?.displayName ?? email;
  const access: MailboxAccess = {
    accountId: '',
    address: email,
    displayName,
    smtp,
    imap,
    username,
    password,
    savesSent,
    sentFolder: given.data.sentFolder,
  };
  const sentFolder = await mustOpen(access, signal);
  return {
    kind: 'mail',
    name: email,
    url: '',
    known: known?.accountId,
    store: async (tx, id) => {
      const account = await connectOwnMailbox(tx, ctx.workspaceId, {
        provider: 'smtp',
        accountId: id,
        address: known?.address ?? email,
        displayName,
        smtpHost: smtp.host,
        smtpPort: smtp.port,
        smtpTls: smtp.tls,
        imapHost: imap.host,
        imapPort: imap.port,
        imapTls: imap.tls,
        username,
        reach: smtp.reach === 'any' && imap.reach === 'any' ? 'any' : 'public',
        savesSent,
        sentFolder,
        sealed: connections.sealer.seal(password, mailboxOwner(id)),
        timezone: known?.timezone ?? 'UTC',
        now: ctx.clocks.product.now(),
      });
      if (account !== null) return;
      throw new UserError(
        'Another workspace connected this mailbox first, and only that one changes its servers and password, because they bind all that share it. Nothing was stored. Call svc_list_provider_accounts: where it is listed, this workspace may send from it as it is; else connect another mailbox.',
        'TakenAccount',
      );
    },
  };
}

function serverOf(text: string, implicitPort: number): MailServer {
  const at = text.lastIndexOf(':');
  const port = Number(text.slice(at + 1));
  return { host: text.slice(0, at), port, tls: port === implicitPort ? 'implicit' : 'starttls' };
}

/** Where installations let addresses lead anywhere, as in tests: nothing leaves the machine, and no server there has a certificate. */
function isLoopback(host: string): boolean {
  return host === '127.0.0.1' || host === 'localhost';
}

/** @throws CallError for a server that is not to be reached */
async function requireReachable(server: MailServer, signal: AbortSignal): Promise<void> {
  try {
    await judgedServer(server, signal);
  } catch (error) {
    throw new CallError('refused', messageOf(error));
  }
}

/** @returns the folder of sent mails @throws UserError */
async function mustOpen(mailbox: MailboxAccess, signal: AbortSignal): Promise<string> {
  const provider = await createMailProviders()('smtp');
  if (!provider) throw new Error('there is no adapter for smtp');
  const state = await provider.check(mailbox, signal);
  if (state === 'credentials_expired') throw failedTest('the inbox server refused user or password');
  if (state !== 'ok') throw failedTest(`the inbox server ${mailbox.imap.host}:${mailbox.imap.port} does not answer`);
  try {
    (await provider.open(mailbox, signal)).close();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    // Not its own words: the caller chose which server they come from.
    const { host, port } = mailbox.smtp;
    const why = refusedLogin(error, mailbox)
      ? 'refused user or password'
      : 'does not let us in (it does not answer, has no TLS that holds, or refuses this service)';
    throw failedTest(`the server that sends (${host}:${port}) ${why}`);
  }
  const folder = await provider.sentFolder(mailbox, signal);
  if (folder === null)
    throw failedTest(
      `the mailbox has no folder "${mailbox.sentFolder}"; name that of sent mails in credentials.sentFolder`,
    );
  return folder;
}

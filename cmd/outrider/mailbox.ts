import type { Command } from 'commander';
import { z } from 'zod';
import { parseEnv } from '../../pkg/base/config.ts';
import { UserError } from '../../pkg/base/errors.ts';
import { systemIds } from '../../pkg/base/ids.ts';
import { sealingEnv } from '../../pkg/base/sealing-env.ts';
import { isNamedTimezone } from '../../pkg/domain/local-time.ts';
import type { MailboxAccess, MailServer } from '../../pkg/providers/mail/mail-provider.ts';
import { createMailProviders } from '../../pkg/providers/mail/mail-providers.ts';
import { connectMailbox, findMailbox, mailboxOwner } from '../../pkg/store/mail/mailboxes.ts';
import { sealerOfInstallation } from './home-secrets.ts';
import { installationEnv, onInstallation } from './installation.ts';
import { workspaceOf } from './keys.ts';
import { unreadOf } from './mailbox-unread.ts';

const settings = installationEnv.extend({
  ...sealingEnv,
  /** The mailbox's password: an argument would show in the list of processes. */
  MAILBOX_PASSWORD: z.string().min(1).optional(),
});

interface Options {
  workspace?: string;
  smtp?: string;
  imap?: string;
  user?: string;
  name?: string;
  timezone?: string;
  limit?: string;
  sentFolder: string;
  savesSent?: boolean;
  resume?: boolean;
}

/** `outrider mailbox connect`: lets a workspace mail from an address. */
export function addMailboxCommand(program: Command): void {
  const mailbox = program.command('mailbox').description('mailboxes that workspaces mail from');
  mailbox
    .command('unread <address>')
    .description('list the mails of its inbox that could not be read, since reading them took too much memory or time')
    .action(async (address: string) => console.log(await unreadOf(address)));
  mailbox
    .command('connect <address>')
    .description('connect a mailbox; the password comes in MAILBOX_PASSWORD. Without servers: one of the sandbox')
    .option('--workspace <id>', 'workspace id (default: the demo workspace)')
    .option('--smtp <host:port>', 'submission server; port 465 is TLS from the start, others are upgraded')
    .option('--imap <host:port>', 'inbox server; port 993 is TLS from the start, others are upgraded')
    .option('--user <name>', 'user name at the servers (default: the address)')
    .option('--name <name>', "sender's name")
    .option('--timezone <zone>', 'IANA timezone of the mailbox (default: UTC)')
    .option('--limit <mails>', 'mails a day, at most 2000 (default: 40)')
    .option('--sent-folder <name>', 'folder of sent mails', 'Sent')
    .option('--saves-sent', 'the server keeps a copy of what it sends by itself (Gmail, Microsoft 365)')
    .option('--resume', 'lift its pause: of one that paused itself only mails from now on are judged')
    .action(async (address: string, options: Options) => {
      console.log(await connect(z.email().parse(address), options));
    });
}

async function connect(address: string, options: Options): Promise<string> {
  const env = parseEnv(settings, process.env);
  const asked = askedOf(options);
  const servers = serversOf(options);
  const provider = servers ? 'smtp' : 'sandbox';
  const password = env.MAILBOX_PASSWORD ?? (servers ? undefined : 'sandbox');
  if (password === undefined) throw new UserError('Set MAILBOX_PASSWORD to the password of the mailbox.');
  const username = options.user ?? address;
  const sent = { savesSent: servers ? options.savesSent === true : true, sentFolder: options.sentFolder };
  if (servers)
    sent.sentFolder = await mustOpen({
      accountId: '',
      address,
      displayName: '',
      username,
      password,
      ...servers,
      ...sent,
    });
  const { smtp, imap } = servers ?? { smtp: NOWHERE, imap: NOWHERE };
  const sealer = await sealerOfInstallation(env);
  return onInstallation(async ({ db, now }) => {
    const workspaceId = await workspaceOf(options.workspace);
    return db.tx({ kind: 'none' }, async (tx) => {
      const known = await findMailbox(tx, provider, address);
      const accountId = known?.accountId ?? systemIds.name('mailbox');
      await connectMailbox(tx, workspaceId, {
        accountId,
        provider,
        address: known?.address ?? address,
        displayName: asked.name ?? known?.displayName ?? address,
        smtpHost: smtp.host,
        smtpPort: smtp.port,
        smtpTls: smtp.tls,
        imapHost: imap.host,
        imapPort: imap.port,
        imapTls: imap.tls,
        username,
        reach: 'any',
        sealed: sealer.seal(password, mailboxOwner(accountId)),
        ...sent,
        timezone: asked.timezone ?? known?.timezone ?? 'UTC',
        timezoneGiven: asked.timezone !== undefined,
        dailyMailLimit: asked.limit ?? known?.dailyMailLimit ?? 40,
        resume: options.resume === true,
        now: now(),
      });
      if (known?.paused && !options.resume)
        return `${accountId} is connected for workspace ${workspaceId} and stays paused${known.pauseReason && `: ${known.pauseReason}`}. Once the cause is mended, connect it with --resume.`;
      return `${accountId} mails from ${address} for workspace ${workspaceId}. Use mail:send in a workflow.`;
    });
  }, env);
}

/** What was asked for of the mailbox itself; the rest stays as it is, or as it is usual. */
function askedOf({ name, timezone, limit }: Options): { name?: string; timezone?: string; limit?: number } {
  if (timezone !== undefined && !isNamedTimezone(timezone))
    throw new UserError(`--timezone ${timezone} is no IANA name such as Europe/Berlin.`);
  const mails = limit === undefined ? undefined : Number(limit);
  if (mails !== undefined && !(Number.isInteger(mails) && mails >= 0 && mails <= 2000))
    throw new UserError(`--limit ${limit} is no whole number from 0 to 2000.`);
  return {
    ...(name ? { name } : {}),
    ...(timezone === undefined ? {} : { timezone }),
    ...(mails === undefined ? {} : { limit: mails }),
  };
}

/** The sandbox says itself where its servers listen. */
const NOWHERE: MailServer = { host: 'sandbox', port: 1, tls: 'none' };

function serversOf({ smtp, imap }: Options): { smtp: MailServer; imap: MailServer } | null {
  if (!smtp && !imap) return null;
  if (!smtp || !imap) throw new UserError('Give both servers, --smtp host:port and --imap host:port.');
  return { smtp: serverOf(smtp, 465), imap: serverOf(imap, 993) };
}

function serverOf(text: string, implicitPort: number): MailServer {
  const [, host, port] = /^([^\s:]+):(\d{1,5})$/.exec(text) ?? [];
  if (!host || !port) throw new UserError(`"${text}" is no host:port.`);
  return { host, port: Number(port), tls: Number(port) === implicitPort ? 'implicit' : 'starttls' };
}

/**
 * Without the folder of sent mails no outcome that got lost can be looked up.
 * @returns the folder of sent mails
 * @throws UserError when the servers do not let us in, or have no such folder
 */
async function mustOpen(mailbox: MailboxAccess): Promise<string> {
  const provider = await createMailProviders()('smtp');
  const state = await provider?.check(mailbox);
  if (state === 'credentials_expired') throw new UserError('The inbox server refused user or password.');
  if (state !== 'ok')
    throw new UserError(`The inbox server ${mailbox.imap.host}:${mailbox.imap.port} does not answer.`);
  const folder = await provider?.sentFolder(mailbox);
  if (!folder)
    throw new UserError(`The mailbox has no folder "${mailbox.sentFolder}". Name that of sent mails by --sent-folder.`);
  return folder;
}

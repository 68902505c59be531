import type { Command } from 'commander';
import PostalMime from 'postal-mime';
import { z } from 'zod';
import { UserError } from '../../pkg/base/errors.ts';
import { SYSTEM_MAILBOX } from '../../pkg/standalone/components.ts';
import { connection } from './home-client.ts';
import { print } from './keys.ts';

const answer = z.array(z.object({ raw: z.string(), at: z.number() }));

/** `outrider mails`: what the platform mailed in a running home, whose mailbox is the sandbox's. */
export function addMailsCommand(program: Command): void {
  program
    .command('mails [address]')
    .description('what the running home mailed (to an address), newest last; its mails stay in the sandbox')
    .action(async (address: string | undefined) => {
      print(await systemMails((await connection()).sandboxUrl, address));
    });
}

/** A mail as it lies in the sandbox. */
export interface SandboxMail {
  /** ISO 8601, UTC, product time. */
  at: string;
  to: string;
  subject: string;
  text: string;
}

/** @throws UserError when the sandbox does not answer */
async function systemMails(sandboxUrl: string, address: string | undefined): Promise<SandboxMail[]> {
  const response = await fetch(`${sandboxUrl}/_sandbox/sent?mailbox=${encodeURIComponent(SYSTEM_MAILBOX)}`, {
    signal: AbortSignal.timeout(10_000),
  }).catch(() => undefined);
  if (!response?.ok) throw new UserError(`The sandbox at ${sandboxUrl} does not answer. Start it with: make run`);
  const mails: SandboxMail[] = [];
  for (const { raw, at } of answer.parse(await response.json())) {
    const { to, subject = '', text = '' } = await PostalMime.parse(raw);
    const recipient = to?.[0]?.address ?? '';
    if (address !== undefined && recipient.toLowerCase() !== address.toLowerCase()) continue;
    mails.push({ at: new Date(at).toISOString(), to: recipient, subject, text });
  }
  return mails;
}

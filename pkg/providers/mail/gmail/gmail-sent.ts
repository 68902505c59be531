import { isUuid } from '../../../base/ids.ts';
import type { GoogleAccess } from '../../google/google-request.ts';
import { ProviderError } from '../../network/network-provider.ts';
import type { MailParser } from '../mail-parser.ts';
import type { MailboxAccess, SentMail } from '../mail-provider.ts';
import { messageIdOf } from '../message-id.ts';
import { gmailIds, gmailMessage } from './gmail-api.ts';
import { headerOf } from './gmail-source.ts';

/** Sent mails that are compared at most; of each only a few lines are read. */
const MAX_SENT = 2_000;
const WANTED = ['Message-ID', 'X-Outrider-Ref', 'To', 'Subject', 'Date'] as const;
const SENT = { labelIds: ['SENT'], includeSpamTrash: 'true' } as const;

/**
 * What was sent since then, newest first, as Gmail's label says, which knows it at once, where its search may lag. Gmail takes our
 * Message-ID from some mails and keeps what it does not know: by our own header they are ours all the same.
 * @throws CallError; ProviderError where that is more than can be read
 */
export async function sentByGmail(
  access: GoogleAccess,
  parser: MailParser,
  { accountId, address }: Pick<MailboxAccess, 'accountId' | 'address'>,
  since: number,
  signal: AbortSignal,
): Promise<SentMail[]> {
  const heads: Buffer[] = [];
  for await (const id of gmailIds(access, SENT, signal)) {
    const message = await gmailMessage(access, id, { format: 'metadata', metadataHeaders: WANTED }, signal);
    if (!message) continue;
    if (message.internalDate < since) break;
    // What was not seen would be sent again.
    if (heads.length >= MAX_SENT)
      throw new ProviderError('unavailable_before_send', `more than ${MAX_SENT} mails in Sent`);
    heads.push(headOf(message.payload?.headers ?? [], address));
  }
  return parser.sent(accountId, heads);
}

function headOf(headers: readonly { name: string; value: string }[], address: string): Buffer {
  const lines = WANTED.flatMap((name) => {
    const value = headerOf(headers, name.toLowerCase()).replace(/[\r\n]+/g, ' ');
    return value === '' ? [] : [`${name}: ${value}`];
  });
  const ours = idByRef(headerOf(headers, 'x-outrider-ref'), address);
  const replaced = ours !== '' && headerOf(headers, 'message-id') !== ours;
  return Buffer.from(`${replaced ? originalId(ours) : ''}${lines.join('\r\n')}\r\n\r\n`);
}

/** The Message-ID that we gave to a mail, by the header that Gmail keeps; '': it is none of ours. */
export function idByRef(ref: string, address: string): string {
  return isUuid(ref) ? messageIdOf(ref.toLowerCase(), address) : '';
}

/** A line of a head that says which Message-ID a mail had, as parsers of sent and incoming mails know it. */
export function originalId(messageId: string): string {
  return `X-Google-Original-Message-ID: ${messageId}\r\n`;
}

import { ImapFlow } from 'imapflow';
import { messageOf } from '../../base/errors.ts';
import { ProviderError } from '../network/network-provider.ts';
import { judgedServer } from './judged-server.ts';
import type { MailboxAccess } from './mail-provider.ts';

const CONNECT_MS = 8_000;
const SILENCE_MS = 20_000;
const RETRY_MS = 5 * 60_000;
/** Bytes that a server may send as one literal (more than is asked for of a mail), as one line, and as one answer. */
const MAX_LITERAL = 256 * 1024;
const MAX_LINE = 1024 * 1024;
const MAX_ANSWER = 2 * 1024 * 1024;

/**
 * One IMAP connection for one piece of work; nothing on it can be seen by the person.
 * @throws ProviderError `unavailable_before_send` when the server does not let us in or breaks off
 */
export async function imapSession<T>(
  mailbox: MailboxAccess,
  signal: AbortSignal | undefined,
  work: (client: ImapFlow) => Promise<T>,
): Promise<T> {
  const { imap } = mailbox;
  const { host, servername } = await judgedServer(imap, signal);
  const client = new ImapFlow({
    host,
    ...(servername === undefined ? {} : { servername }),
    port: imap.port,
    secure: imap.tls === 'implicit',
    ...(imap.tls === 'implicit' ? {} : { doSTARTTLS: imap.tls === 'starttls' }),
    auth: { user: mailbox.username, pass: mailbox.password },
    logger: false,
    disableAutoIdle: true,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // Who connects a mailbox chooses the server: what it announces is held in memory.
    maxLiteralSize: MAX_LITERAL,
    maxLineLength: MAX_LINE,
    maxResponseSize: MAX_ANSWER,
  });
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  client.on('error', broken.reject);
  const abort = (): void => broken.reject(new Error('aborted'));
  signal?.addEventListener('abort', abort, { once: true });
  try {
    if (signal?.aborted) abort();
    await Promise.race([client.connect(), broken.promise]);
    return await Promise.race([work(client), broken.promise]);
  } catch (error) {
    if (error instanceof ProviderError) throw error;
    const why = refused(error) ? 'the server refused the credentials' : messageOf(error);
    throw new ProviderError('unavailable_before_send', `${imap.host}: ${why}`, RETRY_MS);
  } finally {
    signal?.removeEventListener('abort', abort);
    client.close();
  }
}

/** Whether an error of a connection says that user or password are wrong. */
export function refused(error: unknown): boolean {
  return (error as { authenticationFailed?: unknown } | null)?.authenticationFailed === true;
}

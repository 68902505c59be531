import { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { monotonicMs } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { type PerformOptions, ProviderError } from '../network/network-provider.ts';
import type { MailboxAccess } from './mail-provider.ts';

/** Real ms for connecting, and for each answer. */
const CONNECT_MS = 8_000;
const ANSWER_MS = 20_000;
const RETRY_MS = 15 * 60_000;

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
  command?: string;
}

/**
 * Hands one message to the server, on a connection of its own. The content is given away only after the server asked
 * for it and before the write deadline; what fails earlier proves that nothing was sent.
 * @throws ProviderError
 */
export async function smtpSend(
  mailbox: MailboxAccess,
  envelope: { from: string; to: string },
  content: Buffer,
  options: PerformOptions,
): Promise<void> {
  const { smtp } = mailbox;
  const connection = new SMTPConnection({
    host: smtp.host,
    port: smtp.port,
    secure: smtp.tls === 'implicit',
    requireTLS: smtp.tls === 'starttls',
    ignoreTLS: smtp.tls === 'none',
    name: envelope.from.slice(envelope.from.lastIndexOf('@') + 1),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    socketCloseTimeout: 0,
  });
  const trace = { given: false, late: false };
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  connection.on('error', failed.reject);
  const abort = (): void => failed.reject(new Error('aborted'));
  options.signal?.addEventListener('abort', abort, { once: true });
  const step = <T>(start: (done: (error?: Error | null, value?: T) => void) => void): Promise<T | undefined> =>
    Promise.race([
      new Promise<T | undefined>((resolve, reject) =>
        start((error, value) => (error ? reject(error) : resolve(value))),
      ),
      failed.promise,
    ]);
  try {
    if (options.signal?.aborted) abort();
    await step((done) => connection.connect(done));
    await step((done) => connection.login({ credentials: { user: mailbox.username, pass: mailbox.password } }, done));
    await step((done) => connection.send(envelope, guarded(content, options.deadlineMonotonicMs, trace), done));
  } catch (error) {
    throw verdict(error as SmtpError, trace, mailbox);
  } finally {
    options.signal?.removeEventListener('abort', abort);
    connection.close();
  }
}

/** Content that is read when the server has asked for it: past the deadline nothing of it is given away. */
function guarded(content: Buffer, deadline: number | undefined, trace: { given: boolean; late: boolean }): Readable {
  return new Readable({
    read() {
      if (deadline !== undefined && monotonicMs() > deadline) {
        trace.late = true;
        this.destroy(new Error('abandoned: the write deadline had passed'));
        return;
      }
      trace.given = true;
      this.push(content);
      this.push(null);
    },
  });
}

function verdict(error: SmtpError, trace: { given: boolean; late: boolean }, mailbox: MailboxAccess): ProviderError {
  const code = error.responseCode ?? 0;
  const text = `${mailbox.smtp.host}: ${error.command ?? ''} ${messageOf(error)}`.replaceAll(mailbox.password, '***');
  // Nothing was given away then, but the send ledger knows the state `dispatched` already and treats it as unknown.
  if (trace.late) return new ProviderError('unknown_outcome', text);
  if (error.code === 'EAUTH') return new ProviderError('unavailable_before_send', text, RETRY_MS);
  if (code >= 500 && code < 600) return new ProviderError('rejected', text);
  if (code === 421 || code === 450 || code === 451 || code === 452)
    return new ProviderError('rate_limited', text, RETRY_MS);
  if (code >= 400 && code < 500) return new ProviderError('unavailable_before_send', text, RETRY_MS);
  return new ProviderError(trace.given ? 'unknown_outcome' : 'unavailable_before_send', text);
}

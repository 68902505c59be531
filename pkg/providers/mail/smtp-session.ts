import { Readable } from 'node:stream';
import SMTPConnection, { type SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection';
import { monotonicMs } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { bounceVerdict, restReason, SENDER_REST_MS } from '../../domain/bounce-fault.ts';
import { type PerformOptions, ProviderError } from '../network/network-provider.ts';
import { type JudgedServer, judgedServer } from './judged-server.ts';
import type { MailboxAccess } from './mail-provider.ts';

/** Real ms for connecting, and for each answer. */
const CONNECT_MS = 8_000;
const ANSWER_MS = 20_000;
const RETRY_MS = 15 * 60_000;

/** Commands whose refusal is about the person or what is written to them. */
const ABOUT_THE_PERSON: ReadonlySet<string | undefined> = new Set(['RCPT TO', 'DATA']);

/** What is wrong for now with the recipient's domain or mailbox (RFC 3463, x.1.x and x.2.x), as greylisting says it. */
const OF_THE_RECIPIENT = /\b4\.[12]\.\d{1,3}\b/;

interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
  command?: string;
}

/** What opens a submission server; without a user name it takes mail without a login. */
export type SmtpAccess = Pick<MailboxAccess, 'smtp' | 'address' | 'username' | 'password'>;

/** One connection to the submission server, logged in. */
export class SmtpSession {
  readonly #mailbox: SmtpAccess;
  readonly #connection: SMTPConnection;
  readonly #failed = Promise.withResolvers<never>();

  private constructor(mailbox: SmtpAccess, { host, servername }: JudgedServer) {
    const { smtp, address } = mailbox;
    this.#mailbox = mailbox;
    this.#connection = new SMTPConnection({
      host,
      ...(servername === undefined ? {} : { servername }),
      port: smtp.port,
      secure: smtp.tls === 'implicit',
      requireTLS: smtp.tls === 'starttls',
      ignoreTLS: smtp.tls === 'none',
      name: address.slice(address.lastIndexOf('@') + 1),
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: ANSWER_MS,
      socketCloseTimeout: 0,
    });
    this.#failed.promise.catch(() => undefined);
    this.#connection.on('error', this.#failed.reject);
  }

  /** Connects and logs in; nothing is sent yet. @throws ProviderError, always a proof that nothing was sent */
  static async open(mailbox: SmtpAccess, signal: AbortSignal | undefined): Promise<SmtpSession> {
    const session = new SmtpSession(mailbox, await judgedServer(mailbox.smtp, signal));
    const credentials = { user: mailbox.username, pass: mailbox.password };
    try {
      await session.#step(signal, (done) => session.#connection.connect(done));
      if (mailbox.username !== '')
        await session.#step(signal, (done) => session.#connection.login({ credentials }, done));
      return session;
    } catch (error) {
      session.close();
      throw verdict(error as SmtpError, false, mailbox);
    }
  }

  /**
   * Hands over one message. The content is given away only after the server asked for it and before the write deadline;
   * what fails earlier proves that nothing was sent.
   * @param to whom it is for, then who gets a copy. A copy that the server refuses is left out; where it refuses the first one, the
   * copies are gone and it says so
   * @returns `givenId`: the Message-ID that the server says it gave to the mail instead of ours (Outlook, Amazon SES), null when it
   * says none; `refused`: who gets no copy
   * @throws ProviderError
   */
  async send(to: string | readonly string[], content: Buffer, options: PerformOptions): Promise<Taken> {
    const trace = { given: false };
    const all = typeof to === 'string' ? [to] : [...to];
    const envelope = { from: this.#mailbox.address, to: all };
    const body = guarded(content, options.deadlineMonotonicMs, trace);
    try {
      const info = await this.#step<SMTPConnectionSendInfo>(options.signal, (done) =>
        this.#connection.send(envelope, body, done),
      );
      if (info && all.length > 1 && !info.accepted.includes(all[0] ?? '')) throw copiesOnly(info, all);
      return {
        givenId: info?.serverMessageId ?? null,
        refused: info ? all.filter((one) => !info.accepted.includes(one)) : [],
      };
    } catch (error) {
      throw error instanceof ProviderError ? error : verdict(error as SmtpError, trace.given, this.#mailbox);
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#connection.close();
  }

  /** One exchange; ends with the connection's failure or the caller's patience at the latest. */
  async #step<T>(
    signal: AbortSignal | undefined,
    start: (done: (error?: Error | null, value?: T) => void) => void,
  ): Promise<T | undefined> {
    const abort = (): void => this.#failed.reject(new Error('aborted'));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      if (signal?.aborted) abort();
      const work = new Promise<T | undefined>((resolve, reject) =>
        start((error, value) => (error ? reject(error) : resolve(value))),
      );
      return await Promise.race([work, this.#failed.promise]);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }
}

/** Content that is read when the server has asked for it: past the deadline nothing of it is given away. */
function guarded(content: Buffer, deadline: number | undefined, trace: { given: boolean }): Readable {
  return new Readable({
    read() {
      if (deadline !== undefined && monotonicMs() > deadline) {
        this.destroy(new Error('abandoned: the write deadline had passed'));
        return;
      }
      trace.given = true;
      this.push(content);
      this.push(null);
    },
  });
}

/** What a server took. */
interface Taken {
  givenId: string | null;
  refused: string[];
}

/** The server refused whom the mail is for, and took it for those who get a copy. */
function copiesOnly({ accepted, rejectedErrors }: SMTPConnectionSendInfo, all: readonly string[]): ProviderError {
  const [to = '', ...copies] = all;
  const why = rejectedErrors?.find((one) => one.recipient === to);
  const refused = copies.filter((one) => !accepted.includes(one));
  const others = refused.length === 0 ? '' : `, and refused those to ${refused.join(', ')}`;
  const words = `the server refused ${to} and took the copies to ${accepted.join(', ')}${others}`;
  const error = new ProviderError('rejected', `${words} (${messageOf(why ?? 'no reason')})`);
  error.took = accepted.length;
  return error;
}

/** Whether the server that a session was to be opened with refused user or password. */
export function refusedLogin(error: ProviderError, { smtp }: SmtpAccess): boolean {
  return error.message.startsWith(`${smtp.host}: AUTH`);
}

/** What a failure proves: content that was not given away was not sent, and one that the server answered for neither. */
function verdict(error: SmtpError, given: boolean, mailbox: SmtpAccess): ProviderError {
  const code = error.responseCode ?? 0;
  const said = mailbox.password === '' ? messageOf(error) : messageOf(error).replaceAll(mailbox.password, '***');
  const text = `${mailbox.smtp.host}: ${error.command ?? ''} ${said}`;
  const rest = restOf(error, code, said);
  if (error.code === 'EAUTH') return new ProviderError('unavailable_before_send', text, RETRY_MS);
  if (code >= 500 && code < 600) {
    // Before the person is addressed a refusal is about us or our mailbox.
    if (!ABOUT_THE_PERSON.has(error.command)) return new ProviderError('unavailable_before_send', text, RETRY_MS, rest);
    // A fault of ours says nothing of the person, though servers name it only when they know whom the mail is for.
    return rest ? new ProviderError('limit', text, rest.ms, rest) : new ProviderError('rejected', text);
  }
  // The mailbox may go on with others meanwhile.
  if (code >= 400 && code < 500 && error.command === 'RCPT TO' && OF_THE_RECIPIENT.test(said))
    return new ProviderError('unavailable_before_send', text, RETRY_MS);
  if (code === 421 || code === 450 || code === 451 || code === 452)
    return new ProviderError('rate_limited', text, RETRY_MS, rest && { ...rest, ms: RETRY_MS });
  if (code >= 400 && code < 500) return new ProviderError('unavailable_before_send', text, RETRY_MS);
  if (!given) return new ProviderError('unavailable_before_send', text);
  return new ProviderError(
    'unknown_outcome',
    `${mailbox.smtp.host}: the mail was handed over and the answer was lost (${said})`,
  );
}

/** How long the mailbox rests for a refusal that is our fault, and why; undefined: it is not. */
function restOf(error: SmtpError, code: number, said: string): ProviderError['rest'] {
  if (error.code === 'EAUTH' || code < 400) return undefined;
  const { sender } = bounceVerdict({ status: '', code, words: said });
  return sender ? { ms: SENDER_REST_MS[sender], reason: restReason(sender, said) } : undefined;
}

import { randomUUID } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { sleepReal } from '../../../pkg/base/clock.ts';
import { messageOf } from '../../../pkg/base/errors.ts';
import type { Logger } from '../../../pkg/base/log.ts';
import type { Fault, Faults } from '../faults.ts';
import type { World } from '../world.ts';
import { mailBehaviour, planAnswers } from './mail-people.ts';
import { fileMail, headerOf } from './mail-store.ts';

const MAX_BYTES = 1024 * 1024;
const DEFAULT_MS = { timeout: 30_000, slow: 1_000, late: 1_000 };

export interface MailServerOptions {
  world: World;
  faults: Faults;
  stop: AbortSignal;
  log: Logger;
  /** Password of every mailbox; the user is its address. */
  password: string;
  host: string;
  /** 0: a free port. */
  smtpPort: number;
}

/** SMTP submission of the sandbox: files every accepted mail in Sent, as large providers do. Returns its port. */
export async function startSmtp(options: MailServerOptions): Promise<{ port: number; close: () => Promise<void> }> {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    size: MAX_BYTES,
    logger: false,
    onAuth: (auth, _session, done) =>
      auth.password === options.password && auth.username
        ? done(null, { user: auth.username.toLowerCase() })
        : done(smtpError(535, 'user or password is wrong')),
    onRcptTo: (address, _session, done) =>
      mailBehaviour(options.world, address.address.toLowerCase()).bounce === 'refused'
        ? done(smtpError(550, '5.1.1 no such user'))
        : done(),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        accept(options, server, session, Buffer.concat(chunks).toString('latin1')).then(
          (answer) => (typeof answer === 'string' ? done(null, answer) : done(answer)),
          (error: unknown) => options.log.error({ reason: messageOf(error) }, 'a mail failed'),
        );
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(options.smtpPort, options.host, resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    close: () => {
      for (const connection of server.connections) socketOf(connection)?.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Takes a complete mail, with the fault that strikes it. Returns what the server says; an error refuses it, and then nothing was done. */
async function accept(
  options: MailServerOptions,
  server: SMTPServer,
  session: SMTPServerSession,
  raw: string,
): Promise<Error | string> {
  const fault = options.faults.strike('mail');
  const cut = (): void => {
    for (const connection of server.connections) if (connection.id === session.id) socketOf(connection)?.destroy();
  };
  const take = (visibleReal = 0): string =>
    options.world.store.tx(() => takeMail(options.world, session, raw, visibleReal));
  return fault ? struck(options, fault, take, cut) : take();
}

async function struck(
  { world, faults, stop }: MailServerOptions,
  fault: Fault,
  take: (visibleReal?: number) => string,
  cut: () => void,
): Promise<Error | string> {
  const pause = (ms: number): Promise<void> => sleepReal(ms, stop).catch(() => undefined);
  switch (fault.kind) {
    case 'error':
      return smtpError(554, '5.3.0 injected fault');
    case 'rate_limit':
      return smtpError(450, '4.7.1 injected fault');
    case 'timeout':
      await pause(fault.ms ?? DEFAULT_MS.timeout);
      cut();
      return TAKEN;
    case 'lost_answer': {
      const answer = take();
      cut();
      return answer;
    }
    case 'slow': {
      const answer = take();
      await pause(fault.ms ?? DEFAULT_MS.slow);
      return answer;
    }
    case 'late': {
      const ms = fault.ms ?? DEFAULT_MS.late;
      const visibleReal = world.real.now() + ms;
      cut();
      await pause(ms * faults.lateShare());
      return take(visibleReal);
    }
  }
}

/** What most servers say of a mail that they took. */
const TAKEN = 'OK: message accepted';

/** @returns what the server says of it: Outlook names the Message-ID that it gave */
function takeMail(world: World, session: SMTPServerSession, raw: string, visibleReal: number): string {
  const mailbox = String(session.user);
  const filed = asFiled(mailbox, raw);
  fileMail(world, { mailbox, folder: 'Sent', raw: filed, at: world.clock.now(), visibleReal });
  for (const { address } of session.envelope.rcptTo) {
    const to = address.toLowerCase();
    const text = raw.slice(raw.search(/\r?\n\r?\n/)).trim();
    world.receive({
      accountId: mailbox,
      kind: 'mail',
      publicId: to,
      idempotencyKey: headerOf(raw, 'message-id'),
      text: text.slice(0, 8_000),
    });
    // Who got it knows it by the id that it left with. Nobody answers a machine (RFC 3834).
    if (!headerOf(raw, 'auto-submitted').startsWith('auto')) planAnswers(world, mailbox, to, filed);
  }
  return mailbox.endsWith('@outlook.example')
    ? `2.0.0 OK ${headerOf(filed, 'message-id')} [Hostname=sandbox.example]`
    : TAKEN;
}

/** Outlook gives every mail a Message-ID of its own and keeps the sender's beside it; others do not even keep it. */
function asFiled(mailbox: string, raw: string): string {
  const [, domain = ''] = mailbox.split('@');
  if (domain !== 'outlook.example' && domain !== 'rewriting.example') return raw;
  const kept =
    domain === 'outlook.example' ? `X-Microsoft-Original-Message-ID: ${headerOf(raw, 'message-id')}\r\n` : '';
  return raw.replace(
    /^Message-ID:.*(\r?\n[ \t]+.*)*\r?\n/im,
    () =>
      `Message-ID: <${randomUUID()}@${domain === 'outlook.example' ? 'sandbox.prod.outlook.com' : `prod.${domain}`}>\r\n${kept}`,
  );
}

function socketOf(connection: unknown): Socket | undefined {
  return (connection as { _socket?: Socket })._socket;
}

function smtpError(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

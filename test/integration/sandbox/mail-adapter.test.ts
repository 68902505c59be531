import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { ImapFlow } from 'imapflow';
import { SMTPServer } from 'smtp-server';
import { uidsOf } from '../../../cmd/sandbox/mail/imap-answers.ts';
import { monotonicMs } from '../../../pkg/base/clock.ts';
import type { InboxMark, MailboxAccess, OutgoingMail } from '../../../pkg/providers/mail/mail-provider.ts';
import { messageIdOf, sendIdsIn } from '../../../pkg/providers/mail/message-id.ts';
import { SmtpImapAdapter } from '../../../pkg/providers/mail/smtp-imap-adapter.ts';
import {
  type PerformOptions,
  type PerformResult,
  ProviderError,
} from '../../../pkg/providers/network/network-provider.ts';
import { API_KEY, type Bench, HOUR, startBench, until } from '../../fixtures/sandbox/harness.ts';
import { startImapProxy } from '../../fixtures/sandbox/imap-proxy.ts';

const ADDRESS = 'grace@agency.example';
/** For look-ups that their Message-ID answers. */
const NOBODY = { to: '', since: 0 };

describe('mail adapter over real SMTP and IMAP', function () {
  this.timeout(60_000);
  let bench: Bench;
  let box: MailboxAccess;
  const adapter = new SmtpImapAdapter({ settleAfterMs: 2_000 });

  before(async () => {
    bench = await startBench('mail');
    const { smtpPort, imapPort } = bench.sandbox.mail;
    box = {
      accountId: 'box-1',
      address: ADDRESS,
      displayName: 'Grace Hopper',
      smtp: { host: '127.0.0.1', port: smtpPort, tls: 'none' },
      imap: { host: '127.0.0.1', port: imapPort, tls: 'none' },
      username: ADDRESS,
      password: API_KEY,
      savesSent: true,
      sentFolder: 'Sent',
    };
  });
  after(() => bench.stop());
  beforeEach(() => bench.control('faults', []));

  function mail(to: string, more: Partial<OutgoingMail> = {}): OutgoingMail {
    return {
      messageId: messageIdOf(randomUUID(), ADDRESS),
      to,
      subject: 'Über uns',
      text: 'Hello Ada,\n\n. a line that starts with a dot\nGrüße',
      date: bench.clock.now(),
      references: [],
      unsubscribeUrl: 'https://in.example/u/token',
      ...more,
    };
  }
  /** Logs in and sends, as one piece. */
  async function send(mailbox: MailboxAccess, one: OutgoingMail, options?: PerformOptions): Promise<PerformResult> {
    const session = await adapter.open(mailbox);
    return session.send(one, options);
  }
  const quiet = (address: string, behaviour: object = {}): Promise<unknown> =>
    bench.control('mail-people', {
      address,
      behaviour: { bounce: 'none', replyText: '', autoReply: '', complains: false, ...behaviour },
    });
  async function failure(work: Promise<unknown>): Promise<ProviderError> {
    const error = await work.then(
      () => null,
      (cause: unknown) => cause,
    );
    if (error instanceof ProviderError) return error;
    throw new Error(`no ProviderError: ${String(error)}`);
  }
  const refusal = async (work: Promise<unknown>): Promise<string> => (await failure(work)).kind;
  const mailsTo = async (to: string) => (await bench.received()).filter((one) => one.target === to);
  const inbox = async () => (await adapter.readInbox(box, null, 0)).mails;

  it('a mail arrives once, with one-click unsubscribe and thread headers, and lies in Sent', async () => {
    await quiet('ada@acme.example');
    const first = mail('ada@acme.example');
    expect((await send(box, first)).ref).to.equal(first.messageId);
    const second = mail('ada@acme.example', { references: [first.messageId], subject: 'Re: Über uns' });
    await send(box, second);
    const received = await mailsTo('ada@acme.example');
    expect(received.map((one) => one.idempotencyKey)).to.deep.equal([first.messageId, second.messageId]);
    expect(received[0]?.accountId).to.equal(ADDRESS);
    expect(await adapter.findSent(box, first.messageId, NOBODY)).to.include({ found: true });
    expect(await adapter.findSent(box, messageIdOf(randomUUID(), ADDRESS), NOBODY)).to.deep.equal({ found: false });
    expect((await adapter.listSent(box, bench.clock.now() - HOUR)).map((mail) => mail.messageId)).to.include.members([
      first.messageId,
      second.messageId,
    ]);
  });

  it('headers: List-Unsubscribe with POST, In-Reply-To, our Message-ID, sender with name', async () => {
    const { composeMail } = await import('../../../pkg/providers/mail/compose-mail.ts');
    const one = mail('ada@acme.example', { references: ['<a@x>', '<b@x>'] });
    const raw = (await composeMail(box, one)).toString('utf8').replace(/\r\n[ \t]+/g, ' ');
    for (const line of [
      'From: Grace Hopper <grace@agency.example>',
      `List-Unsubscribe: <https://in.example/u/token>, <mailto:${ADDRESS}?subject=unsubscribe>`,
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
      'In-Reply-To: <b@x>',
      'References: <a@x> <b@x>',
      `Message-ID: ${one.messageId}`,
    ]) {
      expect(raw).to.contain(`${line}\r\n`);
    }
    const without = (await composeMail(box, { ...one, unsubscribeUrl: null })).toString('utf8');
    expect(without).to.contain(`List-Unsubscribe: <mailto:${ADDRESS}?subject=unsubscribe>`);
    expect(without).to.not.contain('List-Unsubscribe-Post');
  });

  it('reads answers, machines and bounces with what they are about', async () => {
    await quiet('bob@acme.example', { replyText: 'Tell me more', replyAfterMs: HOUR, autoReply: 'I am out of office' });
    await quiet('gone@acme.example', { bounce: 'hard' });
    await quiet('full@acme.example', { bounce: 'soft' });
    await quiet('angry@acme.example', { complains: true });
    const sent: string[] = [];
    for (const to of ['bob@acme.example', 'gone@acme.example', 'full@acme.example', 'angry@acme.example']) {
      const one = mail(to);
      await send(box, one);
      sent.push(one.messageId);
    }
    const known = (await adapter.readInbox(box, null, 0)).mark;
    await bench.clock.advance(2 * HOUR);
    bench.sandbox.tick();
    const { mails } = await adapter.readInbox(box, known, 0);
    const about = (index: number) => mails.filter((one) => one.mentions.includes(sent[index] ?? ''));
    expect(about(0).map((one) => [one.from, one.automatic, one.text.trim()])).to.deep.equal([
      ['bob@acme.example', true, 'I am out of office'],
      ['bob@acme.example', false, 'Tell me more'],
    ]);
    expect([1, 2, 3].map((index) => about(index).map((one) => one.report))).to.deep.equal([
      [{ kind: 'hard_bounce', recipient: 'gone@acme.example', reason: '5.1.1 smtp; 550 5.1.1 no such user' }],
      [{ kind: 'soft_bounce', recipient: 'full@acme.example', reason: '4.2.2 smtp; 452 4.2.2 mailbox full' }],
      [{ kind: 'complaint', recipient: 'angry@acme.example', reason: 'abuse' }],
    ]);
    expect(sendIdsIn(sent.join(' '))).to.have.length(4);
  });

  it('reads on from where it stood', async () => {
    const start = await adapter.readInbox(box, null, 0);
    expect((await adapter.readInbox(box, start.mark, 0)).mails).to.deep.equal([]);
    expect(await inbox()).to.have.length(start.mails.length);
    const reset = await adapter.readInbox(box, { ...start.mark, validity: 'other' }, 0);
    expect(reset.mails).to.have.length(start.mails.length);
  });

  it('a refused recipient and refused content prove that nothing was sent', async () => {
    await quiet('nobody@acme.example', { bounce: 'refused' });
    expect(await refusal(send(box, mail('nobody@acme.example')))).to.equal('rejected');
    await bench.control('faults', [{ action: 'mail', kind: 'error', rate: 1 }]);
    expect(await refusal(send(box, mail('ada2@acme.example')))).to.equal('rejected');
    await bench.control('faults', [{ action: 'mail', kind: 'rate_limit', rate: 1 }]);
    expect(await refusal(send(box, mail('ada2@acme.example')))).to.equal('rate_limited');
    expect([...(await mailsTo('nobody@acme.example')), ...(await mailsTo('ada2@acme.example'))]).to.deep.equal([]);
  });

  it('who of several gets a mail is told: a copy that is refused, and copies without the one whom it is for', async () => {
    await quiet('tess@acme.example');
    await quiet('copy@acme.example', { bounce: 'refused' });
    const done = await send(box, mail('tess@acme.example', { cc: ['copy@acme.example'] }));
    expect(done.refusedCopies).to.deep.equal(['copy@acme.example']);
    const { kind, message } = await failure(send(box, mail('copy@acme.example', { cc: ['tess@acme.example'] })));
    expect(kind).to.equal('rejected');
    expect(message).to.match(/^the server refused copy@acme\.example and took the copies to tess@acme\.example/);
  });

  it('a server that refuses us, at its greeting or for our address, says nothing of the person', async () => {
    const saying =
      (text: string, responseCode = 550) =>
      (_address: unknown, _session: unknown, done: (error: Error) => void): void =>
        done(Object.assign(new Error(text), { responseCode }));
    const refuse = saying('5.7.1 daily limit of this sender');
    const accept = (_address: unknown, _session: unknown, done: () => void): void => done();
    const cases: [hook: object, kind: string][] = [
      [
        { onConnect: (_session: unknown, done: (error: Error) => void) => refuse(null, null, done) },
        'unavailable_before_send',
      ],
      [{ onMailFrom: refuse }, 'unavailable_before_send'],
      // As Gmail, Exchange and others say it, only after they were told whom it is for.
      [{ onRcptTo: saying('5.4.5 Daily user sending limit exceeded') }, 'limit'],
      [{ onRcptTo: saying('5.1.90 Your message can not be sent because you have reached your daily limit') }, 'limit'],
      [{ onRcptTo: saying('Sender exceeded the hourly sending quota') }, 'limit'],
      [{ onRcptTo: saying('5.7.26 the sender is unauthenticated') }, 'limit'],
      [{ onRcptTo: saying('5.7.1 Client host [192.0.2.7] blocked using Spamhaus', 554) }, 'limit'],
      [{ onRcptTo: saying('5.2.2 The account that you tried to reach is over quota') }, 'rejected'],
      [{ onRcptTo: saying('5.1.1 no such user') }, 'rejected'],
      // For now, and of this person alone: the mailbox needs no rest for it.
      [{ onRcptTo: saying('4.1.2 Recipient address rejected: domain not found', 450) }, 'unavailable_before_send'],
      [{ onRcptTo: saying('4.2.0 greylisted, come again', 451) }, 'unavailable_before_send'],
      [{ onRcptTo: saying('4.7.1 too many recipients for you', 450) }, 'rate_limited'],
      [{ onRcptTo: saying('try again later', 450) }, 'rate_limited'],
    ];
    for (const [hook, kind] of cases) {
      const server = new SMTPServer({
        disabledCommands: ['STARTTLS'],
        allowInsecureAuth: true,
        onAuth: (_auth, _session, done) => done(null, { user: ADDRESS }),
        onRcptTo: accept,
        ...hook,
      });
      server.on('error', () => undefined);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.server.address() as AddressInfo;
      const there: MailboxAccess = { ...box, smtp: { host: '127.0.0.1', port, tls: 'none' } };
      try {
        expect(await refusal(send(there, mail('ada@acme.example')))).to.equal(kind);
      } finally {
        await new Promise<void>((resolve) => server.close(() => resolve()));
      }
    }
  });

  it('a wrong password and a closed port prove it too, and the password shows nowhere', async () => {
    const wrong = { ...box, password: 'secret-that-is-wrong' };
    const error: unknown = await send(wrong, mail('ada@acme.example')).catch((cause: unknown) => cause);
    expect(error).to.be.instanceOf(ProviderError).and.include({ kind: 'unavailable_before_send' });
    expect(String((error as Error).message)).to.not.contain('secret-that-is-wrong');
    expect(await adapter.check(wrong)).to.equal('credentials_expired');
    expect(await adapter.check(box)).to.equal('ok');
    const closed = { ...box, smtp: { ...box.smtp, port: 1 }, imap: { ...box.imap, port: 1 } };
    expect(await refusal(send(closed, mail('ada@acme.example')))).to.equal('unavailable_before_send');
    expect(await adapter.check(closed)).to.equal('disconnected');
  });

  it('an answer that is lost after the content was given is unknown, and the look-up finds it', async () => {
    await quiet('eve@acme.example');
    await bench.control('faults', [{ action: 'mail', kind: 'lost_answer', rate: 1 }]);
    const one = mail('eve@acme.example');
    const { kind, message } = await failure(send(box, one));
    expect(kind).to.equal('unknown_outcome');
    expect(message, 'a person who has to decide reads what happened').to.match(/handed over and the answer was lost/);
    expect(await adapter.findSent(box, one.messageId, NOBODY)).to.include({ found: true });
    expect(await mailsTo('eve@acme.example')).to.have.length(1);
  });

  it('a server that gives mails another Message-ID (Outlook): the look-up finds ours all the same, and so does who compares', async () => {
    await quiet('olga@acme.example');
    const outlook = { ...box, address: 'grace@outlook.example', username: 'grace@outlook.example' };
    await bench.control('faults', [{ action: 'mail', kind: 'lost_answer', rate: 1 }]);
    const one = { ...mail('olga@acme.example'), messageId: messageIdOf(randomUUID(), outlook.address) };
    const meant = { to: one.to, since: bench.clock.now() };
    expect(await refusal(send(outlook, one))).to.equal('unknown_outcome');
    expect(await adapter.findSent(outlook, one.messageId, meant)).to.include({ found: true, ref: one.messageId });
    expect((await adapter.listSent(outlook, 0)).map((sent) => sent.messageId)).to.deep.equal([one.messageId]);
    const other = messageIdOf(randomUUID(), outlook.address);
    expect(await adapter.findSent(outlook, other, meant)).to.deep.equal({ found: false });
  });

  it('where ours is lost altogether, a mail to the same person since then may be it: nothing proves that it was not sent', async () => {
    await quiet('vera@acme.example');
    const there = { ...box, address: 'grace@rewriting.example', username: 'grace@rewriting.example' };
    const since = bench.clock.now();
    const ids = [messageIdOf(randomUUID(), there.address), messageIdOf(randomUUID(), there.address)] as const;
    await send(there, { ...mail('vera@acme.example'), messageId: ids[0] });
    const find = (id: string, to: string, from: number): ReturnType<typeof adapter.findSent> =>
      adapter.findSent(there, id, { to, since: from });
    expect(await refusal(find(ids[0], 'Vera@acme.example', since))).to.equal('unavailable_before_send');
    expect(await find(ids[1], 'vera@acme.example', since + HOUR)).to.deep.equal({ found: false });
    expect(await find(ids[1], 'somebody@acme.example', since)).to.deep.equal({ found: false });
  });

  it('a late mail is done after the connection broke, and Sent lags behind it', async () => {
    await quiet('late@acme.example');
    await bench.control('faults', [{ action: 'mail', kind: 'late', rate: 1, ms: 300 }]);
    const one = mail('late@acme.example');
    expect(await refusal(send(box, one))).to.equal('unknown_outcome');
    await until(async () => (await mailsTo('late@acme.example')).length === 1);
    expect(await adapter.findSent(box, one.messageId, NOBODY)).to.deep.equal({ found: false });
    await bench.real.advance(300);
    expect(await adapter.findSent(box, one.messageId, NOBODY)).to.include({ found: true });
  });

  it('content past its write deadline is not given away, and that proves it', async () => {
    await quiet('slow@acme.example');
    const work = send(box, mail('slow@acme.example'), { deadlineMonotonicMs: monotonicMs() - 1 });
    expect(await refusal(work)).to.equal('unavailable_before_send');
    expect(await mailsTo('slow@acme.example')).to.deep.equal([]);
  });

  it('where the server keeps no copy we file one, and its absence proves nothing', async () => {
    await quiet('copy@acme.example');
    const own = { ...box, savesSent: false };
    const before = (await adapter.listSent(own, 0)).length;
    const one = mail('copy@acme.example');
    await send(own, one);
    // The sandbox files one by itself, ours is the second.
    expect((await adapter.listSent(own, 0)).length).to.equal(before + 2);
    expect(await adapter.findSent(own, messageIdOf(randomUUID(), ADDRESS), NOBODY)).to.deep.equal({
      unsupported: true,
    });
  });

  it('a search that the server refuses or breaks off is no empty answer: nothing is called absent, read or agreed', async () => {
    await quiet('searched@acme.example');
    const one = mail('searched@acme.example');
    await send(box, one);
    const { mark } = await adapter.readInbox(box, null, 0);
    for (const said of ['NO [UNAVAILABLE] try again later', 'BAD too many of these', null]) {
      const proxy = await startImapProxy(box.imap, (command) => (/^UID SEARCH/.test(command) ? said : undefined));
      const there: MailboxAccess = { ...box, imap: { ...box.imap, port: proxy.port } };
      try {
        expect(await refusal(adapter.findSent(there, one.messageId, NOBODY))).to.equal('unavailable_before_send');
        expect(await refusal(adapter.listSent(there, 0))).to.equal('unavailable_before_send');
        for (const from of [null, mark]) {
          expect(await refusal(adapter.readInbox(there, from, 0))).to.equal('unavailable_before_send');
        }
      } finally {
        await proxy.close();
      }
    }
  });

  it('a mail that the server can not hand out (Exchange) keeps no other from being read, and is known by its head', async () => {
    const address = 'poisoned@agency.example';
    const auth = { user: address, pass: API_KEY };
    const { host, port } = box.imap;
    const client = new ImapFlow({ host, port, secure: false, doSTARTTLS: false, auth, logger: false });
    await client.connect();
    for (const name of ['first', 'poison', 'last']) {
      const head = `From: ${name}@acme.example\r\nSubject: ${name}\r\nIn-Reply-To: <${name}@agency.example>\r\nMessage-ID: <${name}@acme.example>`;
      await client.append('INBOX', `${head}\r\n\r\nHello from ${name}\r\n`);
    }
    await client.logout();
    const there: MailboxAccess = { ...box, address, username: address };
    const { mails: whole } = await adapter.readInbox(there, null, 0);
    const [, poison = 0] = whole.map((one) => one.uid);
    let heads = true;
    const asks = (command: string): boolean =>
      /^UID FETCH/.test(command) && uidsOf(command.split(' ')[2] ?? '', 0)(poison) && /BODY/.test(command);
    const proxy = await startImapProxy(box.imap, (command) => {
      if (!asks(command) || (heads && /HEADER/.test(command))) return undefined;
      return 'NO [SERVERBUG] the message can not be converted';
    });
    try {
      const poisoned = { ...there, imap: { ...box.imap, port: proxy.port } };
      const { mails, mark, more } = await adapter.readInbox(poisoned, null, 0);
      expect(mails.map((one) => [one.from, one.text.trim(), one.mentions])).to.deep.equal([
        ['first@acme.example', 'Hello from first', ['<first@agency.example>']],
        ['poison@acme.example', '', ['<poison@agency.example>']],
        ['last@acme.example', 'Hello from last', ['<last@agency.example>']],
      ]);
      expect([mark.uid, more]).to.deep.equal([whole.at(-1)?.uid, false]);
      heads = false;
      const rest = await adapter.readInbox(poisoned, null, 0);
      expect(rest.mails.map((one) => one.from)).to.deep.equal(['first@acme.example', 'last@acme.example']);
    } finally {
      await proxy.close();
    }
    const down = await startImapProxy(box.imap, (command) =>
      /^UID FETCH/.test(command) ? 'NO [UNAVAILABLE] try again later' : undefined,
    );
    expect(await refusal(adapter.readInbox({ ...there, imap: { ...box.imap, port: down.port } }, null, 0))).to.equal(
      'unavailable_before_send',
    );
    await down.close();
  });

  it('large mails come in pages that a slow server delivers in time; each once, in order', async () => {
    const address = 'large@agency.example';
    const large = { ...box, address, username: address };
    const { host, port } = box.imap;
    const auth = { user: address, pass: API_KEY };
    const client = new ImapFlow({ host, port, secure: false, doSTARTTLS: false, auth, logger: false });
    await client.connect();
    const [count, bytes] = [40, 400_000];
    const line = `${'x'.repeat(998)}\r\n`;
    for (let index = 0; index < count; index++) {
      const head = `From: a@acme.example\r\nSubject: ${index}\r\nMessage-ID: <${index}@acme.example>\r\n\r\n`;
      await client.append('INBOX', head + line.repeat(bytes / line.length));
    }
    await client.logout();
    const read: string[] = [];
    let pages = 0;
    for (let from: InboxMark | null = null, more = true; more; pages++) {
      const page: Awaited<ReturnType<typeof adapter.readInbox>> = await adapter.readInbox(large, from, 0);
      read.push(...page.mails.map((one) => one.subject));
      from = page.mark;
      more = page.more;
    }
    expect(pages, 'no page holds all of them').to.be.within(2, 4);
    expect(read).to.deep.equal(Array.from({ length: count }, (_, index) => String(index)));
  });
});

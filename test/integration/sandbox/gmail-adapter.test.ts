import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { monotonicMs } from '../../../pkg/base/clock.ts';
import { GmailAdapter } from '../../../pkg/providers/mail/gmail/gmail-adapter.ts';
import type {
  InboxMark,
  IncomingMail,
  MailboxAccess,
  OutgoingMail,
} from '../../../pkg/providers/mail/mail-provider.ts';
import { messageIdOf } from '../../../pkg/providers/mail/message-id.ts';
import {
  type PerformOptions,
  type PerformResult,
  ProviderError,
} from '../../../pkg/providers/network/network-provider.ts';
import { GoogleRefusal } from '../../fixtures/google/google-answer.ts';
import { type GoogleServer, startGoogle } from '../../fixtures/google/google-server.ts';

const ADDRESS = 'ada@agency.example';
const SCOPES = ['gmail.send', 'gmail.readonly'];
const SEND = /POST .*\/messages\/send/;
const HOUR = 3_600_000;
const rateLimited = (status = 403): GoogleRefusal =>
  new GoogleRefusal(status, status === 403 ? 'userRateLimitExceeded' : 'rateLimitExceeded', 'Rate Limit Exceeded');

describe('Gmail by its API, against a server that refuses what Google refuses', function () {
  this.timeout(60_000);
  const adapter = new GmailAdapter({ settleAfterMs: 1_000 });
  let google: GoogleServer;
  let box: MailboxAccess;
  let renewed: string[];
  before(async () => {
    google = await startGoogle();
  });
  after(() => google.stop());
  beforeEach(() => {
    google.calm();
    google.mail.replaces = 'malformed';
    google.mail.searchLags = false;
    google.calls.length = 0;
    google.mail.left.length = 0;
    renewed = [];
    box = boxOf(google.tokenFor(ADDRESS, ...SCOPES));
  });

  const boxOf = (token: string, address = ADDRESS): MailboxAccess => ({
    accountId: 'box',
    address,
    displayName: 'Ada',
    smtp: { host: '', port: 1, tls: 'implicit' },
    imap: { host: 'gmail.com', port: 1, tls: 'implicit' },
    username: '',
    password: '',
    savesSent: true,
    sentFolder: 'SENT',
    api: {
      url: `${google.url}/gmail/v1`,
      token,
      reach: 'any',
      revoked: false,
      renew: async (refused) => {
        renewed.push(refused);
        return google.tokenFor(address, ...SCOPES);
      },
    },
  });
  const mailTo = (to: string, more: Partial<OutgoingMail> = {}): OutgoingMail => ({
    messageId: messageIdOf(randomUUID(), ADDRESS),
    to,
    subject: 'Hello',
    text: 'How are you?',
    date: Date.now(),
    references: [],
    unsubscribeUrl: null,
    ...more,
  });
  async function send(mail: OutgoingMail, options: PerformOptions = {}, at = box): Promise<PerformResult> {
    return (await adapter.open(at)).send(mail, options);
  }
  async function failure(work: Promise<unknown>): Promise<ProviderError> {
    const error = await work.then(
      () => null,
      (reason: unknown) => reason,
    );
    if (!(error instanceof ProviderError)) throw new Error(`no ProviderError: ${error}`);
    return error;
  }
  const look = (mail: OutgoingMail, at = box) =>
    adapter.findSent(at, mail.messageId, { to: mail.to, since: Date.now() - HOUR });
  const sends = (): number => google.calls.filter((one) => SEND.test(one)).length;
  const incoming = (
    from: string,
    more: { subject?: string; id?: string; inReplyTo?: string; text?: string } = {},
  ): string =>
    [
      `From: Bob <${from}>`,
      `To: ${ADDRESS}`,
      `Subject: ${more.subject ?? 'Re: Hello'}`,
      `Message-ID: ${more.id ?? `<${randomUUID()}@acme.example>`}`,
      ...(more.inReplyTo ? [`In-Reply-To: ${more.inReplyTo}`] : []),
      'Date: Mon, 02 Mar 2026 09:00:00 +0000',
      '',
      more.text ?? 'Fine, thanks',
      '',
    ].join('\r\n');

  describe('sending', () => {
    it('M1: the Message-ID stays ours where it is well-formed, and the real one is read back where Gmail gives another', async () => {
      const kept = mailTo('bob@acme.example');
      expect(await send(kept)).to.deep.equal({ ref: kept.messageId });
      google.mail.replaces = 'always';
      const replaced = mailTo('bob@acme.example');
      const { givenId, ref } = await send(replaced);
      expect(ref).to.equal(replaced.messageId);
      expect(givenId).to.match(/^<CA[0-9a-f]+@mail\.gmail\.com>$/);
      expect(google.mail.left[1]).to.contain(`Message-ID: ${givenId}`).and.not.to.contain(replaced.messageId);
    });

    it('M2: an answer joins the thread by its id, its references and its subject', async () => {
      const first = mailTo('bob@acme.example', { subject: 'A question' });
      await send(first);
      const reply = `<${randomUUID()}@acme.example>`;
      google.mail.arrive(
        ADDRESS,
        incoming('bob@acme.example', { subject: 'Re: A question', id: reply, inReplyTo: first.messageId }),
      );
      const answer = mailTo('bob@acme.example', { subject: 'Re: A question', references: [first.messageId, reply] });
      await send(answer);
      const threads = google.mail.threadsOf(ADDRESS);
      expect(threads.at(-1)).to.equal(threads.at(-2));
      const other = mailTo('bob@acme.example', { subject: 'Another matter' });
      await send(other);
      expect(threads).to.not.include(google.mail.threadsOf(ADDRESS).at(-1));
    });

    it('a token that has ended is renewed, and the mail leaves once', async () => {
      const session = await adapter.open(box);
      google.oauth.expire();
      const mail = mailTo('bob@acme.example');
      expect((await session.send(mail)).ref).to.equal(mail.messageId);
      expect(renewed).to.have.length(1);
      expect(google.mail.left).to.have.length(1);
    });

    it('what another process renews now is tried later, and what nobody can renew is said before anything is dispatched', async () => {
      google.oauth.expire();
      const elsewhere = { ...box, api: { ...(box.api as NonNullable<MailboxAccess['api']>), renew: async () => null } };
      const waits = await failure(adapter.open(elsewhere));
      expect([waits.kind, waits.retryAfterMs]).to.deep.equal(['unavailable_before_send', 60_000]);
      expect(await adapter.check(elsewhere)).to.equal('disconnected');
      const { renew: _, ...alone } = elsewhere.api;
      expect(await adapter.check({ ...box, api: alone })).to.equal('credentials_expired');
      expect(await adapter.check({ ...box, api: { ...alone, revoked: true } })).to.equal('credentials_expired');
    });

    it('a scope that was not granted is no refusal of the person', async () => {
      const reader = boxOf(google.tokenFor(ADDRESS, 'gmail.readonly'));
      expect((await failure(send(mailTo('bob@acme.example'), {}, reader))).kind).to.equal('unavailable_before_send');
    });

    it('M3: what each refusal proves', async () => {
      const strikes: [answer: GoogleRefusal, kind: string, more?: object][] = [
        [new GoogleRefusal(400, 'invalidArgument', 'Invalid To header'), 'rejected'],
        [new GoogleRefusal(400, 'failedPrecondition', 'Mail service not enabled'), 'unavailable_before_send'],
        [rateLimited(), 'rate_limited', { retryAfterMs: 15 * 60_000 }],
        [rateLimited(429), 'rate_limited'],
        [
          new GoogleRefusal(429, 'rateLimitExceeded', 'Rate Limit Exceeded', { 'retry-after': '120' }),
          'rate_limited',
          { retryAfterMs: 120_000 },
        ],
        [
          new GoogleRefusal(429, 'userRateLimitExceeded', 'User-rate limit exceeded.  (Mail sending)'),
          'limit',
          { retryAfterMs: 5 * HOUR },
        ],
        [new GoogleRefusal(403, 'dailyLimitExceeded', 'Daily Limit Exceeded'), 'limit'],
        [
          new GoogleRefusal(403, 'domainPolicy', 'The domain administrators have disabled Gmail apps.'),
          'unavailable_before_send',
        ],
        [new GoogleRefusal(500, 'backendError', 'Backend Error'), 'unknown_outcome'],
        [new GoogleRefusal(503, 'backendError', 'The service is currently unavailable.'), 'unknown_outcome'],
      ];
      for (const [answer, kind, more = {}] of strikes) {
        google.strike(SEND, answer);
        const error = await failure(send(mailTo('bob@acme.example')));
        expect(error, answer.message).to.deep.include({ kind, ...more });
        google.calm();
      }
      expect(google.mail.left, 'nothing is sent again by itself').to.deep.equal([]);
      expect(sends()).to.equal(strikes.length);
    });

    it('of a limit of the day Gmail’s own hour to come again is kept', async () => {
      const at = new Date(Date.now() + 9 * HOUR).toISOString();
      google.strike(
        SEND,
        new GoogleRefusal(429, 'userRateLimitExceeded', `User-rate limit exceeded.  Retry after ${at}`),
      );
      const { kind, retryAfterMs = 0, rest } = await failure(send(mailTo('bob@acme.example')));
      expect(kind).to.equal('limit');
      expect(retryAfterMs).to.be.within(8.9 * HOUR, 9.1 * HOUR);
      expect(rest?.reason).to.contain('lower its daily limit');
    });

    it('past its write deadline nothing is given away', async () => {
      const error = await failure(send(mailTo('bob@acme.example'), { deadlineMonotonicMs: monotonicMs() - 1 }));
      expect(error.kind).to.equal('unavailable_before_send');
      expect(google.mail.left).to.deep.equal([]);
    });

    for (const replaces of ['malformed', 'always'] as const)
      for (const lags of [false, true])
        it(`an answer that is lost is found before anybody sends again (Message-ID: ${replaces === 'always' ? 'replaced' : 'ours'}, search ${lags ? 'lags' : 'knows'})`, async () => {
          google.mail.replaces = replaces;
          google.mail.searchLags = lags;
          google.strike(SEND, 'lost');
          const mail = mailTo('bob@acme.example');
          expect((await failure(send(mail))).kind).to.equal('unknown_outcome');
          google.calm();
          const found = await look(mail);
          expect(found).to.include({ found: true, ref: mail.messageId });
          expect('givenId' in found).to.equal(replaces === 'always');
          expect(google.mail.left).to.have.length(1);
          google.strike(SEND, 'cut');
          const never = mailTo('bob@acme.example');
          expect((await failure(send(never))).kind).to.equal('unknown_outcome');
          google.calm();
          expect(await look(never), 'it proves that nothing was sent').to.deep.equal({ found: false });
        });

    it('a look-up that Gmail does not answer proves nothing', async () => {
      google.strike(/messages/, rateLimited(), 99);
      expect((await failure(look(mailTo('bob@acme.example')))).kind).to.equal('unavailable_before_send');
    });

    it('what was sent is told with our id; what a person wrote by hand is told as it is', async () => {
      google.mail.replaces = 'always';
      const ours = mailTo('ours@acme.example');
      await send(ours);
      const byHand = incoming(ADDRESS, { id: '<by-hand@mail.gmail.com>' }).replace(
        /^To: .*$/m,
        'To: Eve <Eve@acme.example>',
      );
      google.mail.arrive(ADDRESS, byHand, ['SENT']);
      google.mail.arrive(ADDRESS, incoming(ADDRESS), ['SENT'], Date.now() - 10 * HOUR);
      const sent = await adapter.listSent(box, Date.now() - HOUR);
      const last = sent.slice(0, 2).map(({ messageId, to }) => `${messageId} ${to}`);
      expect(last).to.have.members([
        `${ours.messageId} ours@acme.example`,
        '<by-hand@mail.gmail.com> eve@acme.example',
      ]);
      expect(sent.find((one) => one.to === 'ours@acme.example')?.givenId).to.match(/^<CA/);
    });
  });

  describe('M11: reading by history', () => {
    let address: string;
    let own: MailboxAccess;
    beforeEach(() => {
      address = `${randomUUID().slice(0, 8)}@agency.example`;
      own = boxOf(google.tokenFor(address, ...SCOPES), address);
    });
    const subjects = (mails: readonly IncomingMail[]): string[] => mails.map(({ subject }) => subject);
    /** Reads on until nothing is left. */
    async function readAll(from: InboxMark | null): Promise<{ subjects: string[]; mark: InboxMark }> {
      const found: string[] = [];
      let mark = from;
      for (let page = 0; page < 50; page++) {
        const read = await adapter.readInbox(own, mark, Date.now() - 7 * 24 * HOUR);
        found.push(...subjects(read.mails));
        mark = read.mark;
        if (!read.more) return { subjects: found, mark };
      }
      throw new Error('it never ends');
    }
    const arrive = (subject: string, labels?: string[], at?: number): string =>
      google.mail.arrive(address, incoming('bob@acme.example', { subject }), labels, at);

    it('first what came since a week, then what is new, wherever a filter put it, each once and in order', async () => {
      arrive('Too old', undefined, Date.now() - 9 * 24 * HOUR);
      for (const n of [1, 2, 3]) arrive(`Known ${n}`, undefined, Date.now() - (10 - n) * HOUR);
      const first = await readAll(null);
      expect(first.subjects).to.deep.equal(['Known 1', 'Known 2', 'Known 3']);
      expect((await readAll(first.mark)).subjects).to.deep.equal([]);
      arrive('In the inbox');
      arrive('Archived by a filter', ['Label_7']);
      arrive('In spam', ['SPAM']);
      arrive('A draft', ['DRAFT']);
      arrive('Ours', ['SENT']);
      arrive('Thrown away', ['TRASH']);
      google.mail.touch(address);
      const next = await readAll(first.mark);
      expect(next.subjects).to.deep.equal(['In the inbox', 'Archived by a filter', 'In spam']);
      const calls = google.calls.length;
      expect((await readAll(next.mark)).subjects).to.deep.equal([]);
      expect(google.calls.length - calls, 'one question where nothing is new').to.equal(1);
    });

    it('a point that Gmail forgot (404) is followed by one look at everything, and by history again', async () => {
      const { mark } = await readAll(null);
      arrive('While nobody looked');
      google.mail.forgetHistory(address);
      const calls = google.calls.length;
      const again = await readAll(mark);
      expect(again.subjects).to.deep.equal(['While nobody looked']);
      const points = google.calls.slice(calls).flatMap((one) => /startHistoryId=(\d+)/.exec(one)?.[1] ?? []);
      expect([points.length, new Set(points).size], 'no point is asked for twice').to.deep.equal([2, 2]);
      arrive('After that');
      const after = google.calls.length;
      expect((await readAll(again.mark)).subjects).to.deep.equal(['After that']);
      expect(google.calls.slice(after).filter((one) => one.includes('/messages?'))).to.deep.equal([]);
    });

    it('mails that come while everything is looked at are read too', async () => {
      for (const n of Array.from({ length: 205 }, (_, at) => at))
        arrive(`List ${n}`, undefined, Date.now() - HOUR + n * 100);
      const first = await adapter.readInbox(own, null, Date.now() - 2 * HOUR);
      expect([first.mails.length, first.more]).to.deep.equal([200, true]);
      arrive('Meanwhile', undefined, Date.now() - 3 * HOUR);
      const rest = await readAll(first.mark);
      const all = [...subjects(first.mails), ...rest.subjects];
      expect(all.filter((one) => one.startsWith('List'))).to.deep.equal(
        Array.from({ length: 205 }, (_, at) => `List ${at}`),
      );
      expect(all).to.include('Meanwhile');
    });

    it('several mails of one record of history are told apart, and a page ends behind whole records', async () => {
      const { mark } = await readAll(null);
      google.mail.arriveTogether(
        address,
        ['One', 'Two', 'Three'].map((subject) => incoming('bob@acme.example', { subject })),
      );
      const read = await adapter.readInbox(own, mark, 0);
      expect(subjects(read.mails)).to.deep.equal(['One', 'Two', 'Three']);
      expect(new Set(read.mails.map(({ uid }) => uid)).size).to.equal(3);
      expect((await adapter.readInbox(own, read.mark, 0)).mails).to.deep.equal([]);
      const second = read.mails[1]?.uid ?? 0;
      const again = await adapter.readInbox(own, { ...read.mark, uid: second }, Date.now() - HOUR);
      expect(subjects(again.mails), 'kept up to a mail within a record: nothing is lost').to.include('Three');
    });

    it('pages of history are turned, and what was deleted meanwhile is passed over', async () => {
      const { mark } = await readAll(null);
      const gone = arrive('Deleted at once');
      google.mail.delete(address, gone);
      for (let n = 0; n < 230; n++) arrive(`New ${n}`);
      const read = await readAll(mark);
      expect(read.subjects).to.have.length(230);
      expect(new Set(read.subjects).size).to.equal(230);
    });

    it('asked too often it asks again after a while, and gives up before long', async () => {
      const { mark } = await readAll(null);
      arrive('Patience');
      google.strike(/history/, rateLimited(), 2);
      google.strike(/messages\//, rateLimited(429), 1);
      expect((await readAll(mark)).subjects).to.deep.equal(['Patience']);
      google.strike(/history/, rateLimited(), 99);
      const error = await failure(adapter.readInbox(own, mark, 0));
      expect(error.kind).to.equal('unavailable_before_send');
      google.calm();
      google.strike(/history/, new GoogleRefusal(429, 'rateLimitExceeded', 'Wait', { 'retry-after': '90' }), 99);
      const calls = google.calls.length;
      expect((await failure(adapter.readInbox(own, mark, 0))).retryAfterMs).to.equal(90_000);
      expect(google.calls.length - calls, 'a long wait is the caller’s').to.equal(1);
    });

    it('of a mail that is too large for one answer the words are read, and what it answers', async () => {
      const { mark } = await readAll(null);
      const big = [
        'From: Bob <bob@acme.example>',
        `To: ${address}`,
        'Subject: Re: Hello',
        'Message-ID: <big@acme.example>',
        'In-Reply-To: <ours@agency.example>',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary=x',
        '',
        '--x',
        'Content-Type: text/plain; charset=utf-8',
        '',
        'Please unsubscribe me. Grüße',
        '--x',
        'Content-Type: application/pdf; name=a.pdf',
        'Content-Disposition: attachment; filename=a.pdf',
        'Content-Transfer-Encoding: base64',
        '',
        'A'.repeat(1_200_000),
        '--x--',
        '',
      ].join('\r\n');
      google.mail.arrive(address, Buffer.from(big).toString('latin1'));
      const read = await adapter.readInbox(own, mark, 0);
      expect(read.mails[0]).to.include({ from: 'bob@acme.example', messageId: '<big@acme.example>' });
      expect(read.mails[0]?.text.trim()).to.equal('Please unsubscribe me. Grüße');
      expect(read.mails[0]?.mentions).to.deep.equal(['<ours@agency.example>']);
    });

    it('a mail of ours to ourselves is told as ours, whatever Message-ID Gmail gave it', async () => {
      const { mark } = await readAll(null);
      google.mail.replaces = 'always';
      const probe = { ...mailTo(address), messageId: messageIdOf(randomUUID(), address) };
      await send(probe, {}, own);
      const read = await adapter.readInbox(own, mark, 0);
      expect(read.mails.map(({ messageId }) => messageId)).to.deep.equal([probe.messageId]);
    });
  });
});

import { expect } from 'chai';
import { ImapFlow } from 'imapflow';
import type { MailProvider } from '../../../pkg/providers/mail/mail-provider.ts';
import { SmtpImapAdapter } from '../../../pkg/providers/mail/smtp-imap-adapter.ts';
import { ProviderError } from '../../../pkg/providers/network/network-provider.ts';
import { type Bench, change, openEngine, passTime, query } from '../../fixtures/engine/harness.ts';
import type { MailFixture, MailWorkspace } from '../../fixtures/engine/mail-fixture.ts';
import { end, MailNodeFixture, mail, type Node, waitReply } from '../../fixtures/engine/mail-node-fixture.ts';
import { lookTwice } from '../../fixtures/engine/node-outcome.ts';
import { addAccount } from '../../fixtures/engine/rows.ts';
import { chain, DAY, HOUR, runOf } from '../../fixtures/engine/workflow-fixture.ts';

/** Outlook gives each mail another Message-ID than it came with; the one who gets it knows that one alone. */
const OUTLOOK = { domain: 'outlook.example' };

describe('engine: mails find their thread, and answers their mail', function () {
  this.timeout(180_000);
  let bench: Bench;
  let fixture: MailFixture;
  let nodeFixture: MailNodeFixture;
  const pause: Node = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
  before(async () => {
    nodeFixture = await MailNodeFixture.open();
    ({ bench, fixture } = nodeFixture);
  });
  after(() => nodeFixture.close());
  beforeEach(() => fixture.control('faults', []));

  /** Looks into the mailbox as its owner does. */
  async function inMailbox<T>(at: MailWorkspace, work: (client: ImapFlow) => Promise<T>): Promise<T> {
    const [row] = await query<{ port: number }>(bench, 'select imap_port as port from mailbox where account_id = $1', [
      at.box,
    ]);
    const auth = { user: at.address, pass: fixture.sandbox.apiKey };
    const where = { host: '127.0.0.1', port: row?.port ?? 0, secure: false, doSTARTTLS: false };
    const client = new ImapFlow({ ...where, auth, logger: false });
    await client.connect();
    const done = await work(client);
    await client.logout();
    return done;
  }

  /** Heads of the mails as they left, oldest first. */
  async function left(at: MailWorkspace): Promise<Record<'message-id' | 'in-reply-to' | 'references', string>[]> {
    const heads = await inMailbox(at, async (client) => {
      await client.mailboxOpen('Sent');
      const found: string[] = [];
      const headers = ['message-id', 'in-reply-to', 'references'];
      for await (const mail of client.fetch('1:*', { headers }, { uid: true })) found.push(String(mail.headers));
      return found;
    });
    const headerIn = (head: string, name: string): string =>
      new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1]?.trim() ?? '';
    return heads.map((head) => ({
      'message-id': headerIn(head, 'message-id'),
      'in-reply-to': headerIn(head, 'in-reply-to'),
      references: headerIn(head, 'references'),
    }));
  }

  for (const lost of [false, true]) {
    it(`a follow-up names the Message-ID by which its reader knows the first${lost ? ', also where only the Sent folder tells it' : ''}`, async () => {
      const at = await fixture.workflowFixture(
        chain(mail(), pause, mail({ text: 'Second' }), mail({ text: 'Third' }), end),
        {},
        OUTLOOK,
      );
      if (lost) await fixture.control('faults', [{ action: 'mail', kind: 'lost_answer', rate: 1 }]);
      await nodeFixture.start(at, await fixture.person());
      await fixture.control('faults', []);
      await lookTwice(bench, at, at.handle);
      await passTime(bench, at.handle, 2 * DAY, HOUR);
      const [first, second, third] = await left(at);
      expect(first?.['message-id']).to.match(/^<[^<>]+@sandbox\.prod\.outlook\.com>$/);
      expect(second?.['in-reply-to']).to.equal(first?.['message-id']);
      expect(third?.['in-reply-to']).to.equal(second?.['message-id']);
      expect(third?.references).to.equal(`${first?.['message-id']} ${second?.['message-id']}`);
    });
  }

  /** Writes to somebody, lets them do what they do, and tells what the run made of it. */
  async function heard(settings: {
    node?: object;
    box?: Parameters<MailFixture['mailbox']>[1];
    to?: string;
    behaviour: object;
  }): Promise<{ outcome: string | undefined; facts: Record<string, unknown> }> {
    const at = await fixture.workflowFixture(chain(mail(settings.node), waitReply(), end), {}, settings.box);
    const to = await fixture.person({ replyAfterMs: HOUR, ...settings.behaviour }, settings.to);
    const leadId = await nodeFixture.start(at, to);
    await bench.clock.advance(2 * HOUR);
    await fixture.sync(at);
    await at.handle.quiet();
    return { outcome: await nodeFixture.outcome(leadId, 'n1'), facts: (await runOf(bench, leadId)).facts };
  }

  it('an answer from an address of one’s own is known by the mail that it names, whatever id the server gave to that', async () => {
    const behaviour = { replyText: 'Yes, tell me more', replyFrom: 'ada.private@gmail.com' };
    expect((await heard({ box: OUTLOOK, behaviour })).outcome).to.equal('replied');
    expect((await heard({ behaviour })).outcome).to.equal('replied');
  });

  it('a report that names no address is about the mail that it carries, whatever id the server gave to that', async () => {
    const at = await fixture.workflowFixture(chain(mail(), waitReply(), end), {}, OUTLOOK);
    const leadId = await nodeFixture.start(at, await fixture.person({ bounce: 'hard' }));
    await bench.clock.advance(2 * HOUR);
    const hidden = new (class extends SmtpImapAdapter {
      override async readInbox(...given: Parameters<MailProvider['readInbox']>): ReturnType<MailProvider['readInbox']> {
        const read = await super.readInbox(...given);
        const mails = read.mails.map((one) => ({ ...one, report: one.report && { ...one.report, recipient: null } }));
        return { ...read, mails };
      }
    })({ settleAfterMs: 60_000 });
    await fixture.sync(at, { ...fixture.desk, providers: async () => hidden });
    await at.handle.quiet();
    expect((await runOf(bench, leadId)).facts).to.include({ mailBounced: true });
  });

  it('a new mail of a colleague is known by our subject, also when that begins like an answer itself', async () => {
    for (const subject of ['AW: Your question', 'Fwd: Your question', '[EXT] Your  question', 'Your question']) {
      const domain = `${subject.replace(/\W/g, '').toLowerCase()}.example`;
      const behaviour = { replyText: 'Yes', replyFrom: `other@${domain}`, newThread: true };
      const { outcome } = await heard({ node: { subject }, to: `ada@${domain}`, behaviour });
      expect(outcome, subject).to.equal('replied');
    }
  });

  it('a new mail from the same mailbox in another spelling is known by its address', async () => {
    const behaviour = { replyText: 'Yes', newThread: true, replyFrom: 'gracehopper@gmail.com' };
    const { outcome } = await heard({ to: 'Grace.Hopper+crm@googlemail.com', behaviour });
    expect(outcome).to.equal('replied');
  });

  it('O6: a copy of our own mail in the inbox, by a rule of the server or to oneself, is nobody’s answer', async () => {
    for (const box of [OUTLOOK, {}]) {
      const at = await fixture.workflowFixture(
        chain(mail(), pause, mail({ text: 'Second' }), waitReply(), end),
        {},
        box,
      );
      const leadId = await nodeFixture.start(at, await fixture.person());
      await passTime(bench, at.handle, 2 * DAY, HOUR);
      const copies = await inMailbox(at, async (client) => {
        await client.mailboxOpen('Sent');
        const sources: Buffer[] = [];
        for await (const one of client.fetch('1:*', { source: true }, { uid: true }))
          sources.push(one.source ?? Buffer.alloc(0));
        for (const source of sources) await client.append('INBOX', source);
        return sources.length;
      });
      expect(copies).to.equal(2);
      await fixture.sync(at);
      await at.handle.quiet();
      expect((await runOf(bench, leadId)).facts).to.not.have.property('replied');
    }
  });

  it('O4: what somebody writes by hand in their own mail application holds the runs of the lead, and no others', async () => {
    const at = await fixture.workflowFixture(chain(mail(), pause, mail({ text: 'Second' }), end));
    await change(bench, 'update mailbox set min_gap_ms = 0 where account_id = $1', [at.box]);
    const [byHand, other] = [await fixture.person(), await fixture.person()];
    const [held, goesOn] = [await nodeFixture.start(at, byHand), await nodeFixture.start(at, other)];
    await bench.clock.advance(2 * HOUR);
    const head = [`From: ${at.address}`, `To: ${byHand}`, 'Message-ID: <hand@own-application.example>'];
    const date = `Date: ${new Date(bench.clock.now()).toUTCString()}`;
    await inMailbox(at, (client) =>
      client.append('Sent', [...head, date, 'Subject: About your question', '', 'By hand', ''].join('\r\n')),
    );
    await fixture.sync(at);
    expect((await runOf(bench, held)).state).to.equal('paused');
    expect((await runOf(bench, goesOn)).state).to.not.equal('paused');
    await passTime(bench, at.handle, 3 * DAY, HOUR);
    const texts = (await fixture.received(at)).filter((one) => one.text?.startsWith('Second'));
    expect(texts.map((one) => one.target)).to.deep.equal([other]);
  });

  it('who answers in the thread of a colleague has answered, and so has everybody of a mailbox that several share', async () => {
    const domain = `shared-${Date.now()}.example`;
    for (const [first, second] of [
      [`ada@${domain}`, `bob@${domain}`],
      [`info@${domain}`, `info+office@${domain}`],
    ] as const) {
      const at = await fixture.workflowFixture(chain(mail(), waitReply(), mail({ text: 'Second' }), end));
      await change(bench, 'update mailbox set min_gap_ms = 0 where account_id = $1', [at.box]);
      await fixture.person({}, second);
      await fixture.person(
        { replyText: 'Please remove me from your list.', replyFrom: second, replyAfterMs: HOUR },
        first,
      );
      const leads = [await nodeFixture.start(at, first), await nodeFixture.start(at, second)];
      await passTime(bench, at.handle, HOUR / 2, HOUR / 4);
      expect(await fixture.received(at)).to.have.length(2);
      await passTime(bench, at.handle, 2 * HOUR, HOUR);
      await fixture.sync(at);
      for (const leadId of leads)
        expect(await runOf(bench, leadId), second).to.include({ state: 'suppressed', end_reason: 'unsubscribed' });
      await passTime(bench, at.handle, 4 * DAY, HOUR);
      expect(await fixture.received(at)).to.have.length(2);
    }
  });

  it('who answered the mailbox that wrote before gets no mail from another, nor one in a new thread, before that inbox was read', async () => {
    for (const config of [{ mailboxMode: 'rotate' }, { threadMode: 'new' }]) {
      const at = await fixture.workflowFixture(chain(mail(), pause, mail({ text: 'Second', ...config }), end));
      if (config.mailboxMode) for (let more = 0; more < 3; more++) await fixture.mailbox(at.ws);
      await change(
        bench,
        'update mailbox set min_gap_ms = 0 where account_id in (select account_id from account_link where workspace_id = $1)',
        [at.ws],
      );
      for (let count = 0; count < 4; count++)
        await nodeFixture.start(
          at,
          await fixture.person({ replyText: 'Please stop writing to me.', replyAfterMs: HOUR }),
        );
      await passTime(bench, at.handle, 2 * DAY, HOUR);
      const bodies = await query<{ body: string }>(
        bench,
        `select body from send where workspace_id = $1 and dispatched_at is not null`,
        [at.ws],
      );
      expect(
        bodies.map((one) => one.body),
        JSON.stringify(config),
      ).to.deep.equal(Array(4).fill('Hello Ada'));
    }
  });

  it('nor a message on the network; who could have answered a mailbox that can not be opened waits until it can', async () => {
    const at = await fixture.workflowFixture(
      chain(mail(), pause, { nodeType: 'network:message', config: { text: 'Hello' } }, end),
    );
    await addAccount(bench.app, [at.ws]);
    const leadId = await nodeFixture.start(
      at,
      await fixture.person({ replyText: 'Please stop writing to me.', replyAfterMs: HOUR }),
    );
    const [lead] = await query<{ profile: string }>(bench, 'select profile_id as profile from lead where id = $1', [
      leadId,
    ]);
    at.network.connected.add(lead?.profile ?? '');
    const quietId = await nodeFixture.start(at, await fixture.person());
    const [quiet] = await query<{ profile: string }>(bench, 'select profile_id as profile from lead where id = $1', [
      quietId,
    ]);
    at.network.connected.add(quiet?.profile ?? '');
    const open = fixture.desk.providers;
    const closed = new (class extends SmtpImapAdapter {
      override readInbox(): never {
        throw new ProviderError('unavailable_before_send', 'closed', 5 * 60_000);
      }
    })({ settleAfterMs: 60_000 });
    const desk = { ...fixture.desk, providers: async () => closed };
    const shut = await openEngine(bench, at.ws, at.network, { mail: desk });
    await passTime(bench, shut, 30 * HOUR, HOUR);
    expect(at.network.received).to.deep.equal([]);
    expect(await runOf(bench, leadId)).to.include({ ended_at: null });
    const opened = await openEngine(bench, at.ws, at.network, { mail: { ...fixture.desk, providers: open } });
    await passTime(bench, opened, DAY, HOUR);
    expect(at.network.received.map((one) => one.publicId)).to.deep.equal([quiet?.profile]);
    expect(await runOf(bench, leadId)).to.include({ state: 'suppressed', end_reason: 'unsubscribed' });
  });
});

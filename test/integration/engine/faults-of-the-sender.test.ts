import { expect } from 'chai';
import { type Bench, change, passTime, query } from '../../fixtures/engine/harness.ts';
import type { MailFixture, MailWorkspace } from '../../fixtures/engine/mail-fixture.ts';
import { end, MailNodeFixture, mail, waitReply } from '../../fixtures/engine/mail-node-fixture.ts';
import { rawInbox } from '../../fixtures/engine/raw-inbox.ts';
import { chain, DAY, HOUR, runOf } from '../../fixtures/engine/workflow-fixture.ts';

/** A report as servers write it, about a mail of ours. */
function report(ours: string, to: string, status: string, words: string, id = 'r1'): string {
  return [
    'From: MAILER-DAEMON@mx.acme.example',
    'Subject: Undelivered Mail Returned to Sender',
    `Message-ID: <${id}@mx.acme.example>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'It could not be delivered.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.acme.example',
    '',
    `Final-Recipient: rfc822; ${to}`,
    'Action: failed',
    `Status: ${status}`,
    `Diagnostic-Code: smtp; 550 ${status} ${words}`,
    '',
    '--b',
    'Content-Type: message/rfc822',
    '',
    `Message-ID: ${ours}`,
    '',
    'Hello',
    '--b--',
  ].join('\r\n');
}

describe('engine: whose fault it is that mails come back', function () {
  this.timeout(180_000);
  let bench: Bench;
  let fixture: MailFixture;
  let nodeFixture: MailNodeFixture;
  before(async () => {
    nodeFixture = await MailNodeFixture.open();
    ({ bench, fixture } = nodeFixture);
  });
  after(() => nodeFixture.close());

  async function written(): Promise<{ at: MailWorkspace; leadId: string; address: string; ours: string }> {
    const at = await fixture.workflowFixture(chain(mail(), waitReply(20), end));
    const address = await fixture.person();
    const leadId = await nodeFixture.start(at, address);
    const [ours] = await query<{ id: string }>(
      bench,
      `select target ->> 'messageId' as id from send where lead_id = $1`,
      [leadId],
    );
    return { at, leadId, address, ours: ours?.id ?? '' };
  }

  const barred = (ws: string): Promise<{ value: string }[]> =>
    query(bench, `select value from suppression where workspace_id = $1 and source = 'bounce'`, [ws]);
  async function box(id: string): Promise<{ rests: boolean; reason: string; paused: boolean; pause: string }> {
    const [row] = await query<{ rests: boolean; reason: string; paused: boolean; pause: string }>(
      bench,
      `select coalesce(cooldown_until, 0) > $2 as rests, cooldown_reason as reason, paused, m.pause_reason as pause
       from network_account a join mailbox m on m.account_id = a.id where a.id = $1`,
      [id, bench.clock.now()],
    );
    if (!row) throw new Error('no mailbox');
    return row;
  }
  async function comesBack(status: string, words: string) {
    const sent = await written();
    await bench.clock.advance(HOUR);
    const raw = report(sent.ours, sent.address, status, words);
    await fixture.sync(sent.at, rawInbox(fixture.desk, [raw], bench.clock.now()));
    await sent.at.handle.quiet();
    const { facts } = await runOf(bench, sent.leadId);
    return {
      ...sent,
      bars: (await barred(sent.at.ws)).map(({ value }) => value),
      bounced: facts['mailBounced'] === true,
    };
  }

  for (const [status, words, why] of [
    ['5.7.1', 'Service unavailable; Client host [192.0.2.7] listed by bl.example.net', /taken off the lists/],
    ['5.7.26', 'Your email has been blocked because the sender is unauthenticated', /SPF, DKIM and DMARC/],
    ['5.4.5', 'Daily user sending limit exceeded', /lower its daily limit/],
  ] as const) {
    it(`the sender’s (${status}): the address is untouched, the mailbox rests and says why`, async () => {
      const { at, address, bars, bounced, leadId } = await comesBack(status, words);
      expect({ bars, bounced }, address).to.deep.equal({ bars: [], bounced: false });
      const rests = await box(at.box);
      expect(rests).to.include({ rests: true, paused: false });
      expect(rests.reason).to.match(why).and.contain(words.slice(0, 20));
      const [event] = await query<{ text: string; kind: string }>(
        bench,
        `select e.text, e.data ->> 'kind' as kind from run_event e join run r on r.id = e.run_id
         where r.lead_id = $1 and e.kind = 'mail.bounced'`,
        [leadId],
      );
      expect(event?.kind, 'its history tells that the mail did not arrive').to.equal('sender_fault');
      await nodeFixture.start(at, await fixture.person());
      await passTime(bench, at.handle, 2 * HOUR, HOUR);
      expect(await fixture.received(at), 'nothing leaves while it rests').to.have.length(1);
      await passTime(bench, at.handle, DAY, HOUR);
      expect(await fixture.received(at), 'and goes on by itself').to.have.length(2);
    });
  }

  it('the address’s (5.1.1): it is barred, and the mailbox goes on', async () => {
    const { at, address, bars, bounced } = await comesBack('5.1.1', 'user unknown');
    expect({ bars, bounced }).to.deep.equal({ bars: [address], bounced: true });
    expect(await box(at.box)).to.include({ rests: false, paused: false });
  });

  it('the mail’s (5.7.1, content): nobody is barred and nothing rests, but the run knows that it did not arrive', async () => {
    const { at, bars, bounced } = await comesBack('5.7.1', 'Message rejected due to content restrictions');
    expect({ bars, bounced }).to.deep.equal({ bars: [], bounced: true });
    expect(await box(at.box)).to.include({ rests: false, paused: false });
  });

  it('a report that names no mail of ours lets no mailbox rest: anybody may write one', async () => {
    const sent = await written();
    await bench.clock.advance(HOUR);
    const raw = report('<x@elsewhere.example>', sent.address, '5.7.26', 'unauthenticated');
    await fixture.sync(sent.at, rawInbox(fixture.desk, [raw], bench.clock.now()));
    expect(await box(sent.at.box)).to.include({ rests: false, paused: false });
    expect(await barred(sent.at.ws)).to.deep.equal([]);
  });

  it('a mailbox that is refused on three days of a week although it rested pauses until somebody mends it', async () => {
    const sent = await written();
    for (const day of [1, 2, 3]) {
      await bench.clock.advance(DAY);
      const raw = report(sent.ours, sent.address, '5.7.26', 'sender is unauthenticated', `r${day}`);
      // A report tells by its own clock when it was written.
      const dated = raw.replace('MIME-Version', `Date: ${new Date(bench.clock.now()).toUTCString()}\r\nMIME-Version`);
      await fixture.sync(sent.at, rawInbox(fixture.desk, [dated], bench.clock.now()));
      expect((await box(sent.at.box)).paused, `day ${day}`).to.equal(day === 3);
    }
    expect((await box(sent.at.box)).pause).to.match(
      /^servers refused the sender on three days of a week: .*unauthenticated/,
    );
    await change(bench, `update network_account set cooldown_until = null where id = $1`, [sent.at.box]);
  });
});

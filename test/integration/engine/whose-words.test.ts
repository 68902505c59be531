import { expect } from 'chai';
import { type Bench, change, query } from '../../fixtures/engine/harness.ts';
import type { MailFixture, MailWorkspace } from '../../fixtures/engine/mail-fixture.ts';
import { end, MailNodeFixture, mail, waitReply } from '../../fixtures/engine/mail-node-fixture.ts';
import { answer, rawInbox } from '../../fixtures/engine/raw-inbox.ts';
import { chain, HOUR, runOf } from '../../fixtures/engine/workflow-fixture.ts';
import { STYLES } from '../../fixtures/quote-styles.ts';

const TEXT =
  'Hi Ada,\n\nI saw that Acme is hiring. Would a short call help?\nTell me and I will stop contacting you.\n\nBest\nSally';

describe('engine: whose words a mail holds', function () {
  this.timeout(180_000);
  let bench: Bench;
  let fixture: MailFixture;
  let nodeFixture: MailNodeFixture;
  const graph = chain(mail({ text: TEXT }), waitReply(), end);
  before(async () => {
    nodeFixture = await MailNodeFixture.open();
    ({ bench, fixture } = nodeFixture);
  });
  after(() => nodeFixture.close());

  interface Sent {
    at: MailWorkspace;
    leadId: string;
    address: string;
    ours: string;
    text: string;
  }

  async function written(): Promise<Sent> {
    const at = await fixture.workflowFixture(graph);
    const address = await fixture.person();
    const leadId = await nodeFixture.start(at, address);
    const [ours] = await query<{ id: string }>(
      bench,
      `select target ->> 'messageId' as id from send where lead_id = $1`,
      [leadId],
    );
    const text = (await fixture.received(at))[0]?.text ?? '';
    return { at, leadId, address, ours: ours?.id ?? '', text };
  }

  /** What the lead's run knows after these mails came. */
  async function heard({ at, leadId }: Sent, ...raw: string[]): Promise<string> {
    await bench.clock.advance(HOUR);
    await fixture.sync(at, rawInbox(fixture.desk, raw, bench.clock.now()));
    await at.handle.quiet();
    const { state, facts } = await runOf(bench, leadId);
    return facts['replied'] ? String(facts['replyClass']) : state;
  }

  it('a quote of our mail is no word of the one who answers, in whatever language a program introduces it', async () => {
    for (const style of [
      'outlook, portuguese',
      'outlook, russian',
      'outlook, chinese',
      'without a blank line',
      'bare',
    ]) {
      const sent = await written();
      const body = STYLES[style]?.('Sounds good.', sent.text) ?? '';
      const said = await heard(sent, answer({ from: sent.address, ours: sent.ours, body }));
      expect(said, style).to.equal('positive');
    }
  });

  it('nor is one that only its HTML marks', async () => {
    const sent = await written();
    const quoted = sent.text.replaceAll('\n', '<br>');
    const body = `<div>Sounds good.</div><blockquote type="cite">${quoted}</blockquote>`;
    expect(await heard(sent, answer({ from: sent.address, ours: sent.ours, type: 'text/html', body }))).to.equal(
      'positive',
    );
  });

  it('a copy of our own mail under another Message-ID is no reply, from our address or another one', async () => {
    const sent = await written();
    const [mailed] = await query<{ subject: string }>(
      bench,
      `select target ->> 'subject' as subject from send where lead_id = $1`,
      [sent.leadId],
    );
    const copy = (from: string): string =>
      answer({ from, ours: '<x@y.example>', subject: mailed?.subject ?? '', body: sent.text }).replace(
        'In-Reply-To: <x@y.example>',
        `X-Was: ${sent.ours}`,
      );
    const named = (from: string): string => copy(from).replace('References: <x@y.example>', `References: ${sent.ours}`);
    expect(await heard(sent, copy(sent.at.address), named(sent.at.address), named('sally@elsewhere.example'))).to.equal(
      'waiting',
    );
  });

  it('a mail of the mailbox itself, or of another one of the workspace, in the thread is not the lead’s', async () => {
    const sent = await written();
    const other = await fixture.mailbox(sent.at.ws);
    const [box] = await query<{ address: string }>(bench, 'select address from mailbox where account_id = $1', [other]);
    const from = (address: string): string =>
      answer({ from: `Sally <${address}>`, ours: sent.ours, body: 'Sounds good, I will take over from here.' });
    expect(await heard(sent, from(sent.at.address), from((box?.address ?? '').toUpperCase()))).to.equal('waiting');
    expect(await heard(sent, from(sent.address)), 'the lead').to.equal('positive');
  });

  it('who reads a mailbox of the workspace as a lead answers from it', async () => {
    const at = await fixture.workflowFixture(graph);
    const other = await fixture.workflowFixture(graph);
    const { address } = other;
    const leadId = await nodeFixture.start(at, address);
    await change(bench, 'insert into account_link (account_id, workspace_id, linked_at) values ($1, $2, 0)', [
      other.box,
      at.ws,
    ]);
    const [ours] = await query<{ id: string }>(
      bench,
      `select target ->> 'messageId' as id from send where lead_id = $1`,
      [leadId],
    );
    const sent = { at, leadId, address, ours: ours?.id ?? '', text: TEXT };
    expect(await heard(sent, answer({ from: address, ours: sent.ours, body: 'Sounds good.' }))).to.equal('positive');
  });
});

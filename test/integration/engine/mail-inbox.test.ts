import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { Database } from '../../../pkg/postgres/database.ts';
import type { IncomingMail, MailProvider } from '../../../pkg/providers/mail/mail-provider.ts';
import { SmtpImapAdapter } from '../../../pkg/providers/mail/smtp-imap-adapter.ts';
import { type Bench, change, openEngine, passTime, query } from '../../fixtures/engine/harness.ts';
import type { MailFixture, MailWorkspace } from '../../fixtures/engine/mail-fixture.ts';
import { end, MailNodeFixture, mail, type Node, waitReply } from '../../fixtures/engine/mail-node-fixture.ts';
import { chain, DAY, HOUR, MINUTE, runOf } from '../../fixtures/engine/workflow-fixture.ts';

describe('engine: what comes into a mailbox, however it comes', function () {
  this.timeout(180_000);
  let bench: Bench;
  let fixture: MailFixture;
  let nodeFixture: MailNodeFixture;
  const graph = chain(mail(), waitReply(), end);
  before(async () => {
    nodeFixture = await MailNodeFixture.open();
    ({ bench, fixture } = nodeFixture);
  });
  after(() => nodeFixture.close());

  const start = (at: MailWorkspace, email: string | null): Promise<string> => nodeFixture.start(at, email);
  const outcome = (leadId: string, nodeId?: string): Promise<string | undefined> => nodeFixture.outcome(leadId, nodeId);
  async function waiting(behaviour: object, hours = 2): Promise<{ at: MailWorkspace; leadId: string }> {
    const at = await fixture.workflowFixture(graph);
    const leadId = await start(at, await fixture.person({ replyAfterMs: HOUR, ...behaviour }));
    await bench.clock.advance(hours * HOUR);
    await fixture.sync(at);
    await at.handle.quiet();
    return { at, leadId };
  }

  it('replied: by somebody whose clock is days behind, for it came after our mail', async () => {
    const at = await fixture.workflowFixture(graph);
    const leadId = await start(at, await fixture.person({ replyText: 'Yes', replyAfterMs: HOUR }));
    await bench.clock.advance(2 * HOUR);
    const behind = new (class extends SmtpImapAdapter {
      override async readInbox(...given: Parameters<MailProvider['readInbox']>): ReturnType<MailProvider['readInbox']> {
        const read = await super.readInbox(...given);
        return { ...read, mails: read.mails.map((one) => ({ ...one, sentAt: one.sentAt - 3 * DAY })) };
      }
    })({ settleAfterMs: 60_000 });
    await fixture.sync(at, { ...fixture.desk, providers: async () => behind });
    await at.handle.quiet();
    expect(await outcome(leadId, 'n1')).to.equal('replied');
  });

  it('replied: while the mailbox was closed for weeks, and its server has renumbered its mails since', async () => {
    const at = await fixture.workflowFixture({ ...graph, nodes: [mail(), waitReply(30), ...graph.nodes.slice(2)] });
    const leadId = await start(at, await fixture.person({ replyText: 'Yes', replyAfterMs: DAY }));
    await fixture.sync(at);
    await bench.clock.advance(20 * DAY);
    await change(
      bench,
      `update account_wake set sync_state = sync_state || '{"inboxValidity": "0"}' where account_id = $1`,
      [at.box],
    );
    await fixture.sync(at);
    await at.handle.quiet();
    expect(await outcome(leadId, 'n1')).to.equal('replied');
  });

  it('replied: with characters that no database takes; nobody else’s answer waits for it', async () => {
    const { at, leadId } = await waiting({ replyText: 'Tell me\u0000 more' });
    expect(await outcome(leadId, 'n1')).to.equal('replied');
    const [message] = await query<{ subject: string; body: string }>(
      bench,
      'select subject, body from message where account_id = $1',
      [at.box],
    );
    expect(message?.body.trim()).to.equal('Tell me more');
    expect(message?.subject, 'what the mail is about is told with it').to.match(/^Re: About Company/);
  });

  it('a server that reports again and again that it still tries says it of one mail: nobody is barred, nothing pauses', async () => {
    const again = new (class extends SmtpImapAdapter {
      override async readInbox(...given: Parameters<MailProvider['readInbox']>): ReturnType<MailProvider['readInbox']> {
        const read = await super.readInbox(...given);
        const mails = read.mails.flatMap((one) =>
          [1, 2, 3, 4].map((time) => ({ ...one, uid: one.uid * 10 + time, messageId: `${time}${one.messageId}` })),
        );
        return { ...read, mails };
      }
    })({ settleAfterMs: 60_000 });
    const at = await fixture.workflowFixture(graph);
    await change(bench, 'update mailbox set min_sample = 1, pause_at_bounce_rate = 1 where account_id = $1', [at.box]);
    const leadId = await start(at, await fixture.person({ bounce: 'soft' }));
    await bench.clock.advance(2 * HOUR);
    await fixture.sync(at, { ...fixture.desk, providers: async () => again });
    await at.handle.quiet();
    expect(await outcome(leadId, 'n1')).to.equal(undefined);
    expect(
      await query(
        bench,
        `select (select count(*)::int from suppression where workspace_id = $1) as barred, pause_reason from mailbox where account_id = $2`,
        [at.ws, at.box],
      ),
    ).to.deep.equal([{ barred: 0, pause_reason: '' }]);
  });

  it('a reply that sync has not seen stops the next mail also behind other mails, as many as the server hands out at once', async () => {
    const narrow = new (class extends SmtpImapAdapter {
      override async readInbox(...given: Parameters<MailProvider['readInbox']>): ReturnType<MailProvider['readInbox']> {
        const read = await super.readInbox(...given);
        const [first] = read.mails;
        if (!first) return read;
        return { ...read, mails: [first], mark: { ...read.mark, uid: first.uid }, more: read.mails.length > 1 };
      }
    })({ settleAfterMs: 60_000 });
    const pause: Node = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
    const at = await fixture.workflowFixture(chain(mail(), pause, mail({ text: 'Second', threadMode: 'reply' }), end));
    at.handle = await openEngine(bench, at.ws, at.network, {
      mail: { ...fixture.desk, providers: async () => narrow },
    });
    const machine = { autoReply: 'We have received your message, number 17.' };
    await start(at, await fixture.person({ ...machine, replyText: 'Yes, please', replyAfterMs: HOUR }));
    await passTime(bench, at.handle, 26 * HOUR, HOUR);
    expect(await fixture.received(at), 'the answer was read before the second mail').to.have.length(1);
  });

  it('an inbox that could not be read is not taken for one that was, however late its last round of sync was', async () => {
    const pause: Node = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
    const at = await fixture.workflowFixture(chain(mail(), pause, mail({ text: 'Second', threadMode: 'reply' }), end));
    const address = await fixture.person({ replyText: 'Yes, please', replyAfterMs: HOUR });
    await start(at, address);
    await bench.clock.advance(DAY - MINUTE);
    const closed = new (class extends SmtpImapAdapter {
      override check = async () => 'disconnected' as const;
    })({ settleAfterMs: 1 });
    await fixture.sync(at, { ...fixture.desk, providers: async () => closed });
    await change(bench, `update network_account set status = 'ok' where id = $1`, [at.box]);
    await passTime(bench, at.handle, 2 * HOUR, MINUTE);
    expect(await fixture.received(at), 'the answer was read before the second mail').to.have.length(1);
  });

  it('a notice of absence that sync has not seen delays the next mail, also when only its subject says so', async () => {
    const away = new (class extends SmtpImapAdapter {
      override async readInbox(...given: Parameters<MailProvider['readInbox']>): ReturnType<MailProvider['readInbox']> {
        const read = await super.readInbox(...given);
        const subject = 'Automatic reply: About you';
        return { ...read, mails: read.mails.map((one) => ({ ...one, subject })) };
      }
    })({ settleAfterMs: 60_000 });
    const pause: Node = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
    const at = await fixture.workflowFixture(chain(mail(), pause, mail({ text: 'Second', threadMode: 'reply' }), end));
    at.handle = await openEngine(bench, at.ws, at.network, { mail: { ...fixture.desk, providers: async () => away } });
    const leadId = await start(at, await fixture.person({ autoReply: 'I will answer on Monday.' }));
    await passTime(bench, at.handle, 26 * HOUR, HOUR);
    expect(await fixture.received(at)).to.have.length(1);
    expect(await runOf(bench, leadId)).to.include({ wait_reason: 'until_time' });
    expect((await runOf(bench, leadId)).facts).to.include({ replyClass: 'out_of_office' });
  });

  it('a mail that came back says nothing of another address: who is found under one is written to, and waited for', async () => {
    const pause: Node = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: DAY } };
    const again = mail({ text: 'Second', threadMode: 'reply', subject: undefined });
    const nodes = [mail({ subject: 'Hello' }), waitReply(), pause, again, waitReply(), end];
    const edges = nodes.slice(1).map((_node, index) => ({
      sourceIndex: index,
      targetIndex: index + 1,
      ...(index === 1 ? { branch: 'bounced' } : {}),
    }));
    const at = await fixture.workflowFixture({ nodes, edges });
    const leadId = await start(at, await fixture.person({ bounce: 'hard' }));
    await bench.clock.advance(2 * HOUR);
    await fixture.sync(at);
    await at.handle.quiet();
    expect(await outcome(leadId, 'n1')).to.equal('bounced');
    const found = await fixture.person();
    await change(bench, 'update lead set email = $2 where id = $1', [leadId, found]);
    await passTime(bench, at.handle, 26 * HOUR, HOUR);
    expect(await outcome(leadId, 'n3')).to.equal('sent');
    expect((await fixture.received(at)).map((one) => one.target)).to.include(found);
    expect(await runOf(bench, leadId)).to.include({ node_id: 'n4', state: 'waiting' });
    const [second] = await query<{ target: object }>(
      bench,
      `select target from send where body = 'Second' and workspace_id = $1`,
      [at.ws],
    );
    expect(second?.target, 'the one who reads there knows no thread').to.include({ subject: 'Hello' });
    expect(second?.target).to.have.deep.property('references', []);
  });

  it('a complaint or a bounce counts that says either whom it is about or which mail', async () => {
    const ended = async (behaviour: object, part: (one: IncomingMail) => IncomingMail): Promise<string> => {
      const at = await fixture.workflowFixture(
        chain(mail(), waitReply(), { nodeType: 'network:message', config: { text: 'x' } }),
      );
      const leadId = await start(at, await fixture.person(behaviour));
      await bench.clock.advance(2 * HOUR);
      const adapter = new (class extends SmtpImapAdapter {
        override async readInbox(
          ...given: Parameters<MailProvider['readInbox']>
        ): ReturnType<MailProvider['readInbox']> {
          const read = await super.readInbox(...given);
          return { ...read, mails: read.mails.map(part) };
        }
      })({ settleAfterMs: 60_000 });
      await fixture.sync(at, { ...fixture.desk, providers: async () => adapter });
      await at.handle.quiet();
      const { end_reason, facts } = await runOf(bench, leadId);
      return `${end_reason} ${facts['mailBounced'] ?? ''}`.trim();
    };
    const hidden = (one: IncomingMail): IncomingMail => ({
      ...one,
      report: one.report && { ...one.report, recipient: null },
    });
    const unnamed = (one: IncomingMail): IncomingMail => ({ ...one, mentions: [] });
    expect(await ended({ complains: true }, hidden)).to.equal('complained');
    expect(await ended({ complains: true }, unnamed)).to.equal('complained');
    expect(await ended({ bounce: 'hard' }, hidden)).to.match(/ true$/);
  });

  describe('reports that the one who got a mail of ours makes up', () => {
    /** Mails as they are read, each as these. */
    const readAs = (parts: (one: IncomingMail) => IncomingMail[]) => {
      const adapter = new (class extends SmtpImapAdapter {
        override async readInbox(
          ...given: Parameters<MailProvider['readInbox']>
        ): ReturnType<MailProvider['readInbox']> {
          const read = await super.readInbox(...given);
          return { ...read, mails: read.mails.flatMap(parts) };
        }
      })({ settleAfterMs: 60_000 });
      return { ...fixture.desk, providers: async () => adapter };
    };

    it('bar the address that the mail went to, and no other that they name', async () => {
      const at = await fixture.workflowFixture(graph);
      const [own, other] = [await fixture.person({ bounce: 'hard' }), await fixture.person({})];
      const leads = [await start(at, own), await start(at, other)];
      await bench.clock.advance(2 * HOUR);
      const naming = readAs((one) => [{ ...one, report: one.report && { ...one.report, recipient: other } }]);
      await fixture.sync(at, naming);
      await at.handle.quiet();
      const barred = await query<{ value: string }>(bench, 'select value from suppression where workspace_id = $1', [
        at.ws,
      ]);
      expect(barred.map((row) => row.value)).to.deep.equal([own]);
      expect((await runOf(bench, leads[0] ?? '')).facts['mailBounced']).to.equal(true);
      expect((await runOf(bench, leads[1] ?? '')).facts['mailBounced']).to.equal(undefined);
    });

    it('are one mail that came back, however many there are of an address: nobody pauses the mailbox by writing to it', async () => {
      const at = await fixture.workflowFixture(graph);
      await change(bench, 'update mailbox set min_sample = 1, pause_at_bounce_rate = 1 where account_id = $1', [
        at.box,
      ]);
      await start(at, await fixture.person({ bounce: 'hard' }));
      await bench.clock.advance(2 * HOUR);
      const often = readAs((one) =>
        [1, 2, 3, 4].map((time) => ({
          ...one,
          uid: one.uid * 10 + time,
          messageId: `${time}${one.messageId}`,
          mentions: [],
        })),
      );
      await fixture.sync(at, often);
      const [box] = await query(
        bench,
        `select pause_reason, (select count(*)::int from mail_report r where r.account_id = m.account_id) as reports
         from mailbox m where account_id = $1`,
        [at.box],
      );
      expect(box).to.deep.equal({ pause_reason: '', reports: 4 });
    });
  });

  it('bounced: also who was paused when the mail came back, once they go on', async () => {
    const at = await fixture.workflowFixture(graph);
    const leadId = await start(at, await fixture.person({ bounce: 'hard' }));
    await change(bench, `update run set state = 'paused', wait_reason = null, due_at = null where lead_id = $1`, [
      leadId,
    ]);
    await bench.clock.advance(2 * HOUR);
    await fixture.sync(at);
    await at.handle.quiet();
    expect(await runOf(bench, leadId)).to.include({ state: 'paused', due_at: null });
    await change(bench, `update run set state = 'waiting', wait_reason = 'duration', due_at = $2 where lead_id = $1`, [
      leadId,
      bench.clock.now(),
    ]);
    await at.handle.quiet();
    expect(await outcome(leadId, 'n1')).to.equal('bounced');
  });

  it('a mail that came back locks runs before accounts, as the ledger does: neither ends the other as a deadlock', async () => {
    const at = await fixture.workflowFixture(graph);
    const to = await fixture.person({ bounce: 'hard' });
    await start(at, to);
    const second = await start(at, await fixture.person());
    await passTime(bench, at.handle, HOUR, 10 * MINUTE);
    const other = new pg.Client({ connectionString: bench.ownerUrl });
    await other.connect();
    try {
      // The mail of the second one is still to leave, and to the same address.
      await other.query(
        `with s as (update outrider.send set state = 'claimed', dispatched_at = null, target = target || jsonb_build_object('to', $2::text)
           where lead_id = $1 returning id, run_id)
         update outrider.run r set send_id = s.id from s where r.id = s.run_id`,
        [second, to],
      );
      await bench.clock.advance(2 * HOUR);
      await other.query('begin');
      await other.query('select 1 from outrider.run where lead_id = $1 for no key update', [second]);
      const synced = fixture.sync(at);
      const waiting = 'select 1 from pg_locks where not granted';
      while ((await other.query(waiting)).rowCount === 0) await new Promise((resolve) => setImmediate(resolve));
      await other.query('select 1 from outrider.account_pacing where account_id = $1 for update nowait', [at.box]);
      await other.query('commit');
      await synced;
      const [send] = await query<{ outcome: string }>(bench, 'select outcome from send where lead_id = $1', [second]);
      expect(send?.outcome).to.equal('cancelled');
    } finally {
      await other.end();
    }
  });

  it('a server that is away for a moment is looked at again within minutes, one that refuses us is not pestered', async () => {
    const at = await fixture.workflowFixture(chain(mail(), end));
    for (const [status, soon] of [
      ['disconnected', true],
      ['credentials_expired', false],
    ] as const) {
      const closed = new (class extends SmtpImapAdapter {
        override check = async () => status;
      })({ settleAfterMs: 1 });
      await fixture.sync(at, { ...fixture.desk, providers: async () => closed });
      const [wake] = await query<{ due: number }>(
        bench,
        'select due_at::float8 as due from account_wake where account_id = $1',
        [at.box],
      );
      expect((wake?.due ?? 0) - bench.clock.now() <= 5 * MINUTE, status).to.equal(soon);
    }
  });

  describe('wishes to get no more', () => {
    async function address(): Promise<{ at: MailWorkspace; leadId: string; url: string }> {
      const at = await fixture.workflowFixture(chain(mail(), waitReply(), mail({ text: 'Second' })));
      const leadId = await start(at, await fixture.person());
      const url = /http:\S+\/u\/[\w-]+/.exec((await fixture.received(at))[0]?.text ?? '')?.[0] ?? '';
      return { at, leadId, url };
    }

    it('one POST to the address ends it also for who turned out since to be a person that was known before', async () => {
      const { at, leadId, url } = await address();
      const known = `00000000-0000-4000-8000-${randomUUID().slice(-12)}`;
      const other = `other-${known}@acme.example`;
      const owner = new Database({ url: bench.ownerUrl, max: 1, applicationName: 'test' });
      await owner.tx({ kind: 'platform' }, async (tx) => {
        const scope = `workspace:${at.ws}`;
        await tx.exec('insert into person (id, scope, created_at) values ($1, $2, 1)', [known, scope]);
        await tx.exec(
          `insert into person_alias (scope, kind, value, person_id) values ($3, 'mail', app.mail_hash($2), $1)`,
          [known, other, scope],
        );
      });
      await owner.close();
      await change(bench, 'update lead set email = $2 where id = $1', [leadId, other]);
      await bench.app.tx({ kind: 'platform' }, (tx) =>
        tx.exec('select count(*) from app.resolve_persons($1, $2)', [[leadId], bench.clock.now()]),
      );
      expect(await query(bench, 'select person_id from lead where id = $1', [leadId])).to.deep.equal([
        { person_id: known },
      ]);
      expect((await fetch(url, { method: 'POST' })).status).to.equal(200);
      expect(await runOf(bench, leadId)).to.include({ state: 'suppressed', end_reason: 'unsubscribed' });
      await passTime(bench, at.handle, 5 * DAY, HOUR);
      expect(await fixture.received(at)).to.have.length(1);
    });

    it('a mail with that subject, as clients send it for the other address of the header, ends it too', async () => {
      for (const automatic of [false, true]) {
        const at = await fixture.workflowFixture(chain(mail(), waitReply(), mail({ text: 'Second' })));
        const leadId = await start(at, await fixture.person({ replyText: 'x', replyAfterMs: HOUR }));
        await bench.clock.advance(2 * HOUR);
        const clients = new (class extends SmtpImapAdapter {
          override async readInbox(
            ...given: Parameters<MailProvider['readInbox']>
          ): ReturnType<MailProvider['readInbox']> {
            const read = await super.readInbox(...given);
            const text = 'This message was automatically generated by Gmail.';
            const asked = { subject: 'Unsubscribe', text, mentions: [], automatic };
            return { ...read, mails: read.mails.map((one) => ({ ...one, ...asked })) };
          }
        })({ settleAfterMs: 60_000 });
        await fixture.sync(at, { ...fixture.desk, providers: async () => clients });
        expect(await runOf(bench, leadId)).to.include({ state: 'suppressed', end_reason: 'unsubscribed' });
      }
    });
  });
});

import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { MailDesk } from '../../../pkg/engine/mail/mail-desk.ts';
import type { InboxMark, MailboxAccess, MailProvider } from '../../../pkg/providers/mail/mail-provider.ts';
import { SmtpImapAdapter } from '../../../pkg/providers/mail/smtp-imap-adapter.ts';
import { planIdle } from '../../../pkg/store/runs/plan-idle.ts';
import { type Bench, change, enrol, openEngine, passTime, query } from '../../fixtures/engine/harness.ts';
import type { MailFixture, MailWorkspace } from '../../fixtures/engine/mail-fixture.ts';
import { end, MailNodeFixture, mail, type Node, waitReply } from '../../fixtures/engine/mail-node-fixture.ts';
import { killAtDispatch, lookTwice } from '../../fixtures/engine/node-outcome.ts';
import { addCampaign, addWorkflow } from '../../fixtures/engine/rows.ts';
import { chain, DAY, HOUR, MINUTE, runOf, sendsOf } from '../../fixtures/engine/workflow-fixture.ts';

describe('engine: mail nodes take the outcomes of the vocabulary, over real SMTP and IMAP', function () {
  this.timeout(180_000);
  let bench: Bench;
  let fixture: MailFixture;
  let nodeFixture: MailNodeFixture;
  before(async () => {
    nodeFixture = await MailNodeFixture.open();
    ({ bench, fixture } = nodeFixture);
  });
  after(() => nodeFixture.close());
  beforeEach(() => fixture.control('faults', []));

  const start = (at: MailWorkspace, email: string | null): Promise<string> => nodeFixture.start(at, email);
  const outcome = (leadId: string, nodeId?: string): Promise<string | undefined> => nodeFixture.outcome(leadId, nodeId);

  describe('mail:send', () => {
    it('sent: from the mailbox, with the address of its own to unsubscribe, once in the text', async () => {
      const at = await fixture.workflowFixture(chain(mail(), end));
      const to = await fixture.person();
      const leadId = await start(at, to);
      expect(await outcome(leadId)).to.equal('sent');
      const [received, ...more] = await fixture.received(at);
      expect(more).to.deep.equal([]);
      expect(received).to.include({ target: to, kind: 'mail' });
      expect(received?.text?.match(/Unsubscribe: http:\/\/127\.0\.0\.1:\d+\/u\/[\w-]{32}/g)).to.have.length(1);
      const [send] = await query<{ body: string; account_id: string; provider_ref: string }>(
        bench,
        'select body, account_id, provider_ref from send where workspace_id = $1',
        [at.ws],
      );
      expect(send).to.include({ body: 'Hello Ada', account_id: at.box, provider_ref: received?.idempotencyKey });
      const [budget] = await query<{ action: string; used: number[] }>(
        bench,
        'select action, used from account_budget where account_id = $1',
        [at.box],
      );
      expect([budget?.action, budget?.used[0]]).to.deep.equal(['mail', 1]);
    });

    it('sent: the postal address that the workspace has set stands in the footer, also without a link', async () => {
      for (const unsubscribe of ['header', 'header_and_link']) {
        const at = await fixture.workflowFixture(chain(mail({ unsubscribe }), end));
        await change(
          bench,
          `update workspace set settings = settings || '{"senderPostalAddress": "Acme, 1 Road, Town"}' where id = $1`,
          [at.ws],
        );
        await start(at, await fixture.person());
        const [received] = await fixture.received(at);
        expect(received?.text).to.match(
          unsubscribe === 'header'
            ? /Hello Ada\s+-- \s+Acme, 1 Road, Town\s*$/
            : /Hello Ada\s+-- \s+Acme, 1 Road, Town\s+Unsubscribe: /,
        );
      }
    });

    it('sent: approved with another subject and text; the sender signs with the name of the mailbox', async () => {
      const node = mail({ text: 'Yours, {{sender:firstName}}', unsubscribe: 'header' });
      const at = await fixture.workflowFixture(chain(node, end), { reviewMode: 'all' });
      const leadId = await start(at, await fixture.person());
      const [item] = await query<{ subject: string; body: string; channel: string; account_id: string }>(
        bench,
        'select * from review_item where workspace_id = $1',
        [at.ws],
      );
      expect(item).to.include({ body: 'Yours, Grace', channel: 'mail', account_id: at.box });
      expect(item?.subject).to.match(/^About Company/);
      await change(
        bench,
        `update review_item set state = 'approved', subject = 'New subject', body = 'New text', decided_at = 1 where workspace_id = $1`,
        [at.ws],
      );
      await at.handle.quiet();
      expect(await outcome(leadId)).to.equal('sent');
      expect((await fixture.received(at))[0]?.text?.trim()).to.equal('New text');
      const [send] = await query<{ target: { subject: string } }>(
        bench,
        'select target from send where workspace_id = $1',
        [at.ws],
      );
      expect(send?.target.subject).to.equal('New subject');
    });

    it('no_email: nothing is known to write to', async () => {
      const at = await fixture.workflowFixture(chain(mail(), end));
      expect(await outcome(await start(at, null))).to.equal('no_email');
    });

    it('bounced_before: a mail to this address came back, also one of another workflow', async () => {
      const at = await fixture.workflowFixture(chain(mail(), end));
      const to = await fixture.person({ bounce: 'hard' });
      const leadId = await start(at, to);
      await bench.clock.advance(10 * MINUTE);
      await fixture.sync(at);
      const camp = await addCampaign(bench.app, at.ws, {
        contactPolicy: { recontactAfterDays: 0, minDaysBetweenTouches: 0 },
      });
      const second = await addWorkflow(bench.app, at.ws, camp, chain(mail(), end));
      await bench.clock.advance(91 * DAY);
      await enrol(bench, at.ws, second, [leadId]);
      await at.handle.quiet();
      const [row] = await query<{ data: { outcome: string } }>(
        bench,
        `select e.data from run_event e join run r on r.id = e.run_id where r.workflow_id = $1 and e.kind = 'run.step_done'`,
        [second],
      );
      expect(row?.data.outcome).to.equal('bounced_before');
      expect(await fixture.received(at)).to.have.length(1);
    });

    it('rejected: a person said no', async () => {
      const at = await fixture.workflowFixture(chain(mail(), end), { reviewMode: 'all' });
      const leadId = await start(at, await fixture.person());
      await change(
        bench,
        `update review_item set state = 'rejected', on_reject = 'skip_step', decided_at = 1 where workspace_id = $1`,
        [at.ws],
      );
      await at.handle.quiet();
      expect(await outcome(leadId)).to.equal('rejected');
    });

    for (const [why, config] of [
      ['a gap in the text', { text: '{{lead:title}}' }],
      ['a gap in the subject', { subject: '{{lead:title}}' }],
      ['an answer to nothing without a subject', { subject: undefined, threadMode: 'reply' }],
    ] as const) {
      it(`missing_data: ${why}`, async () => {
        const at = await fixture.workflowFixture(chain(mail(config), end));
        expect(await outcome(await start(at, await fixture.person()))).to.equal('missing_data');
        expect(await fixture.received(at)).to.deep.equal([]);
      });
    }

    it('failed: the server refuses the recipient, and the unit is back', async () => {
      const at = await fixture.workflowFixture(chain(mail(), end));
      const leadId = await start(at, await fixture.person({ bounce: 'refused' }));
      expect(await outcome(leadId)).to.equal('failed');
      const [budget] = await query<{ used: number[] }>(bench, 'select used from account_budget where account_id = $1', [
        at.box,
      ]);
      expect(budget?.used[0]).to.equal(0);
    });
  });

  describe('mail:wait_reply', () => {
    const graph = chain(mail(), waitReply(), end);
    async function waiting(behaviour: object, hours = 2): Promise<{ at: MailWorkspace; leadId: string }> {
      const at = await fixture.workflowFixture(graph);
      const leadId = await start(at, await fixture.person({ replyAfterMs: HOUR, ...behaviour }));
      await bench.clock.advance(hours * HOUR);
      await fixture.sync(at);
      await at.handle.quiet();
      return { at, leadId };
    }

    it('replied: in the thread, and the answer is kept', async () => {
      const { at, leadId } = await waiting({ replyText: 'Tell me more' });
      expect(await outcome(leadId, 'n1')).to.equal('replied');
      const [message] = await query<{ body: string; direction: string }>(
        bench,
        'select body, direction from message where account_id = $1',
        [at.box],
      );
      expect([message?.direction, message?.body.trim()]).to.deep.equal(['in', 'Tell me more']);
      const run = await runOf(bench, leadId);
      expect(run.facts).to.include({ replyChannel: 'mail' });
      expect(run.facts, 'a mail says nothing of the network').to.not.have.property('connected');
    });

    it('replied: in the thread from another address', async () => {
      const { leadId } = await waiting({ replyText: 'Yes', replyFrom: 'private@elsewhere.example' });
      expect(await outcome(leadId, 'n1')).to.equal('replied');
    });

    it('replied: in a mail of its own from the address, and from a colleague at the domain under our subject', async () => {
      const same = await waiting({ replyText: 'Yes', newThread: true });
      expect(await outcome(same.leadId, 'n1')).to.equal('replied');
      const at = await fixture.workflowFixture(graph);
      const address = `boss@${randomUUID().slice(0, 8)}.example`;
      const colleague = `assistant@${address.split('@')[1]}`;
      const leadId = await start(
        at,
        await fixture.person({ replyText: 'Yes', replyAfterMs: HOUR, newThread: true, replyFrom: colleague }, address),
      );
      await bench.clock.advance(2 * HOUR);
      await fixture.sync(at);
      await at.handle.quiet();
      expect(await outcome(leadId, 'n1')).to.equal('replied');
    });

    it('a notice of absence is no reply, other machines are nothing', async () => {
      const absent = await waiting({ autoReply: 'I am out of office until Friday' });
      expect(await outcome(absent.leadId, 'n1')).to.equal(undefined);
      expect((await runOf(bench, absent.leadId)).facts).to.include({ replyClass: 'out_of_office' });
      const ticket = await waiting({ autoReply: 'We have received your message, number 17.' });
      expect((await runOf(bench, ticket.leadId)).facts).to.not.have.property('replied');
    });

    it('bounced: the mail came back for good; a full mailbox does so only the third time', async () => {
      const hard = await waiting({ bounce: 'hard' });
      expect(await outcome(hard.leadId, 'n1')).to.equal('bounced');
      const events = await query(
        bench,
        `select 1 from run_event e join run r on r.id = e.run_id where r.lead_id = $1 and e.kind = 'mail.bounced'`,
        [hard.leadId],
      );
      expect(events).to.have.length(1);
      const soft = await waiting({ bounce: 'soft' });
      expect(await outcome(soft.leadId, 'n1')).to.equal(undefined);
    });

    it('bounced: the third soft bounce bars the address, counting what the own workspaces saw', async () => {
      const pause: Node = { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: 2 * DAY } };
      const steady = chain(mail(), pause, mail({ text: 'Second' }), pause, mail({ text: 'Third' }), waitReply(), end);
      const full = await fixture.person({ bounce: 'soft' });
      const [other, own] = [await fixture.workflowFixture(steady), await fixture.workflowFixture(steady)];
      const barred = async (): Promise<string[]> =>
        (
          await query<{ workspace_id: string }>(
            bench,
            `select workspace_id from suppression where value = $1 and source = 'bounce'`,
            [full],
          )
        ).map((row) => row.workspace_id);
      const mailed = async (at: MailWorkspace): Promise<void> => {
        await passTime(bench, at.handle, HOUR, 10 * MINUTE);
        await fixture.sync(at);
        await at.handle.quiet();
      };
      await start(other, full);
      await mailed(other);
      await bench.clock.advance(2 * DAY);
      await mailed(other);
      const leadId = await start(own, full);
      await mailed(own);
      expect(await barred(), 'two of another tenant and one of ours').to.deep.equal([]);
      for (const seen of [[], [own.ws]]) {
        await bench.clock.advance(2 * DAY);
        await mailed(own);
        expect(await barred()).to.deep.equal(seen);
      }
      expect(await outcome(leadId, 'n5')).to.equal('bounced');
    });

    it('timed_out: nobody answers', async () => {
      const at = await fixture.workflowFixture(graph);
      const leadId = await start(at, await fixture.person());
      await passTime(bench, at.handle, 4 * DAY, 12 * HOUR);
      expect(await outcome(leadId, 'n1')).to.equal('timed_out');
    });
  });

  describe('threads, limits and stops', () => {
    it('the next mail answers in the thread of the first, a new one opens its own', async () => {
      const next = mail({ subject: undefined, threadMode: 'reply', text: 'Second' });
      const at = await fixture.workflowFixture(chain(mail(), next, mail({ threadMode: 'new', text: 'Third' })));
      await start(at, await fixture.person());
      await passTime(bench, at.handle, HOUR, 10 * MINUTE);
      const sends = await query<{ target: { subject: string; references: string[]; messageId: string } }>(
        bench,
        'select target from send where workspace_id = $1 order by claimed_at',
        [at.ws],
      );
      const [first, second, third] = sends.map((send) => send.target);
      expect(second?.subject).to.equal(`Re: ${first?.subject}`);
      expect(second?.references).to.deep.equal([first?.messageId]);
      expect(third?.references).to.deep.equal([]);
      expect((await fixture.received(at)).map((one) => one.idempotencyKey)).to.deep.equal(
        [first, second, third].map((target) => target?.messageId),
      );
    });

    it('a round of sync that breaks off has kept how far it read, and one that leaves mails is followed soon', async () => {
      const at = await fixture.workflowFixture(chain(mail(), end));
      const asked: (number | undefined)[] = [];
      class Paged extends SmtpImapAdapter {
        breaksAt = 3;
        override async readInbox(_box: MailboxAccess, from: InboxMark | null): ReturnType<MailProvider['readInbox']> {
          asked.push(from?.uid);
          const uid = (from?.uid ?? 0) + 1;
          if (uid === this.breaksAt) throw new Error('the connection broke');
          return { mails: [], skipped: [], mark: { validity: '1', uid }, more: uid < 9 };
        }
      }
      const adapter = new Paged({ settleAfterMs: 1 });
      const desk: MailDesk = { ...fixture.desk, providers: async () => adapter };
      const due = async (): Promise<number> => {
        const [row] = await query<{ due: number }>(
          bench,
          'select due_at::float8 as due from account_wake where account_id = $1',
          [at.box],
        );
        return (row?.due ?? 0) - bench.clock.now();
      };
      await fixture.sync(at, desk).catch(() => undefined);
      expect(asked.splice(0)).to.deep.equal([undefined, 1, 2]);
      adapter.breaksAt = 0;
      await fixture.sync(at, desk);
      expect(asked.splice(0)).to.deep.equal([2, 3, 4, 5, 6]);
      expect(await due(), 'more is left').to.be.within(1, 60_000);
      await fixture.sync(at, desk);
      expect(asked).to.deep.equal([7, 8]);
      expect(await due()).to.be.greaterThan(60_000);
    });

    it('a reply that sync has not seen stops the next mail right before it leaves', async () => {
      const at = await fixture.workflowFixture(chain(mail(), mail({ text: 'Second' })));
      await change(
        bench,
        `update campaign set settings = settings || '{"contactPolicy": {"minDaysBetweenTouches": 1}}' where id = $1`,
        [at.camp],
      );
      const leadId = await start(at, await fixture.person({ replyText: 'Tell me more', replyAfterMs: HOUR }));
      await bench.clock.advance(25 * HOUR);
      await at.handle.quiet();
      expect(await fixture.received(at)).to.have.length(1);
      expect(await runOf(bench, leadId)).to.include({ state: 'completed', end_reason: 'replied' });
    });

    it('the daily limit and the smallest gap of the mailbox hold', async () => {
      const at = await fixture.workflowFixture(chain(mail()), {}, { limit: 2 });
      for (let index = 0; index < 3; index++) await start(at, await fixture.person());
      expect(await fixture.received(at)).to.have.length(1);
      await passTime(bench, at.handle, 4 * MINUTE, MINUTE);
      expect(await fixture.received(at), 'within the gap').to.have.length(1);
      await passTime(bench, at.handle, 2 * HOUR, 5 * MINUTE);
      expect(await fixture.received(at), 'today').to.have.length(2);
      await passTime(bench, at.handle, DAY, HOUR);
      expect(await fixture.received(at), 'tomorrow').to.have.length(3);
    });

    it('named mailboxes write and no others; a node may rotate over them, else the lead keeps its own', async () => {
      const nodes = [mail({ text: 'One' }), mail({ text: 'Two' }), mail({ text: 'Three', mailboxMode: 'rotate' })];
      const at = await fixture.workflowFixture(chain(...nodes, mail({ text: 'Four', mailboxMode: 'rotate' })));
      const boxes = [await fixture.mailbox(at.ws), await fixture.mailbox(at.ws), await fixture.mailbox(at.ws)];
      await change(bench, 'update workflow set provider_account_ids = $2 where id = $1', [at.flow, boxes]);
      for (let index = 0; index < 6; index++) await start(at, await fixture.person());
      // Long enough for whom three mailboxes share unevenly; each keeps its own pace.
      await passTime(bench, at.handle, 12 * HOUR, 10 * MINUTE);
      const sends = await query<{ lead_id: string; body: string; account_id: string }>(
        bench,
        'select lead_id, body, account_id from send where workspace_id = $1',
        [at.ws],
      );
      expect(sends).to.have.length(24);
      expect(boxes).to.include.members(sends.map((send) => send.account_id));
      const by = (lead: string, body: string) =>
        sends.find((send) => send.lead_id === lead && send.body === body)?.account_id;
      const leads = [...new Set(sends.map((send) => send.lead_id))];
      for (const id of leads) expect(by(id, 'Two')).to.equal(by(id, 'One'));
      expect(leads.some((id) => by(id, 'Three') !== by(id, 'One') || by(id, 'Four') !== by(id, 'One'))).to.equal(true);
    });

    it('a freeze of a mailbox lets its leads wait, and nobody looks at them every second', async () => {
      const at = await fixture.workflowFixture(chain(mail(), end));
      await change(
        bench,
        `insert into send_freeze (id, scope, target, reason, frozen_by, since) values (gen_random_uuid(), 'account', $1, 'x', 'x', 1)`,
        [at.box],
      );
      const leadId = await start(at, await fixture.person());
      expect((await runOf(bench, leadId)).wait_reason).to.equal('send_freeze');
      const left = await at.handle.deps.claim.tx((tx) => planIdle(tx, bench.clock.now()));
      expect(left.unparked, 'who goes on though nothing has changed').to.equal(0);
      expect(await fixture.received(at)).to.have.length(0);
      await change(bench, 'delete from send_freeze where target = $1', [at.box]);
      await passTime(bench, at.handle, HOUR, 10 * MINUTE);
      expect(await fixture.received(at)).to.have.length(1);
    });

    it('a freeze of mail stops mail alone', async () => {
      const at = await fixture.workflowFixture(chain(mail(), { nodeType: 'network:profile_view' }));
      const freeze = `insert into send_freeze (id, scope, target, channel, reason, frozen_by, since) values (gen_random_uuid(), 'workspace', $1, $2, 'x', 'x', 1)`;
      await change(bench, freeze, [at.ws, 'network']);
      await start(at, await fixture.person());
      expect(await fixture.received(at), 'a freeze of the network is none of mail').to.have.length(1);
      await change(bench, freeze, [at.ws, 'mail']);
      const leadId = await start(at, await fixture.person());
      await passTime(bench, at.handle, HOUR, 10 * MINUTE);
      expect(await runOf(bench, leadId)).to.include({ wait_reason: 'send_freeze', node_id: 'n0' });
      expect(await fixture.received(at)).to.have.length(1);
      await change(bench, 'delete from send_freeze where target = $1', [at.ws]);
      await passTime(bench, at.handle, HOUR, 10 * MINUTE);
      expect(await fixture.received(at)).to.have.length(2);
    });

    it('a mailbox pauses when too much comes back', async () => {
      const at = await fixture.workflowFixture(chain(mail()));
      await change(bench, 'update mailbox set min_sample = 2, min_gap_ms = 0 where account_id = $1', [at.box]);
      for (const bounce of ['none', 'hard', 'hard']) await start(at, await fixture.person({ bounce }));
      await passTime(bench, at.handle, HOUR, 10 * MINUTE);
      await fixture.sync(at);
      const [box] = await query<{ paused: boolean; pause_reason: string }>(
        bench,
        'select a.paused, m.pause_reason from mailbox m join network_account a on a.id = m.account_id where a.id = $1',
        [at.box],
      );
      expect(box).to.deep.equal({ paused: true, pause_reason: '2 of 3 mails bounced' });
      const leadId = await start(at, await fixture.person());
      expect(await runOf(bench, leadId)).to.include({ state: 'blocked', wait_reason: 'account_unhealthy' });
    });

    it('too many complaints pause the mailbox, and say so', async () => {
      const at = await fixture.workflowFixture(chain(mail()));
      await change(bench, 'update mailbox set min_sample = 2 where account_id = $1', [at.box]);
      for (const complains of [false, true]) await start(at, await fixture.person({ complains }));
      await passTime(bench, at.handle, 3 * HOUR, 10 * MINUTE);
      await fixture.sync(at);
      const [box] = await query<{ paused: boolean; pause_reason: string }>(
        bench,
        'select a.paused, m.pause_reason from mailbox m join network_account a on a.id = m.account_id where a.id = $1',
        [at.box],
      );
      expect(box).to.deep.equal({ paused: true, pause_reason: '1 of 2 mails were complained about' });
    });

    it('a complaint ends everything for the person, on every channel', async () => {
      const at = await fixture.workflowFixture(
        chain(mail(), waitReply(), { nodeType: 'network:message', config: { text: 'x' } }),
      );
      const leadId = await start(at, await fixture.person({ complains: true }));
      await bench.clock.advance(2 * HOUR);
      await fixture.sync(at);
      expect(await runOf(bench, leadId)).to.include({ state: 'suppressed', end_reason: 'complained' });
      const [row] = await query<{ source: string; removable: boolean }>(
        bench,
        'select source, removable from suppression where workspace_id = $1',
        [at.ws],
      );
      expect(row).to.deep.equal({ source: 'complaint', removable: false });
    });

    it('wrong credentials are the state of the mailbox', async () => {
      const at = await fixture.workflowFixture(chain(mail()));
      await change(bench, `update mailbox set sealed = $2 where account_id = $1`, [
        at.box,
        fixture.desk.sealer?.seal('another', `mailbox:${at.box}`),
      ]);
      await fixture.sync(at);
      const [account] = await query<{ status: string }>(bench, 'select status from network_account where id = $1', [
        at.box,
      ]);
      expect(account?.status).to.equal('credentials_expired');
    });

    it('the command line connects a mailbox of the sandbox, which then sends', async () => {
      const at = await fixture.workflowFixture(chain(mail()));
      await change(bench, 'update network_account set paused = true where id = $1', [at.box]);
      const address = `${randomUUID().slice(0, 8)}@agency.example`;
      const env = {
        PATH: process.env['PATH'],
        OWNER_DATABASE_URL: bench.ownerUrl,
        OUTRIDER_SECRETS_KEY: 's'.repeat(40),
      };
      const args = ['cmd/outrider/main.ts', 'mailbox', 'connect', address, '--workspace', at.ws, '--name', 'Ada'];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env });
      expect(stdout).to.contain(`mails from ${address} for workspace ${at.ws}`);
      await change(bench, `update network_account set business_hours = $2 where external_id = $1`, [
        address,
        JSON.stringify({ days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' }),
      ]);
      at.handle = await openEngine(bench, at.ws, at.network, { mail: { ...fixture.desk, sandbox: fixture.sandbox } });
      const leadId = await start(at, await fixture.person());
      expect(await outcome(leadId)).to.equal('sent');
      expect(await fixture.received({ address })).to.have.length(1);
    });

    it('no password, token or address of unsubscribing stands in a row', async () => {
      const at = await fixture.workflowFixture(chain(mail()));
      await start(at, await fixture.person());
      const secret = /\/u\/([\w-]+)/.exec((await fixture.received(at))[0]?.text ?? '')?.[1] ?? '';
      expect(secret).to.have.length(32);
      const [rows] = await query<{ text: string }>(
        bench,
        `select (select string_agg(m::text, '') from mailbox m) || (select string_agg(s::text, '') from send s)
           || (select string_agg(t::text, '') from unsubscribe_token t) || (select string_agg(e::text, '') from run_event e) as text`,
      );
      expect(rows?.text).to.not.contain(secret).and.not.contain('the-mailbox-password');
      const hash = createHash('sha256').update(secret).digest('hex');
      expect(rows?.text).to.contain(hash);
    });
  });

  describe('unsubscribe address', () => {
    async function address(): Promise<{ at: MailWorkspace; leadId: string; url: string }> {
      const at = await fixture.workflowFixture(chain(mail(), waitReply(), mail({ text: 'Second' })));
      const leadId = await start(at, await fixture.person());
      const url = /http:\S+\/u\/[\w-]+/.exec((await fixture.received(at))[0]?.text ?? '')?.[0] ?? '';
      return { at, leadId, url };
    }

    it('one POST ends it at once, for good and on every channel; repeating it is harmless', async () => {
      const { at, leadId, url } = await address();
      const post = { method: 'POST', body: 'List-Unsubscribe=One-Click' };
      expect((await fetch(url, post)).status).to.equal(200);
      expect((await fetch(url, post)).status).to.equal(200);
      expect(await runOf(bench, leadId)).to.include({ state: 'suppressed', end_reason: 'unsubscribed' });
      const rows = await query<{ source: string; removable: boolean }>(
        bench,
        'select source, removable from suppression where workspace_id = $1',
        [at.ws],
      );
      expect(rows).to.deep.equal([{ source: 'unsubscribe', removable: false }]);
    });

    it('a scanner that follows links unsubscribes nobody, and unknown addresses are not found', async () => {
      const { leadId, url } = await address();
      const page = await fetch(url);
      expect([page.status, page.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
      expect(await page.text()).to.contain('<form method="post">');
      expect((await runOf(bench, leadId)).state).to.equal('waiting');
      const unknown = url.replace(/[\w-]{32}$/, 'x'.repeat(32));
      expect((await fetch(unknown, { method: 'POST' })).status).to.equal(404);
      expect((await fetch(unknown)).status).to.equal(404);
    });
  });

  describe('never twice when the executor is killed', () => {
    for (const when of ['before', 'after'] as const) {
      it(`killed ${when} the mail was handed over: looked up in Sent, then sent once in all`, async () => {
        const at = await fixture.workflowFixture(chain(mail(), end));
        const leadId = await fixture.lead(at, await fixture.person());
        await enrol(bench, at.ws, at.flow, [leadId]);
        const heir = await killAtDispatch(bench, at, when, fixture.desk);
        expect((await sendsOf(bench, at.ws))[0]?.state).to.equal('unknown');
        await lookTwice(bench, at, heir);
        await passTime(bench, heir, HOUR, 10 * MINUTE);
        expect(await fixture.received(at)).to.have.length(1);
        expect(await outcome(leadId)).to.equal('sent');
      });
    }

    it('an answer that is lost after the mail was taken is found in Sent', async () => {
      const at = await fixture.workflowFixture(chain(mail(), end));
      await fixture.control('faults', [{ action: 'mail', kind: 'lost_answer', rate: 1 }]);
      const leadId = await start(at, await fixture.person());
      expect((await sendsOf(bench, at.ws))[0]?.state).to.equal('unknown');
      await fixture.control('faults', []);
      await lookTwice(bench, at, at.handle);
      await passTime(bench, at.handle, HOUR, 10 * MINUTE);
      expect(await fixture.received(at)).to.have.length(1);
      expect(await outcome(leadId)).to.equal('sent');
    });

    it('where the server keeps no copy of its own the outcome is a person’s to decide', async () => {
      const at = await fixture.workflowFixture(chain(mail(), end), {}, { savesSent: false });
      const leadId = await fixture.lead(at, await fixture.person());
      await enrol(bench, at.ws, at.flow, [leadId]);
      const heir = await killAtDispatch(bench, at, 'before', fixture.desk);
      await lookTwice(bench, at, heir);
      expect((await sendsOf(bench, at.ws))[0]).to.include({ state: 'unknown', dead_letter_state: 'open' });
      expect(await runOf(bench, leadId)).to.include({ state: 'blocked', wait_reason: 'unknown_outcome' });
      expect(await fixture.received(at)).to.deep.equal([]);
    });
  });
});

import { expect } from 'chai';
import type { MailFixture } from '../../../fixtures/engine/mail-fixture.ts';
import { type LeftMail, sentMails } from '../../../fixtures/engine/sent-mails.ts';
import { type EngineFixture, HOUR, startEngineFixture } from '../../../fixtures/stories/engine-fixture.ts';

interface Sent {
  mailId: string;
  status: string;
  scheduledFor: string | null;
  deduplicated: boolean;
  remainingToday: number;
  detail: string | null;
}
interface Account {
  providerAccountId: string;
  status: string;
  timezone: string;
  timezoneSource: string;
  dailyMailLimit: number;
  sentToday: number;
  isDefault: boolean;
}

/** One stage for all: mailboxes of a workspace, used by hand by an MCP client beside an executor. */
describe('tools: mail by hand through real mail servers', function () {
  this.timeout(60_000);
  let at: EngineFixture;
  let mail: MailFixture;
  let workspaceId: string;
  let box: string;
  before(async () => {
    at = await startEngineFixture(undefined, undefined, true);
    if (!at.mail) throw new Error('no mail servers');
    mail = at.mail;
    const found = await at.acme.call<{ workspace: { workspaceId: string } }>('svc_get_workspace');
    workspaceId = found.workspace.workspaceId;
    box = await mail.mailbox(workspaceId, { limit: 30 });
    await at.tools.force('update network_account set created_at = created_at - 1 where id = $1', [box]);
  });
  after(() => at.stop());

  const address = (id = box): string => `${id}@agency.example`;
  const send = (input: object): Promise<Sent> =>
    at.during(
      at.acme.call<Sent>('svc_send_mail', {
        providerAccountId: box,
        timing: 'now',
        subject: 'The figures',
        body: 'Here they are.',
        ...input,
      }),
    );
  const left = async (id = box): Promise<LeftMail[]> => {
    const [row] = await at.tools.rows<{ port: number }>('select imap_port as port from mailbox where account_id = $1', [
      id,
    ]);
    return sentMails({ port: row?.port ?? 0, address: address(id), password: mail.sandbox.apiKey });
  };
  const headerOf = ({ mail: one }: LeftMail, name: string): string =>
    one.headers.find((header) => header.key === name)?.value ?? '';

  describe('svc_list_provider_accounts', () => {
    it('tells each mailbox with its limit and zone; the first that works is the default until another is chosen', async () => {
      const second = await mail.mailbox(workspaceId, { limit: 5 });
      const list = async (): Promise<Map<string, Account>> => {
        const { providerAccounts } = await at.acme.call<{ providerAccounts: Account[] }>('svc_list_provider_accounts');
        return new Map(providerAccounts.map((one) => [one.providerAccountId, one]));
      };
      const before = await list();
      expect(before.get(box)).to.include({
        isDefault: true,
        dailyMailLimit: 30,
        timezoneSource: 'fallback',
        status: 'connected',
      });
      expect(before.get(second)).to.include({ isDefault: false, dailyMailLimit: 5 });
      await at.acme.call('svc_update_provider_account_settings', { providerAccountId: second, isDefault: true });
      expect(
        [...(await list()).values()].filter((one) => one.isDefault).map((one) => one.providerAccountId),
      ).to.deep.equal([second]);
      await at.acme.call('svc_update_provider_account_settings', { providerAccountId: second, isDefault: false });
      expect((await list()).get(box)?.isDefault).to.equal(true);
    });
  });

  describe('svc_update_provider_account_settings', () => {
    it('what is set is what budgets, gaps and mails go by; what is absent stays', async () => {
      const id = await mail.mailbox(workspaceId);
      const set = async (input: object): Promise<Record<string, unknown>> =>
        (
          await at.acme.call<{ applied: Record<string, unknown> }>('svc_update_provider_account_settings', {
            providerAccountId: id,
            ...input,
          })
        ).applied;
      const zoned = await set({
        timezone: 'europe/berlin',
        dailyMailLimit: 120,
        minGapSeconds: 600,
        signature: 'Grace, Agency',
      });
      expect(zoned).to.include({
        timezone: 'Europe/Berlin',
        timezoneSource: 'override',
        dailyMailLimit: 120,
        minGapSeconds: 600,
      });
      expect(await set({ timezone: '' })).to.include({
        timezone: 'UTC',
        timezoneSource: 'fallback',
        dailyMailLimit: 120,
        signature: 'Grace, Agency',
      });
      const done = await send({ providerAccountId: id, to: 'sig@x.example' });
      // Above the default of 40: its owner knows what the provider takes.
      expect(done).to.include({ status: 'done', remainingToday: 119 });
      expect((await left(id))[0]?.mail.text).to.match(/-- \s+Grace, Agency/);
      const paced = await send({ providerAccountId: id, to: 'gap@x.example', timing: 'paced' });
      expect(
        Date.parse(paced.scheduledFor ?? '') - at.tools.cluster.clock.now(),
        'the gap after the first',
      ).to.be.above(8 * 60_000);
      expect(await set({ dailyMailLimit: 0 })).to.include({ dailyMailLimit: 0 });
      expect(
        await at.acme.refusal('svc_send_mail', { providerAccountId: id, to: 'no@x.example', subject: 'S', body: 'B' }),
      ).to.match(/daily limit .* is used up/);
    });
  });

  describe('svc_send_mail', () => {
    it('M7: one address by POST and the sender by mail, in the header alone, and a plain text part beside the HTML', async () => {
      const done = await send({
        to: 'ada@acme.example',
        subject: 'One',
        body: '<p>Hello <b>Ada</b></p>',
        bodyFormat: 'html',
      });
      expect(done).to.include({ status: 'done', deduplicated: false });
      const [one] = (await left()).slice(-1);
      if (!one) throw new Error('no mail');
      expect(one.raw).to.match(/^List-Unsubscribe:\s+<http[^>]+\/u\/[\w-]+>,\s+<mailto:[^>]+>\r$/m);
      expect(one.raw).to.match(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
      expect(one.raw).to.match(/^Content-Type: multipart\/alternative/m);
      expect(one.mail.text?.trim()).to.equal('Hello Ada');
      expect(one.mail.html).to.contain('<b>Ada</b>');
      expect(one.mail.attachments).to.deep.equal([]);
      expect(one.raw).to.not.match(/<img|cid:/i);
      const url = /<(http[^>]+)>/.exec(headerOf(one, 'list-unsubscribe'))?.[1] ?? '';
      expect((await fetch(url)).status, 'scanners look').to.equal(200);
      const again = { to: 'ada@acme.example', subject: 'Two', body: 'Still there?' };
      expect((await send(again)).status, 'a GET acts on nothing').to.equal('done');
      for (const _ of [1, 2]) {
        const post = await fetch(url, { method: 'POST', body: 'List-Unsubscribe=One-Click' });
        expect([post.status, post.redirected]).to.deep.equal([200, false]);
      }
      expect(await at.acme.refusal('svc_send_mail', { ...again, subject: 'Three' })).to.contain(
        'svc_check_signal_exclusion',
      );
    });

    it('M1 and M3: an answer that was lost is looked up by the Message-ID that we gave, and nothing is sent twice', async () => {
      await mail.control('faults', [{ action: 'mail', kind: 'lost_answer', rate: 1 }]);
      const input = { to: 'lost@acme.example', subject: 'Lost', idempotencyKey: 'lost' };
      const first = await send(input);
      expect(first.status).to.equal('unknown');
      await mail.control('faults', []);
      await at.tools.force(`update send set lookup_after = clock_timestamp() where state = 'unknown'`);
      await at.lookUp();
      expect(await send(input)).to.include({ mailId: first.mailId, status: 'done' });
      const mails = (await left()).filter((one) => one.mail.subject === 'Lost');
      expect(mails).to.have.length(1);
      expect(mails[0]?.raw).to.match(/^X-Outrider-Ref: [0-9a-f-]{36}\r$/m);
    });

    it('M2: an answer names the whole chain and keeps the subject; a reply that came meanwhile stops what its writer did not know of', async () => {
      const to = await mail.person({ replyText: 'Yes, tell me more', replyAfterMs: HOUR });
      const first = await send({ to, subject: 'A question' });
      await at.pass(2 * HOUR);
      await mail.sync({ box });
      const { conversations } = await at.acme.call<{ conversations: { conversationId: string }[] }>(
        'svc_list_conversations',
        { limit: 1 },
      );
      const { messages } = await at.acme.call<{
        messages: { messageId: string; direction: string; subject: string }[];
      }>('svc_list_messages', {
        conversationId: conversations[0]?.conversationId,
      });
      expect(messages.map((one) => one.direction)).to.have.members(['in', 'out']);
      const theirs = messages.find((one) => one.direction === 'in')?.messageId;
      const answer = { to, subject: 'RE: a question', inReplyToMessageId: theirs, expectedLastMessageId: theirs };
      expect(await at.acme.refusal('svc_send_mail', { ...answer, subject: 'Other', body: 'x' })).to.contain(
        '"Re: A question"',
      );
      await mail.person({ replyText: 'And the price?', replyAfterMs: 10 }, to);
      expect((await send({ ...answer, body: 'Gladly.' })).status).to.equal('done');
      const [opened, answered] = (await left()).filter((one) => /A question/.test(one.mail.subject ?? ''));
      const chain = (answered?.mail.references ?? '').split(/\s+/);
      expect(chain[0]).to.equal(opened?.mail.messageId);
      expect(chain).to.have.length(2);
      expect(answered?.mail.inReplyTo).to.equal(chain[1]);
      expect(answered?.mail.subject).to.equal('Re: A question');
      // It lies in the inbox, and nobody has read it yet.
      await at.pass(10 * 60_000);
      const late = await send({ ...answer, subject: 'Re: A question', body: 'A second thought.' });
      expect(late).to.include({ status: 'stopped' });
      expect(late.detail).to.contain('svc_list_messages');
      expect(first.status).to.equal('done');
    });

    it('a mail by hand holds the runs of its reader, and one to somebody excluded leaves for nobody', async () => {
      const { leadId } = await at.acme.call<{ leadId: string }>('svc_upsert_lead', { email: 'held@acme.example' });
      expect((await send({ leadId, subject: 'By hand' })).status).to.equal('done');
      await at.acme.call('svc_add_signal_exclusion', { kind: 'email', value: 'boss@held.example' });
      expect(
        await at.acme.refusal('svc_send_mail', { leadId, cc: ['boss@held.example'], subject: 'Copy', body: 'x' }),
      ).to.match(/^boss@held\.example is suppressed .* Call svc_check_signal_exclusion\.$/);
      const { remainingToday } = await send({ leadId, subject: 'Before the copy' });
      const units = async (): Promise<number> =>
        (
          await at.tools.force<{ units: number }>(
            `select used[1] as units from account_budget where account_id = $1 and action = 'mail'`,
            [box],
          )
        )[0]?.units ?? 0;
      const before = await units();
      const copied = await send({ leadId, cc: ['aide@held.example'], subject: 'Copied', unsubscribeHeader: false });
      expect(copied).to.include({ status: 'done', remainingToday: remainingToday - 2 });
      expect((await units()) - before, 'each who gets it took a unit').to.equal(2);
      const small = await mail.mailbox(workspaceId, { limit: 2 });
      const copies = ['a@held.example', 'b@held.example'];
      const many = { leadId, providerAccountId: small, cc: copies, subject: 'Many', body: 'x' };
      expect(await at.acme.refusal('svc_send_mail', many)).to.match(/^The mail goes to 3 people, .* may send 2 more/);
      const [one] = (await left()).slice(-1);
      expect(one?.mail.cc?.map((who) => who.address)).to.deep.equal(['aide@held.example']);
      expect(one && headerOf(one, 'list-unsubscribe')).to.equal('');
      const to = (await mail.received({ address: address() })).slice(-2).map((who) => who.target);
      expect(to).to.have.members(['held@acme.example', 'aide@held.example']);
    });
  });

  describe('svc_send_mail whose server refuses some of its readers', () => {
    const units = async (): Promise<number> =>
      (
        await at.tools.force<{ units: number }>(
          `select used[1] as units from account_budget where account_id = $1 and action = 'mail'`,
          [box],
        )
      )[0]?.units ?? 0;
    /** Sends to one and three copies; those named are refused. */
    const part = async (
      name: string,
      refused: readonly string[],
    ): Promise<{ sent: Sent; took: number; keys: number }> => {
      const addresses = ['to', 'a', 'b', 'c'].map((who) => `${who}.${name}@part.example`);
      const no = refused.map((who) => `${who}.${name}@part.example`);
      for (const who of addresses) await mail.person(no.includes(who) ? { bounce: 'refused' } : {}, who);
      const before = await units();
      const [to, ...cc] = addresses;
      const sent = await send({ to, cc, subject: name, unsubscribeHeader: false });
      const keys = await at.tools.force(
        'select 1 from send_key k join send s on s.id = k.send_id where s.action_id = $1',
        [sent.mailId],
      );
      return { sent, took: (await units()) - before, keys: keys.length };
    };

    it('keeps the units of those whom it took, gives back the others, and tells who was refused', async () => {
      const some = await part('some', ['a', 'c']);
      expect(some.sent.status).to.equal('done');
      expect(some.sent.detail).to.contain('refused the copies to a.some@part.example, c.some@part.example');
      const told = await at.acme.call('svc_diagnose', { target: 'action', targetId: some.sent.mailId });
      expect(JSON.stringify(told)).to.contain('refused the copies to a.some@part.example');
      expect(some.took, 'its reader and one copy').to.equal(2);
      expect(some.keys, 'it left').to.equal(1);
    });

    it('keeps the units of copies that left without the one whom it was for', async () => {
      const first = await part('first', ['to', 'b']);
      expect(first.sent.status).to.equal('failed');
      expect(first.sent.detail).to.match(
        /refused to\.first@part\.example and took the copies to a\.first@part\.example, c\.first@part\.example, and refused those to b\.first/,
      );
      expect(first.took, 'two copies').to.equal(2);
    });

    it('gives back all where nobody gets it', async () => {
      const none = await part('none', ['to', 'a', 'b', 'c']);
      expect(none.sent.status).to.equal('failed');
      expect([none.took, none.keys]).to.deep.equal([0, 0]);
    });
  });

  describe('svc_get_mail_deliverability', () => {
    interface Health {
      domains: { domain: string; spf: string; dkim: string; dmarc: string; problems: string[] }[];
      mailboxes: { providerAccountId: string; sent: number; bounceRate: number | null; paused: boolean }[];
      pauses: { scope: string; until: string | null; reason: string }[];
    }
    const look = (input: object = {}): Promise<Health> => at.acme.call<Health>('svc_get_mail_deliverability', input);
    const answers = (code: string | null): void => {
      mail.desk.dns = async (name) => {
        if (code !== null) throw Object.assign(new Error(code), { code });
        return [[name.startsWith('_dmarc.') ? 'v=DMARC1; p=none' : 'v=spf1 ip4:198.51.100.1 -all']];
      };
    };
    after(() => {
      delete mail.desk.dns;
    });

    it('a record that is missing fails after two looks an hour apart; a DNS that does not answer proves nothing; pauses say why', async () => {
      expect((await look()).domains[0]).to.include({ spf: 'unknown', dmarc: 'unknown' });
      answers('ENOTFOUND');
      await mail.sync({ box });
      expect((await look()).domains[0]).to.include({
        domain: 'agency.example',
        spf: 'unconfirmed',
        dmarc: 'unconfirmed',
        dkim: 'unknown',
      });
      await at.pass(HOUR);
      answers('ESERVFAIL');
      await mail.sync({ box });
      expect((await look()).domains[0]).to.include({ spf: 'unknown', dmarc: 'unknown' });
      await at.pass(HOUR);
      answers('ENOTFOUND');
      await mail.sync({ box });
      expect((await look()).domains[0]).to.include({ spf: 'failing', dmarc: 'failing' });
      expect(await at.acme.refusal('svc_control_warmup', { providerAccountId: box, action: 'start' })).to.match(
        /^SPF, DMARC missing .* Call svc_get_mail_deliverability\.$/,
      );
      await at.pass(HOUR);
      answers(null);
      await mail.sync({ box });
      const { domains, mailboxes } = await look({ providerAccountId: box });
      expect(domains[0]).to.include({ spf: 'pass', dmarc: 'pass' });
      expect(mailboxes[0]?.sent).to.be.above(3);
      expect(mailboxes[0]?.bounceRate, 'a small sample says nothing').to.equal(null);
      await at.tools.force(`update network_account set paused = true where id = $1`, [box]);
      await at.tools.force(`update mailbox set pause_reason = '3 of 60 mails bounced' where account_id = $1`, [box]);
      expect((await look()).pauses).to.deep.equal([
        { scope: `mailbox ${box}`, until: null, reason: '3 of 60 mails bounced; a person resumes it' },
      ]);
      await at.tools.force(`update network_account set paused = false where id = $1`, [box]);
    });
  });

  describe('svc_control_warmup', () => {
    it('U1: real mail grows by the ramp, which a pause holds, a resume goes on with, and mails that came back hold', async () => {
      const id = await mail.mailbox(workspaceId);
      const control = async (action: string, more: object = {}): Promise<{ state: string; warnings: string[] }> =>
        (
          await at.acme.call<{ warmup: { state: string; warnings: string[] } }>('svc_control_warmup', {
            providerAccountId: id,
            action,
            ...more,
          })
        ).warmup;
      expect(await at.acme.refusal('svc_control_warmup', { providerAccountId: id, action: 'pause' })).to.contain(
        'svc_get_warmup_status',
      );
      expect(await control('start', { weekdaysOnly: false })).to.include({
        state: 'running',
        dailyTarget: 30,
        readyForCampaigns: false,
      });
      const left = async (name: string): Promise<number> =>
        (await send({ providerAccountId: id, to: `${name}@warm.example`, subject: name })).remainingToday;
      expect(await left('first'), '5 on the first day').to.equal(4);
      const limit = async (dailyMailLimit: number): Promise<number> =>
        (
          await at.acme.call<{ applied: { dailyMailLimit: number } }>('svc_update_provider_account_settings', {
            providerAccountId: id,
            dailyMailLimit,
          })
        ).applied.dailyMailLimit;
      expect(await limit(2000), 'the smaller of both').to.equal(30);
      await at.pass(24 * HOUR);
      expect(await left('second'), '6 on the second').to.equal(5);
      expect((await control('pause')).warnings.join()).to.contain('held at 6 mails a day');
      expect(await limit(1500), 'held').to.equal(6);
      await at.pass(72 * HOUR);
      expect(await left('third'), 'held').to.equal(5);
      await control('resume');
      await at.pass(24 * HOUR);
      expect(await left('fourth'), 'it goes on where it was').to.equal(7);
      await at.tools.force(
        `insert into mail_report (account_id, external_id, kind, address, at)
         select $1, n::text, 'hard_bounce', n || '@warm.example', $2 from generate_series(1, 5) n`,
        [id, at.tools.cluster.clock.now()],
      );
      // A sample that says something.
      await at.tools.force(
        `insert into send (id, workspace_id, campaign_id, workflow_id, node_id, run_id, lead_id, person_id, account_id, action_id, action, state, epoch, claimed_at, dispatched_at)
         select gen_random_uuid(), workspace_id, campaign_id, workflow_id, node_id, run_id, lead_id, person_id, account_id, action_id, action, state, epoch, claimed_at, dispatched_at
         from send cross join generate_series(1, 20) where account_id = $1`,
        [id],
      );
      await mail.sync({ box: id });
      expect((await control('configure')).warnings.join()).to.match(
        /held at \d+ mails a day: 5 of \d+ mails came back/,
      );
      expect(await control('stop')).to.include({ state: 'off', dailyTarget: 1500 });
    });
  });

  describe('svc_get_warmup_status', () => {
    it('U4, U6: says what a mailbox lacks to be ready, and that nobody sees where its mails are filed', async () => {
      const { warmups } = await at.acme.call<{
        warmups: { state: string; readyForCampaigns: boolean; inboxShare: number | null; warnings: string[] }[];
      }>('svc_get_warmup_status', { providerAccountId: box });
      expect(warmups).to.have.length(1);
      expect(warmups[0]).to.include({ state: 'off', readyForCampaigns: false, inboxShare: null });
      expect(warmups[0]?.warnings.join(' ')).to.match(/DKIM: unknown.*of 14 days.*of 100 mails/);
    });

    it('U6: each workspace that uses a mailbox is told once for a warm-up that it is ready, and again for the next one', async () => {
      const id = await mail.mailbox(workspaceId);
      const control = (action: string): Promise<unknown> =>
        at.acme.call('svc_control_warmup', { providerAccountId: id, action, weekdaysOnly: false });
      const force = (statement: string, ...values: unknown[]): Promise<unknown> =>
        at.tools.force(statement, [id, ...values]);
      const told = async (): Promise<object[]> => {
        await mail.sync({ box: id });
        return at.tools.rows(
          `select workspace_id as ws, data from run_event where kind = 'warmup.ready' and data ->> 'providerAccountId' = $1
           order by seq`,
          [id],
        );
      };
      await control('start');
      await send({ providerAccountId: id, to: 'first@ready.example' });
      const pass = { state: 'pass', failedAt: null };
      const stand = { spf: pass, dkim: pass, dmarc: pass, dmarcPolicy: 'none', problems: [] };
      const keepStand = (kept: object): Promise<unknown> =>
        force(
          `insert into mail_check (account_id, domain, checked_at, stand) values ($1, 'agency.example', 1, $2)
           on conflict (account_id) do update set stand = excluded.stand`,
          JSON.stringify(kept),
        );
      await keepStand({ ...stand, dkim: { state: 'unknown', failedAt: null } });
      await force(
        `insert into send (id, workspace_id, campaign_id, workflow_id, node_id, run_id, lead_id, person_id, account_id, action_id, action, state, epoch, claimed_at, dispatched_at)
         select gen_random_uuid(), workspace_id, campaign_id, workflow_id, node_id, run_id, lead_id, person_id, account_id, action_id, action, state, epoch, claimed_at, dispatched_at
         from send cross join generate_series(1, 99) where account_id = $1`,
      );
      await force(
        `insert into workspace (id, uid, name, created_at, updated_at) values ($1 || '-guest', $1 || '-guest', 'Guest', 1, 1)`,
      );
      await force(
        `insert into account_link (account_id, workspace_id, linked_at) values ($1, $1 || '-guest', 9000000000000)`,
      );
      await force(`update mailbox_warmup set started_at = started_at - 14 * 86400000::bigint where account_id = $1`);
      expect(await told(), 'the domain proves too little').to.deep.equal([]);
      await keepStand(stand);
      await force('update network_account set paused = true where id = $1');
      expect(await told(), 'nothing is sent').to.deep.equal([]);
      await force('update network_account set paused = false where id = $1');
      const once = [workspaceId, `${id}-guest`].toSorted().map((ws) => ({ ws, data: { providerAccountId: id } }));
      expect(await told()).to.deep.equal(once);
      const { warmups } = await at.acme.call<{ warmups: object[] }>('svc_get_warmup_status', { providerAccountId: id });
      expect(warmups[0]).to.include({ state: 'ready', readyForCampaigns: true });
      await control('configure');
      await control('pause');
      await control('resume');
      expect(await told(), 'a second look').to.deep.equal(once);
      await control('stop');
      await control('start');
      expect(await told(), 'the next warm-up has only begun').to.deep.equal(once);
      await force(`update mailbox_warmup set started_at = started_at - 15 * 86400000::bigint where account_id = $1`);
      expect(await told()).to.deep.equal([...once, ...once]);
    });
  });
});

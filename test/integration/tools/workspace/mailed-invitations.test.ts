import { expect } from 'chai';
import PostalMime from 'postal-mime';
import { Registry } from 'prom-client';
import { SystemClock } from '../../../../pkg/base/clock.ts';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { Sealer } from '../../../../pkg/base/sealer.ts';
import { createMailMetrics } from '../../../../pkg/metrics/mail-metrics.ts';
import { smtpSystemMailer } from '../../../../pkg/providers/mail/system-mailer.ts';
import { freePort } from '../../../../pkg/standalone/free-port.ts';
import { MailWorker } from '../../../../pkg/tools/mail/mail-worker.ts';
import { PostOffice } from '../../../../pkg/tools/mail/post-office.ts';
import { API_KEY, type Bench, startBench } from '../../../fixtures/sandbox/harness.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const FROM = 'outrider@platform.example';

interface Invited {
  invitationId: string;
  inviteUrl: string | null;
  delivery: string;
  note: string;
}

interface Row {
  state: string;
  error: string | null;
  attempts: number;
  due: boolean;
  params: object;
  sealed: boolean;
}

describe('tools: invitations by mail, through a real mail server', function () {
  this.timeout(60_000);
  let bench: Bench;
  let tools: McpTools;
  let owner: ToolUser;
  let office: PostOffice;
  const registry = new Registry();
  const metrics = createMailMetrics(registry);

  before(async () => {
    bench = await startBench('system-mail');
    office = new PostOffice(new Sealer('a secrets key of the tests, 32 characters'), systemIds);
    tools = await startMcpTools(undefined, undefined, { mail: office });
    const [row] = await tools.rows<{ id: string }>(`select id from app_user where email = 'owner@acme.example'`);
    owner = tools.user(await tools.mcp.client((await tools.mcp.key({ userId: row?.id ?? '' })).plaintext));
  });
  after(async () => {
    await tools.stop();
    await bench.stop();
  });
  beforeEach(() => bench.control('faults', []));

  const worker = (port = bench.sandbox.mail.smtpPort): MailWorker =>
    new MailWorker({
      db: tools.cluster.db,
      clocks: { real: new SystemClock(), product: tools.cluster.clock },
      ids: systemIds,
      office,
      mailer: smtpSystemMailer({
        smtp: { host: '127.0.0.1', port, tls: 'none' },
        username: FROM,
        password: API_KEY,
        from: { name: 'Outrider', address: FROM },
      }),
      metrics,
    });
  const invite = (email: string, by = owner, role = 'member'): Promise<Invited> =>
    by.call('svc_create_invitation', { workspaceId: 'acme', email, role });
  const sent = async (): Promise<{ to: string; subject: string; text: string; html: string; raw: string }[]> => {
    const rows = await bench.control<{ raw: string }[]>(`sent?mailbox=${encodeURIComponent(FROM)}`);
    return Promise.all(
      rows.map(async ({ raw }) => {
        const { to, subject = '', text = '', html = '' } = await PostalMime.parse(raw);
        return { to: to?.[0]?.address ?? '', subject, text, html, raw };
      }),
    );
  };
  const mailsTo = async (email: string) => (await sent()).filter(({ to }) => to === email);
  const linkIn = (text: string): string => /http\S+\/invitations\/\S+/.exec(text)?.[0] ?? '';
  const row = async (email: string): Promise<Row | undefined> => {
    const [found] = await tools.rows<Row>(
      `select state, error, attempts, next_at <= clock_timestamp() as due, params, sealed is not null as sealed
       from mail_outbox where recipient = $1 order by created_at desc, id desc limit 1`,
      [email],
    );
    return found;
  };
  const makeDue = (email: string): Promise<unknown> =>
    tools.rows('update mail_outbox set next_at = clock_timestamp() where recipient = $1', [email]);
  const accept = async (url: string, userKey?: string): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(userKey ? { authorization: `Bearer ${userKey}` } : {}) },
      body: JSON.stringify({ name: 'New Person' }),
      signal: AbortSignal.timeout(10_000),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  it('the link is in the mail alone; who accepts by it has proven the address and has all that a member may', async () => {
    const narrow = await tools.as({ workspace: 'acme', scopes: ['workspace:write'] });
    const made = await invite('ada@x.example', narrow);
    expect(made).to.deep.include({
      inviteUrl: null,
      delivery: 'mail',
      note: 'The link is mailed to the address and stands nowhere else: accepting by it proves the address.',
    });
    const stored = await tools.rows<{ all: string }>(
      `select row_to_json(o)::text || encode(o.sealed, 'escape') as all from mail_outbox o`,
    );
    expect(await worker().next()).to.equal(true);
    const [mail] = await mailsTo('ada@x.example');
    const link = linkIn(mail?.text ?? '');
    expect(mail?.subject).to.equal('Invitation to acme');
    expect(mail?.text).to.contain(`invites you to the workspace "acme" of Outrider as member.`);
    expect(mail?.html)
      .to.contain(`<a href="${link}">`)
      .and.not.match(/<img|src=/);
    expect(mail?.raw).to.match(/^Auto-Submitted: auto-generated\r?$/m);
    expect(stored[0]?.all).to.not.contain(link.split('/').at(-1));
    expect(await row('ada@x.example')).to.deep.include({ state: 'sent', params: {}, sealed: false });
    const { body } = await accept(link);
    expect(body).to.include({ proven: true, role: 'member' }).and.not.have.property('limit');
    const ada = tools.user(await tools.mcp.client(String(body['key'])));
    await ada.call('svc_create_campaign', { workspaceId: 'acme', title: 'By Ada' });
    const members = (
      await ada.call<{ members: { email: string; proven: boolean }[] }>('svc_list_members', {
        workspaceId: 'acme',
        limit: 100,
      })
    ).members;
    expect(members.find(({ email }) => email === 'ada@x.example')?.proven).to.equal(true);
  });

  it('a call whose answer was lost mails once; inviting again later mails a new link, and the old one opens nothing', async () => {
    const input = { workspaceId: 'acme', email: 'bob@x.example', role: 'member' };
    const both = await Promise.all([1, 2].map(() => owner.again<Invited>('svc_create_invitation', input)));
    const third = await owner.again<Invited>('svc_create_invitation', input);
    expect(new Set([...both, third].map(({ invitationId }) => invitationId)).size).to.equal(1);
    for (let i = 0; i < 3; i++) await worker().next();
    const [first, ...more] = await mailsTo('bob@x.example');
    expect(more).to.deep.equal([]);
    tools.cluster.clock.at = tools.cluster.clock.now() + 61_000;
    await owner.again('svc_create_invitation', input);
    await worker().next();
    tools.cluster.clock.at = undefined;
    const [, second] = await mailsTo('bob@x.example');
    expect((await accept(linkIn(first?.text ?? ''))).status).to.equal(410);
    expect((await accept(linkIn(second?.text ?? ''))).body).to.include({ proven: true });
  });

  it('while the mail server is away a mail waits, longer each time, and leaves once when it is back', async () => {
    const away = await freePort();
    await invite('outage@x.example');
    for (const attempts of [1, 2, 3]) {
      expect(await worker(away).next()).to.equal(true);
      expect(await row('outage@x.example')).to.deep.include({ state: 'queued', attempts, due: false, sealed: true });
      expect(await worker(away).next(), 'nothing is due').to.equal(false);
      await makeDue('outage@x.example');
    }
    expect((await row('outage@x.example'))?.error).to.match(/^127\.0\.0\.1: .*ECONNREFUSED/);
    await worker().sweep();
    expect(await registry.metrics()).to.match(/outrider_system_mails_waiting 1\n/);
    expect(await worker().next()).to.equal(true);
    expect(await worker().next()).to.equal(false);
    expect(await mailsTo('outage@x.example')).to.have.length(1);
    expect(await registry.metrics())
      .to.match(/outrider_system_mails_total\{kind="invitation",result="retried"\} 3\n/)
      .and.match(/outrider_system_mails_total\{kind="invitation",result="sent"\} \d/);
  });

  it('a server that refuses for now is asked again; one that refuses for good is not', async () => {
    await bench.control('faults', [{ action: 'mail', kind: 'rate_limit', rate: 1 }]);
    await invite('later@x.example');
    await worker().next();
    expect((await row('later@x.example'))?.state).to.equal('queued');
    await bench.control('faults', []);
    await makeDue('later@x.example');
    await worker().next();
    expect(await mailsTo('later@x.example')).to.have.length(1);
    await bench.control('mail-people', { address: 'gone@x.example', behaviour: { bounce: 'refused' } });
    await invite('gone@x.example');
    await worker().next();
    expect(await row('gone@x.example')).to.deep.include({ state: 'failed', sealed: false });
    expect((await row('gone@x.example'))?.error).to.contain('550');
  });

  it('never twice: a mail whose answer was lost, or whose server died while it sent it, is not sent again', async () => {
    await bench.control('faults', [{ action: 'mail', kind: 'lost_answer', rate: 1 }]);
    await invite('lost@x.example');
    await worker().next();
    await bench.control('faults', []);
    expect(await row('lost@x.example')).to.deep.include({ state: 'unknown', sealed: false });
    await invite('died@x.example');
    await tools.rows(
      `update mail_outbox
       set state = 'sending', holder = gen_random_uuid(), lease_until = clock_timestamp() - interval '1 second'
       where recipient = 'died@x.example'`,
    );
    await worker().next();
    await worker().sweep();
    expect((await row('died@x.example'))?.state).to.equal('unknown');
    for (const email of ['lost@x.example', 'died@x.example']) await makeDue(email);
    expect(await worker().next()).to.equal(false);
    expect((await mailsTo('lost@x.example')).length).to.equal(1);
    expect((await mailsTo('died@x.example')).length).to.equal(0);
  });

  it('what its server left before it gave anything away is taken up by another', async () => {
    await invite('left@x.example');
    await tools.rows(
      `update mail_outbox
       set state = 'leased', holder = gen_random_uuid(), lease_until = clock_timestamp() - interval '1 second'
       where recipient = 'left@x.example'`,
    );
    await Promise.all([worker().next(), worker().next(), worker().next()]);
    expect(await mailsTo('left@x.example')).to.have.length(1);
  });

  it('an invitation that was withdrawn, or is past its time, mails nothing any more', async () => {
    const { invitationId } = await invite('withdrawn@x.example');
    await owner.call('svc_revoke_invitation', { invitationId });
    await worker().next();
    expect(await row('withdrawn@x.example')).to.deep.include({ state: 'expired', sealed: false });
    await invite('past@x.example');
    await tools.rows(`update mail_outbox set expires_at = 1 where recipient = 'past@x.example'`);
    await worker().sweep();
    expect((await row('past@x.example'))?.state).to.equal('expired');
    for (const email of ['withdrawn@x.example', 'past@x.example']) expect(await mailsTo(email)).to.deep.equal([]);
  });

  it('an address gets so many mails in a day at most, whoever invites it', async () => {
    for (let i = 0; i < 25; i++) {
      await invite('flooded@x.example', owner, i % 2 ? 'member' : 'admin');
    }
    const rival = await tools.as({ workspace: 'rival' });
    expect(await rival.refusal('svc_create_invitation', { email: 'Flooded@x.example' })).to.equal(
      'Flooded@x.example got as many mails as may be in a day. Try again tomorrow; svc_list_invitations shows what is open.',
    );
    await tools.rows(`delete from mail_outbox where recipient = 'flooded@x.example'`);
  });

  it('a name that a tenant chose is text of one line, and no header', async () => {
    await tools.rows(
      `update workspace set name = E'<img src=x onerror=1>\\nBcc: all@x.example https://evil.example/' || repeat('x', 200) where id = 'acme'`,
    );
    await invite('named@x.example');
    await worker().next();
    const [mail] = await mailsTo('named@x.example');
    expect(mail?.raw.split('\r\n\r\n')[0])
      .to.match(/^Subject: /m)
      .and.not.match(/^Bcc:/im);
    expect(mail?.html).to.contain('&lt;img src=x onerror=1&gt; Bcc: all@x.example https: evil.example/xxx');
    expect(mail?.html).to.not.contain('<img');
    expect(mail?.subject.length).to.be.below(140);
  });

  it('who follows the link in a browser sees what it is, accepts by a form, and gets the key on the page', async () => {
    await invite('browser@x.example');
    await worker().next();
    const link = linkIn((await mailsTo('browser@x.example'))[0]?.text ?? '');
    const open = async (form?: Record<string, string>): Promise<string> => {
      const answer = await fetch(link, {
        headers: { accept: 'text/html,application/xhtml+xml' },
        ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
        signal: AbortSignal.timeout(10_000),
      });
      expect(answer.headers.get('content-type')).to.contain('text/html');
      return answer.text();
    };
    for (const _ of [1, 2]) {
      const seen = await open();
      expect(seen).to.contain('You are invited').and.contain('browser@x.example').and.contain('<form method="post">');
      expect(seen).to.contain('&lt;img src=x onerror=1&gt;').and.not.contain('<img');
    }
    const done = await open({ name: '<b>Bo</b>', key: '' });
    const key = /<code>(csu_[0-9a-f]{32})<\/code>/.exec(done)?.[1] ?? '';
    const bo = tools.user(await tools.mcp.client(key));
    expect((await bo.call<{ user: { name: string } }>('svc_whoami')).user.name).to.equal('<b>Bo</b>');
    expect(await open()).to.contain('This invitation is not open');
  });

  it('a member whose address nothing proved is invited by mail, and proves it by the key that they have', async () => {
    const [made] = await tools.rows<{ id: string }>(
      `insert into app_user (id, email, created_at, unproven) values (gen_random_uuid(), 'says@x.example', 1, true) returning id`,
    );
    await tools.rows(
      `insert into member (id, workspace_id, user_id, role, joined_at, scope_limit)
       values (gen_random_uuid(), 'acme', $1, 'member', 1, '{workspace:read}')`,
      [made?.id],
    );
    const key = await tools.mcp.key({ userId: made?.id ?? '' });
    await invite('says@x.example');
    await worker().next();
    const link = linkIn((await mailsTo('says@x.example'))[0]?.text ?? '');
    expect((await accept(link, key.plaintext)).body).to.include({ proven: true });
    const says = tools.user(await tools.mcp.client(key.plaintext));
    await says.call('svc_list_campaigns', { workspaceId: 'acme' });
  });
});

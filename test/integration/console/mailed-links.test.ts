import { expect } from 'chai';
import PostalMime from 'postal-mime';
import { Registry } from 'prom-client';
import { SystemClock } from '../../../pkg/base/clock.ts';
import { systemIds } from '../../../pkg/base/ids.ts';
import { Sealer } from '../../../pkg/base/sealer.ts';
import { createMailMetrics } from '../../../pkg/metrics/mail-metrics.ts';
import { smtpSystemMailer } from '../../../pkg/providers/mail/system-mailer.ts';
import { forgetEnded } from '../../../pkg/store/console/sign-in-links.ts';
import { queueMail } from '../../../pkg/store/mail-outbox/mail-outbox.ts';
import { MailWorker } from '../../../pkg/tools/mail/mail-worker.ts';
import { PostOffice } from '../../../pkg/tools/mail/post-office.ts';
import { ConsoleClient, claimToken } from '../../fixtures/console/console-client.ts';
import { type Harness, startMcp } from '../../fixtures/mcp/harness.ts';
import { API_KEY, type Bench, startBench } from '../../fixtures/sandbox/harness.ts';

const FROM = 'outrider@platform.example';
const ASK = '/console/api/sign-in/mail';
const USE = '/console/api/sign-in/token';
const HOST = 'console.agency.example';

describe('signing in to the console by mail', function () {
  this.timeout(60_000);
  let bench: Bench;
  let mcp: Harness;
  let worker: MailWorker;
  let seen = 0;

  before(async () => {
    bench = await startBench('system-mail');
    const office = new PostOffice(new Sealer('a secrets key of the tests, 32 characters'), systemIds);
    mcp = await startMcp({ mail: office, console: { pages: '/nowhere', publicUrl: `https://${HOST}` } });
    const clock = new SystemClock();
    worker = new MailWorker({
      db: mcp.db,
      clocks: { real: clock, product: clock },
      ids: systemIds,
      office,
      mailer: smtpSystemMailer({
        smtp: { host: '127.0.0.1', port: bench.sandbox.mail.smtpPort, tls: 'none' },
        username: FROM,
        password: API_KEY,
        from: { name: 'Outrider', address: FROM },
      }),
      metrics: createMailMetrics(new Registry()),
    });
    await mcp.workspace('acme');
  });
  after(async () => {
    await mcp?.stop();
    await bench?.stop();
  });

  const addressOf = async (userId: string): Promise<string> => {
    const row = await mcp.platform((tx) =>
      tx.row<{ email: string }>('select email from app_user where id = $1', [userId]),
    );
    return row?.email ?? '';
  };

  /** What is mailed once all that was asked for is done: of an address that is known, the link is queued before. */
  const mailed = async (): Promise<{ to: string; subject: string; text: string }[]> => {
    while (await worker.next());
    const rows = await bench.control<{ raw: string }[]>(`sent?mailbox=${encodeURIComponent(FROM)}`);
    const fresh = rows.slice(seen);
    seen = rows.length;
    return Promise.all(
      fresh.map(async ({ raw }) => {
        const { to, subject = '', text = '' } = await PostalMime.parse(raw);
        return { to: to?.[0]?.address ?? '', subject, text };
      }),
    );
  };

  const count = async (table: string): Promise<number> =>
    (await mcp.platform((tx) => tx.row<{ n: number }>(`select count(*)::int as n from ${table}`)))?.n ?? 0;

  const until = async (true_: () => Promise<boolean>): Promise<void> => {
    while (!(await true_())) await new Promise((resolve) => setTimeout(resolve, 20));
  };

  /** Asks for a link and waits until it is queued. */
  const linkFor = async (email: string): Promise<string> => {
    const before = await count('mail_outbox');
    expect((await new ConsoleClient(mcp.url).ask(ASK, { body: { email } })).status).to.equal(202);
    await until(async () => (await count('mail_outbox')) > before);
    const [mail] = await mailed();
    return /sign-in\/([\w-]{43})/.exec(mail?.text ?? '')?.[1] ?? '';
  };

  /** As if the links that were made so far were six minutes older. */
  const minutesPass = (): Promise<unknown> =>
    mcp.platform((tx) =>
      tx.exec(`update console_link set made_at = made_at - interval '6 minutes' where kind = 'sign_in'`),
    );

  it('mails a link that leads to the address of the settings, whatever host was asked', async () => {
    const email = await addressOf(await mcp.user({ member: 'acme' }));
    const before = await count('mail_outbox');
    const client = new ConsoleClient(mcp.url);
    const upper = email.toUpperCase();
    await client.ask(ASK, { body: { email: upper }, headers: { 'x-forwarded-host': 'evil.example' } });
    await until(async () => (await count('mail_outbox')) > before);
    const [mail] = await mailed();
    expect(mail?.to.toLowerCase()).to.equal(email);
    expect(mail?.subject).to.equal(`Sign in to ${HOST}`);
    expect(mail?.text).to.match(new RegExp(`https://${HOST}/console/sign-in/[\\w-]{43}\\n`));
    expect((await client.ask('/console/api/me')).json['signIn']).to.deep.include({ mail: true });
  });

  it('signs in by it, once, and ends all other links of the user', async () => {
    const email = await addressOf(await mcp.user({ member: 'acme' }));
    const one = await linkFor(email);
    await minutesPass();
    const two = await linkFor(email);
    const client = new ConsoleClient(mcp.url);
    await client.ask(`/console/sign-in/${one}`);
    const { status, json } = await client.ask(USE, { body: { token: one } });
    expect(status).to.equal(200);
    expect(json['user']).to.include({ email });
    expect((await client.call('svc_whoami')).status).to.equal(200);
    for (const token of [one, two])
      expect((await new ConsoleClient(mcp.url).ask(USE, { body: { token } })).status).to.equal(410);
  });

  it('takes no link that is over, no claim link, and none that is none', async () => {
    const email = await addressOf(await mcp.user({ member: 'acme' }));
    const old = await linkFor(email);
    await mcp.platform((tx) =>
      tx.exec(`update console_link set expires_at = clock_timestamp() where kind = 'sign_in'`),
    );
    const claimed = await claimToken(mcp);
    for (const token of [old, claimed, 'A'.repeat(43), '', '%00', "' or 1=1 --"])
      expect((await new ConsoleClient(mcp.url).ask(USE, { body: { token } })).status).to.equal(410);
  });

  it('answers the same for addresses that nobody has, and mails them nothing', async () => {
    const links = await count('console_link');
    const unproven = await mcp.user({ member: 'acme' });
    const former = await mcp.user();
    await mcp.platform((tx) => tx.exec('update app_user set unproven = true where id = $1', [unproven]));
    const client = new ConsoleClient(mcp.url);
    const answers = [];
    for (const email of ['nobody@example.com', await addressOf(unproven), await addressOf(former)]) {
      const { status, text } = await client.ask(ASK, { body: { email } });
      answers.push(`${status} ${text}`);
    }
    const known = await mcp.user({ member: 'acme' });
    const { status, text } = await client.ask(ASK, { body: { email: await addressOf(known) } });
    expect(new Set([...answers, `${status} ${text}`])).to.deep.equal(new Set(['202 {}']));
    await until(async () => (await count('console_link')) > links);
    const mails = await mailed();
    expect(mails.map(({ to }) => to)).to.deep.equal([await addressOf(known)]);
  });

  it('mails no second link while one of the last minutes waits to be used, and one again once it was used', async () => {
    const email = await addressOf(await mcp.user({ member: 'acme' }));
    const link = await linkFor(email);
    const client = new ConsoleClient(mcp.url);
    for (let time = 0; time < 5; time++) await client.ask(ASK, { body: { email: email.toUpperCase() } });
    const other = await addressOf(await mcp.user({ member: 'acme' }));
    // Asked later, so that those before are through.
    await linkFor(other);
    expect(await mailed()).to.deep.equal([]);
    expect((await client.ask(USE, { body: { token: link } })).status).to.equal(200);
    expect(await linkFor(email)).to.match(/^[\w-]{43}$/);
  });

  it('mails a link whatever strangers asked for the whole day, and an invitation besides', async () => {
    const email = await addressOf(await mcp.user({ member: 'acme' }));
    // A day of asks, one each time that the pause is over.
    for (let time = 0; time < 40; time++) {
      expect(await linkFor(email), `ask ${time}`).to.match(/^[\w-]{43}$/);
      await minutesPass();
    }
    const token = await linkFor(email);
    expect((await new ConsoleClient(mcp.url).ask(USE, { body: { token } })).status).to.equal(200);
    const invitation = await mcp.platform((tx) =>
      queueMail(tx, {
        ...{ id: systemIds.uuid(), idempotencyKey: 'invited meanwhile', kind: 'invitation', workspaceId: null },
        ...{ recipient: email, params: {}, sealed: null, now: Date.now(), expiresAt: Date.now() + 86_400_000 },
      }),
    );
    expect(invitation).to.equal('queued');
    await mcp.platform((tx) => tx.exec(`delete from mail_outbox where idempotency_key = 'invited meanwhile'`));
  });

  it('mails a link to who got as many other mails as may be in a day', async () => {
    const email = await addressOf(await mcp.user({ member: 'acme' }));
    const others: string[] = [];
    for (let time = 0; time < 26; time++)
      others.push(
        await mcp.platform((tx) =>
          queueMail(tx, {
            ...{ id: systemIds.uuid(), idempotencyKey: `other ${time}`, kind: 'notifications', workspaceId: null },
            ...{ recipient: email, params: {}, sealed: null, now: Date.now(), expiresAt: Date.now() + 86_400_000 },
          }),
        ),
      );
    expect(others.at(-1)).to.equal('recipient_full');
    expect((await new ConsoleClient(mcp.url).ask(ASK, { body: { email } })).status).to.equal(202);
    const signIn = async (): Promise<number> => {
      const row = await mcp.platform((tx) =>
        tx.row<{ n: number }>(
          `select count(*)::int as n from mail_outbox where kind = 'sign_in' and lower(recipient) = lower($1)`,
          [email],
        ),
      );
      return row?.n ?? 0;
    };
    await until(async () => (await signIn()) === 1);
    await mcp.platform((tx) => tx.exec(`delete from mail_outbox where idempotency_key like 'other %'`));
    await mailed();
  });

  it('mails no link that was used before its mail left', async () => {
    const email = await addressOf(await mcp.user({ member: 'acme' }));
    const before = await count('mail_outbox');
    await new ConsoleClient(mcp.url).ask(ASK, { body: { email } });
    await until(async () => (await count('mail_outbox')) > before);
    await mcp.platform((tx) => tx.exec(`update console_link set used_at = clock_timestamp() where kind = 'sign_in'`));
    expect(await mailed()).to.deep.equal([]);
  });

  it('asks nothing of the database for a network that asks without end', async () => {
    const client = new ConsoleClient(mcp.url);
    for (let round = 0; round < 13; round++) {
      const asked = Array.from({ length: 50 }, (_, n) =>
        client.ask(ASK, { body: { email: `${round}.${n}@example.com` } }),
      );
      for (const { status } of await Promise.all(asked)) expect(status).to.equal(202);
    }
    const [before, email] = [await count('console_link'), await addressOf(await mcp.user({ member: 'acme' }))];
    await client.ask(ASK, { body: { email } });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await count('console_link')).to.equal(before);
  });

  it('forgets sessions and links that ended a week ago, and never that somebody claimed', async () => {
    const client = new ConsoleClient(mcp.url);
    const body = { token: await claimToken(mcp), email: 'ada@example.com', name: 'Ada' };
    await client.ask('/console/api/sign-in/claim', { body });
    await mcp.platform((tx) => tx.exec(`update console_link set expires_at = expires_at - interval '8 days'`));
    await mcp.platform((tx) =>
      tx.exec(`update console_session set ended_at = clock_timestamp() - interval '8 days' where way = 'mail'`),
    );
    await mcp.platform(forgetEnded);
    expect(await count('console_link')).to.equal(1);
    expect(await count('console_session')).to.equal(1);
  });
});

import { expect } from 'chai';
import { SystemClock } from '../../../../pkg/base/clock.ts';
import { systemIds } from '../../../../pkg/base/ids.ts';
import { openOutside } from '../../../../pkg/engine/calls/outside.ts';
import { GmailAdapter } from '../../../../pkg/providers/mail/gmail/gmail-adapter.ts';
import { GMAIL_SCOPE, GOOGLE_CALENDAR_SCOPE, oauthClients } from '../../../../pkg/providers/oauth/oauth-clients.ts';
import { syncNext } from '../../../../pkg/tools/integrations/accounts/calendar-sync-job.ts';
import { type RenewalDeps, renewNext } from '../../../../pkg/tools/integrations/oauth/renew-grants.ts';
import { EXAMPLE_SEALER } from '../../../fixtures/given-records.ts';
import { GoogleRefusal } from '../../../fixtures/google/google-answer.ts';
import { type GoogleServer, startGoogle } from '../../../fixtures/google/google-server.ts';
import { type EngineFixture, startEngineFixture } from '../../../fixtures/stories/engine-fixture.ts';
import type { ToolUser } from '../../../tools/mcp-tools.ts';

const ADA = 'ada@agency.example';
const SCOPES = {
  google: GOOGLE_CALENDAR_SCOPE,
  gmail: GMAIL_SCOPE,
};

interface Connected {
  integrationId: string;
  status: string;
  authUrl: string;
}
interface Account {
  providerAccountId: string;
  email: string;
  status: string;
  timezone: string;
  capabilities: string[];
}

describe('calendars and mailboxes of Google, by OAuth', function () {
  this.timeout(90_000);
  let google: GoogleServer;
  let at: EngineFixture;
  let acme: ToolUser;
  const { signal } = new AbortController();

  before(async () => {
    google = await startGoogle(() => at.tools.cluster.clock.now());
    const outside = { ...openOutside({}, EXAMPLE_SEALER), reachOf: () => 'any' as const };
    const oauth = { google: google.client(SCOPES.google, 'calendar'), gmail: google.client(SCOPES.gmail, 'gmail') };
    at = await startEngineFixture(outside, 'acme', true, { oauth });
    acme = at.acme;
    const desk = at.mail?.desk;
    if (!desk) throw new Error('no mail servers');
    const { providers } = desk;
    const gmail = new GmailAdapter({ settleAfterMs: 60_000 });
    desk.providers = async (provider) => (provider === 'gmail' ? gmail : providers(provider));
    desk.reachOf = () => 'any';
    desk.sealer = EXAMPLE_SEALER;
  });
  after(async () => {
    await at.stop();
    await google.stop();
  });
  beforeEach(() => {
    google.calm();
    google.oauth.user = ADA;
    google.oauth.ticks = undefined;
  });

  const begin = (provider: string, more: object = {}): Promise<Connected> =>
    acme.call<Connected>('svc_connect_integration', { provider, ...more });
  /** The person allows it, comes back and says yes there. */
  async function allow(authUrl: string): Promise<{ status: number; text: string }> {
    const back = (await fetch(authUrl, { redirect: 'manual' })).headers.get('location') ?? '';
    const answer = await fetch(back, { method: 'POST' });
    return { status: answer.status, text: await answer.text() };
  }
  async function connect(provider: string, more: object = {}): Promise<string> {
    const { integrationId, authUrl } = await begin(provider, { name: systemIds.uuid(), ...more });
    expect((await allow(authUrl)).status).to.equal(200);
    return integrationId;
  }
  const accounts = async (): Promise<Account[]> =>
    (await acme.call<{ providerAccounts: Account[] }>('svc_list_provider_accounts')).providerAccounts;
  const integrations = async (): Promise<Map<string, string>> => {
    const listed = await acme.call<{ integrations: { integrationId: string; status: string; provider: string }[] }>(
      'svc_list_integrations',
      { limit: 100 },
    );
    return new Map(listed.integrations.map((one) => [one.integrationId, `${one.provider} ${one.status}`]));
  };
  const deps = (): RenewalDeps => ({
    db: at.tools.cluster.db,
    clocks: { product: at.tools.cluster.clock, real: new SystemClock() },
    ids: systemIds,
    connections: {
      sealer: EXAMPLE_SEALER,
      reachOf: () => 'any',
      oauth: { google: google.client(SCOPES.google, 'calendar'), gmail: google.client(SCOPES.gmail, 'gmail') },
    },
  });
  /** What a server does every half minute. */
  async function renew(): Promise<void> {
    await at.tools.force('update integration_grant set lease_until = null');
    while (await renewNext(deps(), signal));
  }

  /** A database whose process ends at the nth transaction. */
  function dyingAt(nth: number): RenewalDeps['db']['tx'] {
    let count = 0;
    return ((...given: Parameters<RenewalDeps['db']['tx']>) => {
      if (++count >= nth) throw new Error('killed');
      return at.tools.cluster.db.tx(...given);
    }) as RenewalDeps['db']['tx'];
  }

  it('the clients of an installation ask for what is needed, with the right to renew it', () => {
    const clients = oauthClients({ GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' });
    expect(clients['google']).to.deep.include({
      authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
      tokenUrl: 'https://oauth2.googleapis.com/token',
      more: { access_type: 'offline', prompt: 'consent' },
    });
    expect(clients['gmail']?.scope.split(' ')).to.have.length(2);
  });

  describe('a calendar', () => {
    let calendar = '';
    const slots = (): Promise<{ slots: unknown[]; timezone: string }> =>
      acme.call('svc_get_free_slots', { providerAccountId: calendar, fromDate: '2026-03-10' });

    it('is the first one of the account that comes back, with its zone; connecting it again keeps its id', async () => {
      const { integrationId, status, authUrl } = await begin('google', { name: 'Ada' });
      expect(status).to.equal('needs_auth');
      const query = new URL(authUrl).searchParams;
      expect([query.get('access_type'), query.get('prompt')]).to.deep.equal(['offline', 'consent']);
      const back = (await fetch(authUrl, { redirect: 'manual' })).headers.get('location') ?? '';
      expect(await (await fetch(back)).text()).to.contain('read from and written to the Google calendar');
      expect((await allow(authUrl)).status).to.equal(200);
      calendar = integrationId;
      const [account] = (await accounts()).filter(({ capabilities }) => capabilities.includes('calendar'));
      expect(account).to.include({
        providerAccountId: calendar,
        email: ADA,
        status: 'connected',
        timezone: 'Europe/Berlin',
      });
      const again = await begin('google', { name: 'Ada once more' });
      expect(again.integrationId).to.not.equal(calendar);
      expect((await allow(again.authUrl)).status).to.equal(200);
      const listed = await integrations();
      expect(listed.get(calendar)).to.equal('google connected');
      expect(listed.has(again.integrationId), 'what the second way began with is gone').to.equal(false);
      expect((await slots()).slots).to.have.length(3);
    });

    it('less than is needed connects nothing, and so does another account than the one to be allowed anew', async () => {
      google.oauth.ticks = ['https://www.googleapis.com/auth/calendar.calendars.readonly'];
      const part = await begin('google', { name: 'Part' });
      const refused = await allow(part.authUrl);
      expect(refused.status).to.equal(502);
      expect(refused.text).to.contain('not all that is needed was allowed: calendar.events');
      expect((await integrations()).get(part.integrationId)).to.equal('google needs_auth');
      google.oauth.ticks = undefined;
      google.oauth.user = 'eve@agency.example';
      const other = await begin('google', { integrationId: calendar });
      expect((await allow(other.authUrl)).text).to.contain('eve@agency.example is another account');
      expect((await integrations()).get(calendar)).to.equal('google connected');
      await acme.call('svc_disconnect_integration', { integrationId: part.integrationId });
    });

    it('a token that Google refuses is renewed by the tool that meets it, once, also where many do', async () => {
      google.oauth.expire();
      google.oauth.asked.length = 0;
      const all = await Promise.allSettled(Array.from({ length: 5 }, slots));
      expect(all.filter(({ status }) => status === 'fulfilled').length, 'at least who renewed it').to.be.at.least(1);
      expect(google.oauth.asked.map((form) => form['grant_type'])).to.deep.equal(['refresh_token']);
      expect((await slots()).timezone).to.equal('Europe/Berlin');
    });

    it('an executor that meets it waits for the server, and makes the event once', async () => {
      const input = {
        providerAccountId: calendar,
        summary: 'Demo',
        startTime: '2026-03-11T09:00:00Z',
        endTime: '2026-03-11T09:30:00Z',
        attendeeEmails: ['bob@acme.example'],
      };
      google.oauth.expire();
      google.oauth.asked.length = 0;
      const planned = acme.call<{ eventId: string; status: string }>('svc_create_calendar_event', input);
      while ((await at.tools.force('select 1 from calendar_change where tries > 0')).length === 0) await at.pass(1_000);
      await renew();
      await at.pass(120_000);
      const { eventId } = await at.during(planned);
      const events = google.events.all(ADA).filter(({ status }) => status === 'confirmed');
      expect(events.map(({ id }) => id)).to.deep.equal([eventId]);
      expect(google.events.told).to.deep.equal(['invitation bob@acme.example']);
      expect(google.oauth.asked).to.have.length(1);
    });

    describe('changes that are made by hand', () => {
      const look = async (): Promise<boolean> => {
        await at.tools.force(
          `update calendar_sync set due_at = clock_timestamp() - interval '1 second', lease_until = null`,
        );
        return syncNext(deps(), signal);
      };
      const token = async (): Promise<string | null> =>
        (
          await at.tools.force<{ token: string | null }>('select token from calendar_sync where calendar_id = $1', [
            calendar,
          ])
        )[0]?.token ?? null;
      const told = async (eventId: string): Promise<string[]> =>
        (
          await at.tools.force<{ kind: string }>(
            `select kind from run_event where data ->> 'meetingId' = $1 order by seq`,
            [eventId],
          )
        ).map(({ kind }) => kind);
      const book = async (hour: number): Promise<string> => {
        const input = {
          providerAccountId: calendar,
          summary: `At ${hour}`,
          startTime: `2026-03-12T${hour}:00:00Z`,
          endTime: `2026-03-12T${hour}:30:00Z`,
          attendeeEmails: ['bob@acme.example'],
        };
        return (await at.during(acme.call<{ eventId: string }>('svc_create_calendar_event', input))).eventId;
      };
      const lists = (): string[] => google.calls.filter((one) => /GET .*\/events\?/.test(one));

      it('a meeting that is deleted there is called off, once; what a tool deleted is told by the tool alone', async () => {
        expect(await look()).to.equal(true);
        const first = await token();
        expect(first).to.be.a('string');
        const [byHand, byTool] = [await book(10), await book(11)];
        google.events.byHand(ADA, byHand, { status: 'cancelled' });
        const gone = { providerAccountId: calendar, eventId: byTool };
        await at.during(acme.call('svc_delete_calendar_event', gone));
        google.calls.length = 0;
        await look();
        expect(lists().join())
          .to.contain('syncToken=')
          .and.not.to.match(/timeMin|orderBy|singleEvents/);
        await look();
        expect(await told(byHand)).to.deep.equal(['meeting.created', 'meeting.cancelled']);
        expect(await told(byTool)).to.deep.equal(['meeting.created', 'meeting.cancelled']);
        expect(await token()).to.not.equal(first);
        const again = await acme.refusal('svc_update_calendar_event', { ...gone, eventId: byHand, location: 'x' });
        expect(again).to.contain('was not found');
      });

      it('a token that Google forgot (410) is followed by one look at all that lies ahead, with what was deleted', async () => {
        const eventId = await book(13);
        await look();
        google.events.byHand(ADA, eventId, { status: 'cancelled' });
        google.events.expireTokens();
        google.calls.length = 0;
        await look();
        expect(lists().map((one) => /syncToken|timeMin/.exec(one)?.[0])).to.deep.equal(['syncToken', 'timeMin']);
        expect(await told(eventId)).to.deep.equal(['meeting.created', 'meeting.cancelled']);
        google.calls.length = 0;
        await look();
        expect(lists().map((one) => /syncToken|timeMin/.exec(one)?.[0])).to.deep.equal(['syncToken']);
      });

      it('a process that ends before it kept what it read leaves it to the next, and two read one calendar once', async () => {
        const eventId = await book(14);
        await look();
        google.events.byHand(ADA, eventId, { status: 'cancelled' });
        const before = await token();
        const dying = { ...deps(), db: { tx: dyingAt(2) } };
        await at.tools.force(`update calendar_sync set due_at = clock_timestamp() - interval '1 second'`);
        const died = await syncNext(dying, signal).then(
          () => false,
          () => true,
        );
        expect(died).to.equal(true);
        expect(await token()).to.equal(before);
        expect(await syncNext(deps(), signal), 'its lease holds').to.equal(false);
        await at.tools.force('update calendar_sync set lease_until = null');
        const did = await Promise.all(Array.from({ length: 4 }, () => syncNext(deps(), signal)));
        expect(did.filter(Boolean)).to.have.length(1);
        expect(await told(eventId)).to.deep.equal(['meeting.created', 'meeting.cancelled']);
      });

      it('asked too often it comes back later, and later still; a token that is refused is renewed', async () => {
        google.strike(/GET .*\/events/, new GoogleRefusal(403, 'quotaExceeded', 'Quota exceeded'), 8);
        await look();
        const due = async (): Promise<number> =>
          (
            await at.tools.force<{ s: number }>(
              'select extract(epoch from due_at - clock_timestamp())::int as s from calendar_sync where calendar_id = $1',
              [calendar],
            )
          )[0]?.s ?? 0;
        expect(await due()).to.be.within(280, 300);
        await look();
        expect(await due()).to.be.within(580, 600);
        google.calm();
        google.oauth.expire();
        google.oauth.asked.length = 0;
        await look();
        expect(google.oauth.asked.map((form) => form['grant_type'])).to.deep.equal(['refresh_token']);
        expect(await due()).to.be.within(280, 3_600);
      });
    });

    it('who takes back what they allowed is asked anew, and until then nothing is taken for free', async () => {
      google.oauth.revoke();
      expect(
        await acme.refusal('svc_get_free_slots', { providerAccountId: calendar, fromDate: '2026-03-10' }),
      ).to.match(/Nothing is taken for free\. Connect it again with svc_connect_integration/);
      expect((await integrations()).get(calendar)).to.equal('google needs_auth');
      const [account] = (await accounts()).filter((one) => one.providerAccountId === calendar);
      expect(account?.status).to.equal('needs_auth');
      const { authUrl } = await begin('google', { integrationId: calendar });
      expect((await allow(authUrl)).status).to.equal(200);
      expect((await slots()).slots).to.have.length(3);
    });

    it('asked too often it waits a little, and says so where that does not help', async () => {
      google.strike(/GET .*\/events/, new GoogleRefusal(403, 'rateLimitExceeded', 'Rate Limit Exceeded'), 2);
      expect((await slots()).slots).to.have.length(3);
      google.strike(/GET .*\/events/, new GoogleRefusal(403, 'rateLimitExceeded', 'Rate Limit Exceeded'), 99);
      expect(
        await acme.refusal('svc_get_free_slots', { providerAccountId: calendar, fromDate: '2026-03-10' }),
      ).to.contain('Google is asked too often. Nothing is taken for free');
    });

    it('a key without the right to use accounts begins no way', async () => {
      const weak = await at.tools.as({ workspace: 'acme', scopes: ['integrations:write'] });
      expect(await weak.refusal('svc_connect_integration', { provider: 'google' })).to.match(/ext_integrations:write/);
    });
  });

  describe('a mailbox of Gmail', () => {
    let box = '';
    const send = (subject: string): Promise<{ status: string; mailId: string }> =>
      at.during(
        acme.call('svc_send_mail', {
          providerAccountId: box,
          to: 'bob@acme.example',
          subject,
          body: 'Here they are.',
          timing: 'now',
        }),
      );
    const left = (subject: string): number =>
      google.mail.left.filter((raw) => raw.includes(`Subject: ${subject}`)).length;

    it('is connected by Google’s page alone, and sends by the ledger, once', async () => {
      const bare = await acme.refusal('svc_connect_integration', { provider: 'gmail', credentials: { token: 'x' } });
      expect(bare).to.match(/connected by Google’s own page alone/);
      box = await connect('gmail', { name: 'Ada Lovelace' });
      const [account] = (await accounts()).filter((one) => one.providerAccountId === box);
      expect(account).to.include({ email: ADA, status: 'connected' });
      expect((await send('First')).status).to.equal('done');
      expect(left('First')).to.equal(1);
      expect(google.mail.left[0]).to.contain('From: Ada Lovelace <ada@agency.example>');
    });

    it('a lost answer is looked up by its Message-ID, and nothing is sent again', async () => {
      google.strike(/messages\/send/, 'lost');
      const { status, mailId } = await send('Lost');
      expect(status).to.equal('unknown');
      google.calm();
      await at.tools.force(`update send set lookup_after = clock_timestamp() where state = 'unknown'`);
      await at.lookUp();
      const [row] = await at.tools.force<{ state: string }>('select state from send where action_id = $1', [mailId]);
      expect(row?.state).to.equal('confirmed');
      expect(left('Lost')).to.equal(1);
    });

    it('an answer that a filter archived is heard, and stands in the conversation', async () => {
      await at.mail?.sync({ box });
      const id = /^Message-ID: (\S+)/m.exec(google.mail.left[0] ?? '')?.[1] ?? '';
      const raw = [
        'From: Bob <bob@acme.example>',
        `To: ${ADA}`,
        'Subject: Re: First',
        'Message-ID: <reply@acme.example>',
        `In-Reply-To: ${id}`,
        '',
        'Yes, please call me.',
        '',
      ].join('\r\n');
      google.mail.arrive(ADA, raw, ['Label_3']);
      await at.mail?.sync({ box });
      const { conversations } = await acme.call<{ conversations: { conversationId: string }[] }>(
        'svc_list_conversations',
      );
      const { messages } = await acme.call<{ messages: { direction: string; body: string }[] }>('svc_list_messages', {
        conversationId: conversations[0]?.conversationId,
      });
      expect(messages.some(({ direction, body }) => direction === 'in' && body.includes('please call me'))).to.equal(
        true,
      );
    });

    it('a token that ends while an executor works is renewed by a server, and the mail leaves once', async () => {
      google.oauth.expire();
      const sending = acme.call<{ mailId: string; status: string }>('svc_send_mail', {
        providerAccountId: box,
        to: 'bob@acme.example',
        subject: 'Renewed',
        body: 'x',
        timing: 'now',
      });
      const first = await at.during(sending);
      expect(first.status).to.equal('scheduled');
      expect(left('Renewed')).to.equal(0);
      await renew();
      await at.pass(10 * 60_000);
      await at.pass(1_000);
      expect(left('Renewed')).to.equal(1);
    });

    it('what Google takes back stops the mailbox until it is allowed anew', async () => {
      google.oauth.revoke();
      await at.mail?.sync({ box });
      await renew();
      await at.mail?.sync({ box });
      const status = async (): Promise<string | undefined> =>
        (await accounts()).find((one) => one.providerAccountId === box)?.status;
      expect(await status()).to.equal('needs_auth');
      const { authUrl } = await begin('gmail', { integrationId: box });
      expect((await allow(authUrl)).status).to.equal(200);
      await at.mail?.sync({ box });
      expect(await status()).to.equal('connected');
    });

    it('one that was connected with a password keeps its id, and the other way round', async () => {
      google.oauth.user = 'grace@agency.example';
      const { smtpPort, imapPort } = (await (await fetch(`${at.mail?.sandbox.url}/_sandbox/mail`)).json()) as {
        smtpPort: number;
        imapPort: number;
      };
      const credentials = {
        email: 'grace@agency.example',
        password: at.mail?.sandbox.apiKey,
        smtp: `127.0.0.1:${smtpPort}`,
        imap: `127.0.0.1:${imapPort}`,
      };
      const byPassword = await begin('smtp_imap', { credentials });
      const { authUrl } = await begin('gmail', { name: 'Grace' });
      expect((await allow(authUrl)).status).to.equal(200);
      expect((await integrations()).get(byPassword.integrationId)).to.equal('gmail connected');
      const back = await begin('smtp_imap', { credentials });
      expect(back.integrationId).to.equal(byPassword.integrationId);
      expect((await integrations()).get(byPassword.integrationId)).to.equal('smtp_imap connected');
      const grants = 'select 1 from integration_grant where integration_id = $1';
      expect(await at.tools.force(grants, [back.integrationId])).to.deep.equal([]);
    });

    it('a mailbox of another workspace is not taken by its page', async () => {
      const rival = await at.tools.as({ workspace: 'rival' });
      const { authUrl } = await rival.call<Connected>('svc_connect_integration', { provider: 'gmail', name: 'Mine' });
      const refused = await allow(authUrl);
      expect([refused.status, refused.text.includes('another workspace connected this mailbox first')]).to.deep.equal([
        502,
        true,
      ]);
    });
  });
});

import { expect } from 'chai';
import { type CalendarWorld, openCalendarWorld, type ShownEvent } from '../../../fixtures/calendar/calendar-world.ts';
import { mailAddress } from '../../../fixtures/engine/rows.ts';
import { type CalendarServer, startCalendarServer } from '../../../tools/python-servers.ts';
import { type SunkMail, startSmtpSink } from '../../../tools/smtp-sink.ts';

/** As the mailbox's own server writes it. */
const PASS = 'mx.agency.example; dkim=pass header.d=acme.example';

/** A mail with what a calendar sends. */
const calendarMail = (mail: {
  from: string;
  email: string;
  uid: string;
  method: string;
  answer: string;
  results: string;
  below?: boolean;
  sequence?: number;
  said?: string;
}): string =>
  [
    ...(mail.results === '' || mail.below ? [] : [`Authentication-Results: ${mail.results}`]),
    'Received: from acme.example by mx.agency.example with ESMTP id 1; Tue, 10 Mar 2026 10:00:00 +0000',
    ...(mail.below ? [`Authentication-Results: ${mail.results}`] : []),
    `From: ${mail.from}`,
    'Subject: Declined: Answers',
    `Message-ID: <${mail.email}.${mail.method}.${mail.uid}.${mail.results.length}.${mail.below ?? false}.${mail.said ?? ''}@acme.example>`,
    'MIME-Version: 1.0',
    `Content-Type: text/calendar; charset=utf-8; method=${mail.method}`,
    '',
    'BEGIN:VCALENDAR',
    `METHOD:${mail.method}`,
    'BEGIN:VEVENT',
    `UID:${mail.uid}`,
    `SEQUENCE:${mail.sequence ?? 0}`,
    `DTSTAMP:20260310T${mail.said ?? '100000'}Z`,
    'DTSTART:20260310T160000Z',
    `ATTENDEE;PARTSTAT=${mail.answer}:mailto:${mail.email}`,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');

const BOB = 'bob@acme.example';
const EVE = 'eve@acme.example';
const SPAN = { fromDate: '2026-03-09', toDate: '2026-03-14', limit: 100 };
const time = (hour: string, day = 10): string => `2026-03-${day}T${hour}:00Z`;
const slot = (from: string, to: string): object => ({ startTime: time(from), endTime: time(to) });

describe('tools: events of calendars, by an MCP client beside an executor', function () {
  this.timeout(60_000);
  let world: CalendarWorld;
  before(async () => {
    world = await openCalendarWorld();
  });
  after(() => world.stop());

  const list = async (providerAccountId: string): Promise<ShownEvent[]> =>
    (await world.at.acme.call<{ events: ShownEvent[] }>('svc_list_calendar_events', { providerAccountId, ...SPAN }))
      .events;
  const kinds = async (eventId: string): Promise<string[]> =>
    (
      await world.at.tools.force<{ kind: string }>(
        `select kind from run_event where data ->> 'meetingId' = $1 order by seq`,
        [eventId],
      )
    ).map(({ kind }) => kind);

  describe('CalDAV: Radicale, whose server invites nobody', () => {
    let server: CalendarServer | undefined;
    let box = '';
    let address = '';
    let calendar = '';
    before(async function () {
      server = await startCalendarServer('radicale');
      if (!server) return this.skip();
      box = (await world.at.mail?.mailbox('acme')) ?? '';
      address = mailAddress(box);
    });
    after(() => server?.stop());

    const connect = (more: object = {}): Promise<{ integrationId: string; status: string }> => {
      const { url = '', username = '', password = '' } = server ?? {};
      const credentials = { username, password, email: address, ...more };
      return world.at.acme.call('svc_connect_integration', {
        provider: 'caldav',
        url: new URL('/', url).href,
        credentials,
      });
    };
    /** What attendees were told by mail: `<method> <address>`, in order of the addresses. */
    const mailed = async (): Promise<string[]> => {
      await world.at.pass(60_000);
      const all = (await world.at.mail?.received({ address })) ?? [];
      return all.map(({ target, text }) => `${/^METHOD:(\w+)/m.exec(text ?? '')?.[1]} ${target}`).toSorted();
    };

    it('svc_connect_integration finds the calendar behind the server, tries the password and keeps the id', async () => {
      const refused = await world.at.acme.refusal('svc_connect_integration', {
        provider: 'caldav',
        url: server?.url,
        credentials: { username: 'ada', password: 'wrong' },
      });
      expect(refused).to.match(/^The test call failed: .* answered 401/);
      expect(refused).not.to.contain('wrong');
      const made = await connect();
      expect(made.status).to.equal('connected');
      calendar = made.integrationId;
      expect((await connect()).integrationId).to.equal(calendar);
    });

    describe('svc_delete_calendar_event', () => {
      it('ends an event that was made once, and changed in what was given', async () => {
        const input = {
          providerAccountId: calendar,
          summary: 'Plan\r\nATTENDEE:mailto:evil@x.example',
          ...slot('09:00', '09:30'),
        };
        const made = await world.call('svc_create_calendar_event', input);
        expect(made).to.include({ status: 'done' });
        const { eventId } = made;
        const [shown] = await list(calendar);
        expect(shown).to.deep.include({
          eventId,
          start: '2026-03-10T09:00:00Z',
          createdByService: true,
        });
        expect(shown?.attendees, 'a title adds nobody').to.equal(undefined);
        await world.call('svc_update_calendar_event', {
          providerAccountId: calendar,
          eventId,
          location: 'Room 4; first, floor',
        });
        await world.call('svc_update_calendar_event', {
          providerAccountId: calendar,
          eventId,
          startTime: time('10:00'),
        });
        const [changed] = await list(calendar);
        expect(changed).to.deep.include({ location: 'Room 4; first, floor', end: '2026-03-10T10:30:00Z' });
        expect(changed?.summary).to.equal(shown?.summary);
        const gone = await world.call<{ deleted: boolean }>('svc_delete_calendar_event', {
          providerAccountId: calendar,
          eventId,
        });
        expect(gone.deleted).to.equal(true);
        expect(await list(calendar)).to.deep.equal([]);
        const again = await world.refusal('svc_delete_calendar_event', { providerAccountId: calendar, eventId });
        expect(again).to.contain('was not found. Call svc_list_calendar_events');
      });

      it('an event that was deleted is made anew by the call that made it', async () => {
        const input = { providerAccountId: calendar, summary: 'Made and taken away', ...slot('09:00', '09:30') };
        const first = await world.call('svc_create_calendar_event', input);
        await world.call('svc_delete_calendar_event', { providerAccountId: calendar, eventId: first.eventId });
        const second = await world.call('svc_create_calendar_event', input);
        expect(second.eventId).to.not.equal(first.eventId);
        expect((await list(calendar)).map(({ eventId }) => eventId)).to.deep.equal([second.eventId]);
        await world.call('svc_delete_calendar_event', { providerAccountId: calendar, eventId: second.eventId });
      });
    });

    describe('svc_update_calendar_event', () => {
      it('attendees are told by mail, once for each change, and who is left out is told that it is off', async () => {
        const input = {
          providerAccountId: calendar,
          summary: 'Demo',
          ...slot('11:00', '11:30'),
          attendeeEmails: [BOB, EVE],
        };
        const { eventId } = await world.call('svc_create_calendar_event', input);
        expect(await mailed()).to.deep.equal([`REQUEST ${BOB}`, `REQUEST ${EVE}`]);
        const only = { providerAccountId: calendar, eventId, attendeeEmails: [BOB] };
        await world.call('svc_update_calendar_event', only);
        expect((await mailed()).filter((one) => one.startsWith('CANCEL'))).to.deep.equal([`CANCEL ${EVE}`]);
        const before = await mailed();
        await world.call('svc_update_calendar_event', only);
        expect(await mailed(), 'nothing changed, so nobody is told').to.deep.equal(before);
        await world.call('svc_delete_calendar_event', { providerAccountId: calendar, eventId });
        expect((await mailed()).filter((one) => one === `CANCEL ${BOB}`)).to.have.length(1);
        expect(await kinds(eventId)).to.deep.equal(['meeting.created', 'meeting.cancelled']);
      });
    });

    describe('svc_create_calendar_event', () => {
      it('an attendee who must not be written to is refused with the tool that tells why', async () => {
        await world.at.acme.call('svc_add_signal_exclusion', { kind: 'email', value: 'never@acme.example' });
        const input = {
          providerAccountId: calendar,
          summary: 'Demo',
          ...slot('12:00', '12:30'),
          attendeeEmails: ['Never@acme.example'],
        };
        expect(await world.refusal('svc_create_calendar_event', input)).to.match(
          /suppressed .* Call svc_check_signal_exclusion\.$/,
        );
        expect(await list(calendar)).to.deep.equal([]);
      });

      for (const point of ['claimed', 'prepared', 'before_settle', 'settling', 'settled'] as const)
        it(`an executor that is killed at ${point} leaves one event and one invitation`, async () => {
          const before = (await mailed()).length;
          const input = {
            providerAccountId: calendar,
            summary: point,
            ...slot('14:00', '14:30'),
            attendeeEmails: [BOB],
          };
          const planned = world.at.acme.call<{ eventId: string }>('svc_create_calendar_event', input);
          await world.planned();
          await world.killedAt(point);
          const { eventId } = await planned;
          expect((await list(calendar)).map((one) => one.summary)).to.deep.equal([point]);
          expect((await mailed()).length - before).to.equal(1);
          await world.call('svc_delete_calendar_event', {
            providerAccountId: calendar,
            eventId,
            notifyAttendees: false,
          });
          expect((await mailed()).length - before, 'nobody was to be told of the end').to.equal(1);
        });
    });

    describe('answers of attendees', () => {
      it('an answer by mail counts from the attendee, as the own server found it; no request and no cancellation does', async () => {
        const input = {
          providerAccountId: calendar,
          summary: 'Answers',
          ...slot('16:00', '16:30'),
          attendeeEmails: [BOB, EVE],
        };
        const { eventId } = await world.call('svc_create_calendar_event', input);
        const heard = async (mail: Partial<Parameters<typeof calendarMail>[0]>): Promise<(string | undefined)[]> => {
          const whole = {
            from: BOB,
            email: BOB,
            uid: eventId,
            method: 'REPLY',
            answer: 'DECLINED',
            results: PASS,
            ...mail,
          };
          await world.hear(box, calendarMail(whole));
          await world.at.pass(1_000);
          const [event] = (await list(calendar)).filter(({ summary }) => summary === 'Answers');
          return [BOB, EVE].map((email) => event?.attendees?.find((one) => one.email === email)?.response);
        };
        const nothing = ['needs_action', 'needs_action'];
        expect(await heard({ results: '' }), 'nobody found out who wrote').to.deep.equal(nothing);
        expect(await heard({ results: PASS.replace('acme.example', 'evil.example') })).to.deep.equal(nothing);
        expect(await heard({ below: true }), 'it came with the mail').to.deep.equal(nothing);
        expect(await heard({ email: EVE }), 'for somebody else').to.deep.equal(nothing);
        expect(await heard({ method: 'CANCEL' })).to.deep.equal(nothing);
        expect(await heard({ method: 'REQUEST', answer: 'ACCEPTED' })).to.deep.equal(nothing);
        expect(await heard({ uid: 'another' })).to.deep.equal(nothing);
        await world.call('svc_update_calendar_event', {
          providerAccountId: calendar,
          eventId,
          ...slot('17:00', '17:30'),
        });
        const moved = 1;
        expect(await heard({ said: '100001' }), 'to the time before').to.deep.equal(nothing);
        expect(await heard({ sequence: moved, said: '100003' })).to.deep.equal(['declined', 'needs_action']);
        const overtaken = { sequence: moved, said: '100002', answer: 'ACCEPTED' };
        expect(await heard(overtaken), 'said before').to.deep.equal(['declined', 'needs_action']);
        await world.call('svc_update_calendar_event', { providerAccountId: calendar, eventId, attendeeEmails: [BOB] });
        const [left] = (await list(calendar)).filter(({ summary }) => summary === 'Answers');
        expect(left?.attendees, 'a new list loses no answer').to.deep.equal([{ email: BOB, response: 'declined' }]);
        await world.call('svc_delete_calendar_event', { providerAccountId: calendar, eventId });
      });
    });
  });

  describe('a mailbox by SMTP and IMAP', () => {
    it('is tried at both servers, linked, and has the same id when it is connected again', async () => {
      const { smtpPort, imapPort } = world.mailServers;
      const credentials = {
        email: 'Grace@agency.example',
        smtp: `127.0.0.1:${smtpPort}`,
        imap: `127.0.0.1:${imapPort}`,
      };
      const connect = (password: string) => ({ provider: 'smtp_imap', credentials: { ...credentials, password } });
      const refused = await world.at.acme.refusal('svc_connect_integration', connect('wrong password'));
      expect(refused).to.equal(
        'The test call failed: the inbox server refused user or password. Nothing was stored. Call svc_list_integrations.',
      );
      const made = await world.at.acme.call<{ integrationId: string }>(
        'svc_connect_integration',
        connect(world.mailServers.password),
      );
      const again = await world.at.acme.call<{ integrationId: string }>(
        'svc_connect_integration',
        connect(world.mailServers.password),
      );
      expect(again).to.deep.equal(made);
      const [row] = await world.at.tools.force(
        `select k.workspace_id, a.external_id from account_link k join network_account a on a.id = k.account_id where a.id = $1`,
        [made.integrationId],
      );
      expect(row).to.deep.equal({ workspace_id: 'acme', external_id: 'Grace@agency.example' });
      const link = `insert into account_link (account_id, workspace_id, linked_at) values ($1, 'other', 1)`;
      await world.at.tools.force(
        `insert into workspace (id, uid, name, created_at, updated_at) values ('other', 'other', 'Other', 1, 1)`,
      );
      await world.at.tools.force(link, [made.integrationId]);
      const taken = await world.at.acme.refusal('svc_connect_integration', connect(world.mailServers.password));
      expect(taken, 'a workspace that only shares it').to.match(/^Another workspace connected this mailbox first/);
      await world.at.tools.force(`delete from account_link where account_id = $1 and workspace_id = 'other'`, [
        made.integrationId,
      ]);
      await world.at.acme.call('svc_disconnect_integration', { integrationId: made.integrationId });
      expect(
        await world.at.tools.force('select 1 from account_link where account_id = $1', [made.integrationId]),
      ).to.deep.equal([]);
    });
  });

  describe('CalDAV: xandikos, whose server invites', () => {
    let server: CalendarServer | undefined;
    let sink: Awaited<ReturnType<typeof startSmtpSink>>;
    before(async function () {
      sink = await startSmtpSink();
      server = await startCalendarServer('xandikos', sink.port);
      if (!server) return this.skip();
    });
    after(async () => {
      await server?.stop();
      await sink.stop();
    });

    it('the server tells attendees, and we do not', async () => {
      const { url, username, password } = server ?? {};
      const request = { provider: 'caldav', url, credentials: { username, password } };
      const { integrationId: calendar } = await world.at.acme.call<{ integrationId: string }>(
        'svc_connect_integration',
        request,
      );
      const input = { providerAccountId: calendar, summary: 'Demo', ...slot('11:00', '11:30'), attendeeEmails: [BOB] };
      const { eventId } = await world.call('svc_create_calendar_event', input);
      const methods = (mails: readonly SunkMail[]): (string | undefined)[] =>
        mails.map(({ raw }) => /method="?(\w+)/i.exec(raw)?.[1]);
      expect(methods(sink.mails)).to.deep.equal(['REQUEST']);
      expect((await list(calendar))[0]?.attendees).to.deep.equal([{ email: BOB, response: 'needs_action' }]);
      await world.call('svc_delete_calendar_event', { providerAccountId: calendar, eventId });
      expect(methods(sink.mails)).to.deep.equal(['REQUEST', 'CANCEL']);
      const ours = await world.at.tools.force(
        `select 1 from action a join calendar_change c on c.id = a.calendar_change_id where c.event_id = $1`,
        [eventId],
      );
      expect(ours).to.deep.equal([]);
    });
  });

  describe('Google Calendar', () => {
    let calendar = '';
    before(async () => {
      calendar = await world.google();
    });

    it('tells attendees of each change once, and of an identical one nothing', async () => {
      const input = { providerAccountId: calendar, summary: 'Demo', ...slot('09:00', '09:30'), attendeeEmails: [BOB] };
      const { eventId, htmlLink } = await world.call('svc_create_calendar_event', input);
      expect(htmlLink).to.match(/^https:\/\/www\.google\.com\/calendar/);
      const more = { providerAccountId: calendar, eventId, attendeeEmails: [BOB, EVE] };
      await world.call('svc_update_calendar_event', more);
      await world.call('svc_update_calendar_event', more);
      await world.call('svc_delete_calendar_event', { providerAccountId: calendar, eventId });
      expect(await world.told()).to.deep.equal([
        `invitation ${BOB}`,
        `update ${BOB}`,
        `update ${EVE}`,
        `cancellation ${BOB}`,
        `cancellation ${EVE}`,
      ]);
    });

    it('a whole day that is moved by its start alone stays one, and times make it a meeting', async () => {
      const whole = { providerAccountId: calendar, summary: 'Fair', startTime: '2026-03-13', endTime: '2026-03-14' };
      const { eventId } = await world.call('svc_create_calendar_event', whole);
      const change = (input: object) =>
        world.call('svc_update_calendar_event', { providerAccountId: calendar, eventId, ...input });
      const shown = async (): Promise<ShownEvent | undefined> =>
        (await list(calendar)).find((one) => one.eventId === eventId);
      await change({ startTime: '2026-03-12' });
      const midnights = { start: '2026-03-11T23:00:00Z', end: '2026-03-12T23:00:00Z' };
      expect(await shown()).to.deep.include(midnights);
      await change({ startTime: time('20:00', 13), endTime: time('21:00', 13) });
      expect(await shown()).to.deep.include({ start: time('20:00', 13), end: time('21:00', 13) });
      await world.call('svc_delete_calendar_event', { providerAccountId: calendar, eventId });
    });

    it('its server tells 50 people a day at most, for no budget of a mailbox counts what it sends', async () => {
      const asked = `insert into calendar_change (id, workspace_id, account_id, kind, event_id, wish, state, made_by, created_at, ended_at)
        values (gen_random_uuid(), 'acme', $1, 'create', 'told', $2, 'done', 'test', $3, $3)`;
      const attendees = Array.from({ length: 49 }, (_, index) => `p${index}@acme.example`);
      await world.at.tools.force(`delete from calendar_change where account_id = $1`, [calendar]);
      const now = world.at.tools.cluster.clock.now();
      await world.at.tools.force(asked, [calendar, JSON.stringify({ attendees }), now]);
      const input = { providerAccountId: calendar, summary: 'Many', ...slot('19:00', '19:30') };
      expect(await world.refusal('svc_create_calendar_event', { ...input, attendeeEmails: [BOB, EVE] })).to.match(
        /^The server of this calendar was asked to tell 50 people/,
      );
      const { eventId } = await world.call('svc_create_calendar_event', { ...input, attendeeEmails: [BOB] });
      await world.call('svc_delete_calendar_event', {
        providerAccountId: calendar,
        eventId,
        notifyAttendees: false,
      });
      await world.at.tools.force(`delete from calendar_change where account_id = $1`, [calendar]);
    });

    describe('svc_list_calendar_events', () => {
      it('tells events in order, page by page, and refuses a span that ends before it begins', async () => {
        const times = ['10:00', '08:00', '09:00'].map((hour) => ({
          startTime: time(hour, 11),
          endTime: time(`${hour.slice(0, 3)}30`, 11),
        }));
        for (const [n, at] of times.entries())
          await world.call('svc_create_calendar_event', { providerAccountId: calendar, summary: `Talk ${n}`, ...at });
        const ask = { providerAccountId: calendar, fromDate: '2026-03-11', toDate: '2026-03-12', limit: 2 };
        const page = (more: object) =>
          world.at.acme.call<{ events: ShownEvent[]; nextCursor: string | null }>('svc_list_calendar_events', {
            ...ask,
            ...more,
          });
        const first = await page({});
        const second = await page({ cursor: first.nextCursor });
        expect([...first.events, ...second.events].map(({ summary }) => summary)).to.deep.equal([
          'Talk 1',
          'Talk 2',
          'Talk 0',
        ]);
        expect(second.nextCursor).to.equal(null);
        const refused = await world.at.acme.refusal('svc_list_calendar_events', { ...ask, toDate: '2026-03-11' });
        expect(refused).to.equal('Invalid input: toDate: must be after fromDate');
      });
    });

    it('100 bookings at once of 10 times give one event each, or say that the time is taken', async () => {
      const asks = Array.from({ length: 100 }, (_, n) => {
        const hour = String(8 + (n % 10)).padStart(2, '0');
        const times = { startTime: time(`${hour}:00`, 12), endTime: time(`${hour}:30`, 12) };
        const call = world.at.acme.call('svc_create_calendar_event', {
          providerAccountId: calendar,
          summary: `Booking ${n}`,
          ...times,
        });
        return call.then(
          () => 'made',
          (error: Error) => (/The time is taken meanwhile/.test(error.message) ? 'taken' : error.message),
        );
      });
      const became = await world.at.during(Promise.all(asks));
      expect(became.filter((one) => one === 'made')).to.have.length(10);
      expect(became.filter((one) => one === 'taken')).to.have.length(90);
      const made = (await list(calendar))
        .filter(({ summary }) => summary.startsWith('Booking'))
        .map(({ start }) => start);
      expect(new Set(made).size).to.equal(10);
      expect(made).to.have.length(10);
    });
  });
});

import { expect } from 'chai';
import { type CalendarWorld, openCalendarWorld, type ShownEvent } from '../../fixtures/calendar/calendar-world.ts';
import { mailAddress } from '../../fixtures/engine/rows.ts';
import { DAY, HOUR } from '../../fixtures/stories/engine-fixture.ts';
import { searchAll } from '../../fixtures/stories/people.ts';
import { type CalendarServer, startCalendarServer } from '../../tools/python-servers.ts';

const WEEKDAYS = { days: [1, 2, 3, 4, 5], startHour: 9, endHour: 18, timezoneMode: 'account' };
const SEQUENCE = {
  nodes: [
    { nodeId: 'start', nodeType: 'source:manual', label: 'Start' },
    {
      nodeId: 'first',
      nodeType: 'mail:send',
      label: 'First',
      config: { subject: 'Pumps at {{lead:company}}', text: 'Hello {{lead:firstName}}, shall we talk?' },
    },
    { nodeId: 'answer', nodeType: 'mail:wait_reply', label: 'Answer', config: { timeoutMs: 7 * DAY } },
    { nodeId: 'slots', nodeType: 'calendar:propose_slots', label: 'Slots', config: { count: 3 } },
    { nodeId: 'end', nodeType: 'flow:end', label: 'End' },
  ],
  edges: [
    { sourceIndex: 0, targetIndex: 1 },
    { sourceIndex: 1, targetIndex: 2 },
    { sourceIndex: 2, targetIndex: 3, branch: 'replied' },
    { sourceIndex: 3, targetIndex: 4 },
  ],
};
const ADA = 'ada@northgate.example';
const BOB = 'bob@brightwater.example';

/** What a mail program of an attendee sends, as the mailbox's own server handed it over. */
const accepted = (from: string, uid: string, sequence: number): string =>
  [
    `Authentication-Results: mx.agency.example; dkim=pass header.d=${from.split('@')[1]}`,
    `Received: from ${from.split('@')[1]} by mx.agency.example with ESMTP id 1; Mon, 9 Mar 2026 15:00:00 +0000`,
    `From: ${from}`,
    'Subject: Accepted: Pumps',
    `Message-ID: <accepted.${sequence}.${from}>`,
    'MIME-Version: 1.0',
    'Content-Type: text/calendar; charset=utf-8; method=REPLY',
    '',
    'BEGIN:VCALENDAR',
    'METHOD:REPLY',
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `SEQUENCE:${sequence}`,
    `DTSTAMP:20260309T15000${sequence}Z`,
    'DTSTART:20260310T090000Z',
    `ATTENDEE;PARTSTAT=ACCEPTED:mailto:${from}`,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');

interface Message {
  messageId: string;
  direction: 'in' | 'out';
  subject: string;
  body: string;
}

// Mail over real SMTP and IMAP, the calendar of a real CalDAV server; people and clock are the test's.
describe('story: a reply on Sunday becomes a booked meeting on Tuesday', function () {
  this.timeout(180_000);
  let world: CalendarWorld;
  let server: CalendarServer | undefined;
  let box = '';
  let calendar = '';
  const leads = new Map<string, string>();
  let slots: string[] = [];
  let eventId = '';

  before(async function () {
    server = await startCalendarServer('radicale');
    if (!server) return this.skip();
    world = await openCalendarWorld();
    const { mail } = world.at;
    if (!mail) throw new Error('no mail servers');
    box = await mail.mailbox('acme', { limit: 30 });
    await mail.person({ replyText: 'Sounds good, tell me more.', replyAfterMs: 3 * DAY }, ADA);
    await mail.person({ replyText: 'Yes, gladly!', replyAfterMs: 3 * DAY }, BOB);
    const { url, username, password } = server;
    const credentials = { username, password, email: mailAddress(box) };
    const request = { provider: 'caldav', url, credentials };
    calendar = (await call<{ integrationId: string }>('svc_connect_integration', request)).integrationId;
  });
  after(async () => {
    await world?.stop();
    await server?.stop();
  });

  const call = <T = Record<string, unknown>>(name: string, input: object = {}): Promise<T> =>
    world.at.acme.call<T>(name, input);
  const now = (): Date => new Date(world.at.tools.cluster.clock.now());
  /** The days and hours of the week go by, and the executor, account sync and the people do what is theirs. */
  const until = async (time: string): Promise<void> => {
    const end = Date.parse(time);
    while (now().getTime() < end) {
      await world.at.pass(Math.min(6 * HOUR, end - now().getTime()));
      await world.at.mail?.sync({ box });
    }
    await world.at.pass(0);
  };
  /** Mails to a person: of meetings by their method, of others by their first words. */
  const mailsTo = async (address: string): Promise<string[]> => {
    const all = (await world.at.mail?.received({ address: mailAddress(box) })) ?? [];
    return all
      .filter(({ target }) => target === address)
      .map(({ text = '' }) => /^METHOD:(\w+)/m.exec(text ?? '')?.[1] ?? (text ?? '').slice(0, 12));
  };
  const conversationWith = async (name: string): Promise<Message[]> => {
    const { conversations } = await call<{ conversations: { conversationId: string; leadId: string }[] }>(
      'svc_list_conversations',
      { detail: 'full' },
    );
    const one = conversations.find(({ leadId }) => leadId === leads.get(name));
    if (!one) return [];
    const { conversationId } = one;
    return (await call<{ messages: Message[] }>('svc_list_messages', { conversationId, limit: 50 })).messages;
  };
  const events = async (): Promise<ShownEvent[]> =>
    (
      await call<{ events: ShownEvent[] }>('svc_list_calendar_events', {
        providerAccountId: calendar,
        fromDate: '2026-03-09',
        toDate: '2026-03-20',
        limit: 100,
      })
    ).events.filter(({ summary }) => summary === 'Pumps');
  /** What the calendar server itself keeps. */
  const kept = async (): Promise<string[]> => {
    const { url = '', username, password } = server ?? {};
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const answer = await fetch(url, { headers: { authorization } });
    return (await answer.text()).split('BEGIN:VEVENT').filter((one) => one.includes('SUMMARY:Pumps'));
  };

  it('Thursday: two people are written to', async () => {
    await until('2026-03-05T08:00:00Z');
    const fair = { startTime: '2026-03-09T08:00:00Z', endTime: '2026-03-09T18:00:00Z' };
    await world.call('svc_create_calendar_event', { providerAccountId: calendar, summary: 'Fair', ...fair });
    const csv = `First Name,Last Name,Company Name,Email\nAda,Test,Northgate,${ADA}\nBob,Test,Brightwater,${BOB}\n`;
    await call('svc_import_leads_csv', { csv });
    for (const lead of await searchAll(world.at.acme, {})) leads.set(lead.firstName, lead.leadId);
    const { campaignId } = await call<{ campaignId: string }>('svc_create_campaign', { title: 'Pumps' });
    await call('svc_update_campaign', { campaignId, businessHours: WEEKDAYS });
    const made = { campaignId, name: 'Pumps', graph: SEQUENCE };
    const { workflowId } = await call<{ workflowId: string }>('svc_create_workflow', made);
    await call('svc_update_workflow_status', { workflowId, enabled: true });
    await call('svc_trigger_workflow', { workflowId, leadIds: [...leads.values()] });
    await until('2026-03-05T16:00:00Z');
    expect([await mailsTo(ADA), await mailsTo(BOB)]).to.deep.equal([['Hello Ada, s'], ['Hello Bob, s']]);
  });
  it('Sunday: both answer, three times are held for each of them, and no robot answers', async () => {
    await until('2026-03-08T23:00:00Z');
    for (const name of ['Ada', 'Bob'])
      expect((await conversationWith(name)).map(({ direction }) => direction)).to.include('in');
    expect([await mailsTo(ADA), await mailsTo(BOB)].flat()).to.have.length(2);
    const held = await world.at.tools.force<{ lead: string; start: number }>(
      'select lead_id as lead, start_at as start from calendar_hold order by start_at',
    );
    expect([held.length, new Set(held.map(({ start }) => start)).size], 'no time twice').to.deep.equal([6, 6]);
    slots = held
      .filter(({ lead }) => lead === leads.get('Ada'))
      .map(({ start }) => new Date(Number(start)).toISOString());
  });

  it('Monday: a person answers each in the thread of their mail, with the times that are theirs', async () => {
    await until('2026-03-09T09:00:00Z');
    for (const [name, address] of [
      ['Ada', ADA],
      ['Bob', BOB],
    ] as const) {
      const answer = (await conversationWith(name)).find(({ direction }) => direction === 'in');
      const { status } = await world.call<{ status: string }>('svc_send_mail', {
        to: address,
        inReplyToMessageId: answer?.messageId,
        expectedLastMessageId: answer?.messageId,
        body: `Gladly. How about ${slots[0]}?`,
        timing: 'now',
        ...subjectOf(answer),
      });
      expect(status).to.equal('done');
      expect(await mailsTo(address)).to.have.length(2);
    }
  });
  const subjectOf = (answer: Message | undefined): { subject: string } => ({
    subject: `Re: ${answer?.subject.replace(/^Re: /i, '')}`,
  });

  it('Monday afternoon: Ada takes a time on Tuesday, which Bob’s meeting can not have; the executor dies on the way', async () => {
    await until('2026-03-09T13:00:00Z');
    const [tuesday = ''] = slots;
    expect(tuesday).to.match(/^2026-03-10T/);
    const times = { startTime: tuesday, endTime: new Date(Date.parse(tuesday) + HOUR / 2).toISOString() };
    const input = { providerAccountId: calendar, summary: 'Pumps', ...times, location: 'By phone' };
    const taken = await world.at.acme.refusal('svc_create_calendar_event', { ...input, attendeeEmails: [BOB] });
    expect(taken).to.match(/^The time was offered to a lead/);
    const booking = call<{ eventId: string; status: string }>('svc_create_calendar_event', {
      ...input,
      attendeeEmails: [ADA],
    });
    await world.planned();
    await world.killedAt('before_settle');
    const booked = await booking;
    expect(booked.status).to.equal('done');
    ({ eventId } = booked);
    await until('2026-03-09T15:00:00Z');
    expect(
      (await mailsTo(ADA)).filter((one) => one === 'REQUEST'),
      'one invitation',
    ).to.have.length(1);
    expect(await kept(), 'one event on the server').to.have.length(1);
    const again = await world
      .call('svc_create_calendar_event', { ...input, attendeeEmails: [ADA] })
      .catch((e: Error) => e);
    expect(again instanceof Error || (again as { eventId: string }).eventId === eventId).to.equal(true);
    expect(await kept()).to.have.length(1);
  });

  it('Monday evening: her calendar says yes, and the event has it', async () => {
    await world.hear(box, accepted(ADA, eventId, 0));
    await world.at.pass(1_000);
    const [meeting] = await events();
    expect(meeting).to.deep.include({ eventId, attendees: [{ email: ADA, response: 'accepted' }] });
  });

  it('she asks for an hour later: the meeting moves, she is told once, and the executor dies once more', async () => {
    const [before] = await events();
    const startTime = new Date(Date.parse(before?.start ?? '') + HOUR).toISOString();
    const moving = call<{ status: string }>('svc_update_calendar_event', {
      providerAccountId: calendar,
      eventId,
      startTime,
    });
    await world.planned();
    await world.killedAt('before_settle');
    expect((await moving).status).to.equal('done');
    await until('2026-03-09T17:30:00Z');
    expect((await mailsTo(ADA)).filter((one) => one === 'REQUEST')).to.have.length(2);
    const [after] = await events();
    expect(Date.parse(after?.start ?? '')).to.equal(Date.parse(startTime));
    expect(after?.attendees, 'a yes to the old time is none to the new one').to.deep.equal([
      { email: ADA, response: 'needs_action' },
    ]);
    await world.hear(box, accepted(ADA, eventId, 1));
    await world.at.pass(1_000);
    expect((await events())[0]?.attendees?.[0]?.response).to.equal('accepted');
  });

  it('Tuesday: the calendar has the meeting, once; the story stands in events and timeline, and nobody was written to twice', async () => {
    await until('2026-03-10T08:00:00Z');
    const [event, ...more] = await kept();
    expect(more).to.deep.equal([]);
    expect(event).to.contain('PARTSTAT=ACCEPTED').and.to.contain(eventId);
    expect((await mailsTo(ADA)).filter((one) => one !== 'REQUEST')).to.have.length(2);
    expect(await mailsTo(BOB)).to.have.length(2);
    const told = await world.at.tools.force<{ kind: string }>(
      `select kind from run_event where data ->> 'leadId' = $1 and kind in ('reply.received', 'meeting.created', 'meeting.cancelled') order by seq`,
      [leads.get('Ada')],
    );
    expect(told.map(({ kind }) => kind)).to.include.members(['meeting.created']);
    expect(told.filter(({ kind }) => kind === 'meeting.created')).to.have.length(1);
    const [units] = await world.at.tools.force<{ n: number }>(
      `select sum(x)::int as n from account_budget b cross join lateral unnest(b.used) x where account_id = $1 and action = 'mail'`,
      [box],
    );
    const sent = [...(await mailsTo(ADA)), ...(await mailsTo(BOB))].length;
    expect(units?.n, 'each mail took its unit, invitations too').to.equal(sent);
  });
});

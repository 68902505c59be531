import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Sealer } from '../../../../pkg/base/sealer.ts';
import { slotsOf } from '../../../../pkg/domain/calendar/calendar-slots.ts';
import { offerSlots } from '../../../../pkg/store/calendar/calendar-holds.ts';
import { interleave } from '../../../fixtures/engine/interleave.ts';
import { API_KEY, type Bench, startBench } from '../../../fixtures/sandbox/harness.ts';
import { type McpTools, startMcpTools, type ToolUser } from '../../../tools/mcp-tools.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A Monday, 10:00 in Berlin. */
const NOW = Date.UTC(2026, 1, 9, 9);

interface Slots {
  slots: { start: string; end: string }[];
  timezone: string;
  providerAccountId: string;
}

describe('tools: free times of a calendar, by an MCP client', function () {
  this.timeout(60_000);
  let sandbox: Bench;
  let tools: McpTools;
  let acme: ToolUser;
  let calendar = '';

  before(async () => {
    sandbox = await startBench();
    const sealer = new Sealer('an installation key of at least 32 characters');
    tools = await startMcpTools(undefined, { sealer, reachOf: () => 'any' });
    tools.cluster.clock.at = NOW;
    acme = await tools.as({ workspace: 'acme' });
    calendar = await connect('acme', `${sandbox.sandbox.url}/outside/caldav`, sealer);
  });
  after(async () => {
    await tools.stop();
    await sandbox.stop();
  });
  beforeEach(() => taken());

  async function connect(workspace: string, url: string, sealer: Sealer): Promise<string> {
    const id = `cal-${randomUUID().slice(0, 8)}`;
    await tools.force(
      `insert into calendar_account (id, workspace_id, email, url, sealed, timezone, created_at)
       values ($1, $2, 'ada@agency.example', $3, $4, 'Europe/Berlin', 1)`,
      [id, workspace, url, sealer.seal(JSON.stringify({ username: 'ada', password: API_KEY }), `calendar:${id}`)],
    );
    return id;
  }
  const taken = (...times: [start: number, end: number, allDay?: boolean][]): Promise<unknown> =>
    sandbox.control('outside', { service: 'caldav', taken: times });
  const starts = async (input: object): Promise<string[]> =>
    (await acme.call<Slots>('svc_get_free_slots', input)).slots.map(({ start }) => start.slice(5, 16));

  describe('svc_get_free_slots', () => {
    it('the first three gaps of half an hour from the local day on, within 9 to 18 of the account’s zone', async () => {
      await taken([NOW - DAY, NOW + 2 * HOUR]);
      const found = await acme.call<Slots>('svc_get_free_slots', { fromDate: '2026-02-09' });
      expect(found).to.deep.include({ timezone: 'Europe/Berlin', providerAccountId: calendar });
      expect(found.slots).to.deep.equal([
        { start: '2026-02-09T11:00:00.000Z', end: '2026-02-09T11:30:00.000Z' },
        { start: '2026-02-09T11:30:00.000Z', end: '2026-02-09T12:00:00.000Z' },
        { start: '2026-02-09T12:00:00.000Z', end: '2026-02-09T12:30:00.000Z' },
      ]);
    });

    it('each of its parameters counts, and nothing lies before fromDate or beyond 14 days', async () => {
      expect(await starts({ fromDate: '2026-02-10T16:40:00+01:00', durationMinutes: 60, count: 2 })).to.deep.equal([
        '02-10T15:45',
        '02-11T08:00',
      ]);
      const any = { fromDate: '2026-02-14', durationMinutes: 1_440, count: 100, businessHoursOnly: false };
      expect(await starts(any)).to.have.length(14);
      await taken([NOW - DAY, NOW + 40 * DAY]);
      expect(await starts(any)).to.deep.equal([]);
      expect(await starts({ fromDate: '2020-01-01' }), 'two weeks that are over').to.deep.equal([]);
      expect(await acme.refusal('svc_get_free_slots', { fromDate: 'soon' })).to.match(/^Invalid input: fromDate/);
    });

    it('free minutes around meetings are those of the account', async () => {
      await taken([NOW - DAY, NOW + 2 * HOUR]);
      await tools.force('update calendar_account set buffer_after = 20 where id = $1', [calendar]);
      expect((await starts({ fromDate: '2026-02-09' }))[0]).to.equal('02-09T11:30');
      // A meeting that is over when what is asked for begins.
      const tuesday = Date.UTC(2026, 1, 10, 8);
      await taken([tuesday - HOUR, tuesday]);
      expect((await starts({ fromDate: '2026-02-10T09:00:00+01:00' }))[0], 'after it').to.equal('02-10T08:30');
      await tools.force('update calendar_account set buffer_after = 0 where id = $1', [calendar]);
    });

    it('a calendar that does not answer, or can not be read, is never free', async () => {
      await sandbox.control('outside', { service: 'caldav', reply: { status: 500, body: {} } });
      const refusal = await acme.refusal('svc_get_free_slots', { fromDate: '2026-02-09' });
      expect(refusal).to.match(/did not answer: .*Nothing is taken for free/);
      await sandbox.control('outside', { service: 'caldav', reply: null });
    });
  });

  describe('svc_check_calendar_availability', () => {
    it('says which events conflict; what ends when the time begins does not', async () => {
      await taken([NOW, NOW + HOUR]);
      const at = (from: number, to: number): object => ({
        startTime: new Date(from).toISOString(),
        endTime: new Date(to).toISOString(),
      });
      const check = (input: object): Promise<object> => acme.call('svc_check_calendar_availability', input);
      expect(await check(at(NOW + HOUR, NOW + 2 * HOUR))).to.deep.include({ available: true, conflictingEvents: [] });
      expect(await check(at(NOW + HOUR - MINUTE, NOW + 2 * HOUR))).to.deep.include({
        available: false,
        conflictingEvents: [
          { summary: 'Taken', start: new Date(NOW).toISOString(), end: new Date(NOW + HOUR).toISOString() },
        ],
      });
      expect(await acme.refusal('svc_check_calendar_availability', at(NOW, NOW))).to.match(/^Invalid input: endTime/);
    });

    it('a whole day takes its local minutes also where the server thinks that it is another day by then', async () => {
      const day = Date.UTC(2026, 1, 10);
      await taken([day, day + DAY, true]);
      const [startTime, endTime] = ['2026-02-10T00:00:00+01:00', '2026-02-10T00:30:00+01:00'];
      const check = (input: object): Promise<object> => acme.call('svc_check_calendar_availability', input);
      expect(await check({ startTime, endTime })).to.deep.include({ available: false });
      const [before, midnight] = ['2026-02-09T23:30:00+01:00', startTime];
      expect(await check({ startTime: before, endTime: midnight })).to.deep.include({ available: true });
    });
  });

  describe('times that are offered', () => {
    const question = { from: NOW, now: NOW, durationMs: 30 * MINUTE, count: 3, businessHoursOnly: true };
    const hours = { timezone: 'Europe/Berlin', startHour: 9, endHour: 18 };
    /** @param turn asked for before and after the offer, inside of its transaction */
    const offer = (leadId: string, now = NOW, turn = () => Promise.resolve()): Promise<readonly { start: number }[]> =>
      tools.cluster.db.tx({ kind: 'workspaces', ids: ['acme'] }, async (tx) => {
        await turn();
        const identity = [Buffer.from('the calendar')];
        const scope = { workspaceId: 'acme', calendarId: calendar, identity, holder: `lead:${leadId}`, now };
        const slots = await offerSlots(tx, { ...scope, leadId }, (held) =>
          slotsOf([], held, hours, { ...question, from: now, now }),
        );
        await turn();
        return slots;
      });

    it('no two leads are offered the same, however their offers meet', async () => {
      const leads = Array.from({ length: 8 }, () => randomUUID());
      const found: (readonly { start: number }[])[] = [];
      await interleave(
        leads.map((lead) => async (turn) => {
          found.push(await offer(lead, NOW, turn));
        }),
        () => 0.5,
      );
      const all = found.flat().map(({ start }) => start);
      expect([all.length, new Set(all).size]).to.deep.equal([24, 24]);
    });

    it('another lead is offered others also later that day, the same lead the same; after a day nobody holds them', async () => {
      await tools.force('delete from calendar_hold');
      const [first, other] = [randomUUID(), randomUUID()];
      const mine = await offer(first);
      expect(await offer(first)).to.deep.equal(mine);
      const theirs = (await offer(other, NOW + HOUR)).map(({ start }) => start);
      expect(theirs.filter((start) => mine.some((one) => one.start === start))).to.deep.equal([]);
      const held = await tools.rows<{ count: number }>('select count(*)::int as count from calendar_hold');
      expect(held[0]?.count).to.equal(6);
      const later = NOW + DAY + 2 * HOUR;
      expect((await offer(randomUUID(), later)).length).to.equal(3);
      const left = await tools.rows<{ count: number }>('select count(*)::int as count from calendar_hold');
      expect(left[0]?.count, 'holds that are over go').to.equal(3);
    });

    it('an event that is still to be made is not offered, and what is held for a lead is booked for them alone', async () => {
      await tools.force('delete from calendar_hold');
      const create = (n: number, attendeeEmails: string[] = []): object => ({
        providerAccountId: calendar,
        summary: 'Demo',
        startTime: new Date(NOW + n * HOUR).toISOString(),
        endTime: new Date(NOW + (n + 1) * HOUR).toISOString(),
        attendeeEmails,
      });
      await acme.call('svc_create_calendar_event', create(0.5));
      const { leadId } = await acme.call<{ leadId: string }>('svc_upsert_lead', {
        email: 'holder@acme.example',
        firstName: 'Hol',
      });
      const [first] = await offer(leadId);
      expect(first?.start, 'after the event').to.equal(NOW + 1.5 * HOUR);
      expect(await acme.refusal('svc_create_calendar_event', create(1.5))).to.match(
        /^The time was offered to a lead, .* Call svc_get_free_slots\.$/,
      );
      await tools.force('update calendar_account set server_invites = true where id = $1', [calendar]);
      const own = create(1.5, ['holder@acme.example']);
      expect(await acme.call('svc_create_calendar_event', own)).to.include({ status: 'scheduled' });
      await tools.force('delete from calendar_change');
      await tools.force('update calendar_account set server_invites = false where id = $1', [calendar]);
    });

    it('svc_craft_reply proposes each conversation times of its own, and the same ones again', async () => {
      await tools.force('delete from calendar_hold');
      const account = await tools.account('acme');
      const talk = async (name: string): Promise<string> => {
        const [row] = await tools.force<{ id: string }>(
          `with made as (
             insert into conversation (id, account_id, external_id, participant_name)
             values (gen_random_uuid(), $1, $2, $2) returning id, account_id
           ),
           said as (
             insert into message (id, conversation_id, account_id, external_id, direction, body, sent_at)
             select gen_random_uuid(), m.id, m.account_id, $2, 'in', 'Sounds good, when do you have time?', $3::bigint from made m
           )
           select id from made`,
          [account, name, NOW],
        );
        return row?.id ?? '';
      };
      const proposed = async (conversationId: string): Promise<string[]> => {
        const input = { conversationId, language: 'en', intent: 'book_meeting', proposeSlots: true };
        await acme.call('svc_craft_reply', input);
        const held = await tools.rows<{ start: number }>(
          'select start_at as start from calendar_hold where holder = $1 order by 1',
          [`conversation:${conversationId}`],
        );
        return held.map(({ start }) => new Date(start).toISOString().slice(11, 16));
      };
      const [kim, lee] = [await talk('Kim'), await talk('Lee')];
      expect(await proposed(kim)).to.deep.equal(['09:15', '09:45', '10:15']);
      expect(await proposed(lee)).to.deep.equal(['10:45', '11:15', '11:45']);
      expect(await proposed(kim)).to.deep.equal(['09:15', '09:45', '10:15']);
    });

    it('svc_get_free_slots neither makes holds nor leaves them out', async () => {
      await tools.force('delete from calendar_hold');
      await offer(randomUUID());
      const free = await acme.call<Slots>('svc_get_free_slots', { fromDate: '2026-02-09' });
      expect(free.slots[0]?.start).to.equal('2026-02-09T09:15:00.000Z');
      expect(await tools.rows('select 1 from calendar_hold')).to.have.length(3);
    });
  });
});

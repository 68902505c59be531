import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { slotsOf } from '../../../../pkg/domain/calendar/calendar-slots.ts';
import { type HoldScope, offerSlots } from '../../../../pkg/store/calendar/calendar-holds.ts';
import { enterCalendar, knowCalendar, leaveCalendar } from '../../../../pkg/store/calendar/calendar-turns.ts';
import { type CalendarWorld, openCalendarWorld, type ShownEvent } from '../../../fixtures/calendar/calendar-world.ts';
import type { EngineHandle } from '../../../fixtures/engine/harness.ts';
import type { ToolUser } from '../../../tools/mcp-tools.ts';
import { type CalendarServer, startCalendarServer } from '../../../tools/python-servers.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const time = (hour: number, minute = 0, day = 12): string =>
  new Date(Date.UTC(2026, 2, day, hour, minute)).toISOString();

describe('a calendar that two workspaces connected', function () {
  this.timeout(120_000);
  let world: CalendarWorld;
  let rival: ToolUser;
  let executor: EngineHandle;
  before(async () => {
    world = await openCalendarWorld();
    rival = await world.at.tools.as({ workspace: 'rival' });
    executor = await world.at.executorOf('rival');
  });
  after(() => world.stop());

  /** Both executors work until it is done. */
  async function duringBoth<T>(work: Promise<T>): Promise<T> {
    let open = true;
    const ending = work.finally(() => {
      open = false;
    });
    const others = (async () => {
      while (open) {
        await executor.engine.calendars.round();
        await executor.engine.calendars.ended();
        await executor.engine.settle();
      }
    })();
    const [result] = await Promise.all([world.at.during(ending), others]);
    return result;
  }
  const users = (): { acme: ToolUser; rival: ToolUser } => ({ acme: world.at.acme, rival });

  /** 50 calls of each workspace for ten times. @returns what became of them */
  async function book(ids: { acme: string; rival: string }): Promise<string[]> {
    const asks = Array.from({ length: 100 }, async (_, n) => {
      const who = n % 2 === 0 ? 'acme' : 'rival';
      const hour = 8 + (Math.floor(n / 2) % 10);
      const input = {
        providerAccountId: ids[who],
        summary: `Booking ${n}`,
        startTime: time(hour),
        endTime: time(hour, 30),
      };
      return users()
        [who].call('svc_create_calendar_event', input)
        .then(
          () => `made by ${who}`,
          (error: Error) => (/The time is taken meanwhile/.test(error.message) ? 'taken' : error.message),
        );
    });
    return duringBoth(Promise.all(asks));
  }
  async function expectTen(ids: { acme: string; rival: string }): Promise<void> {
    const became = await book(ids);
    expect(became.filter((one) => one === 'taken')).to.have.length(90);
    expect(became.filter((one) => one.startsWith('made'))).to.have.length(10);
    const { events } = await world.at.acme.call<{ events: ShownEvent[] }>('svc_list_calendar_events', {
      providerAccountId: ids.acme,
      fromDate: '2026-03-12',
      toDate: '2026-03-13',
      limit: 100,
    });
    const starts = events.map(({ start }) => start);
    expect([starts.length, new Set(starts).size]).to.deep.equal([10, 10]);
    const rows = await world.at.tools.force<{ identity: Buffer | null; text: string }>(
      "select identity, encode(identity, 'escape') as text from calendar_account where id = any ($1)",
      [[ids.acme, ids.rival]],
    );
    expect(rows[0]?.identity).to.deep.equal(rows[1]?.identity);
    expect(rows[0]?.identity).to.have.length(32);
    expect(await world.at.tools.force('select 1 from calendar_lane'), 'no turn is left').to.deep.equal([]);
  }

  describe('Google Calendar', () => {
    let ids: { acme: string; rival: string };
    before(async () => {
      ids = { acme: await world.google(), rival: await world.google(rival) };
      expect(ids.acme).to.not.equal(ids.rival);
    });

    it('100 bookings at once of 10 times through both give ten events', () => expectTen(ids));

    describe('what is offered', () => {
      const hours = { timezone: 'Europe/Berlin', startHour: 9, endHour: 18 };
      const offer = async (workspaceId: 'acme' | 'rival', leadId: string = randomUUID()): Promise<number[]> => {
        const now = world.at.tools.cluster.clock.now();
        const [row] = await world.at.tools.force<{ identity: Buffer }>(
          'select identity from calendar_account where id = $1',
          [ids.acme],
        );
        const question = { from: now, now, durationMs: 30 * MINUTE, count: 3, businessHoursOnly: true };
        const scope: HoldScope = {
          workspaceId,
          calendarId: ids[workspaceId],
          identity: [row?.identity ?? Buffer.alloc(0)],
          holder: `lead:${leadId}`,
          now,
        };
        return world.at.tools.cluster.db.tx({ kind: 'workspaces', ids: [workspaceId] }, async (tx) =>
          (await offerSlots(tx, { ...scope, leadId }, (held) => slotsOf([], held, hours, question))).map(
            ({ start }) => start,
          ),
        );
      };
      const bookAt = (who: 'acme' | 'rival', start: number, more: object = {}): Promise<string> =>
        users()[who].refusal('svc_create_calendar_event', {
          providerAccountId: ids[who],
          summary: 'Demo',
          startTime: new Date(start).toISOString(),
          endTime: new Date(start + 30 * MINUTE).toISOString(),
          ...more,
        });

      it('to a lead of one workspace is offered to no lead of the other', async () => {
        const [mine, theirs] = [await offer('acme'), await offer('rival')];
        expect(theirs).to.have.length(3);
        expect(theirs.filter((start) => mine.includes(start))).to.deep.equal([]);
        await world.at.tools.force('delete from calendar_hold');
      });

      it('and is not booked by the other one, whoever it names: nobody learns whom the first one knows', async () => {
        const email = 'known@acme.example';
        const { leadId } = await world.at.acme.call<{ leadId: string }>('svc_upsert_lead', { email });
        const [start = 0] = await offer('acme', leadId);
        expect(await bookAt('rival', start)).to.match(/^The time was offered to a lead/);
        expect(await bookAt('rival', start, { attendeeEmails: [email] })).to.match(/^The time was offered to a lead/);
        const input = {
          providerAccountId: ids.acme,
          summary: 'Demo',
          startTime: new Date(start).toISOString(),
          endTime: new Date(start + 30 * MINUTE).toISOString(),
          attendeeEmails: [email],
        };
        const { eventId } = await world.call('svc_create_calendar_event', input);
        await world.call('svc_delete_calendar_event', { providerAccountId: ids.acme, eventId });
        await world.at.tools.force('delete from calendar_hold');
      });

      it('leaves out where an event will be that is to be moved, and no time that one does not take', async () => {
        const now = world.at.tools.cluster.clock.now();
        const [free = 0] = await offer('acme');
        await world.at.tools.force('delete from calendar_hold');
        const input = {
          providerAccountId: ids.acme,
          summary: 'To be moved',
          startTime: new Date(now + 100 * HOUR).toISOString(),
          endTime: new Date(now + 101 * HOUR).toISOString(),
        };
        const { eventId } = await world.call('svc_create_calendar_event', input);
        const move = { providerAccountId: ids.acme, eventId, startTime: new Date(free).toISOString() };
        // No executor works meanwhile.
        const call = (): Promise<{ status: string }> => world.at.acme.call('svc_update_calendar_event', { ...move });
        const moved = call();
        await world.planned();
        for (const who of ['acme', 'rival'] as const) {
          const [next = 0] = await offer(who);
          expect(next, who).to.equal(free + HOUR);
          await world.at.tools.force('delete from calendar_hold');
        }
        const open = 'select count(*)::int as n from calendar_change where event_id = $1 and kind = $2';
        const again = call();
        const both = await world.at.during(Promise.all([moved, again]));
        expect(both.map(({ status }) => status)).to.deep.equal(['done', 'done']);
        const [{ n = 0 } = {}] = await world.at.tools.force<{ n: number }>(open, [eventId, 'update']);
        expect(n, 'the same wish again').to.be.at.most(2);
        await world.call('svc_delete_calendar_event', { providerAccountId: ids.acme, eventId });
      });

      it('to a lead is not taken by a meeting that is moved there', async () => {
        const start = world.at.tools.cluster.clock.now() + 200 * HOUR;
        const times = { startTime: new Date(start).toISOString(), endTime: new Date(start + HOUR).toISOString() };
        const made = await world.call('svc_create_calendar_event', {
          providerAccountId: ids.acme,
          summary: 'Here',
          ...times,
        });
        const [held = 0] = await offer('rival');
        const refused = await world.at.acme.refusal('svc_update_calendar_event', {
          providerAccountId: ids.acme,
          eventId: made.eventId,
          startTime: new Date(held).toISOString(),
        });
        expect(refused).to.match(/^The time was offered to a lead/);
        await world.call('svc_delete_calendar_event', { providerAccountId: ids.acme, eventId: made.eventId });
        await world.at.tools.force('delete from calendar_hold');
      });
    });

    it('is known under the next key by both, once one of them was used with it', async () => {
      const identities = (): Promise<{ identity: Buffer }[]> =>
        world.at.tools.force('select identity from calendar_account where id = any ($1)', [[ids.acme, ids.rival]]);
      const [{ identity = Buffer.alloc(0) } = {}] = await identities();
      const next = Buffer.from('under the next key');
      const know = (of: EngineHandle, calendarId: string, workspaceId: string, identity: Buffer[]): Promise<void> =>
        of.deps.claim.tx((tx) => knowCalendar(tx, { workspaceId, calendarId, identity }));
      await know(executor, ids.rival, 'rival', [next, identity]);
      expect(await identities()).to.deep.equal([{ identity: next }, { identity: next }]);
      await know(world.at.handle, ids.rival, 'rival', [identity, next]);
      expect(await identities(), 'another workspace says nothing').to.deep.equal([
        { identity: next },
        { identity: next },
      ]);
      await know(world.at.handle, ids.acme, 'acme', [identity, next]);
      expect(await identities()).to.deep.equal([{ identity }, { identity }]);
    });

    it('a turn that its executor left open ends by itself, and the change that had it goes on with it', async () => {
      const { claim } = world.at.handle.deps;
      const [mine, theirs] = [randomUUID(), randomUUID()];
      const enter = (of: typeof claim, id: string, change: string, ms = 60_000): Promise<boolean> =>
        of.tx((tx) => enterCalendar(tx, id, change, ms));
      expect(await enter(claim, ids.acme, mine)).to.equal(true);
      expect(await enter(executor.deps.claim, ids.rival, theirs)).to.equal(false);
      expect(await enter(claim, ids.rival, randomUUID()), 'a calendar of others').to.equal(false);
      expect(await enter(claim, ids.acme, mine, 1), 'taken up again').to.equal(true);
      await world.at.tools.force(`update calendar_lane set until = clock_timestamp() - interval '1 second'`);
      expect(await enter(executor.deps.claim, ids.rival, theirs)).to.equal(true);
      await claim.tx((tx) => leaveCalendar(tx, mine));
      expect(await enter(claim, ids.acme, mine), 'its end is not that of the next one').to.equal(false);
      await claim.tx((tx) => leaveCalendar(tx, theirs));
    });
  });

  describe('CalDAV: Radicale', () => {
    let server: CalendarServer | undefined;
    before(async function () {
      server = await startCalendarServer('radicale');
      if (!server) return this.skip();
    });
    after(() => server?.stop());

    it('100 bookings at once of 10 times through both give ten events', async () => {
      const { url = '', username = '', password = '' } = server ?? {};
      const connect = async (user: ToolUser, address: string): Promise<string> =>
        (
          await user.call<{ integrationId: string }>('svc_connect_integration', {
            provider: 'caldav',
            url: address,
            credentials: { username, password },
          })
        ).integrationId;
      // However they write it.
      await expectTen({ acme: await connect(world.at.acme, url), rival: await connect(rival, url.replace(/\/$/, '')) });
    });
  });
});

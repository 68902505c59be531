import { expect } from 'chai';
import { DateTime } from 'luxon';
import { type Bench, change, enrol, openBench, passTime } from '../fixtures/engine/harness.ts';
import {
  chain,
  DAY,
  HOUR,
  lead,
  message,
  type WorkflowFixture,
  workflowFixture,
} from '../fixtures/engine/workflow-fixture.ts';
import { dice, tellSeed, times } from './seed.ts';

const ZONE = 'Europe/Berlin';
const LIMIT = 4;
const local = (at: number): DateTime => DateTime.fromMillis(at, { zone: ZONE });

describe('chaos: days of 23 and 25 hours', function () {
  this.timeout(600_000);
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(async function () {
    tellSeed.call(this);
    await bench.close();
  });

  /** Every message, with the time at which it left. */
  async function run(
    from: string,
    days: number,
    people: number,
  ): Promise<{ at: WorkflowFixture; sent: { at: number; to: string }[] }> {
    await bench.clock.advance(DateTime.fromISO(from, { zone: ZONE }).toMillis() - bench.clock.now());
    const hours = { days: [1, 2, 3, 4, 5, 6, 7], startHour: 0, endHour: 24, timezoneMode: 'account' };
    const at = await workflowFixture(
      bench,
      chain(
        message('one'),
        { nodeType: 'flow:wait', config: { waitType: 'duration', durationMs: HOUR } },
        message('two'),
      ),
      {
        contactPolicy: { minDaysBetweenTouches: 0 },
        businessHours: { ...hours, startHour: 8, endHour: 20 },
      },
      hours,
    );
    await change(bench, 'update network_account set timezone = $1, limits = $2', [
      ZONE,
      JSON.stringify({ message: { day: LIMIT, week: 7 * LIMIT } }),
    ]);
    const sent: { at: number; to: string }[] = [];
    at.network.onPerform = (action, perform) => {
      sent.push({ at: bench.clock.now(), to: `${action.publicId} ${action.text}` });
      return Promise.resolve(perform());
    };
    const leads: string[] = [];
    for (let index = 0; index < people; index++) leads.push((await lead(bench, at)).leadId);
    await enrol(bench, at.ws, at.flow, leads);
    const random = dice('steps', from);
    for (let passed = 0; passed < days * DAY; ) {
      const step = Math.round((0.25 + random() * 0.75) * HOUR);
      await passTime(bench, at.handle, step, step);
      passed += step;
    }
    return { at, sent };
  }

  for (const [name, from, day, length] of [
    ['23 hours', '2026-03-27T06:00', '2026-03-29', 23],
    ['25 hours', '2026-10-23T06:00', '2026-10-25', 25],
  ] as const) {
    it(`a day of ${name}: budgets of local days hold, hours hold, nobody twice`, async () => {
      expect(
        local(DateTime.fromISO(day, { zone: ZONE }).toMillis())
          .endOf('day')
          .diff(DateTime.fromISO(day, { zone: ZONE }), 'hours').hours,
      ).to.be.closeTo(length, 0.01);
      const days = times(5, 8);
      const { sent } = await run(from, days, LIMIT * days);
      const perDay = Map.groupBy(sent, (one) => local(one.at).toISODate() ?? '');
      for (const [date, ones] of perDay) expect(ones.length, date).to.be.at.most(LIMIT);
      expect(perDay.get(day)?.length, 'the day itself is used').to.equal(LIMIT);
      for (const one of sent) expect(local(one.at).hour, local(one.at).toISO() ?? '').to.be.within(8, 19);
      expect(new Set(sent.map((one) => one.to)).size, 'nobody twice').to.equal(sent.length);
    });
  }
});

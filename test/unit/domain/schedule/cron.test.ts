import { expect } from 'chai';
import { zoneOffset } from '../../../../pkg/domain/local-time.ts';
import { checkCron, nextTimes } from '../../../../pkg/domain/schedule/check-cron.ts';
import { Cron } from '../../../../pkg/domain/schedule/cron.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const BERLIN = 'Europe/Berlin';

/** What the clock of the zone shows at an instant, read as if it were UTC. */
const shown = (at: number, zone: string): number => at + zoneOffset(at, zone);
const said = (at: number, zone: string): string => new Date(shown(at, zone)).toISOString().slice(0, 16);

/** All times of a cron on a local date of Berlin, as its clock shows them. */
function onDate(text: string, date: string): string[] {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const times = nextTimes(new Cron(text, BERLIN), midnight - DAY, 150).map((at) => said(at, BERLIN));
  return times.filter((time) => time.startsWith(date)).map((time) => time.slice(11));
}

describe('cron as people mean it', () => {
  // Berlin: the gap of 28 March 2027 (02:00 to 03:00) and the overlap of 25 October 2026 (03:00 to 02:00).
  const TABLE: [string, string, string, string[]][] = [
    ['daily 02:30 in the gap', '30 2 * * *', '2027-03-28', ['03:00']],
    ['daily 02:30 in the overlap: once (first)', '30 2 * * *', '2026-10-25', ['02:30']],
    ['*/15 2 * * * in the gap', '*/15 2 * * *', '2027-03-28', ['03:00', '03:15', '03:30', '03:45']],
    ['*/15 2 * * * in the overlap', '*/15 2 * * *', '2026-10-25', ['02:00', '02:15', '02:30', '02:45']],
  ];
  for (const [name, text, date, times] of TABLE) {
    it(name, () => expect(onDate(text, date)).to.deep.equal(times));
  }

  it('daily 02:30 in the overlap is the first of the two', () => {
    const at = new Cron('30 2 * * *', BERLIN).next(Date.parse('2026-10-24T12:00:00Z'));
    expect(new Date(at ?? 0).toISOString()).to.equal('2026-10-25T00:30:00.000Z');
  });

  it('0 * * * * in the overlap: every hour', () => {
    const hours = onDate('0 * * * *', '2026-10-25');
    expect(hours).to.have.length(25);
    expect(hours.filter((time) => time === '02:00')).to.have.length(2);
    expect(onDate('0 * * * *', '2027-03-28')).to.have.length(23);
  });

  it('0 0 30 2 * (never) ends with no run', () => {
    expect(new Cron('0 0 30 2 *', BERLIN).next(0)).to.equal(null);
  });

  it('day-of-month and weekday both set: either', () => {
    const times = nextTimes(new Cron('0 9 13 * 5', 'UTC'), Date.parse('2026-11-10T00:00:00Z'), 3);
    expect(times.map((at) => new Date(at).toISOString().slice(0, 10))).to.deep.equal([
      '2026-11-13',
      '2026-11-20',
      '2026-11-27',
    ]);
    const sunday = nextTimes(new Cron('0 9 13 * 5', 'UTC'), Date.parse('2026-12-12T00:00:00Z'), 1);
    expect(sunday.map((at) => new Date(at).toISOString().slice(0, 10))).to.deep.equal(['2026-12-13']);
  });

  const ZONES = [
    'UTC',
    BERLIN,
    'America/New_York',
    'America/Havana',
    'America/Nuuk',
    'America/St_Johns',
    'Asia/Beirut',
    'Asia/Kathmandu',
    'Africa/Casablanca',
    'Africa/Cairo',
    'Australia/Lord_Howe',
    'Pacific/Chatham',
    'Antarctica/Troll',
    'America/Santiago',
    'Europe/Dublin',
    'Atlantic/Azores',
  ];

  /** Offset changes of a year, as minutes at which the new offset holds. */
  function changes(zone: string, year: number): number[] {
    const found: number[] = [];
    const end = Date.UTC(year + 1, 0, 1);
    for (let day = Date.UTC(year, 0, 1); day < end; day += DAY) {
      if (zoneOffset(day, zone) === zoneOffset(day + DAY, zone)) continue;
      let at = day;
      while (zoneOffset(at, zone) === zoneOffset(day, zone)) at += HOUR / 4;
      found.push(at);
    }
    return found;
  }

  it('every fixed-time job fires exactly once per local date, over gaps and overlaps of many zones and years', () => {
    for (const zone of ZONES) {
      for (let year = 2025; year <= 2034; year += 3) {
        for (const change of changes(zone, year)) {
          for (const minute of [0, 30]) {
            for (const hour of [0, 1, 2, 23]) {
              const cron = new Cron(`${minute} ${hour} * * *`, zone);
              const days = Math.floor(shown(change, zone) / DAY);
              const wanted = [-2, -1, 0, 1, 2].map((day) =>
                fixedTime(zone, (days + day) * DAY + hour * HOUR + minute * 60_000),
              );
              const begin = Math.min(...wanted) - 1;
              const name = `${zone} ${hour}:${minute} around ${new Date(change).toISOString()}`;
              expect(nextTimes(cron, begin, 5), name).to.deep.equal(wanted);
            }
          }
        }
      }
    }
  }).timeout(60_000);

  /** By walking the quarters of an hour: the first that shows the time, else the first that shows a later one. */
  function fixedTime(zone: string, wanted: number): number {
    let at = wanted - zoneOffset(wanted, zone) - 4 * HOUR;
    while (shown(at, zone) < wanted) at += HOUR / 4;
    return at;
  }

  it('interval jobs are evenly spaced in real time, whatever the clock does', () => {
    for (const zone of ZONES) {
      for (const [text, everyMs] of [
        ['0 * * * *', HOUR],
        ['*/15 * * * *', HOUR / 4],
        ['10,40 * * * *', HOUR / 2],
      ] as const) {
        // A clock that is set by half an hour moves the full hour itself; what comes every half hour does not notice.
        if (zone === 'Australia/Lord_Howe' && everyMs === HOUR) continue;
        for (const change of changes(zone, 2027)) {
          const times = nextTimes(new Cron(text, zone), change - 2 * HOUR, 18);
          const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
          expect(new Set(gaps), `${zone} ${text}`).to.deep.equal(new Set([everyMs]));
        }
      }
    }
  }).timeout(60_000);

  describe('is refused with the reason and the next three times', () => {
    const now = Date.parse('2026-11-28T00:00:00Z');
    const refusal = (text: string, zone = 'UTC'): { reason: string; next: number[] } => {
      const answer = checkCron(text, zone, now);
      if (answer instanceof Cron) throw new Error(`${text} was taken`);
      return answer;
    };

    it('without a run in five years', () => {
      expect(refusal('0 0 30 2 *')).to.deep.equal({ reason: 'it has no run within five years', next: [] });
    });

    it('more often than every 15 minutes', () => {
      for (const text of [
        '* * * * *',
        '*/10 * * * *',
        '0,50 * * * *',
        '5,55 1,2 * * *',
        '0,14 8 1 1 *',
        '5,55 0,23 15,16 * *',
      ])
        expect(refusal(text).reason, text).to.contain('more often than every 15 minutes');
      expect(refusal('*/5 * * * *').next.map((at) => new Date(at).toISOString().slice(11, 16))).to.deep.equal([
        '00:05',
        '00:10',
        '00:15',
      ]);
    });

    it('with seconds', () => expect(refusal('0 0 8 * * 1').reason).to.contain('seconds'));

    it('that can not be read', () => {
      for (const text of ['', '@daily', '0 8', '61 8 * * *', '0 25 * * *', 'a b c d e', '0 8 * * 9', '*/0 * * * *'])
        expect(refusal(text).reason, text).to.be.a('string').and.not.equal('');
      expect(refusal('0 8 * * *', 'Mars/Olympus').reason).to.contain('IANA');
    });

    it('and the rest is taken', () => {
      for (const text of ['*/15 * * * *', '0 8 * * 1-5', '0 0 29 2 *', '0 9 L * *', '0 9 * * MON'])
        expect(checkCron(text, BERLIN, now), text).to.be.instanceOf(Cron);
    });
  });
});

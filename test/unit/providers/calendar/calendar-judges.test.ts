import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { isBusy } from '../../../../pkg/domain/calendar/busy-spans.ts';
import { readObjects } from '../../../../pkg/providers/calendar/ical/read-objects.ts';
import { type GeneratedCalendar, generatedCalendar, OWNER } from '../../../fixtures/calendar/generated-calendar.ts';
import { patience } from '../../../tools/patience.ts';
import { pythonPackages } from '../../../tools/python-packages.ts';

/** `make test-long` has 10,000. */
const SEEDS = Number(process.env['CALENDAR_SEEDS'] ?? 500);
const FIRST = Number(process.env['CALENDAR_SEED'] ?? 1);
const HOSTS = ['America/New_York', 'Asia/Kolkata', 'Pacific/Apia'];
const JUDGE = new URL('../../../fixtures/calendar/judge.py', import.meta.url).pathname;

type Busy = [uid: string, start: number, end: number];

function ours({ text, span, zone }: GeneratedCalendar): Busy[] {
  return readObjects({ objects: [text], span, zone, own: [OWNER] })
    .filter((event) => isBusy(event) && event.end > event.start)
    .map(({ uid, start, end }): Busy => [uid, start, end])
    .sort((a, b) => a[1] - b[1] || a[2] - b[2] || (a[0] < b[0] ? -1 : 1));
}

/** What another engine says of all of them, in their order. @param zone of the machine */
async function judged(
  engine: string,
  path: string,
  calendars: readonly GeneratedCalendar[],
  zone: string,
): Promise<unknown[]> {
  const python = spawn('python3', [JUDGE, engine], {
    env: { ...process.env, PYTHONPATH: path, TZ: zone },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers: unknown[] = [];
  const lines = createInterface({ input: python.stdout });
  for (const { zone: account, span, text } of calendars)
    python.stdin.write(`${JSON.stringify({ zone: account, own: [OWNER], ...span, text })}\n`);
  python.stdin.end();
  for await (const line of lines) answers.push(JSON.parse(line));
  return answers;
}

/** The events of which the two say different things, with what is written of them. */
function differences(calendar: GeneratedCalendar, mine: readonly Busy[], other: readonly Busy[]): string {
  const shown = ([uid, start, end]: Busy): string =>
    `${uid} ${new Date(start).toISOString().slice(0, 16)} – ${new Date(end).toISOString().slice(0, 16)}`;
  const [here, there] = [new Set(mine.map(shown)), new Set(other.map(shown))];
  const only = [
    ...[...here].filter((one) => !there.has(one)).map((one) => `only ours:   ${one}`),
    ...[...there].filter((one) => !here.has(one)).map((one) => `only theirs: ${one}`),
  ];
  const uids = new Set(only.map((line) => /event-\d+-\d+/.exec(line)?.[0] ?? ''));
  return [...only, ...[...uids].flatMap((uid) => calendar.events.get(uid) ?? [])].join('\n');
}

describe('calendars that seeds give', function () {
  this.timeout((60_000 + 40 * SEEDS) * patience());
  const seeds = Array.from({ length: SEEDS }, (_, n) => FIRST + n);
  const host = process.env['TZ'];
  afterEach(() => {
    if (host === undefined) delete process.env['TZ'];
    else process.env['TZ'] = host;
  });

  it('mean the same wherever they are read: no time of theirs is that of the machine', () => {
    for (const seed of seeds.filter((_, n) => n % 50 === 0)) {
      const calendar = generatedCalendar(seed);
      const read = HOSTS.map((zone) => {
        process.env['TZ'] = zone;
        return ours(calendar);
      });
      expect(read[1], `seed ${seed}`).to.deep.equal(read[0]);
      expect(read[2], `seed ${seed}`).to.deep.equal(read[0]);
    }
  });

  /** Asks the judge about all of them, and compares. */
  async function agreed(
    engine: string,
    path: string,
    calendars: readonly GeneratedCalendar[],
    zone: string,
  ): Promise<void> {
    const answers = (await judged(engine, path, calendars, zone)) as Busy[][];
    expect(answers.length).to.equal(calendars.length);
    process.env['TZ'] = zone;
    for (const [n, calendar] of calendars.entries()) {
      const answer = answers[n] ?? [];
      expect(answer, calendar.text).to.be.an('array');
      expect(differences(calendar, ours(calendar), answer), `${[...calendar.events.keys()][0]}`).to.equal('');
    }
  }

  for (const [share, zone] of HOSTS.entries()) {
    it(`mean what recurring-ical-events says, on a machine in ${zone}`, async function () {
      const path = await pythonPackages('calendars');
      if (path === undefined) return this.skip();
      const mine = seeds.filter((seed) => seed % HOSTS.length === share);
      await agreed('recurring-ical-events', path, mine.map(generatedCalendar), zone);
    });
  }

  it('mean what the server xandikos expands, one event by itself', async function () {
    const path = await pythonPackages('calendars');
    if (path === undefined) return this.skip();
    const single = seeds.slice(0, SEEDS / 5).flatMap((seed) => {
      const calendar = generatedCalendar(seed);
      return [...calendar.events].map(([uid, lines]) => ({
        ...calendar,
        events: new Map([[uid, lines]]),
        text: ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//generated//EN', ...lines, 'END:VCALENDAR', ''].join('\r\n'),
      }));
    });
    // It knows no "this and future", and takes floating times for UTC.
    const known = single.filter(({ text }) => !text.includes('THISANDFUTURE') && !/DTSTART:\d{8}T\d{6}\r/.test(text));
    await agreed('xandikos', path, known, 'America/New_York');
  });
});

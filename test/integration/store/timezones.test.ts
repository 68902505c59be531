import { expect } from 'chai';
import { hoursConflict } from '../../../pkg/domain/hours-conflict.ts';
import { isTimezone, zoneOffset } from '../../../pkg/domain/local-time.ts';
import { type Bench, openBench, query } from '../../fixtures/engine/harness.ts';

describe('timezones of workspaces and accounts', function () {
  this.timeout(60_000);
  let bench: Bench;
  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  /** Names that Node takes, Java's three letters and offsets among them. */
  const LETTERS = 'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST';
  const NEW = 'Asia/Kolkata Asia/Kathmandu Europe/Kyiv';
  const OLD =
    'UTC GMT Zulu EST MST HST EST5EDT CET EET MET WET PST8PDT Cuba Egypt GB-Eire Israel NZ-CHAT PRC W-SU Eire ROK NZ US/Pacific Etc/GMT+5 SystemV/AST4';
  const names = [
    ...Intl.supportedValuesOf('timeZone'),
    ...[LETTERS, NEW, OLD, '+05:30 -0800'].flatMap((some) => some.split(' ')),
  ];
  const taken = names.filter((name) => isTimezone(name) && hoursConflict({ timezone: name }) === null);

  it('are read by the database as by everybody else: those that it reads otherwise, or not, are refused', async () => {
    expect(taken).to.include.members(['Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'UTC', 'EST5EDT']);
    const instants = [Date.UTC(2026, 0, 15, 12), Date.UTC(2026, 6, 15, 12)];
    const rows = await query<{ zone: string; at: number; offset: number }>(
      bench,
      `select z as zone, t::float8 as at, (extract(epoch from (to_timestamp(t / 1000) at time zone z) - (to_timestamp(t / 1000) at time zone 'UTC')) * 1000)::float8 as offset
       from unnest($1::text[]) z cross join unnest($2::bigint[]) t`,
      [taken, instants],
    );
    expect(rows).to.have.length(2 * taken.length);
    const other = rows.filter(({ zone, at, offset }) => zoneOffset(at, zone) !== offset);
    expect(other).to.deep.equal([]);
  });
});

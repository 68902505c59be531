import { expect } from 'chai';
import { instantOfLocal, localOf, localText } from '../../../../pkg/domain/content/wall-clock.ts';

describe('content: times of a wall clock (C5)', () => {
  const ROWS = [
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:00', 'gap', 'the first instant after the gap'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30', 'overlap', 'the first of two'],
    ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00', null, 'the end of the gap is no gap'],
    ['2026-10-04T02:15', 'Australia/Lord_Howe', '2026-10-03T15:30', 'gap', 'a gap of half an hour'],
    ['2011-12-30T10:00', 'Pacific/Apia', '2011-12-30T10:00', 'gap', 'a day that never was'],
    ['2026-06-01T09:00', 'Asia/Tokyo', '2026-06-01T00:00', null, 'no change of clocks'],
  ] as const;
  for (const [local, zone, utc, adjusted, why] of ROWS)
    it(`${local} in ${zone}: ${why}`, () => {
      expect(instantOfLocal(local, zone)).to.deep.equal({ at: Date.parse(`${utc}:00Z`), adjusted });
    });

  it('what the clock shows leads back to the instant, every three hours of two years, but for the second of an overlap', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca'])
      for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2028, 0, 1); at += 3 * 3_600_000) {
        const back = instantOfLocal(localOf(at, zone), zone);
        if (back.adjusted !== 'overlap') expect(back.at, `${zone} ${new Date(at).toISOString()}`).to.equal(at);
        else expect(back.at).to.be.at.most(at);
      }
  });

  it('reads times without an offset alone', () => {
    expect(localText('2026-03-29T02:30:00')).to.equal('2026-03-29T02:30');
    for (const other of ['2026-03-29T02:30:00Z', '2026-03-29T02:30+01:00', '2026-13-29T02:30', 'soon'])
      expect(localText(other)).to.equal(null);
  });
});

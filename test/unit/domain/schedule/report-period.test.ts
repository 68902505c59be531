import { expect } from 'chai';
import { lastPeriod } from '../../../../pkg/domain/schedule/report-period.ts';
import { reportText } from '../../../../pkg/domain/schedule/report-text.ts';

const HOUR = 3_600_000;
const span = (period: 'day' | 'week', at: string, zone: string): string[] => {
  const { from, to } = lastPeriod(period, Date.parse(at), zone);
  return [new Date(from).toISOString(), new Date(to).toISOString()];
};

describe('what a report covers', () => {
  it('is the local day that was over, also just after midnight', () => {
    expect(span('day', '2026-03-02T07:00:00Z', 'Europe/Berlin')).to.deep.equal([
      '2026-02-28T23:00:00.000Z',
      '2026-03-01T23:00:00.000Z',
    ]);
    expect(span('day', '2026-03-01T23:00:00Z', 'Europe/Berlin')).to.deep.equal([
      '2026-02-28T23:00:00.000Z',
      '2026-03-01T23:00:00.000Z',
    ]);
  });

  it('is the local week that was over, from its Monday, whichever day asks', () => {
    for (const day of ['2026-03-02T08:00:00Z', '2026-03-05T08:00:00Z', '2026-03-08T22:00:00Z'])
      expect(span('week', day, 'America/New_York')).to.deep.equal([
        '2026-02-23T05:00:00.000Z',
        '2026-03-02T05:00:00.000Z',
      ]);
  });

  it('has 23 or 25 hours more or less where clocks change', () => {
    const hours = (at: string): number => {
      const { from, to } = lastPeriod('day', Date.parse(at), 'Europe/Berlin');
      return (to - from) / HOUR;
    };
    expect(hours('2027-03-29T08:00:00Z')).to.equal(23);
    expect(hours('2026-10-26T08:00:00Z')).to.equal(25);
  });

  it('one follows the other without a gap and without an overlap, in any zone', () => {
    for (const zone of ['Europe/Berlin', 'America/Sao_Paulo', 'Pacific/Apia', 'Asia/Kathmandu', 'UTC'])
      for (const period of ['day', 'week'] as const) {
        let last = lastPeriod(period, Date.parse('2026-01-05T12:00:00Z'), zone);
        for (let day = 1; day < 500; day++) {
          const next = lastPeriod(period, Date.parse('2026-01-05T12:00:00Z') + day * 24 * HOUR, zone);
          if (next.to === last.to) continue;
          expect(next.from, `${zone} ${day}`).to.equal(last.to);
          last = next;
        }
      }
  });

  it('says its dates as the zone has them', () => {
    const figures = {
      inPool: 9,
      enrolled: 8,
      contacted: 7,
      requested: 6,
      accepted: 5,
      replied: 4,
      positive: 3,
      suppressed: 2,
      bounced: 1,
      credits: 10,
    };
    const { from, to } = lastPeriod('week', Date.parse('2026-03-02T08:00:00Z'), 'Asia/Tokyo');
    const { title, text } = reportText({
      campaign: 'Spring',
      period: 'week',
      from,
      to,
      timezone: 'Asia/Tokyo',
      figures,
    });
    expect(title).to.equal('Report of "Spring", 2026-02-23 to 2026-03-01');
    for (const number of Object.values(figures)) expect(text).to.contain(String(number));
  });
});

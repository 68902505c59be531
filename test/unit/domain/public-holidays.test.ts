import { expect } from 'chai';
import { hoursConflict } from '../../../pkg/domain/hours-conflict.ts';
import { dayOfDate } from '../../../pkg/domain/local-time.ts';
import { isHolidayCountry, isPublicHoliday } from '../../../pkg/domain/public-holidays.ts';

describe('public holidays', () => {
  for (const [country, date, is, why] of [
    ['DE', '2026-12-25', true, 'a fixed date'],
    ['DE', '2026-04-06', true, 'Easter Monday moves'],
    ['DE', '2027-04-06', false, 'it moved'],
    ['DE', '2026-01-06', false, 'Epiphany is a holiday in some states only'],
    ['DE', '2044-12-25', true, 'a fixed date beyond the table'],
    ['GB', '2026-12-28', true, 'the substitute of a Saturday'],
    ['US', '2026-11-26', true, 'the fourth Thursday'],
    ['SA', '2026-03-21', true, 'the second day of a feast of four'],
    ['CN', '2026-03-08', false, 'half a day off is a working day'],
    ['XX', '2026-12-25', false, 'nobody knows the country'],
    ['constructor', '2026-12-25', false, 'not a country but a property'],
  ] as const) {
    it(`${country} ${date}: ${is ? 'closed' : 'open'}, ${why}`, () => {
      expect(isPublicHoliday(country, dayOfDate(date))).to.equal(is);
    });
  }

  it('countries are known by their capital letters alone', () => {
    expect(['DE', 'BR', 'JP'].map(isHolidayCountry)).to.deep.equal([true, true, true]);
    expect(['de', 'XX', '', 'DEU', 'toString'].map(isHolidayCountry)).to.deep.equal([
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  it('zones and countries that nobody knows are named with the valid form', () => {
    expect(hoursConflict({ timezone: 'Mars/Base' })).to.deep.equal({
      path: 'timezone',
      cause: 'must be an IANA timezone, for example Europe/Berlin',
    });
    expect(hoursConflict({ businessHours: { timezone: 'CEST' } })?.path).to.equal('businessHours.timezone');
    expect(hoursConflict({ businessHours: { holidayCountry: 'XX' } })).to.deep.equal({
      path: 'businessHours.holidayCountry',
      cause: 'must be a country whose public holidays are known (ISO 3166 alpha-2, for example DE)',
    });
    const fine = { timezone: 'Europe/Berlin', businessHours: { timezone: 'UTC', holidayCountry: 'DE' } };
    expect([hoursConflict(fine), hoursConflict({})]).to.deep.equal([null, null]);
  });
});

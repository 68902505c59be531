import { dateOfDay, dayOfDate } from './local-time.ts';
import { PUBLIC_HOLIDAY_DATES } from './public-holiday-dates.ts';

interface Calendar {
  /** `1225`: dates of every year. */
  always: ReadonlySet<string>;
  /** Day numbers of those that move. */
  moving: ReadonlySet<number>;
}

/** One entry per country of the table at most. */
const calendars = new Map<string, Calendar>();

/** Whether the public holidays of a country are known (ISO 3166 alpha-2 in capitals, such as `DE`). */
export function isHolidayCountry(country: string): boolean {
  return Object.hasOwn(PUBLIC_HOLIDAY_DATES, country);
}

/**
 * Whether a local date (days since 1970-01-01) is a public holiday in all of a country; never in an unknown one. Outside
 * the years of the table only the holidays of a fixed date are known. Source: catalog parameter `holidayCountry`.
 */
export function isPublicHoliday(country: string, dayNumber: number): boolean {
  if (!isHolidayCountry(country)) return false;
  const calendar = calendarOf(country);
  return calendar.moving.has(dayNumber) || calendar.always.has(dateOfDay(dayNumber).slice(5).replace('-', ''));
}

function calendarOf(country: string): Calendar {
  const known = calendars.get(country);
  if (known) return known;
  const [always = '', ...years] = (PUBLIC_HOLIDAY_DATES[country] ?? '').split('; ');
  const moving = years.flatMap((line) => {
    const [year, ...days] = line.split(' ');
    return days.map((day) => dayOfDate(`${year}-${day.slice(0, 2)}-${day.slice(2)}`));
  });
  const calendar = { always: new Set(always.split(' ')), moving: new Set(moving) };
  calendars.set(country, calendar);
  return calendar;
}

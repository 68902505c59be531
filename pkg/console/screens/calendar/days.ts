/** A day of the viewer, such as `2026-03-05`. */
export type Day = string;

const two = (value: number): string => String(value).padStart(2, '0');

/** The day of a moment, by the viewer's clock. */
export function dayOf(moment: Date): Day {
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

/** The hour of a moment, by the viewer's clock: `09:30`. */
export function clockOf(moment: Date): string {
  return `${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

/** The first moment of a day. */
export function startOf(day: Day): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date);
}

/** The weeks of a month, from Monday on, whole ones. @param month such as `2026-03` */
export function daysOfMonth(month: string): Day[] {
  const [year = 0, number = 1] = month.split('-').map(Number);
  const first = new Date(year, number - 1, 1);
  const before = (first.getDay() + 6) % 7;
  const last = new Date(year, number, 0);
  const after = (7 - last.getDay()) % 7;
  const count = before + last.getDate() + after;
  // By the calendar and not by hours, of which some days have more.
  return Array.from({ length: count }, (_, at) => dayOf(new Date(year, number - 1, 1 - before + at)));
}

/** The month of a day, so many months later. */
export function monthOf(day: Day, later = 0): string {
  const [year = 0, number = 1] = day.split('-').map(Number);
  return dayOf(new Date(year, number - 1 + later, 1)).slice(0, 7);
}

/** A month in words. */
export function monthWords(month: string): string {
  return startOf(`${month}-01`).toLocaleDateString(undefined, { month: 'long', year: 'numeric' });
}

/** A day in words. */
export function dayWords(day: Day): string {
  return startOf(day).toLocaleDateString(undefined, { weekday: 'long', day: 'numeric', month: 'long' });
}

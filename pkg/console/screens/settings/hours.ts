/** When messages may leave, as a form holds it. */
export interface Hours {
  timezoneMode: 'lead' | 'account' | 'fixed';
  timezone: string;
  days: number[];
  startHour: number;
  endHour: number;
  holidayCountry: string;
}

/** What holds where nobody set hours, as the server has it. */
export const USUAL_HOURS: Hours = {
  timezoneMode: 'lead',
  timezone: '',
  days: [1, 2, 3, 4, 5],
  startHour: 9,
  endHour: 18,
  holidayCountry: '',
};

/** Hours of a record, which may say less. */
export function hoursOf(given: Partial<Record<keyof Hours, unknown>> | null): Hours {
  const { timezoneMode, timezone, days, startHour, endHour, holidayCountry } = { ...USUAL_HOURS, ...given };
  return {
    timezoneMode: timezoneMode as Hours['timezoneMode'],
    timezone: typeof timezone === 'string' ? timezone : '',
    days: [...(days as number[])].sort((a, b) => a - b),
    startHour: startHour as number,
    endHour: endHour as number,
    holidayCountry: typeof holidayCountry === 'string' ? holidayCountry : '',
  };
}

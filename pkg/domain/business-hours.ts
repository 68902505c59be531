import { firstTimezone, instantOf, isTimezone, localTime, weekdayOf } from './local-time.ts';
import { isPublicHoliday } from './public-holidays.ts';
import { seededJitter } from './random.ts';

/** Whose timezone decides when outreach may act. */
export const TIMEZONE_MODES = ['lead', 'account', 'fixed'] as const;

/** When actions may happen. Hours are local wall-clock hours, `endHour` is exclusive (24 is midnight). */
export interface BusinessHours {
  timezoneMode: (typeof TIMEZONE_MODES)[number];
  /** IANA name; needed for `fixed`, fallback for `lead`. */
  timezone?: string | undefined;
  /** Monday 1 to Sunday 7. */
  days: readonly number[];
  startHour: number;
  endHour: number;
  /** ISO 3166 alpha-2; its nationwide public holidays are closed days. Source: catalog parameter `holidayCountry`. */
  holidayCountry?: string | undefined;
}

/** Source: catalog `defaults.businessHours`. */
export const DEFAULT_BUSINESS_HOURS: BusinessHours = {
  timezoneMode: 'lead',
  days: [1, 2, 3, 4, 5],
  startHour: 9,
  endHour: 18,
};

const DAY_MS = 86_400_000;
/** Weeks enough to find a weekday that is a holiday several times running, or whose hours daylight saving swallowed. */
const LOOK_AHEAD_DAYS = 50;
/** Openings are spread over this much, so that Monday 9:00 is no burst. */
export const OPENING_SPREAD_MS = 45 * 60_000;

/** Whether a local date (days since 1970-01-01) has hours at all: one of their weekdays, and no public holiday. */
export function opensOn(dayNumber: number, hours: BusinessHours): boolean {
  if (!hours.days.includes(weekdayOf(dayNumber))) return false;
  return hours.holidayCountry === undefined || !isPublicHoliday(hours.holidayCountry, dayNumber);
}

/** Whether an instant (epoch ms) lies in the hours, read in this zone. */
export function isOpen(atMs: number, hours: BusinessHours, timezone: string): boolean {
  const local = localTime(atMs, timezone);
  return local.hour >= hours.startHour && local.hour < hours.endHour && opensOn(local.dayNumber, hours);
}

/** `atMs` itself when open, else the next opening (epoch ms); Infinity when the hours never open. */
export function nextOpening(atMs: number, hours: BusinessHours, timezone: string): number {
  if (isOpen(atMs, hours, timezone)) return atMs;
  const today = localTime(atMs, timezone).dayNumber;
  for (let day = today; day <= today + LOOK_AHEAD_DAYS; day++) {
    if (!opensOn(day, hours)) continue;
    const opening = instantOf(day, hours.startHour, timezone);
    if (opening > atMs && isOpen(opening, hours, timezone)) return opening;
  }
  return Number.POSITIVE_INFINITY;
}

/** Whose hours count for one send. */
export interface SendHours {
  /** Hours of the account, always in force, read in the account's zone (or its own fixed one). */
  account: BusinessHours;
  accountTimezone: string;
  /** Hours of the campaign (or workspace), or null. With timezoneMode lead they are read where the lead lives. */
  campaign: BusinessHours | null;
  leadTimezone: string | null;
}

export interface SendOpening {
  /** Epoch ms; `atMs` itself when both are open. */
  at: number;
  /** The two never meet within 7 days and the account alone decided; validation warns. */
  leadHoursIgnored: boolean;
}

function zoneFor(hours: BusinessHours, accountTimezone: string, leadTimezone: string | null): string {
  if (hours.timezoneMode === 'fixed') return firstTimezone(hours.timezone, accountTimezone);
  if (hours.timezoneMode === 'lead') return firstTimezone(leadTimezone, hours.timezone, accountTimezone);
  return firstTimezone(accountTimezone);
}

/** Zones in which the hours of the account and of the campaign are read; an unknown zone of a lead is the account's. */
export function sendZones(hours: SendHours): { account: string; campaign: string } {
  const { account, campaign, accountTimezone, leadTimezone } = hours;
  const own =
    account.timezoneMode === 'fixed' && account.timezone && isTimezone(account.timezone)
      ? account.timezone
      : firstTimezone(accountTimezone);
  return { account: own, campaign: campaign ? zoneFor(campaign, own, leadTimezone) : own };
}

/**
 * When an action may go out: the hours of the account always, and the campaign's as well (in the lead's zone where
 * timezoneMode is lead, an unknown zone being the account's). When the two never meet within 7 days the account alone
 * decides; public holidays are waited for, however many there are. Source: catalog `defaults.businessHours.rule`.
 */
export function nextSendOpening(atMs: number, hours: SendHours): SendOpening {
  const zones = sendZones(hours);
  const first = nextOpening(atMs, hours.account, zones.account);
  if (!hours.campaign) return { at: first, leadHoursIgnored: false };
  const observed = hours.campaign.holidayCountry ?? hours.account.holidayCountry;
  const horizon = atMs + (observed === undefined ? 7 : LOOK_AHEAD_DAYS) * DAY_MS;
  let at = first;
  while (at <= horizon) {
    const lead = nextOpening(at, hours.campaign, zones.campaign);
    if (lead > horizon) break;
    if (isOpen(lead, hours.account, zones.account)) return { at: lead, leadHoursIgnored: false };
    at = nextOpening(lead, hours.account, zones.account);
  }
  return { at: first, leadHoursIgnored: true };
}

/**
 * When a run that may not act at `atMs` acts: the opening of its hours, spread by the run. Where account and campaign meet
 * for less than the spread, for less: a moment behind it would be closed again. Infinity when they never open.
 */
export function spreadOpening(atMs: number, hours: SendHours, seed: string): number {
  const { at } = nextSendOpening(atMs, hours);
  if (at <= atMs || !Number.isFinite(at)) return at;
  let spread = jitteredOpening(atMs, at, hours.campaign ?? hours.account, seed) - at;
  while (spread > 0 && nextSendOpening(at + spread, hours).at !== at + spread) spread = Math.floor(spread / 2);
  return at + spread;
}

/** An opening in the future plus a spread fixed by the seed (run or lead id); an open instant stays as it is. */
export function jitteredOpening(atMs: number, openingMs: number, hours: BusinessHours, seed: string): number {
  if (openingMs <= atMs) return openingMs;
  const room = (hours.endHour - hours.startHour) * 3_600_000 - 1;
  return openingMs + seededJitter(Math.min(OPENING_SPREAD_MS, room), 'opening', seed, openingMs);
}

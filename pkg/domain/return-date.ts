import { MONTHS } from './reply-words.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 366 * DAY_MS;
/** `20.03.`, `20.03.26`, `20/03`, `3/20/2026`; not a room 4.2 and not 24/7. */
const NUMERIC =
  /\b(\d{1,2})(?:[./](?=\d{1,2}[./]\d)|\.(?=\d{1,2}\.)|\/(?=\d\d\b))(\d{1,2})(?:[./](20\d\d|\d\d))?(?!\d)/g;

function utcDate(year: number, month: number, day: number): number | null {
  if (month < 1 || month > 12 || day < 1 || day > 31) return null;
  const at = Date.UTC(year, month - 1, day);
  return new Date(at).getUTCDate() === day ? at : null;
}

/** A date without year is the next one after the message. */
function withYear(afterMs: number, month: number, day: number, year: string | undefined): number | null {
  if (year) return utcDate(Number(year.length === 2 ? `20${year}` : year), month, day);
  const thisYear = new Date(afterMs).getUTCFullYear();
  const at = utcDate(thisYear, month, day);
  return at !== null && at < afterMs - DAY_MS ? utcDate(thisYear + 1, month, day) : at;
}

function* datesIn(text: string, afterMs: number): Generator<number | null> {
  for (const [, year, month, day] of text.matchAll(/\b(20\d\d)-(\d\d)-(\d\d)\b/g)) {
    yield utcDate(Number(year), Number(month), Number(day));
  }
  for (const [, first, second, year] of text.matchAll(NUMERIC)) {
    const dayFirst = Number(second) <= 12;
    yield withYear(afterMs, Number(dayFirst ? second : first), Number(dayFirst ? first : second), year);
  }
  for (const [, day, name, year] of text.matchAll(
    /\b(\d{1,2})(?:st|nd|rd|th|\.|er|º)?\s+(?:of\s+|de\s+)?([a-z]{3,10})\.?(?:,?\s+(?:de\s+)?(20\d\d))?/g,
  )) {
    const month = MONTHS[name ?? ''];
    if (month) yield withYear(afterMs, month, Number(day), year);
  }
  for (const [, name, day, year] of text.matchAll(
    /\b([a-z]{3,10})\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(20\d\d))?/g,
  )) {
    const month = MONTHS[name ?? ''];
    if (month) yield withYear(afterMs, month, Number(day), year);
  }
}

/**
 * The latest date named in an absence note, as epoch ms of its UTC midnight; null when none lies within a year after
 * the message. `text` must be folded (lower case, no accents). 3/4 reads as 3 April, the form most languages use.
 */
export function returnDateOf(text: string, receivedAtMs: number): number | null {
  let latest: number | null = null;
  for (const at of datesIn(text, receivedAtMs)) {
    if (at === null || at <= receivedAtMs || at > receivedAtMs + YEAR_MS) continue;
    if (latest === null || at > latest) latest = at;
  }
  return latest;
}

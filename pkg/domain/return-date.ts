import { MONTHS, WEEKDAYS } from './reply-words.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 366 * DAY_MS;
/** `20.03.`, `20.03.26`, `20/03`, `3/20/2026`; not a room 4.2 and not 24/7. */
const NUMERIC =
  /\b(\d{1,2})(?:[./](?=\d{1,2}[./]\d)|\.(?=\d{1,2}\.)|\/(?=\d\d\b))(\d{1,2})(?:[./](20\d\d|\d\d))?(?!\d)/g;
/** `bis 27.03`: without its second dot only behind a word that says so, and no time of day. */
const BARE =
  /\b((?:until|till|back|bis|ab|am|zum|den|vom|jusqu'au|hasta|fino al|tot)\s+)(\d{1,2})\.(\d{1,2})(?![\d.:]|\s*(?:uhr|h\b|am\b|pm\b))/g;

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

/** Words before the date until which, or from which on, somebody is away or back. */
const UNTIL =
  /(?<![\p{L}\p{N}])(?:until|till|til|through|to|back|returning|return|bis|zuruck|wieder|ab|jusqu'au|jusqu'a|retour|au|al|hasta|vuelvo|regreso|fino|rientro|tot|terug|ate|do|tillbaka|tilbage|tilbake|powrot|wracam|wroce|vracim|zpet|до|вернусь)(?:[^\S\n]+[\p{L}',]+){0,4}[^\S\n]*$/u;
const LOOK_BACK = 60;

interface NamedDate {
  at: number | null;
  /** Where in the text it stands. */
  index: number;
}

function* datesIn(text: string, afterMs: number): Generator<NamedDate> {
  for (const { 1: year, 2: month, 3: day, index } of text.matchAll(/\b(20\d\d)-(\d\d)-(\d\d)\b/g)) {
    yield { at: utcDate(Number(year), Number(month), Number(day)), index };
  }
  for (const { 1: first, 2: second, 3: year, index } of text.matchAll(NUMERIC)) {
    const dayFirst = Number(second) <= 12;
    const [day, month] = dayFirst ? [first, second] : [second, first];
    yield { at: withYear(afterMs, Number(month), Number(day), year), index };
  }
  for (const { 1: before = '', 2: day, 3: month, index } of text.matchAll(BARE)) {
    yield { at: withYear(afterMs, Number(month), Number(day), undefined), index: index + before.length };
  }
  for (const { 1: day, 2: name, 3: year, index } of text.matchAll(
    /(?<![\d.:])(\d{1,2})(?:st|nd|rd|th|\.|er|º)?(?:\s+(?:of\s+|de\s+)?|[-/])(\p{L}{3,12})\.?(?:(?:,?\s+(?:de\s+)?|[-/])(20\d\d))?/gu,
  )) {
    const month = MONTHS[name ?? ''];
    if (month) yield { at: withYear(afterMs, month, Number(day), year), index };
  }
  for (const { 1: name, 2: day, 3: year, index } of text.matchAll(
    /(?<!\p{L})(\p{L}{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?!\d)(?:,?\s+(20\d\d))?/gu,
  )) {
    const month = MONTHS[name ?? ''];
    if (month) yield { at: withYear(afterMs, month, Number(day), year), index };
  }
  for (const { 1: year, 2: month, 3: day, index } of text.matchAll(
    /(?:(20\d\d) ?[年년] ?)?(?<!\d)(\d{1,2}) ?[月월] ?(\d{1,2}) ?[日일号號]?/gu,
  )) {
    yield { at: withYear(afterMs, Number(month), Number(day), year), index };
  }
}

/** The next such day of the week behind a word that says until when, or from when on. */
function weekdayIn(text: string, afterMs: number): number | null {
  for (const { 1: name = '', index } of text.matchAll(/(?<!\p{L})(\p{L}{5,14})(?!\p{L})/gu)) {
    const day = WEEKDAYS[name];
    if (day === undefined || !UNTIL.test(text.slice(Math.max(0, index - LOOK_BACK), index))) continue;
    const today = Math.floor(afterMs / DAY_MS) * DAY_MS;
    const ahead = (day - new Date(today).getUTCDay() + 7) % 7 || 7;
    return today + ahead * DAY_MS;
  }
  return null;
}

/**
 * The date named in an absence note on which somebody is back, as epoch ms of its UTC midnight: the latest that stands behind a
 * word such as until or back, else the latest of all; null when none lies within a year after the message. `folded`: lower case, no
 * accents. Where no date stands a day of the week counts ("back on Monday"). 3/4 reads as 3 April, the form most languages use.
 */
export function returnDateOf(folded: string, receivedAtMs: number): number | null {
  // Korean letters are taken apart by the folding.
  const text = folded.normalize('NFC');
  const coming = [...datesIn(text, receivedAtMs)].flatMap(({ at, index }) =>
    at === null || at <= receivedAtMs || at > receivedAtMs + YEAR_MS ? [] : [{ at, index }],
  );
  const back = coming.filter(({ index }) => UNTIL.test(text.slice(Math.max(0, index - LOOK_BACK), index)));
  const dates = (back.length > 0 ? back : coming).map(({ at }) => at);
  return dates.length > 0 ? Math.max(...dates) : weekdayIn(text, receivedAtMs);
}

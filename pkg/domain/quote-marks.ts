/**
 * Where a quoted mail begins, by what such lines are made of in any language: an address, a time, a colon at the end, or a block of
 * `label: value` lines. All lines are folded (lower case, no accents). Each test reads a line once: its author chooses its length.
 */

/** What is looked at of a line. */
const MOST = 400;
/** Lines of a block of headers, and of a line that programs break. */
const BLOCK = 8;

const TIME = /(?<!\d)\d{1,2} ?[:.h\u6642\u65f6\uc2dc] ?\d\d(?!\d)/;
const YEAR = /(?<!\d)20\d\d(?!\d)/;
const DAY = /(?<!\d)\d{1,2}(?!\d)/;
const MAIL = /[^\s<>@]@[^\s<>@]/;
const COLON = /[:\uff1a][\s*]*$/;
/** `De: Sally`, `\u53d1\u4ef6\u4eba\uff1aSally`, `*Von:* Sally`; the name of a field has few words. */
const LABEL = /^\s{0,8}\*{0,2}[\p{L}\p{M}][\p{L}\p{M}'.() -]{0,28}\*{0,2} ?[:\uff1a]\*{0,2}\s*(?=\S)(?!\/\/)/u;
/** Says in words what the other lines say by their form; a help where they name neither address nor time. */
const WROTE =
  /(?<![\p{L}\p{N}])(?:wrote|writes|schrieb|a ecrit|escribio|ha scritto|schreef|escreveu|pisze|napisal\p{L}*|skrev|kirjoitti|napsal\p{L}*|irta|a scris|yazdi|scrisse|\u043f\u0438\u0448\u0435\u0442|\u043d\u0430\u043f\u0438\u0441\u0430\u043b\p{L}*)(?![\p{L}\p{N}])|\u5199\u9053|\u5beb\u9053|\uc791\uc131/u;
const BANNER =
  /^[\s>]*-{2,} ?(?:original message|ursprungliche nachricht|message d'origine|mensaje original|messaggio originale|oorspronkelijk bericht|mensagem original|oryginalna wiadomosc|forwarded message|weitergeleitete nachricht|message transfere|mensaje reenviado|messaggio inoltrato)/;
/** Dashes around words, as programs of all languages set them above what they copy. */
const DASHED = /^\s*-{4,}(?!begin pgp|end pgp)[^-\n]{3,60}-{4,}\s*$/;
const BEGIN =
  /^\s*(?:begin forwarded message|anfang der weitergeleiteten nachricht|debut du message|inicio del mensaje|inizio messaggio)/;

export const MARKED = /^\s*[>|\uff1e]/;

const cut = (line: string | undefined): string => (line ?? '').slice(0, MOST);
const hasDate = (line: string): boolean => TIME.test(line) || (YEAR.test(line) && DAY.test(line.replace(YEAR, ' ')));

/** Lines of the introduction that begins at `index`; 0: none does. */
export function introduction(lines: readonly string[], index: number): number {
  const line = cut(lines[index]);
  if (line.trim() === '' || MARKED.test(line)) return 0;
  if (BANNER.test(line) || DASHED.test(line) || BEGIN.test(line)) return 1 + headerBlock(lines, index + 1);
  return attribution(lines, index) || headerBlock(lines, index);
}

/** "On \u2026 wrote:", which a program may have broken into up to three lines. */
function attribution(lines: readonly string[], index: number): number {
  const first = cut(lines[index]);
  if (says(first)) return 1;
  // Its first line must say something of it: what stands above it is the person's.
  if (COLON.test(first) || !(hasDate(first) || MAIL.test(first)) || /[.!?]\s*$/.test(first)) return 0;
  for (let more = 1; more <= 2; more++) {
    const next = cut(lines[index + more]);
    if (next.trim() === '' || MARKED.test(next) || says(next)) return 0;
    if (
      says(
        lines
          .slice(index, index + more + 1)
          .map(cut)
          .join(' '),
      )
    )
      return more + 1;
  }
  return 0;
}

function says(line: string): boolean {
  if (!COLON.test(line) || line.trim().length > MOST - 1) return false;
  if (MAIL.test(line) && hasDate(line)) return true;
  if (hasDate(line) && (WROTE.test(line) || (YEAR.test(line) && TIME.test(line)))) return true;
  return WROTE.test(line) && /^\s*(?:on|am|le|el|il|op|em|w dniu|den|pe|dne) /.test(line);
}

/** Lines of a block of headers: of fields that follow each other one names an address and one a time, or three and more a time. */
function headerBlock(lines: readonly string[], index: number): number {
  let [fields, mails, dates, length] = [0, 0, 0, 0];
  for (let at = index; at < Math.min(lines.length, index + BLOCK + 4); at++) {
    const line = cut(lines[at]);
    // Some programs put a blank line between fields.
    if (line.trim() === '' && fields > 0 && at <= index + 2 * fields) continue;
    if (!isHeader(line, fields > 0)) break;
    if (LABEL.test(line)) fields++;
    if (MAIL.test(line)) mails++;
    if (hasDate(line)) dates++;
    length = at - index + 1;
  }
  return dates > 0 && (fields >= 3 || (fields >= 2 && mails > 0)) ? length : 0;
}

/** A field, or the rest of a long list of receivers. */
function isHeader(line: string, goesOn: boolean): boolean {
  return LABEL.test(line) || (goesOn && MAIL.test(line) && !/[.!?]\s*$/.test(line));
}

/** Lines directly above a line that is known to be ours by which it is introduced, less strictly: what is certain is the quote. */
export function introducedBy(lines: readonly string[], quote: number): number {
  let at = quote;
  while (
    at > 0 &&
    quote - at < BLOCK + 4 &&
    isIntroducing(cut(lines[at - 1]), at === quote || isBlank(lines, at, quote))
  )
    at--;
  while (at < quote && cut(lines[at]).trim() === '') at++;
  return at;
}

const isBlank = (lines: readonly string[], from: number, to: number): boolean =>
  lines.slice(from, to).every((line) => line.trim() === '');

function isIntroducing(line: string, isLast: boolean): boolean {
  if (line.trim() === '' || DASHED.test(line) || BANNER.test(line) || /^\s*[_*=-]{5,}\s*$/.test(line)) return true;
  if (LABEL.test(line) && (MAIL.test(line) || hasDate(line))) return true;
  return isLast && COLON.test(line) && (hasDate(line) || MAIL.test(line) || WROTE.test(line));
}

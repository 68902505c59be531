import { unescaped } from '../../base/read-xml.ts';
import { CallError } from '../call-error.ts';
import { UnreadableCalendar } from './unreadable-calendar.ts';

/** Tags that are looked at in an answer. */
const MOST_TAGS = 200_000;
const CDATA = '<![CDATA[';

/** A tag without its prefix, in lower case. */
interface Tag {
  tag: string;
  closes: boolean;
  empty: boolean;
}

/** Text between two tags, or a tag. */
type Token = { text: string } | Tag;

/**
 * The texts of all `calendar-data` in a multi-status answer (RFC 4918, RFC 4791). The answer is read from front to back, once.
 * @throws CallError where it is none, or cut; UnreadableCalendar where the server tells an object without what it holds
 */
export function calendarData(xml: string): string[] {
  const found: string[] = [];
  const seen = { lists: 0, ended: 0, responses: 0 };
  let data: string | null = null;
  for (const token of tokensOf(xml)) {
    if ('text' in token) {
      if (data !== null) data += token.text;
      continue;
    }
    count(token, seen);
    if (token.tag !== 'calendar-data' || token.empty) continue;
    if (data !== null) found.push(data);
    data = token.closes ? null : '';
  }
  if (seen.lists === 0) throw new CallError('refused', 'the calendar gave no list of events');
  if (seen.ended !== seen.lists) throw new CallError('busy', 'the answer of the calendar is cut');
  if (found.length < seen.responses) throw new UnreadableCalendar('the server tells an event without what it holds');
  return found;
}

function count({ tag, closes, empty }: Tag, seen: { lists: number; ended: number; responses: number }): void {
  if (tag === 'response' && !closes) seen.responses++;
  if (tag !== 'multistatus') return;
  if (closes || empty) seen.ended++;
  if (!closes) seen.lists++;
}

/** Ends where the text is cut. @throws CallError for too many */
function* tokensOf(xml: string): Generator<Token> {
  let at = 0;
  for (let tags = 0; at < xml.length; tags++) {
    if (tags > MOST_TAGS) throw new CallError('refused', 'the calendar answered with more than is read');
    const next = xml.indexOf('<', at);
    if (next < 0) return;
    if (next > at) yield { text: unescaped(xml.slice(at, next)) };
    const closing = xml.startsWith(CDATA, next) ? ']]>' : xml.startsWith('<!--', next) ? '-->' : '>';
    const end = xml.indexOf(closing, next);
    if (end < 0) return;
    at = end + closing.length;
    if (closing === ']]>') yield { text: xml.slice(next + CDATA.length, end) };
    if (closing === '>') yield tagOf(xml.slice(next, at));
  }
}

function tagOf(tag: string): Tag {
  const [, slash = '', name = ''] = /^<(\/?)(?:[\w.-]{1,100}:)?([\w.-]{1,100})/.exec(tag) ?? [];
  return { tag: name.toLowerCase(), closes: slash === '/', empty: tag.endsWith('/>') };
}

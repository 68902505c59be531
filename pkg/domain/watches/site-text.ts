import { withoutEntities } from '../../base/html-entities.ts';
import type { PageLine } from '../signals/source-item.ts';

/** Elements whose content is no text of a page. */
const HIDDEN: ReadonlySet<string> = new Set(
  'script style noscript template svg iframe nav header footer aside form button select dialog'.split(' '),
);
/** Elements that end a line. */
const BLOCKS = /^(p|div|section|article|main|h[1-6]|li|ul|ol|tr|td|th|table|br|hr|blockquote|pre|figure|dt|dd)$/;
/** What a banner about cookies or consent is called. */
const BANNER = /cookie|consent|gdpr|onetrust|usercentrics|newsletter-popup/i;
/** Names of months and days, in which dates are written. */
const MONTHS =
  /\b(jan(uary|uar|vier)?|feb(ruary|ruar)?|mar(ch)?|m[aä]rz|apr(il)?|may|mai|jun[ei]?|jul[iy]?|aug(ust)?|sep(tember)?|o[ck]t(ober)?|nov(ember)?|de[cz](ember)?)\b/gi;
const NUMBERS = /\d+([.,:/-]\d+)*(st|nd|rd|th)?/g;
/** Letters and digits that no person wrote: hashes, nonces, ids. */
const NONCE = /\b(?=\w*\d)(?=\w*[a-f])[0-9a-f]{12,}\b/gi;
/** Lines that are kept of a page at most. */
const MOST_LINES = 5_000;

/**
 * What a page says to who reads it, line by line: text of its main part, without menus and banners. Each line stands as it is, and in the one
 * form in which two fetches are compared: without dates, counters and nonces. Reads markup as it comes, broken or not, in one pass.
 */
export function siteLines(html: string): PageLine[] {
  const main = mainOf(html);
  const text = main === null ? '' : textOf(main);
  // A page whose main part is empty says what it says elsewhere.
  return (text.trim() === '' ? textOf(html) : text)
    .split('\n')
    .map((line) => ({ said: line.replace(/\s+/g, ' ').trim(), plain: plain(line) }))
    .filter((line) => line.plain.length >= 3)
    .slice(0, MOST_LINES);
}

/** All lines of a page in the form that is compared. */
export function plainText(lines: readonly PageLine[]): string {
  return lines.map((line) => line.plain).join('\n');
}

/** What stands between the first `<main>` and the last `</main>`; null: the page has no main part. */
function mainOf(html: string): string | null {
  const begin = /<main[\s>]/i.exec(html)?.index ?? -1;
  const end = html.toLowerCase().lastIndexOf('</main');
  return begin < 0 || end <= begin ? null : html.slice(begin, end);
}

function plain(line: string): string {
  return line
    .normalize('NFKC')
    .replace(NONCE, '#')
    .replace(MONTHS, '#')
    .replace(NUMBERS, '#')
    .replace(/#([\s,.]*#)+/g, '#')
    .replace(/\s+/g, ' ')
    .trim();
}

/** An element whose content is left out, and how many of its name are open. */
type Hidden = { name: string; depth: number };

function textOf(html: string): string {
  let text = '';
  let hidden: Hidden | null = null;
  const tags = /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-z][a-z0-9-]*)((?:"[^"]*"|'[^']*'|[^<>"'])*)>/gi;
  let at = 0;
  for (const tag of html.matchAll(tags)) {
    if (hidden === null) text += html.slice(at, tag.index);
    at = tag.index + tag[0].length;
    const [, slash, name = '', attributes = ''] = tag;
    const one = { name: name.toLowerCase(), closes: slash === '/', attributes };
    if (hidden === null && !opensHidden(one) && BLOCKS.test(one.name)) text += '\n';
    hidden = hiddenAfter(hidden, one);
  }
  if (hidden === null) text += html.slice(at);
  return withoutEntities(text);
}

interface Tag {
  name: string;
  closes: boolean;
  attributes: string;
}

/** What is hidden after a tag. */
function hiddenAfter(hidden: Hidden | null, tag: Tag): Hidden | null {
  if (hidden === null) return opensHidden(tag) ? { name: tag.name, depth: 1 } : null;
  if (tag.name !== hidden.name) return hidden;
  const depth = hidden.depth + (tag.closes ? -1 : 1);
  return depth === 0 ? null : { name: hidden.name, depth };
}

function opensHidden({ name, closes, attributes }: Tag): boolean {
  if (name === '' || closes || attributes.endsWith('/') || /^(br|hr|img|input|meta|link)$/.test(name)) return false;
  return isHidden(name, attributes);
}

function isHidden(name: string, attributes: string): boolean {
  if (HIDDEN.has(name)) return true;
  const named = /\b(?:id|class|aria-label)\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi;
  return [...attributes.matchAll(named)].some(([, value]) => BANNER.test(value ?? ''));
}

/** Whether a page is a wall in front of the site: a check for robots, a login, a notice that it is busy. */
export function isWall(html: string, text: string): boolean {
  if (text.length > 2_000) return false;
  return /captcha|are you (a )?(human|robot)|verify you are|checking your browser|enable javascript|access denied|unusual traffic|just a moment|(sign|log) in to continue/i.test(
    `${/<title[^>]*>([^<]*)/i.exec(html)?.[1] ?? ''} ${text}`,
  );
}

import { z } from 'zod';
import { withoutEntities } from '../../base/html-entities.ts';
import { readXml, type XmlElement } from '../../base/read-xml.ts';
import type { FeedItem } from '../../domain/signals/source-item.ts';

/** Items of a feed that are read, the first ones; and characters of each. */
const MOST_ITEMS = 300;
const MOST_TEXT = 4_000;
const MOST_TITLE = 500;
const MOST_URL = 1_000;
const MOST_ID = 1_000;

/** Elements of feeds in which markup may stand unescaped. */
const WITH_MARKUP = new Set(['title', 'description', 'summary', 'content', 'encoded']);

/**
 * Reads a feed: RSS 0.9 to 2.0, RDF, Atom or JSON Feed, whichever it is. It expands no entity, follows no address and runs nothing.
 * @throws Error when it is none of them, or too much of it
 */
export function readFeed(body: string): FeedItem[] {
  const text = body.replace(/^\uFEFF/, '').trimStart();
  return (text.startsWith('{') ? jsonItems(text) : xmlItems(text)).filter(
    (item) => item.title !== '' || item.text !== '',
  );
}

const jsonFeed = z.object({
  version: z.string().startsWith('https://jsonfeed.org/version/'),
  items: z.array(z.unknown()),
});
const jsonItem = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  title: z.string().optional(),
  summary: z.string().optional(),
  content_text: z.string().optional(),
  content_html: z.string().optional(),
  url: z.string().optional(),
  date_published: z.string().optional(),
});

function jsonItems(text: string): FeedItem[] {
  const feed = jsonFeed.safeParse(JSON.parse(text));
  if (!feed.success) throw new Error('it is no feed');
  return feed.data.items.slice(0, MOST_ITEMS).flatMap((one) => {
    const item = jsonItem.safeParse(one);
    if (!item.success) return [];
    const {
      id = '',
      title = '',
      summary = '',
      content_text,
      content_html = '',
      url = '',
      date_published = '',
    } = item.data;
    const said = content_text ?? plainOf(content_html);
    return [itemOf({ id: String(id), title, text: said || summary, url, date: date_published })];
  });
}

function xmlItems(text: string): FeedItem[] {
  const root = readXml(text, WITH_MARKUP);
  if (!/^(rss|rdf|feed)$/i.test(localOf(root))) throw new Error('it is no feed');
  return entriesOf(root).slice(0, MOST_ITEMS).map(entryOf);
}

function entriesOf(root: XmlElement): XmlElement[] {
  const below = root.children.flatMap((child) => [child, ...(localOf(child) === 'channel' ? child.children : [])]);
  return below.filter((one) => localOf(one) === 'item' || localOf(one) === 'entry');
}

function entryOf(entry: XmlElement): FeedItem {
  const first = (...names: string[]): string =>
    names.flatMap((name) => entry.children.filter((one) => localOf(one) === name)).find((one) => one.text.trim() !== '')
      ?.text ?? '';
  return itemOf({
    id: first('guid', 'id') || (attributeOf(entry, 'about') ?? ''),
    title: plainOf(first('title')),
    text: plainOf(first('encoded', 'content', 'description', 'summary')),
    url: linkOf(entry),
    date: first('pubDate', 'published', 'date', 'updated'),
  });
}

/** RSS says the address in the text of `link`, Atom in its `href`. */
function linkOf(entry: XmlElement): string {
  const links = entry.children.filter((one) => localOf(one) === 'link');
  const own = links.find((one) => (one.attributes['rel'] ?? 'alternate') === 'alternate') ?? links[0];
  return own?.attributes['href'] ?? own?.text ?? '';
}

function attributeOf(element: XmlElement, local: string): string | undefined {
  return Object.entries(element.attributes).find(([name]) => name.slice(name.indexOf(':') + 1) === local)?.[1];
}

function localOf(element: XmlElement): string {
  return element.name.slice(element.name.lastIndexOf('|') + 1);
}

function itemOf(given: { id: string; title: string; text: string; url: string; date: string }): FeedItem {
  const at = Date.parse(given.date.trim());
  return {
    id: given.id.trim().slice(0, MOST_ID),
    title: flat(given.title).slice(0, MOST_TITLE),
    text: given.text.slice(0, MOST_TEXT),
    url: webAddress(given.url),
    publishedAt: Number.isFinite(at) ? at : null,
  };
}

/** Only what a browser opens; addresses of a feed are shown to people. */
function webAddress(written: string): string {
  const url = URL.parse(written.trim());
  return url !== null && /^https?:$/.test(url.protocol) && url.href.length <= MOST_URL ? url.href : '';
}

/** Text of markup, its blocks as lines. */
function plainOf(markup: string): string {
  const text = markup
    .slice(0, MOST_TEXT * 8)
    .replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<\/?(p|div|li|ul|ol|h[1-6]|br|tr|td|section|article)\b[^>]*>/gi, '\n')
    .replace(/<[^<>]*>/g, '');
  return withoutEntities(text)
    .split('\n')
    .map(flat)
    .filter((line) => line !== '')
    .join('\n');
}

function flat(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

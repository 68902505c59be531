/** An element of an XML text. */
export interface XmlElement {
  /** `<namespace>|<local name>`. */
  name: string;
  /** The text in it, that of its children excluded. */
  text: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
}

/** Characters, elements and levels of a text that is read at most. */
const MOST_TEXT = 8 * 1024 * 1024;
const MOST_ELEMENTS = 200_000;
const DEEPEST = 64;

const TOKEN =
  /<!\[CDATA\[([\s\S]*?)\]\]>|<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<![^>]*>|<(\/?)([^\s/>]+)([^>]*?)(\/?)>|([^<]+)/g;
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** An element that is open, with the namespaces in force. */
interface Open {
  element: XmlElement;
  /** It takes the text of all that is in it, in its order. */
  whole: boolean;
  spaces: Readonly<Record<string, string>>;
  raw: string;
}

/**
 * Reads XML of strangers (an answer of a WebDAV server, a feed): no document types, no entities but those of XML itself, nothing that points
 * elsewhere.
 * @param whole local names of elements whose text is that of their children too
 * @returns the root element
 * @throws Error when it is no XML, or too much of it
 */
export function readXml(text: string, whole: ReadonlySet<string> = new Set()): XmlElement {
  if (text.length > MOST_TEXT) throw new Error('the answer is too long');
  const root: XmlElement = { name: '', text: '', attributes: {}, children: [] };
  const open: Open[] = [{ element: root, whole: false, spaces: {}, raw: '' }];
  let count = 0;
  for (const [, cdata, closing, raw, given = '', alone, plain] of text.matchAll(TOKEN)) {
    if (raw === undefined) addText(open, cdata, plain);
    else if (closing === '/') close(open, raw);
    else if (++count > MOST_ELEMENTS || open.length > DEEPEST) throw new Error('the answer has too many elements');
    else begin(open, raw, given, { alone: alone === '/', whole });
  }
  const [first] = root.children;
  if (open.length !== 1 || !first) throw new Error('the answer is no XML, or cut');
  return first;
}

function addText(open: readonly Open[], cdata: string | undefined, plain: string | undefined): void {
  const said = cdata ?? unescaped(plain ?? '');
  const top = open.at(-1);
  if (top) top.element.text += said;
  for (const one of open) if (one.whole && one !== top) one.element.text += said;
}

function close(open: Open[], raw: string): void {
  if (open.length === 1 || raw !== open.pop()?.raw) throw new Error('the answer is no XML');
}

function begin(
  open: Open[],
  raw: string,
  given: string,
  { alone, whole }: { alone: boolean; whole: ReadonlySet<string> },
): void {
  const top = open.at(-1);
  const attributes = attributesOf(given);
  const spaces = spacesOf(top?.spaces ?? {}, attributes);
  const element = { name: nameOf(raw, spaces), text: '', attributes, children: [] };
  top?.element.children.push(element);
  if (alone) return;
  // Of those within one another the outermost has it all.
  const takesAll = whole.has(raw.slice(raw.indexOf(':') + 1)) && !open.some((one) => one.whole);
  open.push({ element, whole: takesAll, spaces, raw });
}

function attributesOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(ATTRIBUTE)].map(([, name = '', one, other]) => [name, unescaped(one ?? other ?? '')]),
  );
}

function spacesOf(known: Readonly<Record<string, string>>, attributes: Readonly<Record<string, string>>) {
  const made = Object.entries(attributes).flatMap(([name, value]) => {
    if (name === 'xmlns') return [['', value] as const];
    return name.startsWith('xmlns:') ? [[name.slice(6), value] as const] : [];
  });
  return made.length === 0 ? known : { ...known, ...Object.fromEntries(made) };
}

function nameOf(raw: string, spaces: Readonly<Record<string, string>>): string {
  const at = raw.indexOf(':');
  return `${spaces[at < 0 ? '' : raw.slice(0, at)] ?? ''}|${raw.slice(at + 1)}`;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** A text of XML with the signs that its references stand for: those of XML itself and of numbers; others stay as they are. */
export function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (_whole, decimal, hex, name) => {
    if (name) return NAMED[name.toLowerCase()] ?? '';
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
  });
}

/** All elements of this name below, at any depth. */
export function elementsOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...elementsOf(child, name)]);
}

/** The text of the first element of this name below; undefined: there is none. */
export function textIn(element: XmlElement, name: string): string | undefined {
  return elementsOf(element, name)[0]?.text.trim();
}

/** One finding of a server about a mail, as `dkim=pass header.d=a.example` says it. Names and values in lower case. */
export interface Finding {
  /** `dkim` and `pass`. */
  method: string;
  result: string;
  properties: ReadonlyMap<string, string>;
}

/** What a value becomes whose quotes hold more than a name or an address: nothing that anybody is called. */
const UNREADABLE = '"';

/**
 * Reads an Authentication-Results header (RFC 8601 section 2.2). Senders choose parts of it: quoted strings and comments divide nothing,
 * and a header that can be read in two ways is refused.
 * @returns the name of the server that wrote it, and what it found; null: it can not be read for sure
 */
export function readResults(header: string): { server: string; findings: Finding[] } | null {
  const plain = withoutQuotes(header.toLowerCase());
  if (plain === null) return null;
  const [first = '', ...rest] = plain.split(';');
  const findings = rest.filter((text) => text.trim() !== '' && text.trim() !== 'none').map(findingOf);
  if (findings.some((one) => one === null)) return null;
  return {
    server: first.trim().split(/\s+/)[0] ?? '',
    findings: findings.filter((one) => one !== null),
  };
}

/** Without comments, quotes and what divides inside of them; null: what is opened is not closed, or a comment holds quotes. */
function withoutQuotes(text: string): string | null {
  let plain = '';
  for (let at = 0; at < text.length; ) {
    const end = text[at] === '"' ? endOfQuotes(text, at) : text[at] === '(' ? endOfComment(text, at) : at + 1;
    if (end === null || text[at] === ')' || text[at] === '\\') return null;
    if (text[at] === '(') plain += ' ';
    else if (text[at] === '"') plain += meantBy(text.slice(at + 1, end - 1), text[at - 1], text[end]);
    else plain += text[at];
    at = end;
  }
  return plain;
}

/** Where a quoted string ends; null: nowhere. */
function endOfQuotes(text: string, from: number): number | null {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return null;
}

/** Where a comment ends. Quotes in it may hide its end, or show one that is none: null, as where it never ends. */
function endOfComment(text: string, from: number): number | null {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') return null;
    if (text[at] === '\\') at++;
    else if (text[at] === '(') depth++;
    else if (text[at] === ')' && --depth === 0) return at + 1;
  }
  return null;
}

/** What a quoted string says: a whole value, or the local part of an address, of which only the domain counts. */
function meantBy(quoted: string, before = '', after = ''): string {
  if (after === '@') return 'quoted';
  return before === '=' && /^[;\s]?$/.test(after) && /^[a-z0-9.@_+-]+$/.test(quoted) ? quoted : UNREADABLE;
}

/** Null: it is no list of `name=value`, or it names something twice. */
function findingOf(text: string): Finding | null {
  const properties = new Map<string, string>();
  const pair = /\s*([a-z0-9][\w./-]*)\s*=\s*(\S+)\s*/y;
  while (pair.lastIndex < text.length) {
    const found = pair.exec(text);
    const [, name = '', value = ''] = found ?? [];
    if (!found || properties.has(name)) return null;
    properties.set(name, value);
  }
  const [[method, result] = ['', '']] = properties;
  properties.delete(method);
  return { method: method.replace(/\s*\/\s*1$/, ''), result, properties };
}

/** One property of an iCalendar text. */
export interface ContentLine {
  /** Upper case. */
  name: string;
  /** Names in upper case, values without their quotes. */
  params: readonly (readonly [name: string, value: string])[];
  /** As it is written. */
  value: string;
}

/** Octets of a line, the end of it excluded. Source: RFC 5545 section 3.1. */
const MOST_OCTETS = 75;

/** The lines of an iCalendar text; one that goes on in the next is put together. */
export function unfolded(text: string): string[] {
  return text
    .replace(/\r?\n[ \t]/g, '')
    .split(/\r?\n|\r/)
    .filter((line) => line !== '');
}

/** A line as it is sent: cut after 75 octets, never inside a character. */
export function folded(line: string): string {
  const parts: string[] = [];
  let part = '';
  let octets = 0;
  for (const char of line) {
    const size = Buffer.byteLength(char);
    if (octets + size > MOST_OCTETS) {
      parts.push(part);
      part = '';
      // The space at the beginning of the next line counts.
      octets = 1;
    }
    part += char;
    octets += size;
  }
  return [...parts, part].join('\r\n ');
}

/** An iCalendar text of these lines. */
export function textOfLines(lines: readonly string[]): string {
  return `${lines.map(folded).join('\r\n')}\r\n`;
}

/**
 * A text as the value of a property: no line of it can become a property of its own. Source: RFC 5545 section 3.3.11.
 * Control characters, which no calendar shows, are left out.
 */
export function escapedText(text: string): string {
  return text
    .replace(/\\/g, '\\\\')
    .replace(/;/g, '\\;')
    .replace(/,/g, '\\,')
    .replace(/\r\n|[\r\n\u0085\u2028\u2029]/g, '\\n')
    .replace(/[^\P{Cc}\t]/gu, '');
}

/** What a value of type TEXT says. */
export function plainText(value: string): string {
  return value.replace(/\\([\\;,nN])/g, (_whole, char: string) => (char === 'n' || char === 'N' ? '\n' : char));
}

/** A parameter's value; what could end it is left out. */
export function paramValue(text: string): string {
  const clean = text.replace(/[\p{Cc}\u2028\u2029"]/gu, ' ').trim();
  return /[:;,]/.test(clean) ? `"${clean}"` : clean;
}

/** Reads one line; quoted parameters may hold colons and semicolons. */
export function parsedLine(line: string): ContentLine {
  const { head, parts } = splitLine(line);
  const [name = '', ...given] = parts;
  const params = given.map((param) => {
    const at = param.indexOf('=');
    return [param.slice(0, at).toUpperCase(), param.slice(at + 1).replaceAll('"', '')] as const;
  });
  return { name: name.toUpperCase(), params, value: line.slice(head.length + 1) };
}

/** The line as it is written, with one parameter at its end and no other of the name. @param value null: without it */
export function withParam(line: string, name: string, value: string | null): string {
  const { head, parts } = splitLine(line);
  const [property = '', ...params] = parts;
  const left = params.filter((param) => param.split('=')[0]?.toUpperCase() !== name);
  const all = value === null ? left : [...left, `${name}=${paramValue(value)}`];
  return `${[property, ...all].join(';')}${line.slice(head.length)}`;
}

/** A line's name and parameters, as they are written. */
function splitLine(line: string): { head: string; parts: readonly string[] } {
  const head = /^(?:"[^"]*"|[^":])*/.exec(line)?.[0] ?? '';
  return { head, parts: head.match(/(?:"[^"]*"|[^";])+/g) ?? [] };
}

/** The value of a parameter; undefined: the line has none. */
export function paramOf(line: ContentLine, name: string): string | undefined {
  return line.params.find(([known]) => known === name)?.[1];
}

import { Refusal } from '../http.ts';

/** A row of an object; related objects stand under their name. */
export type Row = Readonly<Record<string, unknown>>;

/** A query in the part of SOQL that is spoken here: one object, conditions joined by AND, ordered by Id. */
export interface Soql {
  columns: string[];
  from: string;
  matches: (row: Row) => boolean;
  limit: number;
}

/** Rows of one answer; what is left is asked for under a locator. */
const MOST_ROWS = 2_000;
const QUERY =
  /^SELECT\s+(.+?)\s+FROM\s+(\w+)(?:\s+USING\s+SCOPE\s+\w+)?(?:\s+WHERE\s+(.+?))?(?:\s+ORDER\s+BY\s+\w+(?:\s+ASC)?(?:\s+NULLS\s+\w+)?)?(?:\s+LIMIT\s+(\d+))?$/is;

/** @throws Refusal MALFORMED_QUERY */
export function parseSoql(text: string): Soql {
  const [, columns = '', from = '', where = '', limit] = QUERY.exec(text.trim()) ?? [];
  if (from === '') throw new Refusal(400, 'malformed_query', `unexpected token in: ${text.slice(0, 200)}`);
  const conditions = joined(where).map(conditionOf);
  return {
    columns: columns.split(',').map((name) => name.trim()),
    from,
    matches: (row) => conditions.every((holds) => holds(row)),
    limit: Math.min(Number(limit ?? MOST_ROWS), MOST_ROWS),
  };
}

/** Conditions of a text that AND joins, also those in brackets; not within quotes. */
function joined(where: string): string[] {
  const text = where.trim();
  if (text === '') return [];
  const parts: string[] = [];
  let depth = 0;
  let quoted = false;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (quoted && letter === '\\') at++;
    else if (letter === "'") quoted = !quoted;
    else if (!quoted && letter === '(') depth++;
    else if (!quoted && letter === ')') depth--;
    else if (!quoted && depth === 0 && /^\sAND\s/i.test(text.slice(at, at + 5))) {
      parts.push(text.slice(from, at));
      from = at + 5;
    }
  }
  parts.push(text.slice(from));
  return parts
    .map((part) => part.trim())
    .flatMap((part) => (/^\(.*\)$/s.test(part) ? joined(part.slice(1, -1)) : [part]));
}

function conditionOf(text: string): (row: Row) => boolean {
  const [, name = '', operator = '', given = ''] = /^([\w.]+)\s*(=|!=|>|LIKE\s|IN\s)\s*(.+)$/is.exec(text) ?? [];
  if (name === '') throw new Refusal(400, 'malformed_query', `unexpected condition: ${text.slice(0, 200)}`);
  const values = valuesOf(given);
  const [value = ''] = values;
  const own = (row: Row): string => String(cellOf(row, name) ?? '').toLowerCase();
  switch (operator.trim().toUpperCase()) {
    case '=':
      return (row) => own(row) === value.toLowerCase();
    case '!=':
      return (row) => own(row) !== value.toLowerCase();
    case '>':
      return (row) => String(cellOf(row, name) ?? '') > value;
    case 'IN':
      return (row) => values.some((one) => own(row) === one.toLowerCase());
    default:
      return (row) => own(row).includes(value.replaceAll('%', '').toLowerCase());
  }
}

/** Texts in quotes, or a word as it is. */
function valuesOf(given: string): string[] {
  const quoted = [...given.matchAll(/'((?:[^'\\]|\\.)*)'/gs)].map(([, text = '']) => text.replace(/\\(.)/gs, '$1'));
  return quoted.length > 0 ? quoted : [given.trim()];
}

/** The value under a path such as `Account.Name`. */
export function cellOf(row: Row, path: string): unknown {
  const [name = '', ...rest] = path.split('.');
  const value = row[name];
  return rest.length === 0 || value === null || typeof value !== 'object'
    ? value
    : cellOf(value as Row, rest.join('.'));
}

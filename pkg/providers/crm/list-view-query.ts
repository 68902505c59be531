/** What a list view of Salesforce shows: the object, the scope of its records, and its condition. */
export interface ViewQuery {
  object: string;
  /** ` USING SCOPE mine`; '' without. */
  scope: string;
  /** Without the word WHERE; '' where all records are shown. */
  where: string;
}

/** Characters of a query at most; Salesforce itself takes no longer condition in an address. */
const LONGEST = 20_000;

/**
 * Reads the query that describes a list view, in one pass over it: its text comes from outside, and a pattern with two open ends would
 * take the square of its length. Null: it is longer than 20,000 characters, or no query.
 */
export function viewQuery(text: string): ViewQuery | null {
  if (text.length > LONGEST) return null;
  const plain = outline(text);
  const from = /\sFROM\s+(\w+)(?:\s+USING\s+SCOPE\s+(\w+))?(?=\s|$)/i.exec(plain);
  if (!from) return null;
  const [all, object = '', scope = ''] = from;
  const rest = from.index + all.length;
  const order = plain.slice(rest).search(/\sORDER\s+BY\s/i);
  const end = order < 0 ? plain.length : rest + order;
  const head = /^\s+WHERE(?=\s)/i.exec(plain.slice(rest, end));
  const where = text.slice(rest + (head?.[0].length ?? 0), end).trim();
  if (head ? where === '' : where !== '') return null;
  return { object, scope: scope === '' ? '' : ` USING SCOPE ${scope}`, where };
}

/** The text with a low line for each character of literals and of what stands in brackets: only the query's own words are left. */
function outline(text: string): string {
  const own = text.split('');
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < own.length; at++) {
    const sign = own[at] ?? '';
    if (quoted && sign === '\\') own[at++] = '_';
    else if (sign === "'") quoted = !quoted;
    else if (!quoted && sign === ')') depth = Math.max(0, depth - 1);
    if (quoted || depth > 0 || sign === "'" || at >= own.length) own[at] = '_';
    if (!quoted && sign === '(') depth += 1;
  }
  return own.slice(0, text.length).join('');
}

import { UNSUBSCRIBE_PLACE } from './mail-footer.ts';
import { ownFormOf } from './own-form.ts';
import type { TemplatePart } from './template.ts';

/** Something in a text that another tool would have filled, and that people would get as it stands. */
export interface ForeignPlaceholder {
  /** As it is written. */
  found: string;
  /** What to write instead, for people. */
  advice: string;
  /** Nobody means it as text: it is refused. Else it is worth a warning, for brackets stand in texts of people too. */
  certain: boolean;
}

/** Found in one text at most. */
const MOST = 10;

const SPIN = 'only one text can stand there: variants are branches of a flow:split';
const TAG = 'a text has no logic: use a flow:condition with a text on each branch';
const NAME = String.raw`[\p{L}][\p{L}\p{N}_.\- ]{0,38}`;

/** Forms, the surest first; `certain`: whatever name stands in it. Each ends with what it begins with, so that it is found once. */
const FORMS: readonly { form: RegExp; certain: boolean; advice?: string }[] = [
  { form: /\{%[^{}%\n]{0,80}%\}/gu, certain: true, advice: TAG },
  { form: /\{#[^{}#\n]{0,80}#\}/gu, certain: true, advice: TAG },
  { form: /<%=?[^<>%\n]{0,80}%>/gu, certain: true },
  { form: /<\?=?[^<>?\n]{0,80}\?>/gu, certain: true },
  { form: /\*\|[^|*\n]{1,60}\|\*/gu, certain: true },
  { form: new RegExp(String.raw`<<\s*${NAME}\s*>>`, 'gu'), certain: true },
  { form: new RegExp(String.raw`\u00ab\s*${NAME}\s*\u00bb`, 'gu'), certain: false },
  { form: new RegExp(String.raw`[$#@]\{\s*${NAME}\s*\}`, 'gu'), certain: true },
  { form: new RegExp(String.raw`\{[!$=&@+~]\s*${NAME}\s*\}`, 'gu'), certain: true },
  { form: /\{[^{}\n|]{0,60}\|[^{}\n]{0,120}\}/gu, certain: true, advice: SPIN },
  { form: new RegExp(String.raw`\{\s*${NAME}\s*\}`, 'gu'), certain: false },
  { form: new RegExp(String.raw`\[\[\s*${NAME}\s*\]\]`, 'gu'), certain: true },
  { form: new RegExp(String.raw`\[[%+*|$]\s*${NAME}\s*[%+*|$]\]`, 'gu'), certain: true },
  { form: new RegExp(String.raw`\[\s*${NAME}\s*\](?!\()`, 'gu'), certain: false },
  { form: /(?<![\p{L}\p{N}%])%{1,2}[\p{L}][\p{L}\p{N}_.\- ]{1,38}%{1,2}(?![\p{L}\p{N}%])/gu, certain: false },
  {
    form: /(?<![\p{L}\p{N}])(?:__|##|@@|!!|\$\$)[\p{L}][\p{L}\p{N}_. ]{1,38}?(?:__|##|@@|!!|\$\$)(?![\p{L}\p{N}])/gu,
    certain: false,
  },
  { form: /(?<![\p{L}\p{N}])[#|~$-][\p{L}][\p{L}\p{N}_.]{1,38}[#|~$-](?![\p{L}\p{N}])/gu, certain: false },
  { form: new RegExp(String.raw`<\s*${NAME}\s*>`, 'gu'), certain: false },
  { form: new RegExp(String.raw`\(\(\s*${NAME}\s*\)\)`, 'gu'), certain: false },
  { form: /(?<![\p{L}\p{N}$])[$:@][a-z]+_[a-z_]{2,30}(?![\p{L}\p{N}_])/gu, certain: false },
];
/** Brackets that say nothing of a name people use themselves: `[1]`, `[PDF]`, `(c)`. */
const WEAK = /^[-#|~$:@_!(]/;

/** Filters and defaults of Liquid, Handlebars, Jinja and others, where the product has a plain text. */
const FILTERED =
  /^\||^&|^\s*(?:default|fallback|else|if|or|otherwise|capitali[sz]e|upcase|downcase|upper|lower|title|titlecase|trim|strip|escape|first|truncate|replace|append|prepend)\b\s*(?:[:=("'|]|$)/i;
const QUOTED = /^(["'\u201c\u201e\u2018])(.*)["'\u201d\u201c\u2019]$/s;

/** What of other tools' forms a template holds; empty: nothing. `parts`: of parseTemplate */
export function foreignPlaceholders(parts: readonly TemplatePart[]): readonly ForeignPlaceholder[] {
  const found = parts.flatMap((part, index) =>
    part.kind === 'text'
      ? inText(part.text.replaceAll(UNSUBSCRIBE_PLACE, ' '))
      : inField(part, parts[index - 1], parts[index + 1]),
  );
  return found.slice(0, MOST);
}

function inField(
  part: TemplatePart & { kind: 'field' },
  before: TemplatePart | undefined,
  after: TemplatePart | undefined,
): ForeignPlaceholder[] {
  const { source, name, fallback } = part;
  const path = name === '' ? source : `${source}:${name}`;
  const isBraced =
    before?.kind === 'text' && /\{$/.test(before.text) && after?.kind === 'text' && /^\}/.test(after.text);
  const braces = isBraced
    ? [{ found: `{{{${path}}}}`, advice: `two braces are enough: write {{${path}}}`, certain: true }]
    : [];
  const text = fallback === null ? null : plainFallback(fallback);
  if (fallback === null || text === null) return braces;
  const own = text === '' ? `{{${path}}}` : `{{${path}|${text}}}`;
  return [
    ...braces,
    {
      found: `{{${path}|${fallback}}}`,
      advice: `what stands behind the bar is sent as it is: write ${own}`,
      certain: true,
    },
  ];
}

/** The text that somebody meant by a default of another tool; null: it is one of ours. */
function plainFallback(fallback: string): string | null {
  const isFilter = FILTERED.test(fallback);
  const quoted = QUOTED.exec(fallback.trim());
  if (!isFilter && !quoted) return null;
  if (quoted) return (quoted[2] ?? '').trim();
  return (/["'\u201c]([^"'\u201d]{1,100})["'\u201d]/.exec(fallback)?.[1] ?? '').trim();
}

function inText(text: string): ForeignPlaceholder[] {
  const found: ForeignPlaceholder[] = [];
  let rest = text;
  for (const { form, certain, advice } of FORMS) {
    // What one form has is not looked at by the next.
    rest = rest.replace(form, (match) => {
      const one = judged(match, certain, advice);
      if (one) found.push(one);
      return one ? ' '.repeat(match.length) : match;
    });
  }
  return found;
}

function judged(found: string, certain: boolean, advice: string | undefined): ForeignPlaceholder | null {
  const [name = '', other = ''] = found.replace(/^[^\p{L}]+|[^\p{L}\p{N}]+$/gu, '').split('|');
  const own = ownFormOf(name);
  if (own !== null) return { found, advice: `write ${withFallback(own, other)}`, certain: true };
  if (WEAK.test(found)) return null;
  if (certain) return { found, advice: advice ?? 'write {{lead:<field>}} or {{lead:customFields.<name>}}', certain };
  // One word in small letters or capitals may be a name of a field; a sentence in brackets is text.
  if (/^[[<(\u00ab]/.test(found) && !/^[\p{Lu}]\S*(?: \p{Lu}\S*)+$|_/u.test(name)) return null;
  return { found, advice: 'if it is to be filled, write {{lead:<field>}} or {{lead:customFields.<name>}}', certain };
}

function withFallback(own: string, other: string): string {
  const text = other.replace(/^\s*(?:default|fallback)\s*[:=]?\s*|["']/gi, '').trim();
  return text === '' || own === '{{unsubscribe_url}}' ? own : own.replace('}}', `|${text}}}`);
}

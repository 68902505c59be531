import { foldings } from './fold-text.ts';

/** Forms in which a company's name can be compared. */
export interface CompanyForms {
  /** The name without legal form, articles and spaces, one per way to leave accents out. */
  keys: ReadonlySet<string>;
  /** Initials of a name of three words or more: `Norddeutsche Maschinen Werke` is nmw. */
  acronym: string | null;
}

/** Legal forms of common registers, without dots; stripped from the end of a name only. */
const LEGAL = new Set(
  `inc incorporated corp corporation co company ltd limited llc llp lp plc private pvt pte pty proprietary gmbh mbh ag kg kgaa ohg gbr ug se sa sas sasu
   sarl srl spa snc bv nv ab as asa oy oyj aps ivs kk doo dd eood ood ad zrt kft nyrt sro zoo spzoo sl slu slne ltda eireli sti ek eg ev mbb partg and`.split(
    /\s+/,
  ),
);
/** Words that a part of a group carries and that people leave out. */
const OPTIONAL = new Set('group holding holdings deutschland germany uk usa us france europe emea ai io'.split(' '));
/** Words that name no company by themselves. */
const GENERIC = new Set(
  'partners consulting capital services systems solutions management studio media team bank company'.split(' '),
);
const SHORT: ReadonlyMap<string, string> = new Map(
  Object.entries({
    svcs: 'services',
    svc: 'service',
    mfg: 'manufacturing',
    mgmt: 'management',
    eng: 'engineering',
    pharma: 'pharmaceuticals',
    assoc: 'association',
    labs: 'laboratories',
    lab: 'laboratory',
    intl: 'international',
    natl: 'national',
    univ: 'university',
    tech: 'technology',
    technologies: 'technology',
    und: 'and',
    et: 'and',
  }),
);
const UNSPOKEN = new Set(['and', 'of', 'the', 'de', 'for', 'fur', 'fuer']);

/** Every form of a company's name; empty keys for an empty name. */
export function companyForms(name: string): CompanyForms {
  const cleaned = withoutBrackets(name.replace(/[®™©Ⓡ]/gu, ' '))
    // From the first one on. Each space is compared once: none stands before where a match begins.
    .replace(/(?<!\s)\s+[|–—-]\s.*$/s, ' ')
    .replace(/’/g, "'")
    .replace(/(^|\s)[ld]'/gi, ' ')
    .replace(/\.(io|ai|com|net|org|app|dev)\b/gi, ' ');
  const forms = foldings(cleaned).map((text) => words(text));
  const keys = new Set(forms.map((list) => list.join('')).filter((key) => key !== ''));
  const spoken = forms[0]?.filter((word) => !UNSPOKEN.has(word)) ?? [];
  return { keys, acronym: spoken.length >= 3 ? spoken.map((word) => word[0]).join('') : null };
}

/** What stands in brackets names no company; behind the last one that closes, none is looked for. */
function withoutBrackets(text: string): string {
  const end = text.lastIndexOf(')') + 1;
  return text.slice(0, end).replace(/\([^)]*\)/g, ' ') + text.slice(end);
}

function words(text: string): string[] {
  const list = text
    .replace(/\bs\.?\s*a\.?\s*de\s*c\.?\s*v\b\.?/g, ' sa ')
    .replace(/\bs\.?\s*a\s*r\.?\s*l\b\.?/g, ' sarl ')
    .replace(/\bsp\.?\s*z\s*o\.?\s*o\b\.?/g, ' spzoo ')
    .replace(/\ba\/s\b/g, ' as ')
    .replace(/[&+]/g, ' and ')
    .replace(/[.']/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .split(' ')
    .map((word) => SHORT.get(word) ?? word);
  if (list[0] === 'the' && list.length > 1) list.shift();
  return withoutEnd(withoutEnd(withoutEnd(list, LEGAL), OPTIONAL), LEGAL);
}

/** Without the words at the end that name no company, unless nothing that names one would stay. */
function withoutEnd(list: string[], ends: ReadonlySet<string>): string[] {
  let kept = list.length;
  while (kept > 1 && ends.has(list[kept - 1] ?? '')) kept -= 1;
  const rest = list.slice(0, kept);
  return rest.length === 1 && GENERIC.has(rest[0] ?? '') ? list : rest;
}

/** Whether two names are those of one company; unknown names are nobody's. */
export function sameCompanyName(a: CompanyForms, b: CompanyForms): boolean {
  for (const key of a.keys) if (b.keys.has(key) || key === b.acronym) return true;
  return a.acronym !== null && b.keys.has(a.acronym);
}

import { sizeRange } from './company-size.ts';
import type { PeopleCriteria } from './people-criteria.ts';
import { normalSeniority } from './seniority.ts';

export type SearchType = 'people' | 'sales_people' | 'companies';

/** Codes of head counts in the network's addresses, with their least and most heads. */
const SIZES = [
  ['B', 1, 10],
  ['C', 11, 50],
  ['D', 51, 200],
  ['E', 201, 500],
  ['F', 501, 1_000],
  ['G', 1_001, 5_000],
  ['H', 5_001, 10_000],
  ['I', 10_001, Number.POSITIVE_INFINITY],
] as const;

/** Codes of seniorities in its sales search. */
const SENIORITY_CODES: Readonly<Record<string, readonly [code: string, text: string]>> = {
  owner: ['320', 'Owner / Partner'],
  partner: ['320', 'Owner / Partner'],
  c_suite: ['310', 'CXO'],
  vp: ['300', 'Vice President'],
  director: ['220', 'Director'],
  head: ['220', 'Director'],
  manager: ['210', 'Experienced Manager'],
  senior: ['120', 'Senior'],
  entry: ['110', 'Entry Level'],
  intern: ['100', 'In Training'],
};

/**
 * The address of a search. What the kind of search can't express is named, never guessed: industries and places are
 * numbers there that only the network knows, so they are left to the person who opens it.
 */
export function searchUrl(type: SearchType, criteria: PeopleCriteria): { url: string; ignored: string[] } {
  if (type === 'sales_people') return salesUrl(criteria);
  const people = type === 'people';
  const params = new URLSearchParams();
  if (criteria.keywords.length > 0) params.set('keywords', anyOf(criteria.keywords));
  if (people && criteria.titles.length > 0) params.set('titleFreeText', anyOf(criteria.titles));
  const sizes = people ? [] : sizeCodes(criteria.companySizes);
  if (sizes.length > 0) params.set('companySize', JSON.stringify(sizes));
  params.set('origin', 'FACETED_SEARCH');
  const ignored = namesOf(
    criteria,
    people ? ['titles', 'keywords'] : ['keywords', ...(sizes.length > 0 ? ['companySizes'] : [])],
  );
  return { url: `https://www.linkedin.com/search/results/${people ? 'people' : 'companies'}/?${params}`, ignored };
}

function salesUrl(criteria: PeopleCriteria): { url: string; ignored: string[] } {
  const seniorities = new Map(
    criteria.seniorities.flatMap((one) => {
      const code = SENIORITY_CODES[normalSeniority(one)];
      return code ? [code] : [];
    }),
  );
  const sizes = sizeCodes(criteria.companySizes);
  const filters = [
    filter(
      'CURRENT_TITLE',
      criteria.titles.map((text) => `text:${encoded(text)}`),
    ),
    filter(
      'SENIORITY_LEVEL',
      [...seniorities].map(([code, text]) => `id:${code},text:${encoded(text)}`),
    ),
    filter(
      'COMPANY_HEADCOUNT',
      sizes.map((code) => `id:${code}`),
    ),
  ].filter((text) => text !== '');
  const words = criteria.keywords.length > 0 ? `,keywords:${encoded(anyOf(criteria.keywords))}` : '';
  const query = `(filters:List(${filters.join(',')})${words})`;
  const told = [
    'titles',
    'keywords',
    ...(seniorities.size > 0 ? ['seniorities'] : []),
    ...(sizes.length > 0 ? ['companySizes'] : []),
  ];
  const url = `https://www.linkedin.com/sales/search/people?query=${encodeURIComponent(query)}`;
  return { url, ignored: namesOf(criteria, told) };
}

function filter(type: string, values: readonly string[]): string {
  if (values.length === 0) return '';
  return `(type:${type},values:List(${values.map((value) => `(${value},selectionType:INCLUDED)`).join(',')}))`;
}

/** Its query language gives these characters a meaning, so they are escaped inside a value. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[()',]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** `"VP Sales" OR CRO`: the network's words for any of them. */
export function anyOf(texts: readonly string[]): string {
  return texts.map((text) => (/\s/.test(text) ? `"${text.replaceAll('"', '')}"` : text)).join(' OR ');
}

function sizeCodes(sizes: readonly string[]): string[] {
  const ranges = sizes.flatMap((size) => sizeRange(size) ?? []);
  return SIZES.filter(([, least, most]) => ranges.some((range) => range.min <= most && range.max >= least)).map(
    ([code]) => code,
  );
}

function namesOf(criteria: PeopleCriteria, told: readonly string[]): string[] {
  return Object.entries(criteria).flatMap(([name, list]) => (list.length > 0 && !told.includes(name) ? [name] : []));
}

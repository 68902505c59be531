import type { Input } from '../../api/call.ts';

/** What narrows the list, as the address keeps it. */
export interface LeadFilters {
  q: string;
  title: string;
  location: string;
  tag: string;
  list: string;
  campaign: string;
  mail: '' | 'yes' | 'no';
  of: '' | 'shared' | 'private';
  excluded: '' | 'yes';
}

const NONE: LeadFilters = {
  q: '',
  title: '',
  location: '',
  tag: '',
  list: '',
  campaign: '',
  mail: '',
  of: '',
  excluded: '',
};

const NAMES = Object.keys(NONE) as (keyof LeadFilters)[];

/** Reads an address; what it does not know is left out. */
export function filtersOf(query: Readonly<Record<string, string | undefined>>): LeadFilters {
  const of = oneOf(query['of'], ['', 'shared', 'private'] as const);
  const mail = oneOf(query['mail'], ['', 'yes', 'no'] as const);
  const texts = Object.fromEntries(NAMES.map((name) => [name, (query[name] ?? '').slice(0, 300)]));
  return { ...NONE, ...texts, of, mail, excluded: oneOf(query['excluded'], ['', 'yes'] as const) };
}

function oneOf<V extends string>(given: string | undefined, known: readonly [V, ...V[]]): V {
  return known.find((one) => one === given) ?? known[0];
}

/** The same as the end of an address; '' without any. */
export function queryOf(filters: LeadFilters): string {
  const given = NAMES.flatMap((name) => (filters[name] === '' ? [] : [[name, filters[name]] as [string, string]]));
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

/** How many narrow the list beside the words that are looked for. */
export function narrowing(filters: LeadFilters): number {
  return NAMES.filter((name) => name !== 'q' && filters[name] !== '').length;
}

/** What the list is asked for. */
export function searchOf(filters: LeadFilters, workspaceId: string): Input<'svc_search_leads'> {
  const { q, title, location, tag, list, campaign, mail, of, excluded } = filters;
  const words = (text: string): string[] | undefined => {
    const found = text.split(',').flatMap((one) => one.trim() || []);
    return found.length === 0 ? undefined : found;
  };
  return {
    workspaceId,
    query: q.trim() || undefined,
    titles: words(title),
    locations: words(location),
    tags: words(tag),
    leadListId: list || undefined,
    campaignId: campaign || undefined,
    hasEmail: mail === '' ? undefined : mail === 'yes',
    visibility: of || undefined,
    includeSuppressed: excluded === 'yes' || undefined,
    fields: [
      'fullName',
      'title',
      'company',
      'email',
      'location',
      'tags',
      'visibility',
      'score',
      'contact',
      'suppression',
    ],
    limit: 50,
  };
}

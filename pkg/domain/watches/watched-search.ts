import { isNetworkHost } from '../network-host.ts';

/** Most characters of an address that is kept. */
const MOST_URL = 1_000;
/** What says where somebody came from or which page they were on, and nothing of the search. */
const NOISE: ReadonlySet<string> = new Set(['origin', 'sid', 'page', 'trk', 'trackingid', 'lipi', 'sessionid', '_ntb']);

const PATHS: readonly (readonly [path: RegExp, finds: 'people' | 'posts'])[] = [
  [/^\/search\/results\/people\/?$/, 'people'],
  [/^\/search\/results\/content\/?$/, 'posts'],
  [/^\/sales\/search\/people\/?$/, 'people'],
];

/** A search of the network by its address, with what it finds; or why it is none. */
export type WatchedSearch = { url: string; finds: 'people' | 'posts' } | { refused: string };

/**
 * Reads the address of a search on the network. It is never fetched: the network is asked for a search with these parameters. Anything
 * else is refused, so that no watch leads anywhere else and none costs more than it says.
 */
export function watchedSearch(written: string): WatchedSearch {
  const url = URL.parse(written.trim());
  if (url === null || url.protocol !== 'https:') return { refused: 'is no https address' };
  const host = url.hostname.replace(/^www\./, '');
  if (host !== 'linkedin.com' || url.port !== '' || url.username !== '' || url.password !== '')
    return { refused: 'is no address of a search on the network (https://www.linkedin.com/search/results/people/…)' };
  const finds = PATHS.find(([path]) => path.test(url.pathname))?.[1];
  if (finds === undefined)
    return { refused: 'is no search for people or posts: copy the address of one from the browser' };
  const params = [...url.searchParams].filter(([name]) => !NOISE.has(name.toLowerCase()));
  if (params.length === 0) return { refused: 'has no parameters: it would find everybody' };
  const path = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`;
  const kept = `https://www.linkedin.com${path}?${new URLSearchParams(params)}`;
  return kept.length > MOST_URL ? { refused: `is longer than ${MOST_URL} characters` } : { url: kept, finds };
}

/** The public id in the address of a company's page on the network; null when it is none. */
export function companyPageId(written: string): string | null {
  const url = URL.parse(written.trim());
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  if (!isNetworkHost(url.hostname)) return null;
  const [, id] = /^\/(?:company|school|showcase)\/([^/]+)/.exec(url.pathname) ?? [];
  try {
    return id === undefined ? null : decodeURIComponent(id).toLowerCase();
  } catch {
    return null;
  }
}

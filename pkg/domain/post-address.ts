import { isNetworkHost } from './network-host.ts';

/** The kind and the number at the end of a post's address, and in its other form. */
const IN_SLUG = /-(activity|ugcPost|share)-([A-Za-z0-9-]+?)(?:-[A-Za-z0-9_]{4})?\/?$/;
const AS_URN = /^\/feed\/update\/urn:li:(activity|ugcPost|share):([A-Za-z0-9-]+)\/?$/;

/**
 * The id by which the network's provider finds a post, of its address; null: it is the address of none. The answer of that look-up names
 * the id for everything further. Source: the provider's documentation (activity: its number alone, the others: the urn).
 */
export function postIdOf(address: string): string | null {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol) || !isNetworkHost(url.hostname.replace(/^www\./, ''))) return null;
  const path = decoded(url.pathname);
  const found = AS_URN.exec(path) ?? (path.startsWith('/posts/') ? IN_SLUG.exec(path) : null);
  if (!found) return null;
  const [, kind = '', number = ''] = found;
  return kind === 'activity' ? number : `urn:li:${kind}:${number}`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

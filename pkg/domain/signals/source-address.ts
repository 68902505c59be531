import { registrableDomain } from '../registrable-domain.ts';

/** Characters of an address at most. */
const MOST = 1_000;

/**
 * The one form of an address at which an agent looks for news, or why nobody looks there; the reason goes on from "sources[0].url …". What is
 * no public site is refused here, and again when it is connected to.
 */
export function sourceAddress(written: string): { url: string } | { refused: string } {
  const url = URL.parse(written.trim());
  if (url === null || url.protocol !== 'https:') return { refused: 'is no https address' };
  if (url.username !== '' || url.password !== '') return { refused: 'holds a name or a password' };
  if (url.port !== '') return { refused: 'names a port: only the usual one is read' };
  const host = url.hostname.toLowerCase();
  if (registrableDomain(host) === null) return { refused: 'names no site of somebody' };
  url.hash = '';
  return url.href.length > MOST ? { refused: `is longer than ${MOST} characters` } : { url: url.href };
}

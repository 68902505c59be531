import type { IncomingMessage } from 'node:http';
import { cookieText, onlyCookie } from '../console/console-cookie.ts';

const NAME = '__Host-outrider-next';
/** Seconds that a person has to sign in. */
const KEPT_SECONDS = 900;
/** A browser keeps 4096 bytes. */
const LONGEST = 3_800;

/**
 * A cookie that keeps what a client asked for while its person signs in. It holds the query alone, so that it can lead nowhere but to
 * the consent page. @returns undefined when it is too long to be kept
 */
export function keepPending(query: string): string | undefined {
  const value = Buffer.from(query).toString('base64url');
  return value.length > LONGEST ? undefined : cookieText(NAME, value, KEPT_SECONDS);
}

/** Forgets it. */
export const FORGET_PENDING = cookieText(NAME, '', 0);

/** The query that was kept; undefined: none. */
export function pendingOf(request: IncomingMessage): string | undefined {
  const value = onlyCookie(request, NAME);
  if (value === undefined || !/^[\w-]+$/.test(value)) return undefined;
  const query = Buffer.from(value, 'base64url').toString('utf8');
  // What may stand in a Location, and nothing that ends it.
  return /^[\x21-\x7e]+$/.test(query) ? query : undefined;
}

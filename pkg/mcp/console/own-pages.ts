import type { IncomingMessage } from 'node:http';
import { HttpError } from '../../base/http/http-error.ts';

const HEADER = 'x-outrider-console';
const USER = 'x-outrider-user';

/**
 * Only our own pages may ask for what changes something: another site's can send no header of its own unasked, and its Origin is
 * not ours. The Host was judged before (see checkHost). @param publicOrigin under which the console is known; absent: not told
 * @throws HttpError 403
 */
export function requireOwnPage({ method, headers }: IncomingMessage, publicOrigin: string | undefined): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw foreign();
  if (method === 'GET' || method === 'HEAD') return;
  if (headers[HEADER] !== '1') throw new HttpError(403, 'The header X-Outrider-Console: 1 is missing.');
  if (!isOwnOrigin(headers.origin, headers.host, publicOrigin)) throw foreign();
}

/** Whether a page asks for somebody else than who is signed in: they signed in in another tab of its browser since. */
export function isForSomebodyElse({ headers }: IncomingMessage, userId: string | undefined): boolean {
  return headers[USER] !== undefined && headers[USER] !== userId;
}

function isOwnOrigin(origin: string | undefined, host: string | undefined, publicOrigin: string | undefined): boolean {
  if (origin === undefined || host === undefined || !/^https?:\/\//.test(origin)) return false;
  if (origin === publicOrigin) return true;
  const given = origin.replace(/^https?:\/\//, '');
  // Of a console that is known under https, a page that came without TLS is anybody's.
  return given === host && given !== publicOrigin?.replace(/^https?:\/\//, '');
}

function foreign(): HttpError {
  return new HttpError(403, 'Only pages of this console may ask for this.');
}

import type { IncomingMessage } from 'node:http';
import { HttpError } from './http-error.ts';

/** Under which names a face may be asked, and by pages of which origins. Loopback always may. */
export interface HostPolicy {
  /** Values of Host, with the port where it is not the usual one. */
  hosts: readonly string[] | 'any';
  /** Values of Origin. */
  origins: readonly string[] | 'any';
  /** Names of the settings where one that is missing is added. */
  settings?: { hosts: string; origins: string };
}

/** Whether a value of Host is this machine's, by its name or address. */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/.test(host);
}

/**
 * Guards against DNS rebinding: a page that a browser loaded from elsewhere names its own host and origin, not ours.
 * @throws HttpError 403, 400 for a request with two hosts (RFC 9112, 3.2): a proxy may have judged the other one
 */
export function checkHost(request: IncomingMessage, { hosts, origins, settings }: HostPolicy): void {
  const { host = '', origin } = request.headers;
  if (namesTwoHosts(request.rawHeaders)) throw new HttpError(400, 'The request names two hosts.');
  if (hosts !== 'any' && !isLoopbackHost(host) && !hosts.includes(host)) {
    throw notAllowed(`Host ${host.slice(0, 100)} is not allowed.`, settings?.hosts);
  }
  if (origin === undefined || origins === 'any' || origins.includes(origin)) return;
  if (!isLoopbackHost(origin.replace(/^https?:\/\//, ''))) {
    throw notAllowed('This Origin is not allowed.', settings?.origins);
  }
}

function notAllowed(text: string, setting: string | undefined): HttpError {
  return new HttpError(403, setting === undefined ? text : `${text} Add it to ${setting}.`);
}

/** Node keeps the first of several Host headers and says nothing of the others. */
function namesTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts > 1;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { SESSION_SECONDS } from '../../store/console/console-sessions.ts';
import { isToken } from '../../store/console/console-tokens.ts';

/** A browser takes the prefix only from the host itself, over TLS (or loopback), for all paths: no neighbour can set it. */
const SESSION = '__Host-outrider';
/** What a way to an OpenID provider brings back. */
const WAY = '__Host-outrider-way';
/** Lax: it comes along when another site sends its visitor here, and with nothing else that another site asks. */
const RULES = 'Path=/; HttpOnly; Secure; SameSite=Lax';

/** What the session's cookie holds; undefined: there is none, or more than one, of which one is somebody else's. */
export function cookieOf(request: IncomingMessage): string | undefined {
  const token = onlyCookie(request, SESSION);
  return token !== undefined && isToken(token) ? token : undefined;
}

export function setCookie(response: ServerResponse, token: string): void {
  add(response, SESSION, token, SESSION_SECONDS);
}

export function clearCookie(response: ServerResponse): void {
  add(response, SESSION, '', 0);
}

/** What a browser keeps while its user is at an OpenID provider. */
export function wayCookieOf(request: IncomingMessage): string | undefined {
  return onlyCookie(request, WAY);
}

/** @param value of letters that stand in a cookie as they are; '': it is taken away */
export function setWayCookie(response: ServerResponse, value: string, seconds: number): void {
  add(response, WAY, value, seconds);
}

/** The value of a cookie; undefined: there is none, or more than one, of which one is somebody else's. */
export function onlyCookie({ headers }: IncomingMessage, wanted: string): string | undefined {
  const given = (headers.cookie ?? '').split(';').flatMap((part) => {
    const [name, value] = part.trim().split('=', 2);
    return name === wanted && value !== undefined ? [value] : [];
  });
  return given.length === 1 ? given[0] : undefined;
}

/** A cookie of this host as an answer sets it. @param value of letters that stand in a cookie as they are; '': it is taken away */
export function cookieText(name: string, value: string, seconds: number): string {
  return `${name}=${value}; Max-Age=${seconds}; ${RULES}`;
}

function add(response: ServerResponse, name: string, value: string, seconds: number): void {
  response.appendHeader('set-cookie', cookieText(name, value, seconds));
}

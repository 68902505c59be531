import type { IncomingMessage, ServerResponse } from 'node:http';
import { SESSION_SECONDS } from '../../store/console/console-sessions.ts';
import { isToken } from '../../store/console/console-tokens.ts';

/** A browser takes the prefix only from the host itself, over TLS (or loopback), for all paths: no neighbour can set it. */
const NAME = '__Host-outrider';
const RULES = 'Path=/; HttpOnly; Secure; SameSite=Lax';

/** What the session's cookie holds; undefined: there is none, or more than one, of which one is somebody else's. */
export function cookieOf({ headers }: IncomingMessage): string | undefined {
  const given = (headers.cookie ?? '').split(';').flatMap((part) => {
    const [name, value] = part.trim().split('=', 2);
    return name === NAME && value !== undefined ? [value] : [];
  });
  const [token] = given;
  return given.length === 1 && token !== undefined && isToken(token) ? token : undefined;
}

export function setCookie(response: ServerResponse, token: string): void {
  response.setHeader('set-cookie', `${NAME}=${token}; Max-Age=${SESSION_SECONDS}; ${RULES}`);
}

export function clearCookie(response: ServerResponse): void {
  response.setHeader('set-cookie', `${NAME}=; Max-Age=0; ${RULES}`);
}

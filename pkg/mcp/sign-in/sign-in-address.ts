import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../../base/http/host-policy.ts';

/**
 * Under which address a client knows this server, without a slash at its end: the one that is set. Where none is set, or one of this
 * machine, only clients of this machine are told one, by the name that they asked for: any other name may be that of a proxy, or a lie.
 * @returns undefined where there is no sign-in
 */
export function signInAddress(request: IncomingMessage, publicUrl: string | undefined): string | undefined {
  const set = publicUrl === undefined ? undefined : new URL(publicUrl);
  if (set && !isLoopbackHost(set.host)) return set.origin;
  const { host = '' } = request.headers;
  return isLoopbackHost(host) ? `http://${host}` : undefined;
}

/** The resource for which tokens are given. Source: RFC 8707; MCP, Authorization. */
export function resourceOf(address: string): string {
  return `${address}/mcp`;
}

/** Whether an address that a client names is this server's; how it narrows its list of tools is no part of it. */
export function isOwnResource(named: string, address: string): boolean {
  if (!URL.canParse(named)) return false;
  const { origin, pathname, username, password, hash } = new URL(named);
  if (username !== '' || password !== '' || hash !== '') return false;
  return origin === new URL(address).origin && ['/', '/mcp', '/mcp/'].includes(pathname);
}

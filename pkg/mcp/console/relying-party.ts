import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** For whom a passkey is: browsers bind it to a name, and take none for a bare address. */
export interface RelyingParty {
  name: string;
  origin: string;
}

/** The one that a request came to: the console's public name, or `localhost`. Undefined: it has no name. */
export function relyingPartyOf(
  { headers }: IncomingMessage,
  publicOrigin: string | undefined,
): RelyingParty | undefined {
  const { host = '' } = headers;
  if (publicOrigin !== undefined && new URL(publicOrigin).host === host) {
    const { hostname: name } = new URL(publicOrigin);
    return isIP(name) === 0 && !name.startsWith('[') ? { name, origin: publicOrigin } : undefined;
  }
  return /^localhost(:\d+)?$/.test(host) ? { name: 'localhost', origin: `http://${host}` } : undefined;
}
